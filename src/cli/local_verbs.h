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
