// The weights e^(-λ·loss) of candidates with a proved error, for the samplers of exponential.cc and
// permute_and_flip.cc. Plain arithmetic without branches: the time doesn't depend on the scores.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "discreet/base/ball.h"
#include "discreet/base/number.h"
#include "discreet/mechanism/selection.h"
#include "discreet/random/exp_bound.h"

namespace discreet::mechanism {

inline constexpr int kWeightBits = 62;  // a weight of 1 is 2^62

// exp_minus of each, in place; twice as fast where the processor has AVX2, with the same results.
void exp_minus_each(std::span<double> values);

class Weights {
 public:
  // best ≥ every score; scores clamped (clamped_score).
  Weights(const Rational& rate, std::int64_t best)
      : rate_(rate), double_rate_(to_double(rate, Rounding::kDown)), best_(best) {}
  Weights(const SelectionParameters& parameters, std::span<const std::int64_t> scores)
      : Weights(selection_rate(parameters), best_score(scores)) {}

  // Doubles that are within 2^-44 of the weights, relatively; from an exponent of 64 on, e^-64.
  //
  // Proof. The double rate is off by 2^-52 (relative), the loss as a double by 2^-53, their product
  // by 2^-53: in all the exponent is off by 2^-51 of itself, at most 2^-45 where it is below 64,
  // and so is the weight, relatively; exp_minus adds 2^-48.
  static constexpr std::size_t kBlock = 1024;
  void doubles(std::span<const std::int64_t> scores, std::array<double, kBlock>& out) const {
    // Two loops: the conversion of integers doesn't vectorise and would keep the rest from it.
    for (std::size_t i = 0; i < scores.size(); ++i)
      out[i] = double_rate_ * static_cast<double>(best_ - clamped_score(scores[i]));
    exp_minus_each(std::span(out).first(scores.size()));
  }

  // An integer a with |W − a| ≤ slack(a) for W = 2^62·e^(-λ·loss).
  //
  // Proof. Cutting to an integer takes less than 1 away from a double within 2^-44. So W < (a +
  // 1)(1 + 2^-43.9) < a + slack(a) and W > a(1 − 2^-44) > a − slack(a). From an exponent of 64 on a
  // = 0 and W < 1.
  static std::int64_t integer_of(double weight) {
    return static_cast<std::int64_t>(weight * 0x1p62);
  }
  std::int64_t approximate(std::int64_t score) const {
    return integer_of(
        random::exp_minus(double_rate_ * static_cast<double>(best_ - clamped_score(score))));
  }
  static std::int64_t slack(std::int64_t a) { return (a >> 43) + 2; }

  // W itself, minus `offset`.
  Ball exact(std::int64_t score, std::int64_t offset, long bits) const {
    const Integer loss(static_cast<long>(best_ - clamped_score(score)));
    const Ball one(Rational(Integer(1) << kWeightBits), bits);
    const Ball weight =
        mul(exp(-Ball(rate_ * Rational(loss), bits + 64), bits + 64), one, bits + 64);
    return sub(weight, Ball(static_cast<long>(offset)), bits + 64);
  }

 private:
  Rational rate_;
  double double_rate_;
  std::int64_t best_;
};

}  // namespace discreet::mechanism
