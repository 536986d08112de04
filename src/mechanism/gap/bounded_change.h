// Propose-test-release (ptr.h) for statistics: "one unit changes it by at most b" is proposed,
// tested with noise, and where it passes the statistic is told with Laplace noise of scale b/ε2.
//
//   const Range range = *Range::create(0, 100);
//   auto mechanism = *BoundedChange::create({.test = {Rational(1, 2), Rational(1, 1000000)},
//                                            .epsilon = Rational(1, 2),
//                                            .statistic = *Statistic::create(
//                                                StatisticKind::kQuantile, Rational(1, 2)),
//                                            .bound = 5,
//                                            .range = range});
//   auto rows = Exact<Ordered>::from_private(Ordered::of({3, 99, 7, 7, 20}, range));
//   auto median = *mechanism.release(rows);
//   if (median.value()) std::int64_t told = *median.value();
//
// What is proved. D, the least k with T_k > b (statistic.h), is one apart for neighbours. If one of
// them has D ≥ 1, T_0 ≤ b there: the statistics are within b of each other and the noise is ε2-DP
// on this pair, though the other may be outside; so only pairs with D = 0 on both sides are left to
// the test. It may therefore pass at D + 1: those two still pass with probability δ at most.
#pragma once

#include <optional>

#include "discreet/mechanism/door.h"
#include "discreet/mechanism/gap/statistic.h"
#include "discreet/mechanism/gap/threshold.h"
#include "discreet/mechanism/released.h"
#include "discreet/random/generator.h"
#include "discreet/random/scaled_noise.h"

namespace discreet::mechanism::gap {

struct BoundedChangeParameters {
  GapTestParameters test;  // ε1, δ
  Rational epsilon;        // ε2, of the noise
  Statistic statistic;
  Rational bound;  // b above 0, in points of the grid
  Range range;     // of the rows
  Unit unit = {};
};

class BoundedChange : private Door {
 public:
  static Result<BoundedChange> create(const BoundedChangeParameters& parameters);

  const GapTest& test() const { return test_; }
  const BoundedChangeParameters& parameters() const { return p_; }
  privacy::Guarantee guarantee() const {
    return {p_.test.epsilon + p_.epsilon, p_.test.delta, p_.unit.relation};
  }
  // Where the answer is.
  Range values() const { return p_.statistic.values_of(p_.range); }
  Rational scale() const { return p_.bound / p_.epsilon; }
  // What is told is within so many points of the exact statistic with probability 1 − beta:
  // ⌈scale·ln(1/beta) − ½⌉, or scale·ln(1/beta) + ½ for one that isn't whole.
  Rational error(const Rational& beta) const;

  // Nothing, or a whole number of points.
  Result<Released<std::optional<std::int64_t>>> release(
      const Exact<Ordered>& rows, random::Source& source = random::thread_generator()) const;

  // Of these rows, and so private: what the test sees, how likely it passes, and the noise.
  std::int64_t distance(const Ordered& rows) const {
    return p_.statistic.units_until(rows, p_.unit, p_.bound) + 1;
  }
  random::ScaledNoise distribution(const Ordered& rows) const;

 private:
  BoundedChange(BoundedChangeParameters parameters, GapTest test)
      : p_(std::move(parameters)), test_(std::move(test)) {}
  BoundedChangeParameters p_;
  GapTest test_;
};

}  // namespace discreet::mechanism::gap
