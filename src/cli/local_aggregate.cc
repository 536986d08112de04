// discreet local aggregate and merge: states of collectors on several machines.
#include <fmt/format.h>

#include "discreet/base/try.h"
#include "discreet/cli/channel_output.h"
#include "discreet/cli/local_collect.h"
#include "discreet/cli/local_values.h"
#include "discreet/cli/out_file.h"
#include "discreet/present/progress.h"
#include "discreet/present/terminal.h"

namespace discreet::cli {
namespace {

struct Options : ProtocolOptions {
  CollectOptions collect;
  std::string out, lower, upper;
  bool json = false;
};

struct MergeOptions {
  std::vector<std::string> states;
  std::string out = "-";
  bool json = false;
};

Status aggregate(const Options& options) {
  TRY(can_keep_state(options.out, options.json));
  const NamedProtocol named = TRY(make_protocol(options));
  const Scale scale =
      TRY(read_scale(named.protocol->constants().task, options.lower, options.upper));
  local::State state = TRY(collect_reports(*named.protocol, options.collect));
  TRY(judge_rejections(state));
  state.names = local::fingerprint(named.labels);
  if (scale.given) state.bounds = {scale.lower, scale.upper};
  return keep_state(state, options.out, options.json);
}

Status merge(const MergeOptions& options) {
  TRY(can_keep_state(options.out, options.json));
  return keep_state(TRY(read_states("", options.states, nullptr)), options.out, options.json);
}

}  // namespace

Status can_keep_state(const std::string& path, bool as_json) {
  if (path != "-") return can_write("output", path);
  if (as_json || present::is_terminal(stdout))
    return bad_parameter("output",
                         fmt::format("found none, and standard output {}; accepted is a file",
                                     as_json ? "is for JSON" : "is a screen"),
                         advise("output", "state"));
  return {};
}

Status keep_state(const local::State& state, const std::string& path, bool as_json) {
  if (path == "-") return print(state.serialise());
  TRY(write_whole("output", path, state.serialise()));
  const std::string told = told_rejections(state);
  return finish(
      as_json,
      {{"state", path},
       {"of", state.of},
       {"users", state.users},
       {"rejected", state.rejected()},
       {"rejections", rejections(state)}},
      fmt::format("{} {} of {}\n{}", present::with_commas(state.users),
                  state.users == 1 ? "report" : "reports", state.of.substr(0, state.of.find(' ')),
                  told.empty() ? "" : told + ".\n"));
}

void add_collect_options(CLI::App& verb, CollectOptions& options) {
  verb.add_option("FILES", options.in, "reports, one a line; standard input where none is given");
  verb.add_option("-i,--input", options.in_too, "the same");
  verb.add_flag("--ids", options.ids,
                "each line is an id, a tab and a report; of one id the first report counts");
}

void add_local_aggregate(CLI::App& area, Action& chosen) {
  CLI::App* verb =
      add_verb(area, "aggregate", "add up reports into a state, a file that can be merged",
               "discreet local aggregate flat --epsilon 1 --domain 16 reports.txt -o state");
  auto options = std::make_shared<Options>();
  add_protocol_options(*verb, *options);
  add_scale_options(*verb, options->lower, options->upper);
  verb->add_option("-o,--output", options->out,
                   "the state, written whole or not at all; - is standard output")
      ->required();
  add_collect_options(*verb, options->collect);
  verb->add_flag("--keep-reports", options->collect.keep,
                 "keep the reports too, for --method ibu or mle of unary, local-hashing, subset");
  verb->add_flag("--json", options->json, "one JSON object");
  verb->callback([options, &chosen] { chosen = [options] { return aggregate(*options); }; });
}

void add_local_merge(CLI::App& area, Action& chosen) {
  CLI::App* verb = add_verb(area, "merge", "add up states of several collectors",
                            "discreet local merge monday tuesday -o week");
  auto options = std::make_shared<MergeOptions>();
  verb->add_option("STATES", options->states, "files that aggregate or merge wrote")->required();
  verb->add_option("-o,--output", options->out,
                   "the state, written whole or not at all; standard output where none is given");
  verb->add_flag("--json", options->json, "one JSON object");
  verb->callback([options, &chosen] { chosen = [options] { return merge(*options); }; });
}

}  // namespace discreet::cli
