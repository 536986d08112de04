#include "discreet/mechanism/gap/smooth_sensitivity.h"

#include "discreet/mechanism/gap/reach.h"
#include "discreet/mechanism/gap/window.h"

namespace discreet::mechanism::gap {

SmoothSensitivity smooth_sensitivity(const Ordered& rows, const Quantile& quantile,
                                     const Unit& unit, const Rational& beta) {
  const Damping damping(beta / Integer(static_cast<long>(unit.rows)));
  const Damped window = window_bound(rows, quantile, unit.rows, damping);
  if (unit.relation == privacy::Relation::kSubstitute) return {damping, window};
  const Damped reach = reach_bound(rows, quantile, unit.rows, damping);
  return {damping, damping.less(reach, window) ? reach : window};
}

SmoothSensitivity smooth_of(const std::function<std::int64_t(std::int64_t k)>& local,
                            std::int64_t last, const Rational& beta) {
  const Damping damping(beta);
  Damped best{local(last), last};
  for (std::int64_t k = 0; k < last; ++k) best = damping.larger(best, {local(k), k});
  return {damping, best};
}

}  // namespace discreet::mechanism::gap
