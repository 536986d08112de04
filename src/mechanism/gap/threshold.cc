#include "discreet/mechanism/gap/threshold.h"

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/mechanism/checks.h"
#include "discreet/mechanism/least.h"

namespace discreet::mechanism::gap {
namespace {

// Beyond it nothing changes that a draw could show; sums stay far from the ends of 64 bits.
constexpr std::int64_t kFarthest = std::int64_t{1} << 61;

Integer whole(std::int64_t value) { return Integer(static_cast<long>(value)); }

}  // namespace

Result<GapTest> GapTest::create(const GapTestParameters& parameters) {
  TRY(check_epsilon(parameters.epsilon));
  TRY(check_delta(parameters.delta));
  const Rational scale = TRY(drawable_scale(1 / parameters.epsilon));
  NoisePointer noise = TRY(discrete_laplace(scale));
  // T ≥ 1, so the search is for T − 1 ≥ 0 with δ − P[Z ≥ T] ≥ 0.
  const Integer more = least([&](const Integer& m, long bits) {
    return sub(Ball(parameters.delta, bits), noise->at_least(m + 1, bits), bits);
  });
  if (more >= whole(kFarthest))
    return fail(Code::kUsage, "no distance would be far enough", "take a larger epsilon or delta");
  return GapTest(parameters, std::move(noise), more.get_si() + 2);
}

Ball GapTest::probability(std::int64_t distance, long bits) const {
  return noise_->at_least(whole(threshold_) - whole(std::clamp(distance, -kFarthest, kFarthest)),
                          bits);
}

std::int64_t GapTest::distance_for(const Rational& probability) const {
  const Integer found = least([&](const Integer& m, long bits) {
    return sub(noise_->at_least(whole(threshold_) - m, bits), Ball(probability, bits), bits);
  });
  return found.get_si();
}

Result<bool> GapTest::passes(std::int64_t distance, random::Source& source) const {
  std::int64_t drawn = 0;
  TRY(noise_->fill(source, {&drawn, 1}));
  drawn = std::clamp(drawn, -kFarthest, kFarthest);
  return std::clamp(distance, -kFarthest, kFarthest) + drawn >= threshold_;
}

}  // namespace discreet::mechanism::gap
