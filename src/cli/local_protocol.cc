#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_set>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/base/utf8.h"
#include "discreet/cli/channel_input.h"
#include "discreet/cli/local_verbs.h"
#include "discreet/local/channel_protocol.h"
#include "discreet/local/checks.h"
#include "discreet/local/square_wave.h"

namespace discreet::cli {
namespace {

// One label a line. An empty line would be a label that nobody sees.
Result<std::vector<std::string>> read_labels(const std::string& path) {
  const std::string text = TRY(read_text(path));
  std::vector<std::string> out;
  std::unordered_set<std::string> seen;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find('\n', at);
    if (end == std::string::npos) end = text.size();
    std::string label = text.substr(at, end - at);
    if (!label.empty() && label.back() == '\r') label.pop_back();
    at = end + 1;
    if (!is_utf8(label))
      return bad_parameter("values", fmt::format("{}, line {}: found bytes that are no UTF-8; "
                                                 "accepted is text in UTF-8",
                                                 quote(path), out.size() + 1));
    if (label.empty())
      return bad_parameter("values", fmt::format("{}, line {}: found an empty line; accepted is a "
                                                 "value a line",
                                                 quote(path), out.size() + 1));
    if (!seen.insert(label).second)
      return bad_parameter("values", fmt::format("{}, line {}: found {} again; accepted is each "
                                                 "value once",
                                                 quote(path), out.size() + 1, quote(label)));
    out.push_back(std::move(label));
  }
  if (out.size() < 2)
    return bad_parameter("values", fmt::format("{}: found {}; accepted are two values at least, "
                                               "one a line",
                                               quote(path), out.empty() ? "nothing" : "one value"));
  return out;
}

// Options that one protocol alone has a use for.
struct Own {
  const char* option;
  std::string ProtocolOptions::*text;
  std::string_view protocol;
};
constexpr Own kOwn[] = {{"heads", &ProtocolOptions::heads, "coins"},
                        {"blocks", &ProtocolOptions::blocks, "hadamard"},
                        {"range", &ProtocolOptions::range, "local-hashing"},
                        {"channel", &ProtocolOptions::channel, "channel"}};

// An option that would be ignored is one that was misunderstood.
Status check_own(const ProtocolOptions& options) {
  for (const Own& own : kOwn)
    if (!(options.*own.text).empty() && options.protocol != own.protocol)
      return bad_parameter(own.option,
                           fmt::format("found with the protocol {}; accepted is it with the "
                                       "protocol {}",
                                       quote(options.protocol), own.protocol));
  return {};
}

constexpr local::Entry kChannel{.name = "channel",
                                .title = "Any channel: an output for each value, by its matrix",
                                .paper = "deck 003",
                                .report = "the number of an output"};

// Its ε and how many values there are follow from the matrix.
Result<NamedProtocol> make_channel(const ProtocolOptions& options) {
  if (options.channel.empty())
    return bad_parameter("channel", "none was given; accepted is a CSV file of P(output | value)",
                         advise("channel", "channel.csv"));
  const std::pair<const char*, const std::string*> others[] = {{"epsilon", &options.epsilon},
                                                               {"domain", &options.domain}};
  for (const auto& [name, text] : others)
    if (!text->empty())
      return bad_parameter(name, "found with a channel, which says it all; accepted is none");
  NamedProtocol out{.entry = &kChannel};
  out.protocol = TRY(local::ChannelProtocol::create(TRY(read_any_channel(options.channel))));
  if (options.values.empty()) return out;
  out.labels = TRY(read_labels(options.values));
  if (out.labels.size() != out.protocol->constants().domain)
    return bad_parameter("values",
                         fmt::format("found {} values; accepted are {}, one for each row "
                                     "of the channel",
                                     out.labels.size(), out.protocol->constants().domain));
  return out;
}

}  // namespace

Result<Rational> read_report_epsilon(const std::string& text, std::string_view parameter) {
  return read_number(
      parameter, text, Rounding::kDown,
      {0, local::kMostEpsilon, true,
       fmt::format("a number above 0 and at most {}, such as 0.5 or ln(3)", local::kMostEpsilon)});
}

Status read_own_parameters(const std::string& blocks, const std::string& range,
                           const std::vector<const local::Entry*>& protocols,
                           local::Parameters& parameters) {
  const std::tuple<const char*, const std::string*, std::string_view> own[] = {
      {"blocks", &blocks, "hadamard"}, {"range", &range, "local-hashing"}};
  for (const auto& [option, text, protocol] : own)
    if (!text->empty() &&
        std::none_of(protocols.begin(), protocols.end(),
                     [name = protocol](const auto* each) { return each->name == name; }))
      return bad_parameter(
          option, fmt::format("found without the protocol {}; accepted is it with that", protocol));
  if (!blocks.empty())
    parameters.blocks = static_cast<std::size_t>(TRY(read_integer("blocks", blocks, 1, 1 << 20)));
  if (!range.empty())
    parameters.range = static_cast<std::size_t>(TRY(read_integer("range", range, 2, 1 << 30)));
  return {};
}

void add_own_options(CLI::App& verb, std::string& blocks, std::string& range) {
  verb.add_option("--blocks", blocks,
                  "of hadamard: a power of two, 1 where none is given; more help from ε = 1.4 on");
  verb.add_option("--range", range,
                  "of local-hashing: how many values the hash has; the best where none is given");
}

void add_protocol_options(CLI::App& verb, ProtocolOptions& options) {
  std::string names;
  for (const local::Entry& entry : local::registry()) names += std::string(entry.name) + ", ";
  verb.add_option("PROTOCOL", options.protocol, names + "or channel with --channel")->required();
  verb.add_option("--epsilon", options.epsilon,
                  "ε of each report; of coins it follows from the coin");
  verb.add_option("--domain", options.domain, "how many values there are, numbered from 0 on");
  verb.add_option("--values", options.values,
                  "a file with all values by name, one a line, instead of --domain");
  verb.add_option("--heads", options.heads,
                  "of coins: how likely the first coin tells the truth (1/2 where none is given)");
  add_own_options(verb, options.blocks, options.range);
  verb.add_option("--channel", options.channel,
                  "of channel: a CSV file of P(output | value), one row a value, or "
                  "truncated-geometric(size=6, epsilon=ln(2)), flat(size=6, epsilon=ln(2))");
}

Result<NamedProtocol> make_protocol(const ProtocolOptions& options) {
  NamedProtocol out;
  if (options.protocol != kChannel.name) out.entry = TRY(local::require(options.protocol));
  TRY(check_own(options));
  if (options.protocol == kChannel.name) return make_channel(options);
  if (!options.values.empty() && out.entry->task != local::Task::kFrequencies)
    return bad_parameter("values",
                         fmt::format("found with the protocol {}, which is about numbers; accepted "
                                     "is it with a protocol about frequencies",
                                     quote(options.protocol)));
  local::Parameters parameters;
  if (!options.epsilon.empty()) parameters.epsilon = TRY(read_report_epsilon(options.epsilon));
  if (!options.values.empty()) {
    if (!options.domain.empty())
      return bad_parameter("domain", "found together with --values; accepted is one of them");
    out.labels = TRY(read_labels(options.values));
    parameters.domain = out.labels.size();
  } else if (!options.domain.empty()) {
    parameters.domain = static_cast<std::size_t>(
        TRY(read_integer("domain", options.domain, 2, local::kMostValues)));
  } else if (out.entry->task == local::Task::kFrequencies && out.entry->name != "coins") {
    return bad_parameter("domain", "none was given; accepted is how many values there are",
                         advise("domain", "16"));
  } else if (out.entry->task == local::Task::kShape) {
    parameters.domain = local::SquareWave::kBins;
  }
  if (!options.heads.empty())
    parameters.heads = TRY(read_number("heads", options.heads, Rounding::kDown,
                                       {0, 1, true, "a number above 0 and below 1, such as 1/2"}));
  TRY(read_own_parameters(options.blocks, options.range, {out.entry}, parameters));
  out.protocol = TRY(out.entry->make(parameters));
  out.parameters = std::move(parameters);
  return out;
}

}  // namespace discreet::cli
