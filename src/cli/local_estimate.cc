// discreet local estimate PROTOCOL …: from reports, counts or states to frequencies or a mean.
#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <limits>
#include <optional>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/channel/csv.h"
#include "discreet/channel/prior.h"
#include "discreet/cli/channel_input.h"
#include "discreet/cli/interrupt.h"
#include "discreet/cli/local_collect.h"
#include "discreet/cli/local_result.h"
#include "discreet/cli/local_rounds.h"
#include "discreet/cli/local_values.h"
#include "discreet/cli/numbers_file.h"
#include "discreet/cli/out_file.h"
#include "discreet/cli/watchdog.h"
#include "discreet/local/channel_protocol.h"
#include "discreet/local/estimate_channel.h"
#include "discreet/local/form.h"
#include "discreet/local/numeric_shape.h"

namespace discreet::cli {
namespace {

struct Options : ProtocolOptions {
  CollectOptions collect;
  std::vector<std::string> states;
  std::string method, tolerance, rounds, start, counts, users, lower, upper, plot, top;
  bool json = false, no_smoothing = false, all = false;
};

// A list such as 0.2,0.3,0.5, or a file of probabilities.
Result<std::vector<double>> read_start(const std::string& text, std::size_t size) {
  std::error_code unknown;
  const bool file = std::filesystem::exists(text, unknown);
  const std::string content = file ? TRY(read_text(text)) : text;
  return channel::in_doubles(
      TRY(channel::read_distribution(file ? quote(text) : "--start", content, size)));
}

// Options of rounds, where there are none.
Status check_rounds(const Options& options, local::Task task, local::Method method) {
  const bool rounds = task != local::Task::kMean &&
                      (method == local::Method::kIbu || method == local::Method::kMle);
  const std::pair<const char*, const std::string*> own[] = {
      {"tolerance", &options.tolerance}, {"rounds", &options.rounds}, {"start", &options.start}};
  for (const auto& [name, text] : own)
    if (!text->empty() && !rounds)
      return bad_parameter(name, fmt::format("found with {}, which takes no rounds; accepted is it "
                                             "with --method ibu or mle",
                                             task == local::Task::kMean
                                                 ? "a mean"
                                                 : fmt::format("the method {}", name_of(method))));
  if (options.no_smoothing && (task != local::Task::kShape || method != local::Method::kIbu))
    return bad_parameter("no-smoothing",
                         "found where nothing is smoothed; accepted is it with square-wave and the "
                         "method ibu");
  return {};
}

Result<local::EstimateOptions> read_estimate_options(const Options& options,
                                                     const local::Constants& c) {
  local::EstimateOptions out;
  if (c.task == local::Task::kShape) out.method = local::Method::kIbu;
  if (!options.method.empty()) out.method = TRY(local::read_method(options.method));
  if (c.task == local::Task::kMean && !options.method.empty())
    return bad_parameter("method",
                         "found for a mean, of which there is one estimate; accepted is "
                         "it with frequencies");
  TRY(check_rounds(options, c.task, out.method));
  if (!options.tolerance.empty())
    out.tolerance = to_double(TRY(read_number("tolerance", options.tolerance, Rounding::kDown,
                                              {0, 1, true, "a number above 0 and at most 1"})));
  if (!options.rounds.empty())
    out.rounds =
        static_cast<std::size_t>(TRY(read_integer("rounds", options.rounds, 1, 1'000'000'000)));
  if (!options.start.empty()) out.start = TRY(read_start(options.start, c.domain));
  out.smooth =
      c.task == local::Task::kShape && out.method == local::Method::kIbu && !options.no_smoothing;
  return out;
}

// --counts: reports per value where a report is the number of one, else how many reports support
// each.
Result<local::State> read_counts(const Options& options, const local::Protocol& protocol) {
  const local::Constants& c = protocol.constants();
  TRY(can_hold(protocol));
  local::State state(protocol);
  const std::vector<Rational> counts = TRY(read_number_list("--counts", options.counts));
  if (c.task == local::Task::kMean)
    return bad_parameter("counts", "found for a protocol about a mean; accepted are its reports");
  if (counts.size() != state.counters.size())
    return bad_parameter(
        "counts", fmt::format("found {} numbers; accepted are {}, one for each {}", counts.size(),
                              state.counters.size(), c.counters == c.domain ? "value" : "output"));
  const bool one_each = local::forms_of_protocol(c.name) == local::kNumber;
  const Rational most(Integer(1) << 53);
  Rational sum = 0, greatest = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 0 || counts[i] > most || counts[i].get_den() != 1)
      return bad_parameter("counts", fmt::format("found {} as number {}; accepted are whole "
                                                 "numbers from 0 to 2^53",
                                                 to_decimal(counts[i]), i + 1));
    state.counters[i] = counts[i].get_num().get_ui();
    sum += counts[i];
    greatest = std::max(greatest, counts[i]);
  }
  if (one_each && !options.users.empty())
    return bad_parameter("users",
                         "found with counts that add up to it; accepted is it where a "
                         "report supports several values");
  if (!one_each && options.users.empty())
    return bad_parameter("users",
                         "none was given; accepted is how many reports there were, since "
                         "each supports several values",
                         advise("users", "1000"));
  const Rational users =
      one_each ? sum
               : Rational(TRY(read_integer("users", options.users, 1, std::int64_t{1} << 53)));
  if (users > most || greatest > users)
    return bad_parameter("counts", fmt::format("found {} of {} reports for one value; accepted "
                                               "are as many at most, and 2^53 in all",
                                               to_decimal(greatest), to_decimal(users)));
  state.users = users.get_num().get_ui();
  if (!protocol.fits(state.counters, state.users))
    return bad_parameter("counts",
                         fmt::format("found {} in all; accepted is what {} reports of {} give: {} "
                                     "for each",
                                     to_decimal(sum), state.users, c.name, c.words));
  return state;
}

bool needs_reports(const local::Protocol& protocol, local::Method method) {
  const auto* frequencies = dynamic_cast<const local::FrequencyProtocol*>(&protocol);
  return frequencies != nullptr && frequencies->likelihood_needs_reports() &&
         (method == local::Method::kIbu || method == local::Method::kMle);
}

Result<local::State> read_state(const Options& options, const local::Protocol& protocol,
                                local::Method method) {
  const bool reports = options.collect.any();
  const int ways =
      (reports ? 1 : 0) + (options.counts.empty() ? 0 : 1) + (options.states.empty() ? 0 : 1);
  if (ways > 1)
    return fail(Code::kUsage, "found several of --input, --counts and --state; accepted is one");
  if (!options.counts.empty()) return read_counts(options, protocol);
  if (!options.users.empty())
    return bad_parameter("users", "found without --counts; accepted is it beside them");
  if (!options.states.empty()) return read_states("state", options.states, &protocol);
  CollectOptions collect = options.collect;
  collect.keep = needs_reports(protocol, method);
  collect.states = true;
  return collect_reports(protocol, collect);
}

Result<local::Estimate> estimate_values(const local::Protocol& protocol, const local::State& state,
                                        const local::EstimateOptions& how) {
  if (const auto* any = dynamic_cast<const local::ChannelProtocol*>(&protocol))
    return std::visit(
        [&](const auto& each) { return local::estimate_channel(each, state.counters, how); },
        any->channel());
  if (const auto* frequencies = dynamic_cast<const local::FrequencyProtocol*>(&protocol))
    return local::estimate_frequencies(*frequencies, state, how);
  return fail(Code::kUsage, fmt::format("{} tells no frequencies", protocol.constants().name));
}

Result<std::optional<std::size_t>> read_top(const Options& options) {
  if (options.all && !options.top.empty())
    return fail(Code::kUsage, "found --top with --all; accepted is one of them");
  if (options.all) return std::numeric_limits<std::size_t>::max();
  if (options.top.empty()) return std::optional<std::size_t>{};
  return static_cast<std::size_t>(TRY(read_integer("top", options.top, 1, local::kMostValues)));
}

// Those of the state where none were given.
Status take_bounds(const local::State& state, Scale& scale) {
  if (state.bounds.empty()) return {};
  if (scale.given) return state.check_bounds(scale.lower, scale.upper);
  scale = {state.bounds[0], state.bounds[1], true};
  return {};
}

Status estimate(const Options& options) {
  const NamedProtocol named = TRY(make_protocol(options));
  const local::Protocol& protocol = *named.protocol;
  const local::Constants& c = protocol.constants();
  Scale scale = TRY(read_scale(c.task, options.lower, options.upper));
  local::EstimateOptions how = TRY(read_estimate_options(options, c));
  const std::optional<std::size_t> top = TRY(read_top(options));
  if (!options.plot.empty()) TRY(can_write("plot", options.plot));
  const local::State state = TRY(read_state(options, protocol, how.method));
  TRY(judge_rejections(state));
  TRY(state.check_names(local::fingerprint(named.labels)));
  TRY(take_bounds(state, scale));
  if (state.users == 0) return fail(Code::kFailure, "found no reports; accepted is one at least");
  if (options.tolerance.empty() && needs_reports(protocol, how.method))
    how.tolerance = near_enough(state.users, c.domain, how.tolerance);
  const Interrupt interrupt;
  const Watchdog watchdog;
  std::optional<RoundsBar> bar(std::in_place, how.tolerance);
  how.progress = std::ref(*bar);
  const Shown shown{options.json, options.plot, top};
  if (const auto* mean = dynamic_cast<const local::MeanProtocol*>(&protocol))
    return show_mean(shown, named, state, scale, mean->mean(state));
  if (const auto* shape = dynamic_cast<const local::ShapeProtocol*>(&protocol)) {
    const local::Shape result = TRY(local::estimate_shape(*shape, state, how));
    TRY(not_interrupted(result.bins));
    bar.reset();  // its line is wiped before anything is printed
    return show_shape(shown, named, state, scale, how.method, result);
  }
  const local::Estimate result = TRY(estimate_values(protocol, state, how));
  TRY(not_interrupted(result));
  bar.reset();
  return show_frequencies(shown, named, state, scale, how.method, result);
}

}  // namespace

void add_local_estimate(CLI::App& area, Action& chosen) {
  CLI::App* verb = add_verb(
      area, "estimate", "what the collector does: from reports to frequencies, with error bars",
      "discreet local estimate flat --epsilon 1 --domain 4 --counts 40,30,20,10");
  auto options = std::make_shared<Options>();
  add_protocol_options(*verb, *options);
  add_scale_options(*verb, options->lower, options->upper);
  add_collect_options(*verb, options->collect);
  verb->add_option("--state", options->states,
                   "states from aggregate or merge, instead of reports");
  verb->add_option(
      "--counts", options->counts,
      "how many reports named each value, such as 40,30,20,10, instead of reports; for "
      "unary, local-hashing and subset how many support each, for hadamard, square-wave and "
      "channel "
      "how many there were of each output (describe says how many outputs hadamard has: 8 for a "
      "domain of 4)");
  verb->add_option("--users", options->users, "with --counts of supports: how many reports");
  verb->add_option("--method", options->method,
                   "inversion (the default: unbiased, may be negative), clip, simplex, ibu (the "
                   "default of square-wave) or mle");
  verb->add_option("--tolerance", options->tolerance,
                   "of ibu and mle: stop this near to the greatest likelihood, in nats a report");
  verb->add_option("--rounds", options->rounds, "of ibu and mle: stop after so many rounds");
  verb->add_option(
      "--start", options->start,
      "of ibu and mle: a distribution, as a list or a file; uniform where none is given");
  verb->add_flag("--no-smoothing", options->no_smoothing,
                 "of square-wave: the likeliest shape, without smoothing");
  verb->add_option("--top", options->top,
                   "how many values to show, the greatest: 50 where nothing is given, of a shape "
                   "all");
  verb->add_flag("--all", options->all, "show all values, in their order");
  verb->add_option("--plot", options->plot, "a picture with error bars, as SVG");
  verb->add_flag("--json", options->json, "one JSON object");
  verb->callback([options, &chosen] { chosen = [options] { return estimate(*options); }; });
}

}  // namespace discreet::cli
