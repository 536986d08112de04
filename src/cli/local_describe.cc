// discreet local describe PROTOCOL …: the public numbers of a protocol.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/cli/channel_output.h"
#include "discreet/cli/local_result.h"
#include "discreet/cli/local_verbs.h"
#include "discreet/present/table.h"

namespace discreet::cli {
namespace {

struct Options : ProtocolOptions {
  bool json = false;
};

// What the constants mean, in words.
std::string_view meaning(const local::Constants& c) {
  if (std::isnan(c.p)) return "";
  if (c.task == local::Task::kFrequencies)
    return "It speaks for the true value with probability p and for any other with q. The variance "
           "is that\nof one person's estimate of a share that is 0; with n people it is n times "
           "less.\n";
  return "p and q are what its paper calls so. The variance is that of one person's estimate of a "
         "number\nin the middle; with n people it is n times less.\n";
}

// Some of a protocol's own constants count something, and say so as JSON has it: 4, not 4.0.
Json own_constant(std::string_view name, double value) {
  constexpr std::string_view kWhole[] = {"g", "outputs", "blocks", "subset", "fingerprint"};
  if (std::find(std::begin(kWhole), std::end(kWhole), name) == std::end(kWhole)) return value;
  return static_cast<std::uint64_t>(value);
}

Status describe(const Options& options) {
  const NamedProtocol named = TRY(make_protocol(options));
  const local::Constants& c = named.protocol->constants();
  Json json{{"protocol", c.name}, {"epsilon", json_epsilon(*named.protocol)}};
  // a channel has no two probabilities of its own
  if (!std::isnan(c.p)) json.update({{"p", c.p}, {"q", c.q}, {"variance", c.variance}});
  json["bits"] = c.bits;
  if (c.domain != 0) json["domain"] = c.domain;
  for (const auto& [name, value] : c.own) json[name] = own_constant(name, value);
  present::Table table({{"constant"}, {"value", present::Align::kRight}});
  for (const auto& [name, value] : json.items())
    if (value.is_number()) table.add({name, fmt::format("{:.6g}", value.get<double>())});
  return finish(options.json, json,
                fmt::format("{}\n\n{}\nA report is {}.\n{}", named.entry->title, table.text(),
                            named.entry->report, meaning(c)));
}

}  // namespace

void add_local_describe(CLI::App& area, Action& chosen) {
  CLI::App* verb = add_verb(area, "describe", "what a protocol says of itself: p, q, its variance",
                            "discreet local describe flat --epsilon 1 --domain 10");
  auto options = std::make_shared<Options>();
  add_protocol_options(*verb, *options);
  verb->add_flag("--json", options->json, "one JSON object");
  verb->callback([options, &chosen] { chosen = [options] { return describe(*options); }; });
}

}  // namespace discreet::cli
