// What the verbs of `discreet channel` are given: channels, graphs, priors and gains, by name, by
// list or by file.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "discreet/base/error.h"
#include "discreet/channel/channel.h"
#include "discreet/channel/gain.h"
#include "discreet/channel/graph.h"
#include "discreet/channel/prior.h"
#include "discreet/channel/structured.h"

namespace discreet::cli {

// A CSV file ("-" is standard input), or truncated-geometric(size=…, epsilon=…), flat(size=…,
// epsilon=…), which never become a matrix unless one is needed.
using AnyChannel = std::variant<channel::Channel, channel::TruncatedGeometric, channel::Flat>;
Result<AnyChannel> read_any_channel(const std::string& text);
// The same, written out.
Result<channel::Channel> read_channel(const std::string& text);
Result<channel::Channel> written_out(const AnyChannel& channel);
std::size_t inputs_of(const AnyChannel& channel);

// path, cycle, complete or a file of edges. Without a size, as many nodes as the file names.
Result<channel::Graph> read_graph(const std::string& text, std::optional<std::size_t> size);

// uniform, binomial, binomial(1/3), a list or a file.
Result<channel::Prior> read_prior(const std::string& text, std::size_t size);
// The same for a channel of a million inputs.
Result<std::vector<double>> read_prior_doubles(const std::string& text, std::size_t size);

// identity, distance (over the graph) or a file: one row a guess, one column a true value.
Result<channel::Gain> read_gain(const std::string& text, const channel::Graph& graph);

// A whole file, or standard input.
Result<std::string> read_text(const std::string& path);

}  // namespace discreet::cli
