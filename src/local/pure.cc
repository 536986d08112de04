#include "discreet/local/pure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "discreet/local/hitters_find.h"

namespace discreet::local {

double pure_variance(const Ball& p, const Ball& q) {
  constexpr long kBits = 128;
  const Ball apart = sub(p, q, kBits);
  return div(mul(q, sub(Ball(1), q, kBits), kBits), mul(apart, apart, kBits), kBits).middle();
}

std::vector<double> pure_variances(std::span<const double> frequencies, double p, double q) {
  std::vector<double> out;
  out.reserve(frequencies.size());
  for (const double frequency : frequencies) {
    const double f = std::clamp(frequency, 0.0, 1.0);
    out.push_back((f * p * (1 - p) + (1 - f) * q * (1 - q)) / ((p - q) * (p - q)));
  }
  return out;
}

double steadied(double variance, double slope, double users) {
  return variance + 4 * slope * slope / users;
}

std::vector<double> FrequencyProtocol::variances(std::span<const std::uint64_t>,
                                                 std::span<const double> frequencies) const {
  return pure_variances(frequencies, constants().p, constants().q);
}

// C of a value that nobody holds is a sum of n coins of bias q, whatever others hold; of any other
// value there are more.
Reach FrequencyProtocol::reach(std::span<const std::uint64_t> /*counters*/, std::uint64_t users,
                               double chance) const {
  const double p = constants().p, q = constants().q, n = static_cast<double>(users);
  Reach out;
  if (users == 0 || !(q > 0 && q < 1)) return out;
  constexpr long kBits = 128;
  const Ball bias(Rational(q), kBits);
  const std::uint64_t many = least_surprising(users, bias, 1, chance);
  if (many <= users) out.nobody = (static_cast<double>(many) / n - q) / (p - q);
  // no report at all is (1 − q)^n: where that is no surprise, no count is too low
  if (std::exp(n * std::log1p(-q)) > chance) return out;
  const std::uint64_t few = least_surprising(users, sub(Ball(1), bias, kBits), 1, chance);
  if (few <= users) out.lowest = (static_cast<double>(users - few) / n - q) / (p - q);
  return out;
}

Result<std::vector<Word>> first_numbers(std::size_t count) {
  if (count > kMostOutcomes)
    return bad_parameter("domain", fmt::format("found {} reports; accepted are {} at most to list",
                                               count, kMostOutcomes));
  std::vector<Word> out(count);
  std::iota(out.begin(), out.end(), Word{0});
  return out;
}

}  // namespace discreet::local
