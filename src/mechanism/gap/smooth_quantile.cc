#include "discreet/mechanism/gap/smooth_quantile.h"

#include <algorithm>

#include "discreet/base/try.h"

namespace discreet::mechanism::gap {

Result<SmoothQuantile> SmoothQuantile::create(const SmoothQuantileParameters& parameters) {
  auto noise = TRY(SmoothNoise::create(parameters.noise));
  const Quantile quantile = TRY(Quantile::create(parameters.quantile));
  TRY(Range::create(parameters.range.low, parameters.range.high));
  TRY(check_unit(parameters.unit));
  return SmoothQuantile(parameters, std::move(noise), quantile);
}

SmoothSensitivity SmoothQuantile::sensitivity(const Ordered& rows) const {
  return smooth_sensitivity(rows, quantile_, p_.unit, noise_.beta());
}

random::ScaledNoise SmoothQuantile::distribution(const Ordered& rows) const {
  return noise_.around(Rational(Integer(static_cast<long>(exact(rows)))), sensitivity(rows));
}

Result<Released<std::int64_t>> SmoothQuantile::release(const Exact<Ordered>& exact_rows,
                                                       random::Source& source) const {
  const Ordered& rows = open(exact_rows);
  const Range& range = p_.range;
  if (rows.range().low != range.low || rows.range().high != range.high) {
    return bad_parameter("range",
                         "found rows in order by another range; accepted is the range "
                         "that the mechanism was made for");
  }
  const std::int64_t drawn = TRY(distribution(rows).sample(source));
  return Released<std::int64_t>(std::clamp(drawn, range.low, range.high), guarantee());
}

std::int64_t SmoothQuantile::error(const Ordered& rows, const Rational& beta) const {
  return clamped_error(distribution(rows), exact(rows), p_.range, beta);
}

std::int64_t clamped_error(const random::ScaledNoise& noise, std::int64_t answer,
                           const Range& range, const Rational& beta) {
  constexpr long kBits = 512;
  const auto point = [](std::int64_t z) { return Rational(Integer(static_cast<long>(z))); };
  const Rational half(1, 2);
  // P[|z − answer| > m]: nothing is outside the range.
  const auto fits = [&](std::int64_t m) {
    Ball outside = Ball(0);
    if (m < range.high - answer)
      outside = add(outside, noise.from(point(answer + m) + half, kBits), kBits);
    if (m < answer - range.low)
      outside = add(outside, noise.below(point(answer - m) - half, kBits), kBits);
    return surely_at_most(outside, Ball(beta, kBits));
  };
  std::int64_t low = -1, high = std::max(range.high - answer, answer - range.low);
  while (low + 1 < high) {
    const std::int64_t middle = low + (high - low) / 2;
    (fits(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace discreet::mechanism::gap
