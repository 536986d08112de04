#include "discreet/local/numeric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace discreet::local {

Status check_places(std::span<const Value> values) {
  const bool good = std::all_of(values.begin(), values.end(), [](Value v) { return v <= kScale; });
  if (good) return {};
  return bad_parameter(
      "value", fmt::format("found one that is not on the grid; accepted is a number from 0 (the "
                           "lower bound) to {} (the upper one)",
                           kScale));
}

Number mean_place(const Deviations& total, std::uint64_t users, double variance) {
  if (users == 0) return {0.5, INFINITY};
  const auto n = static_cast<double>(users);
  return {0.5 + total.sum / n, std::sqrt(variance / n)};
}

}  // namespace discreet::local
