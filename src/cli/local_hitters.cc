// discreet local hitters VERB …: which words many people have, where nobody knows what words there
// are.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/base/utf8.h"
#include "discreet/cli/channel_output.h"
#include "discreet/cli/interrupt.h"
#include "discreet/cli/local_client.h"
#include "discreet/cli/local_collect.h"
#include "discreet/cli/local_result.h"
#include "discreet/cli/out_file.h"
#include "discreet/cli/watchdog.h"
#include "discreet/local/hitters_find.h"
#include "discreet/local/reader.h"
#include "discreet/present/progress.h"
#include "discreet/present/table.h"
#include "discreet/random/generator.h"

namespace discreet::cli {
namespace {

struct HittersOptions {
  std::string epsilon, bytes = "8";
};

void add_hitters_options(CLI::App& verb, HittersOptions& options) {
  verb.add_option("--epsilon", options.epsilon, "ε of each report")->required();
  verb.add_option("--bytes", options.bytes,
                  "how long words are, 1 to 32; longer ones are cut, and are one word where their "
                  "beginnings are. People are shared out over as many levels, so that few bytes "
                  "find more")
      ->capture_default_str();
}

Result<std::unique_ptr<local::Hitters>> make_hitters(const HittersOptions& options) {
  const Rational epsilon = TRY(read_report_epsilon(options.epsilon));
  const std::int64_t bytes = TRY(read_integer("bytes", options.bytes, 1, local::kMostBytes));
  return local::Hitters::create({.epsilon = epsilon, .bytes = static_cast<std::size_t>(bytes)});
}

class WordClient final : public Client {
 public:
  explicit WordClient(const local::Hitters& hitters) : hitters_(hitters) {}

  void clear() override { words_.clear(); }

  bool read(std::string_view line) override {
    if (!local::padded(line, hitters_.bytes())) return false;
    words_.push_back(line);
    return true;
  }

  Status perturb(std::string& text) override {
    const std::size_t size = hitters_.constants().words;
    reports_.resize(words_.size() * size);
    TRY(hitters_.perturb(words_, random::thread_generator(), reports_));
    for (std::size_t at = 0; at < reports_.size(); at += size) {
      hitters_.write(std::span(reports_).subspan(at, size), text);
      text += '\n';
    }
    return {};
  }

  Error refuse(const std::string& place, std::uint64_t line,
               std::string_view found) const override {
    return {Code::kUsage,
            fmt::format("{}, line {}: found a zero byte in {}; accepted are words without, since "
                        "zeros stand behind the shorter ones",
                        place, line, quote(found)),
            {},
            {},
            {}};
  }

 private:
  const local::Hitters& hitters_;
  std::vector<std::string_view> words_;  // of the block that is being worked on
  std::vector<local::Word> reports_;
};

struct PerturbOptions : HittersOptions {
  ClientOptions client;
};

Status perturb(const PerturbOptions& options) {
  const auto hitters = TRY(make_hitters(options));
  // of a longer line, what is behind doesn't count
  TRY(run_clients(options.client,
                  {.in = 2 * local::kMostBytes, .out = local::longest_report(*hitters)},
                  [&] { return std::make_unique<WordClient>(*hitters); }));
  return {};
}

struct AggregateOptions : HittersOptions {
  CollectOptions collect;
  std::string out;
  bool json = false;
};

Status aggregate(const AggregateOptions& options) {
  TRY(can_keep_state(options.out, options.json));
  const auto hitters = TRY(make_hitters(options));
  CollectOptions collect = options.collect;
  collect.keep = true;
  const local::State state = TRY(collect_reports(*hitters, collect));
  TRY(judge_rejections(state));
  return keep_state(state, options.out, options.json);
}

struct EstimateOptions : HittersOptions {
  CollectOptions collect;
  std::vector<std::string> states;
  std::string top = "20", candidates = "65536";
  bool json = false, levels = false;
};

Result<local::State> read_state(const EstimateOptions& options, const local::Hitters& hitters) {
  if (!options.states.empty()) {
    if (options.collect.any())
      return fail(Code::kUsage, "found --state with reports; accepted is one of them");
    return read_states("state", options.states, &hitters);
  }
  CollectOptions collect = options.collect;
  collect.keep = true;
  collect.states = true;
  return collect_reports(hitters, collect);
}

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

// Bytes that aren't UTF-8 are shown as what JSON can hold, and exactly beside it.
Json json_of(const local::Hitter& hitter) {
  Json out{{"value", hitter.word},
           {"frequency", json_number(hitter.frequency)},
           {"stderr", json_number(hitter.stderr_)}};
  if (!is_utf8(hitter.word)) {
    out["value"] = printable(hitter.word);
    out["hex"] = hex(hitter.word);
  }
  return out;
}

Json json_of(const local::Hitters& hitters, const local::State& state, const local::Found& found) {
  Json json{{"epsilon", to_written_double(hitters.constants().epsilon, Rounding::kUp)},
            {"bytes", hitters.bytes()},
            {"hitters", Json::array()}};
  for (const local::Hitter& each : found.hitters) json["hitters"].push_back(json_of(each));
  add_users(json, state);
  json["levels"] = Json::array();
  for (const local::HitterLevel& each : found.levels)
    json["levels"].push_back(
        {{"bits", each.bits}, {"users", each.users}, {"candidates", each.candidates}});
  json["threshold"] = json_number(found.threshold);
  return json;
}

std::string told_threshold(const local::Found& found, int decimals) {
  if (!std::isfinite(found.threshold))
    return "No report speaks of whole words, so that none can be shown: were the reports made with "
           "fewer --bytes?\n";
  return fmt::format(
      "A word is shown from an estimate of {:.{}f} on: one that nobody has gets there in at most "
      "{:.0f} of 100 collections.\n± is one standard error.\n",
      found.threshold, decimals, 100 * local::kFalseWords);
}

std::string text_of(const local::Hitters& hitters, const local::State& state,
                    const local::Found& found, bool with_levels) {
  // as long as words are told: there may have been more
  const auto cut = [&hitters](const local::Hitter& each) {
    return each.word.size() == hitters.bytes();
  };
  std::vector<double> errors;
  for (const local::Hitter& each : found.hitters) errors.push_back(each.stderr_);
  constexpr int kNoBars = 4;
  const int decimals = errors.empty() ? kNoBars : decimals_for(errors);
  constexpr auto kRight = present::Align::kRight;
  present::Table words({{"word"}, {"estimate", kRight}, {"±", kRight}});
  for (const local::Hitter& each : found.hitters)
    words.add({each.word.empty() ? "(empty)" : printable(each.word) + (cut(each) ? " …" : ""),
               told_number(each.frequency, decimals), told_number(each.stderr_, decimals)});
  const bool any_cut = std::any_of(found.hitters.begin(), found.hitters.end(), cut);
  present::Table levels({{"bits", kRight}, {"reports", kRight}, {"prefixes looked at", kRight}});
  for (const local::HitterLevel& each : found.levels)
    levels.add({fmt::format("{}", each.bits), present::with_commas(each.users),
                present::with_commas(each.candidates)});
  return (found.hitters.empty() ? "No word stands out.\n" : words.text()) +
         (with_levels ? "\n" + levels.text() : "") + foot(state) +
         (any_cut ? fmt::format("… stands behind words of {} bytes, which may have been cut.\n",
                                hitters.bytes())
                  : "") +
         told_threshold(found, decimals);
}

Status estimate(const EstimateOptions& options) {
  const auto hitters = TRY(make_hitters(options));
  const auto top = static_cast<std::size_t>(TRY(read_integer("top", options.top, 1, 100'000)));
  const auto candidates =
      static_cast<std::size_t>(TRY(read_integer("candidates", options.candidates, 256, 1 << 26)));
  const local::State state = TRY(read_state(options, *hitters));
  TRY(judge_rejections(state));
  if (state.users == 0) return fail(Code::kFailure, "found no reports; accepted is one at least");
  const Interrupt interrupt;
  const Watchdog watchdog;
  constexpr double kSteps = 1000;
  present::Progress progress("looking for words", static_cast<std::uint64_t>(kSteps));
  std::uint64_t shown = 0;
  const local::Found found = TRY(local::find_hitters(
      *hitters, state, {.top = top, .candidates = candidates, .progress = [&](double done) {
                          const auto steps = static_cast<std::uint64_t>(done * kSteps);
                          progress.advance(steps - shown);
                          shown = steps;
                          return !Interrupt::asked();
                        }}));
  return finish(options.json, options.json ? json_of(*hitters, state, found) : Json{},
                options.json ? "" : text_of(*hitters, state, found, options.levels));
}

void add_perturb(CLI::App& area, Action& chosen) {
  CLI::App* verb =
      add_verb(area, "perturb", "what the client does: a word a line in, a report a line out",
               "discreet local hitters perturb --epsilon 2 --bytes 8 -i words.txt -o reports");
  auto options = std::make_shared<PerturbOptions>();
  add_hitters_options(*verb, *options);
  add_client_options(*verb, options->client,
                     "the words, in UTF-8 or any bytes but zeros and line ends");
  verb->callback([options, &chosen] { chosen = [options] { return perturb(*options); }; });
}

void add_aggregate(CLI::App& area, Action& chosen) {
  CLI::App* verb =
      add_verb(area, "aggregate", "put reports into a state, for `discreet local merge`",
               "discreet local hitters aggregate --epsilon 2 --bytes 8 reports -o state");
  auto options = std::make_shared<AggregateOptions>();
  add_hitters_options(*verb, *options);
  verb->add_option("-o,--output", options->out,
                   "the state, written whole or not at all; - is standard output")
      ->required();
  add_collect_options(*verb, options->collect);
  verb->add_flag("--json", options->json, "one JSON object");
  verb->callback([options, &chosen] { chosen = [options] { return aggregate(*options); }; });
}

void add_estimate(CLI::App& area, Action& chosen) {
  CLI::App* verb = add_verb(
      area, "estimate", "what the collector does: the words that stand out, with error bars",
      "discreet local hitters estimate --epsilon 2 --bytes 8 --top 20 -i reports");
  auto options = std::make_shared<EstimateOptions>();
  add_hitters_options(*verb, *options);
  add_collect_options(*verb, options->collect);
  verb->add_option("--state", options->states,
                   "states from aggregate or merge, instead of reports");
  verb->add_option("--top", options->top, "how many words to show, at most")->capture_default_str();
  verb->add_flag("--levels", options->levels, "show how many prefixes were looked at a level");
  verb->add_option("--candidates", options->candidates,
                   "how many prefixes are looked at a level, at most; twice as many prefixes as "
                   "words are kept, and each is extended by 256 bytes")
      ->capture_default_str();
  verb->add_flag("--json", options->json, "one JSON object");
  verb->callback([options, &chosen] { chosen = [options] { return estimate(*options); }; });
}

}  // namespace

void add_local_hitters(CLI::App& area, Action& chosen) {
  CLI::App* hitters =
      add_verb(area, "hitters", "words that many people have, where nobody has a list of words",
               "discreet local hitters estimate --epsilon 2 --bytes 8 --top 20 -i reports");
  hitters->require_subcommand(1);
  add_perturb(*hitters, chosen);
  add_estimate(*hitters, chosen);
  add_aggregate(*hitters, chosen);
}

}  // namespace discreet::cli
