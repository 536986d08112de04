// What an adversary can do who has to tell two neighbouring data sets apart from the answers:
// whoever raises a false alarm with probability fa misses with probability at least md(fa)
// (Wasserman and Zhou 2010; Dong, Roth and Su 2022).
//
//   #include "discreet/privacy/expression.h"
//   Tradeoff curve = *Tradeoff::of(*parse_event("dp(epsilon=1)"), {});
//   double missed = curve.missed(0.05);  // max(1 − 0.05e, (1 − 0.05)/e)
#pragma once

#include "discreet/privacy/accountant.h"

namespace discreet::privacy {

class Tradeoff {
 public:
  // From the loss distribution where there is one, else from the accountant's δ(ε); down to δ =
  // `least`.
  static Result<Tradeoff> of(const Event& event, const AccountOptions& options,
                             double least = 1e-12);

  // A lower bound on the probability of a miss, for 0 ≤ fa ≤ 1: the largest 1 − δ(ε) − e^ε·fa over
  // all ε, the smaller of both directions.
  double missed(double false_alarm) const;
  // δ(ε) of the worse direction where ε ≥ 0 and δ is at least `least`, for a picture.
  Curve profile() const;

 private:
  std::vector<Curve> curves_;
  double least_ = 0;
  double mu_ = -1;  // all Gaussian: Φ(Φ⁻¹(1−fa) − μ)
};

}  // namespace discreet::privacy
