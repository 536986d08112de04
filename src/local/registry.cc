#include "discreet/local/registry.h"

#include <fmt/format.h>

#include "discreet/base/suggest.h"
#include "discreet/local/duchi.h"
#include "discreet/local/flat.h"
#include "discreet/local/hadamard.h"
#include "discreet/local/hybrid.h"
#include "discreet/local/local_hashing.h"
#include "discreet/local/piecewise.h"
#include "discreet/local/square_wave.h"
#include "discreet/local/subset.h"
#include "discreet/local/unary.h"

namespace discreet::local {
namespace {

// A maker of a class as one of protocols.
template <auto create>
Result<ProtocolPointer> made(const Parameters& parameters) {
  auto protocol = create(parameters);
  if (!protocol) return forward_error(protocol);
  return ProtocolPointer(std::move(*protocol));
}

// One a line, so that protocols added side by side don't collide.
constexpr Entry kEntries[] = {
    {"coins", "Randomized response: a coin decides between the truth and a die", "Warner 1965",
     Task::kFrequencies, "the number of a value", made<Flat::from_coins>},
    {"flat", "The flat mechanism: the truth, or any other value alike (k-RR)",
     "Kairouz, Bonawitz and Ramage 2016", Task::kFrequencies, "the number of a value",
     made<Flat::create>},
    {"symmetric-unary", "A bit for every value, each flipped with the same chance",
     "Erlingsson, Pihur and Korolova 2014", Task::kFrequencies, "a 0 or 1 for every value",
     made<Unary::symmetric>},
    {"optimised-unary", "A bit for every value, flipped with the chances of least variance",
     "Wang, Blocki, Li and Jha 2017", Task::kFrequencies, "a 0 or 1 for every value",
     made<Unary::optimised>},
    {"local-hashing", "A random hash function, and the bucket of the value by the flat mechanism",
     "Wang, Blocki, Li and Jha 2017", Task::kFrequencies,
     "the function's two numbers and the bucket, with spaces between", made<LocalHashing::create>},
    {"hadamard", "A column of a Hadamard matrix, likelier where the value's row has +1",
     "Acharya, Sun and Zhang 2019", Task::kFrequencies, "the number of a column",
     made<Hadamard::create>},
    {"subset", "A set of values, likelier to hold the true one", "Ye and Barg 2018",
     Task::kFrequencies, "the numbers of the set's values, ascending, with commas between",
     made<Subset::create>},
    {"duchi",
     "The mean of numbers from one bit each: -1 or +1, and a coin decides whether it is so",
     "Duchi, Jordan and Wainwright 2018", Task::kMean, "-1 or +1", made<Duchi::create>},
    {"piecewise", "The mean of numbers: a number near one's own, or any",
     "Wang, Xiao, Yang, Zhao, Hui, Shin, Shin and Yu 2019", Task::kMean,
     "the number of a cell of a grid", made<Piecewise::create>},
    {"hybrid", "The mean of numbers: piecewise or Duchi's protocol, as a coin chooses",
     "Wang, Xiao, Yang, Zhao, Hui, Shin, Shin and Yu 2019", Task::kMean,
     "-1, +1 or the number of a cell of a grid", made<Hybrid::create>},
    {"square-wave", "How numbers are distributed: a number near one's own, or any",
     "Li, Wang, Lopuhaa-Zwakenberg, Skoric and Li 2020", Task::kShape,
     "the number of a cell of a grid", made<SquareWave::create>},
};

}  // namespace

std::span<const Entry> registry() { return kEntries; }

const Entry* find(std::string_view name) {
  for (const Entry& entry : kEntries)
    if (entry.name == name) return &entry;
  return nullptr;
}

Result<const Entry*> require(std::string_view name) {
  if (const Entry* entry = find(name)) return entry;
  std::vector<std::string> names;
  for (const Entry& entry : kEntries) names.emplace_back(entry.name);
  std::string list;
  for (const std::string& each : names) list += (list.empty() ? "" : ", ") + each;
  return bad_parameter("protocol", fmt::format("found '{}'; accepted is one of {}", name, list),
                       nearest(name, names).empty() ? "" : did_you_mean(name, names));
}

}  // namespace discreet::local
