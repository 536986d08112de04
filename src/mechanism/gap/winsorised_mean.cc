#include "discreet/mechanism/gap/winsorised_mean.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "discreet/base/try.h"
#include "discreet/mechanism/checks.h"
#include "discreet/mechanism/gap/assignment.h"
#include "discreet/mechanism/laplace.h"

namespace discreet::mechanism::gap {
namespace {

Rational rational(std::int64_t value) { return Rational(Integer(static_cast<long>(value))); }

std::int64_t clamped_sum(std::span<const std::int64_t> points, std::int64_t low,
                         std::int64_t high) {
  std::int64_t sum = 0;  // kMostSteps·kMostBlocks fits
  for (const std::int64_t point : points) sum += clamp_select(point, low, high);
  return sum;
}

}  // namespace

Result<WinsorisedMean> WinsorisedMean::create(const WinsorisedMeanParameters& p) {
  TRY(check_epsilon(p.epsilon));
  TRY(check_range(p.low, p.high, p.steps));
  if (p.count < 1 || p.count > static_cast<std::int64_t>(kMostBlocks))
    return bad_parameter("count", fmt::format("found {}; accepted is a whole number from 1 to {}",
                                              p.count, kMostBlocks));
  const auto quartile = [&](long which) {
    return RankChoice::create({.epsilon = p.epsilon / 4,
                               .low = p.low,
                               .high = p.high,
                               .steps = p.steps,
                               .quantile = Rational(which, 4)});
  };
  RankChoice lower = TRY(quartile(1)), upper = TRY(quartile(3));
  return WinsorisedMean(p, std::move(lower), std::move(upper));
}

privacy::Event WinsorisedMean::event() const {
  return {privacy::Composed{
      {lower_.event(), upper_.event(), {privacy::DiscreteLaplace{2 / p_.epsilon, 1}}}}};
}

// [a − w, b + w] within the range, w = max(1, ⌈3/2·(b − a)⌉): never a single point, so that there
// is a sensitivity.
WinsorisedMean::Clamp WinsorisedMean::clamp_for(std::int64_t one, std::int64_t other) const {
  const auto [a, b] = std::minmax(one, other);
  const std::int64_t w = std::max<std::int64_t>(1, (3 * (b - a) + 1) / 2);
  return {std::max<std::int64_t>(0, a - w), std::min(p_.steps, b + w)};
}

Result<Additive> WinsorisedMean::noise_for(const Clamp& clamp) const {
  const Rational length = rational(clamp.high - clamp.low);
  NoisePointer noise = TRY(discrete_laplace(TRY(drawable_scale(length * 2 / p_.epsilon))));
  return Additive({.noise = std::move(noise),
                   .guarantee = {p_.epsilon / 2, 0, privacy::Relation::kSubstitute},
                   .on_grid = true,
                   .range = {0, p_.steps * p_.count}});
}

Status WinsorisedMean::check_count(std::size_t found) const {
  if (found != static_cast<std::size_t>(p_.count))
    return fail(Code::kUsage,
                fmt::format("the mean was made for {} numbers and was given another number of them",
                            p_.count));
  return {};
}

Result<Released<Rational>> WinsorisedMean::release(const Exact<std::vector<Rational>>& numbers,
                                                   random::Source& source) const {
  using Points = std::vector<std::int64_t>;
  TRY(check_count(open(numbers).size()));
  const auto points = Exact<Points>::from_private(lower_.points(open(numbers)));
  const auto a = TRY(lower_.release(points, source)), b = TRY(upper_.release(points, source));
  const Clamp clamp = clamp_for(a.value(), b.value());
  const Additive noise = TRY(noise_for(clamp));
  const auto sum =
      Exact<std::int64_t>::from_private(clamped_sum(open(points), clamp.low, clamp.high));
  const auto told = TRY(noise.release(sum, source));
  Margin margin = *told.margin();
  margin.error *= at(1) - at(0);
  return Released<Rational>(at(told.value()), guarantee(), std::move(margin));
}

// Σ over quartiles a, b of P[a]·P[b]·P[clamped sum + noise = s]; a and b are drawn independently.
Result<std::vector<Ball>> WinsorisedMean::pmf(const std::vector<Rational>& numbers,
                                              long bits) const {
  TRY(check_count(numbers.size()));
  const std::vector<std::int64_t> points = lower_.points(numbers);
  const std::vector<Ball> lower = lower_.pmf(points, bits), upper = upper_.pmf(points, bits);
  std::map<std::pair<std::int64_t, std::int64_t>, Ball> chances;
  for (std::size_t i = 0; i < lower.size(); ++i)
    for (std::size_t j = 0; j < upper.size(); ++j) {
      const Clamp clamp = clamp_for(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j));
      Ball& chance = chances[{clamp.low, clamp.high}];
      chance = add(chance, mul(lower[i], upper[j], bits), bits);
    }
  std::vector<Ball> out(static_cast<std::size_t>(p_.steps * p_.count) + 1);
  for (const auto& [ends, chance] : chances) {
    const Additive noise = TRY(noise_for({ends.first, ends.second}));
    const std::int64_t sum = clamped_sum(points, ends.first, ends.second);
    for (std::size_t s = 0; s < out.size(); ++s)
      out[s] =
          add(out[s], mul(chance, noise.probability(sum, static_cast<std::int64_t>(s), bits), bits),
              bits);
  }
  return out;
}

Rational WinsorisedMean::at(std::int64_t sum) const {
  return p_.low + (p_.high - p_.low) * rational(sum) / rational(p_.steps * p_.count);
}

Result<Rational> WinsorisedMean::accuracy(const Rational& beta) const {
  const Additive noise = TRY(noise_for({0, p_.steps}));
  return noise.accuracy(beta) * (at(1) - at(0));
}

}  // namespace discreet::mechanism::gap
