// The verbs of `discreet local`, one a file, and what they share: the options that make a protocol.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "discreet/cli/command.h"
#include "discreet/local/registry.h"

namespace discreet::cli {

using Json = nlohmann::ordered_json;

struct ProtocolOptions {
  std::string protocol, epsilon, domain, values, heads, blocks, range, channel;
};

// The protocol by its name and its parameters, as options of the verb.
void add_protocol_options(CLI::App& verb, ProtocolOptions& options);

// ε of reports: above 0 and at most what a protocol takes.
Result<Rational> read_report_epsilon(const std::string& text,
                                     std::string_view parameter = "epsilon");
// --blocks and --range, where one of the protocols has a use for them; else they were
// misunderstood.
Status read_own_parameters(const std::string& blocks, const std::string& range,
                           const std::vector<const local::Entry*>& protocols,
                           local::Parameters& parameters);
void add_own_options(CLI::App& verb, std::string& blocks, std::string& range);

struct NamedProtocol {
  const local::Entry* entry = nullptr;
  local::ProtocolPointer protocol = {};
  local::Parameters parameters = {};
  std::vector<std::string> labels = {};  // of --values; empty: values are numbers
};
Result<NamedProtocol> make_protocol(const ProtocolOptions& options);

void add_local_describe(CLI::App& area, Action& chosen);
void add_local_list(CLI::App& area, Action& chosen);
void add_local_perturb(CLI::App& area, Action& chosen);
void add_local_estimate(CLI::App& area, Action& chosen);
void add_local_aggregate(CLI::App& area, Action& chosen);
void add_local_merge(CLI::App& area, Action& chosen);
void add_local_guarantee(CLI::App& area, Action& chosen);
void add_local_records(CLI::App& area, Action& chosen);
void add_local_hitters(CLI::App& area, Action& chosen);
void add_local_choose(CLI::App& area, Action& chosen);
void add_local_simulate(CLI::App& area, Action& chosen);

}  // namespace discreet::cli
