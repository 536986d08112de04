// What the collector's verbs share: reports and states in, what was refused told.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "discreet/cli/command.h"
#include "discreet/local/state.h"

namespace discreet::cli {

// An error where the counters would take more memory than machines have.
Status can_hold(const local::Reports& protocol);

struct CollectOptions {
  std::vector<std::string> in, in_too;  // none: standard input
  bool ids = false, keep = false;
  bool any() const { return !in.empty() || !in_too.empty() || ids; }
  bool states = false;  // files may be states too, which their first bytes tell
};
// FILES, -i and --ids.
void add_collect_options(CLI::App& verb, CollectOptions& options);
Result<local::State> collect_reports(const local::Reports& protocol, const CollectOptions& options);

// States of the protocol (null, any: all of the first one's), added up. The same file twice is
// refused.
Result<local::State> read_states(const std::string& parameter,
                                 const std::vector<std::string>& paths,
                                 const local::Reports* protocol);

// {"malformed":…,"wrong_length":…,"out_of_range":…,"wrong_protocol":…,"duplicated":…}
nlohmann::ordered_json rejections(const local::State& state);
// "12 of 1,000 reports were refused: 10 malformed, 2 out of range"; empty where none was.
std::string told_rejections(const local::State& state);

// An error where nothing was left to count; a warning on standard error where more than one in
// twenty was refused.
Status judge_rejections(const local::State& state);

// Writes the state to a file and says of what it is.
Status keep_state(const local::State& state, const std::string& path, bool as_json);
// Asked before anything is read. "-" is standard output, where it is neither a screen nor for JSON.
Status can_keep_state(const std::string& path, bool as_json);

}  // namespace discreet::cli
