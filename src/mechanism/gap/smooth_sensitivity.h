// Smooth sensitivity: a bound on how much a neighbour can change an answer that itself changes by a
// factor e^β at most from one data set to a neighbour, so that noise may be scaled by it (Nissim,
// Raskhodnikova and Smith, STOC 2007). Of quantiles, and of any function by its local
// sensitivities.
//
//   const Ordered rows = Ordered::of({3, 99, 7, 7, 20}, *Range::create(0, 100));
//   const Quantile median = *Quantile::create(Rational(1, 2));
//   const SmoothSensitivity s = smooth_sensitivity(rows, median, Unit{}, Rational(1, 10));
//   double size = s.enclose(128).middle();
//   const auto mine = smooth_of([](std::int64_t k) { return std::min<std::int64_t>(k + 1, 9); }, 8,
//                               Rational(1, 10));
//
// What is proved. If T_0 bounds the change from x to any neighbour and T_k(x) ≤ T_k+1(x') for all k
// and all neighbours, then S = max e^(−βk)·T_k has S ≥ T_0 and S(x) ≤ e^β·S(x'): for the k of the
// maximum S(x') ≥ e^(−β(k+1))·T_k+1(x') ≥ e^−β·S(x). The smaller of two such bounds is one: of a
// quantile the one by windows (window.h) and, under add-remove, the one by reach (reach.h).
#pragma once

#include <cstdint>
#include <functional>

#include "discreet/mechanism/gap/damped.h"
#include "discreet/mechanism/gap/ordered.h"
#include "discreet/mechanism/gap/unit.h"

namespace discreet::mechanism::gap {

// S = gap·e^(−rate·steps), in points of the grid. It is private.
class SmoothSensitivity {
 public:
  SmoothSensitivity(const Damping& damping, const Damped& at) : damping_(damping), at_(at) {}

  Ball enclose(long bits) const { return damping_.value(at_, bits); }
  const Damped& at() const { return at_; }

 private:
  Damping damping_;
  Damped at_;
};

// beta > 0.
SmoothSensitivity smooth_sensitivity(const Ordered& rows, const Quantile& quantile,
                                     const Unit& unit, const Rational& beta);

// A user's function: how much one unit can change it at data sets k units away, for k = 0 … last;
// local(last) must be what it can change anywhere. Whoever gives another number than the largest
// local sensitivity within k units breaks the guarantee.
SmoothSensitivity smooth_of(const std::function<std::int64_t(std::int64_t k)>& local,
                            std::int64_t last, const Rational& beta);

}  // namespace discreet::mechanism::gap
