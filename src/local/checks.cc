#include "discreet/local/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "discreet/random/wide.h"

namespace discreet::local {

Result<Rational> checked_epsilon(const Parameters& parameters) {
  if (!parameters.epsilon)
    return bad_parameter("epsilon", "none was given; accepted is a number above 0",
                         advise("epsilon", "1"));
  if (*parameters.epsilon <= 0 || *parameters.epsilon > kMostEpsilon)
    return bad_parameter("epsilon",
                         fmt::format("found {}; accepted is a number above 0 and at most {}",
                                     to_decimal(*parameters.epsilon), kMostEpsilon));
  return *parameters.epsilon;
}

Status check_domain(const Parameters& parameters, std::size_t least, std::size_t most) {
  if (parameters.domain < least || parameters.domain > most)
    return bad_parameter("domain", fmt::format("found {}; accepted are {} to {} values",
                                               parameters.domain, least, most));
  return {};
}

Status check_values(std::span<const Value> values, std::size_t domain) {
  const bool good =
      std::all_of(values.begin(), values.end(), [domain](Value v) { return v < domain; });
  if (good) return {};
  return bad_parameter(
      "value", fmt::format("found one that is not in the domain; accepted is a number from 0 to {}",
                           domain - 1));
}

bool none_above(std::span<const std::uint64_t> counters, std::uint64_t users) {
  return std::all_of(counters.begin(), counters.end(),
                     [users](auto each) { return each <= users; });
}

bool sum_to(std::span<const std::uint64_t> counters, std::uint64_t users, std::uint64_t k) {
  random::Wide sum = 0;  // of fewer than 2^64 counters
  for (const std::uint64_t each : counters) sum += each;
  return none_above(counters, users) && sum == static_cast<random::Wide>(users) * k;
}

Fault read_whole(std::string_view text, std::uint64_t end, std::uint64_t& out) {
  constexpr std::uint64_t kNearlyAll = (std::numeric_limits<std::uint64_t>::max() - 9) / 10;
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return Fault::kMalformed;
  std::uint64_t value = 0;
  bool fits = true;
  for (const char c : text) {
    if (c < '0' || c > '9') return Fault::kMalformed;
    fits = fits && value <= kNearlyAll;
    if (fits) value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  if (!fits || value >= end) return Fault::kOutOfRange;
  out = value;
  return Fault::kNone;
}

Fault read_index(std::string_view text, std::uint64_t end, Word& out) {
  std::uint64_t value = 0;
  const Fault fault = read_whole(text, std::min(end, std::uint64_t{1} << 32), value);
  out = static_cast<Word>(value);
  return fault;
}

}  // namespace discreet::local
