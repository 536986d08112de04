#include "discreet/local/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/local/checks.h"

namespace discreet::local {
namespace {

// What a client and a collector compute. Protocols that aren't named here say nothing of it.
struct Work {
  std::string_view name, client, collector;
};
constexpr Work kWork[] = {
    {"flat", "a coin and a die", "a counter a report"},
    {"symmetric-unary", "a coin for every value", "a counter for every 1"},
    {"optimised-unary", "a coin for every value", "a counter for every 1"},
    {"local-hashing", "a hash and a die", "a hash for every value and report"},
    {"hadamard", "a coin and a column", "a counter a report, one transform"},
    {"subset", "a subset", "a counter for every value told"},
    {"duchi", "two coins", "a counter a report"},
    {"piecewise", "a coin and a cell", "two sums a report"},
    {"hybrid", "three coins and a cell", "two sums a report"},
};

// Where the mean of numbers −1 … 1 is estimated worst (Wang et al. 2019): Duchi's C² − t² in the
// middle, piecewise's variance plus t²/(e^(ε/2) − 1) at the ends, the hybrid's as its parts are.
double worst_variance(const Constants& c) {
  const double half = std::expm1(to_double(c.epsilon) / 2);
  if (c.name == "piecewise") return c.variance + 1 / half;
  if (c.name == "hybrid")
    for (const auto& [name, alpha] : c.own)
      if (name == "alpha") return c.variance + std::max(0.0, alpha / half - (1 - alpha));
  return c.variance;
}

Result<Choice> row_of(const Entry& entry, const Parameters& parameters, std::uint64_t users) {
  const ProtocolPointer protocol = TRY(entry.make(parameters));
  const Constants& c = protocol->constants();
  Choice out{.name = std::string(entry.name),
             .entry = &entry,
             .parameters = parameters,
             .variance = c.variance,
             .worst = worst_variance(c),
             .stderr_ = std::sqrt(worst_variance(c) / static_cast<double>(users)),
             .bits = c.bits,
             .memory = c.counters * sizeof(std::uint64_t)};
  for (const Work& work : kWork)
    if (work.name == entry.name) {
      out.client = work.client;
      out.collector = work.collector;
    }
  if (out.memory > kMostMemory)
    return fail(Code::kUsage,
                fmt::format("its counters would take {:.1f} GiB, above the {} GiB "
                            "that a collector may use",
                            static_cast<double>(out.memory) / (1 << 30), kMostMemory >> 30));
  return out;
}

void rank(Choices& choices) {
  std::stable_sort(choices.rows.begin(), choices.rows.end(),
                   [](const Choice& a, const Choice& b) { return a.worst < b.worst; });
  const auto best = [&choices](double within) {
    const double most = choices.rows.front().worst * within;
    std::size_t at = 0;
    for (std::size_t i = 1; i < choices.rows.size(); ++i)
      if (choices.rows[i].worst <= most && choices.rows[i].bits < choices.rows[at].bits) at = i;
    return at;
  };
  choices.by_variance = best(1 + 1e-9);
  choices.by_communication = best(1.1 * 1.1);
}

Result<Choices> choose(Task task, const ChooseOptions& options) {
  if (options.users < 1)
    return bad_parameter("users", "found 0; accepted is how many people report, at least 1");
  const Parameters parameters{.epsilon = options.epsilon, .domain = options.domain};
  TRY(checked_epsilon(parameters));
  TRY(check_domain(parameters));
  Choices out;
  const auto consider = [&out, &options](const Entry& entry, const Parameters& with,
                                         const std::string& name) {
    auto row = row_of(entry, with, options.users);
    if (!row) {
      out.left_out.emplace_back(name, row.error().message.text());
      return;
    }
    row->name = name;
    out.rows.push_back(*std::move(row));
  };
  for (const Entry& entry : registry()) {
    if (entry.task != task) continue;
    if (entry.name == "coins") {
      out.left_out.emplace_back(entry.name, "with the coin of this ε it is flat");
      continue;
    }
    consider(entry, parameters, std::string(entry.name));
    if (entry.name != "hadamard") continue;
    Parameters more = parameters;
    more.blocks = best_blocks(options.epsilon, options.domain);
    if (more.blocks > 1) consider(entry, more, fmt::format("hadamard with {} blocks", more.blocks));
  }
  if (out.rows.empty())
    return bad_parameter(
        "domain",
        fmt::format("found {}, which no protocol can hold: {}", options.domain,
                    out.left_out.empty() ? "there are none" : out.left_out.back().second));
  rank(out);
  return out;
}

}  // namespace

Result<Choices> choose_frequencies(const ChooseOptions& options) {
  return choose(Task::kFrequencies, options);
}

Result<Choices> choose_means(const ChooseOptions& options) {
  ChooseOptions numbers = options;
  numbers.domain = 2;
  return choose(Task::kMean, numbers);
}

// Z²/(B·(e^ε − 1)²) with Z = e^ε + 2B − 1 is least at B = (e^ε − 1)/2, and convex: the power of two
// on one side of it. As long as a block has a value for each of its rows.
std::size_t best_blocks(const Rational& epsilon, std::size_t domain) {
  const double wanted = std::min(1e100, std::expm1(to_double(epsilon)) / 2);
  const auto variance = [wanted](double blocks) {
    return (wanted + blocks) * (wanted + blocks) / blocks;
  };
  std::size_t best = 1;
  for (std::size_t blocks = 2; blocks <= domain / 2; blocks *= 2)
    if (variance(static_cast<double>(blocks)) < variance(static_cast<double>(best))) best = blocks;
  return best;
}

}  // namespace discreet::local
