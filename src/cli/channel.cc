// discreet channel VERB …: what a mechanism's matrix promises, and what it is good for.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "discreet/base/try.h"
#include "discreet/channel/csv.h"
#include "discreet/channel/delta.h"
#include "discreet/channel/leakage.h"
#include "discreet/channel/sweep.h"
#include "discreet/cli/channel_input.h"
#include "discreet/cli/channel_output.h"
#include "discreet/cli/channel_verbs.h"
#include "discreet/cli/out_file.h"

namespace discreet::cli {
namespace {

using namespace channel;

struct Options {
  std::string file, graph, epsilon, at_most, metric, prior, gain = "identity", fa, plot;
  bool json = false;
};

// Without a graph every two rows are neighbours: nothing is promised that doesn't hold.
Result<Graph> graph_of(const Options& options, std::size_t size) {
  return read_graph(options.graph.empty() ? "complete" : options.graph, size);
}
std::string over(const Options& options) {
  if (options.graph.empty() || options.graph == "complete") return "any two inputs";
  return fmt::format("the graph {}", options.graph);
}
void note_graph(const Options& options, Json& json) {
  json["graph"] = options.graph.empty() ? "complete" : options.graph;
}

Status plot(const Options& options, const AnyChannel& any) {
  if (options.plot.empty()) return {};
  auto dense = TRY(written_out(any));
  return plot_matrix(options.plot, dense, "P(output | input)");
}

Status metric_epsilon(const Options& options, const AnyChannel& any) {
  if (!options.graph.empty() || !options.at_most.empty())
    return bad_parameter("metric",
                         "found together with --graph or --at-most; accepted is "
                         "--metric alone");
  auto dense = TRY(written_out(any));
  const std::size_t n = dense.rows();
  std::vector<Rational> metric;
  if (options.metric == "line") {
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b) metric.emplace_back(a < b ? b - a : a - b);
  } else {
    auto text = TRY(read_text(options.metric));
    auto table = TRY(read_matrix(options.metric, text, n));
    for (const auto& row : table.rows)
      metric.insert(metric.end(), row.numbers.begin(), row.numbers.end());
  }
  auto found = TRY(channel::metric_epsilon(dense, metric));
  TRY(plot(options, any));
  return finish(
      options.json, {{"epsilon", json_number(found)}, {"metric", options.metric}},
      fmt::format("epsilon is {} a unit of the metric {}\n", to_text(found), options.metric));
}

Status epsilon(const Options& options) {
  auto any = TRY(read_any_channel(options.file));
  if (!options.metric.empty()) return metric_epsilon(options, any);
  auto graph = TRY(graph_of(options, inputs_of(any)));
  std::optional<Ratio> bound;
  if (!options.at_most.empty()) {
    auto ratio = TRY(parse_ratio("at-most", options.at_most, true));
    bound = std::move(ratio);
  }
  const Loss loss = std::visit([&](const auto& c) { return epsilon_of(c, graph); }, any);
  TRY(plot(options, any));
  Json json{{"epsilon", json_number(loss.epsilon())}};
  const std::string exact = short_exact(loss);
  if (!exact.empty()) json["exact"] = exact;
  note_graph(options, json);
  std::string text =
      fmt::format("epsilon is {}{} over {}\n", to_text(loss.epsilon()),
                  exact.starts_with("ln") ? fmt::format(" = {}", exact) : "", over(options));
  if (std::holds_alternative<Channel>(any) && (loss.infinite || loss.ratio != 1)) {
    json["reached"] = {{"inputs", {loss.from, loss.to}}, {"output", loss.output}};
    text += fmt::format("reached by output {}, from input {} against {}\n", loss.output, loss.from,
                        loss.to);
  }
  if (bound) {
    const auto holds = loss.within(*bound);
    json["holds"] = holds ? Json(*holds) : Json(nullptr);
    text += fmt::format("at most {}: {}\n", options.at_most,
                        !holds   ? "too close to say"
                        : *holds ? "yes"
                                 : "no");
  }
  return finish(options.json, json, text);
}

Status delta(const Options& options) {
  auto ratio = TRY(parse_ratio("epsilon", options.epsilon, true));
  auto any = TRY(read_any_channel(options.file));
  auto dense = TRY(written_out(any));
  auto graph = TRY(graph_of(options, dense.rows()));
  auto found = TRY(delta_of(dense, graph, ratio));
  TRY(plot(options, any));
  const double value = std::max(0.0, found.value.middle());
  Json json{{"delta", value}};
  const std::string exact = found.exact ? short_exact(*found.exact) : "";
  if (!exact.empty()) json["exact"] = exact;
  note_graph(options, json);
  return finish(options.json, json,
                fmt::format("delta is {} at epsilon {} over {}\n", to_text(value), options.epsilon,
                            over(options)));
}

// Distances are between the numbers of inputs, unless a graph says otherwise.
Result<Gain> gain_of(const Options& options, std::size_t size) {
  auto graph = TRY(read_graph(options.graph.empty() ? "path" : options.graph, size));
  return read_gain(options.gain, graph);
}

std::string remap_text(const std::vector<std::size_t>& remap) {
  constexpr std::size_t kMost = 24;
  std::string out;
  for (std::size_t z = 0; z < std::min(remap.size(), kMost); ++z)
    out += fmt::format("{}{} → {}", z == 0 ? "" : ", ", z, remap[z]);
  return remap.size() > kMost ? out + ", …" : out;
}

template <class Structured>
Status swept(const Options& options, const Structured& structured) {
  auto gain = TRY(gain_of(options, structured.size));
  auto prior = TRY(read_prior_doubles(options.prior, structured.size));
  auto use = TRY(sweep_utility(structured, prior, gain));
  std::string text = fmt::format("utility is {}, between {} and {}\n", to_text(use.value()),
                                 to_text(use.lower), to_text(use.upper));
  Json json{{"utility", use.value()}, {"interval", {{"lower", use.lower}, {"upper", use.upper}}}};
  if (options.json) {
    json["remap"] = use.remap;
  } else {
    text += fmt::format("the best remap is {}\n", remap_text({use.remap.begin(), use.remap.end()}));
  }
  return finish(options.json, json, text);
}

// A formula that is small enough to be written exactly is better answered exactly.
bool is_small(const TruncatedGeometric& channel) {
  return channel.size <= 200 && channel.ratio.exact();
}
bool is_small(const Flat& channel) { return channel.size <= 200; }

Status utility(const Options& options) {
  auto any = TRY(read_any_channel(options.file));
  const bool named = options.gain == "identity" || options.gain == "distance";
  const bool plain = options.graph.empty() || options.graph == "path";
  if (named && plain && options.plot.empty()) {
    if (const auto* geometric = std::get_if<TruncatedGeometric>(&any);
        geometric != nullptr && !is_small(*geometric))
      return swept(options, *geometric);
    if (const auto* flat = std::get_if<Flat>(&any); flat != nullptr && !is_small(*flat))
      return swept(options, *flat);
  }
  auto dense = TRY(written_out(any));
  auto gain = TRY(gain_of(options, dense.rows()));
  auto prior = TRY(read_prior(options.prior, dense.rows()));
  auto use = TRY(utility_of(dense, prior, gain));
  TRY(plot(options, any));
  const std::string exact = short_exact(use.value);
  Json json{{"utility", to_double(use.value)}, {"remap", use.remap}};
  if (!exact.empty()) json["exact"] = exact;
  return finish(
      options.json, json,
      fmt::format("utility is {}{}\nthe best remap is {}\n", to_text(to_double(use.value)),
                  exact.find('/') == std::string::npos ? "" : fmt::format(" = {}", exact),
                  remap_text(use.remap)));
}

Status leakage(const Options& options) {
  auto any = TRY(read_any_channel(options.file));
  auto dense = TRY(written_out(any));
  auto gain = TRY(gain_of(options, dense.rows()));
  auto prior = TRY(read_prior(options.prior, dense.rows()));
  auto leak = TRY(leakage_of(dense, prior, gain));
  TRY(plot(options, any));
  const Rational capacity = multiplicative_capacity(dense);
  const auto times = leak.multiplicative();
  const bool bits = times && sgn(*times) > 0;
  Json json{{"prior_vulnerability", to_double(leak.prior)},
            {"posterior_vulnerability", to_double(leak.posterior)},
            {"multiplicative", times ? Json(to_double(*times)) : Json(nullptr)},
            {"additive", to_double(leak.additive())},
            {"leakage_bits", bits ? Json(bits_of(*times)) : Json(nullptr)},
            {"capacity_bits", bits_of(capacity)}};
  std::string text =
      fmt::format("vulnerability before {} and after {}\n", to_text(to_double(leak.prior)),
                  to_text(to_double(leak.posterior)));
  if (bits)
    text += fmt::format("leakage {} times, {} bits\n", to_text(to_double(*times)),
                        to_text(bits_of(*times)));
  text += fmt::format("min-entropy capacity {} bits\n", to_text(bits_of(capacity)));
  return finish(options.json, json, text);
}

Status tradeoff(const Options& options) {
  auto dense = TRY(cli::read_channel(options.file));
  auto graph = TRY(graph_of(options, dense.rows()));
  auto curve = TRY(tradeoff_of(dense, graph));
  if (!options.fa.empty()) {
    if (!options.plot.empty())
      return bad_parameter("fa", "found together with --plot; accepted is one point or a curve");
    auto fa =
        read_number("fa", options.fa, Rounding::kUp, {0, 1, false, "a probability from 0 to 1"});
    if (!fa) return forward_error(fa);
    const Rational miss = miss_at(curve, *fa);
    return finish(options.json, {{"md", to_double(miss)}},
                  fmt::format("false alarms of {} mean misses of at least {}\n", options.fa,
                              to_text(to_double(miss))));
  }
  TRY(plot_tradeoff(options.plot, curve));
  Json points = Json::array();
  std::string text = "false alarm  missed detection\n";
  for (const Point& point : curve) {
    points.push_back({to_double(point.false_alarm), to_double(point.miss)});
    text +=
        fmt::format("{:>11.6g}  {:>16.6g}\n", to_double(point.false_alarm), to_double(point.miss));
  }
  Json json{{"points", points}};
  note_graph(options, json);
  return finish(options.json, json, text);
}

using Run = Status (*)(const Options&);

struct Verb {
  const char *name, *what, *example;
  Run run;
  std::string_view takes;  // e ε, m metric and at-most, u prior and gain, f fa
};

void add_one(CLI::App& area, Action& chosen, const Verb& verb) {
  CLI::App* command = add_verb(area, verb.name, verb.what, verb.example);
  auto options = std::make_shared<Options>();
  const auto takes = [&](char c) { return verb.takes.find(c) != std::string_view::npos; };
  command
      ->add_option("FILE", options->file,
                   "a CSV file of probabilities, one row an input; - is standard input; or "
                   "truncated-geometric(size=…, epsilon=…), flat(size=…, epsilon=…)")
      ->required();
  command->add_option("--graph", options->graph,
                      takes('u')
                          ? "what --gain distance is measured on: path (the default), cycle, "
                            "complete or a file of edges"
                          : "which inputs are neighbours: path, cycle, complete (the "
                            "default) or a file of edges");
  if (takes('e')) command->add_option("--epsilon", options->epsilon, "ε, from 0 on")->required();
  if (takes('m')) {
    command->add_option("--metric", options->metric,
                        "d-privacy: line (|i−k|) or a file of distances, instead of a graph");
    command->add_option("--at-most", options->at_most, "say whether it is at most this, exactly");
  }
  if (takes('u')) {
    command
        ->add_option("--prior", options->prior,
                     "uniform, binomial, binomial(1/3), a list of probabilities, or a file")
        ->required();
    command
        ->add_option("--gain", options->gain,
                     "identity, distance (minus |guess − truth|), or a file: one row a guess, one "
                     "column a true value")
        ->capture_default_str();
  }
  if (takes('f')) command->add_option("--fa", options->fa, "one probability of a false alarm");
  command->add_option("--plot", options->plot, "write a picture to this SVG file");
  command->add_flag("--json", options->json, "one JSON object");
  command->callback([options, run = verb.run, &chosen] {
    chosen = [options, run]() -> Status {
      if (!options->plot.empty()) TRY(can_write("plot", options->plot));
      return run(*options);
    };
  });
}

}  // namespace

void add_channel(CLI::App& app, Action& chosen) {
  CLI::App* area =
      add_verb(app, "channel", "Mechanisms as matrices: privacy, usefulness, and the best there is",
               "discreet channel optimal --graph path --size 6 --epsilon 'ln(2)' --prior uniform "
               "--gain identity");
  area->require_subcommand(1);
  add_channel_make(*area, chosen);
  static constexpr Verb kVerbs[] = {
      {"epsilon", "The least ε, exactly", "discreet channel epsilon coin.csv --graph complete",
       epsilon, "m"},
      {"delta", "δ at a given ε", "discreet channel delta coin.csv --epsilon 'ln(2)'", delta, "e"},
      {"tradeoff", "False alarms against misses of whoever tries to tell neighbours apart",
       "discreet channel tradeoff coin.csv --plot curve.svg", tradeoff, "f"},
      {"utility", "What a user with a prior and a gain gets, with the best remap",
       "discreet channel utility coin.csv --prior uniform --gain identity", utility, "u"},
      {"leakage", "What an adversary learns: vulnerabilities, leakage, capacity",
       "discreet channel leakage coin.csv --prior uniform", leakage, "u"},
  };
  for (const Verb& verb : kVerbs) add_one(*area, chosen, verb);
  add_channel_optimal(*area, chosen);
  add_channel_graph(*area, chosen);
}

}  // namespace discreet::cli
