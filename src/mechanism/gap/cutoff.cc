#include "discreet/mechanism/gap/cutoff.h"

#include <fmt/format.h>

#include "discreet/base/try.h"
#include "discreet/mechanism/checks.h"
#include "discreet/mechanism/least.h"

namespace discreet::mechanism::gap {
namespace {

Integer whole(std::int64_t value) { return Integer(static_cast<long>(value)); }

}  // namespace

Result<Cutoff> Cutoff::create(NoisePointer noise, const Rational& delta_of_one) {
  TRY(check_delta(delta_of_one));
  // T = t − 1 ≥ 1 is the least with P[Z ≥ T] ≤ δ.
  const Integer below = least([&](const Integer& m, long bits) {
    return sub(Ball(delta_of_one, bits), noise->at_least(m + 1, bits), bits);
  });
  const Integer threshold = below + 2;
  if (!threshold.fits_slong_p())
    return fail(
        Code::kUsage,
        fmt::format("threshold: found {}; accepted is what fits 64 bits", threshold.get_str()),
        "take a larger epsilon or delta");
  return Cutoff(std::move(noise), threshold.get_si());
}

Ball Cutoff::keep(std::int64_t units, long bits) const {
  if (units < 1) return Ball(0);
  return noise_->at_least(whole(threshold_) - whole(units), bits);
}

Ball Cutoff::mass(std::int64_t units, std::int64_t shown, long bits) const {
  if (units < 1 || shown < threshold_) return Ball(0);
  return noise_->mass(whole(shown) - whole(units), bits);
}

Result<std::int64_t> Cutoff::units_for(const Rational& probability) const {
  if (sgn(probability) <= 0 || probability >= 1)
    return bad_parameter("probability", fmt::format("found {}; accepted is above 0 and below 1",
                                                    to_decimal(probability)));
  const Integer more = least([&](const Integer& m, long bits) {
    return sub(noise_->at_least(whole(threshold_) - 1 - m, bits), Ball(probability, bits), bits);
  });
  return more.get_si() + 1;
}

}  // namespace discreet::mechanism::gap
