// Spending a budget step by step, where each step may depend on the answers of those before. A
// filter is a rule that may stop the spending, such that the whole never exceeds the budget; the
// totals that it keeps are an odometer.
//
//   const Event tenth{Laplace{10}};
//   Filter filter = *Filter::approximate({1, 0});            // ε = 1 in all
//   for (int i = 0; i < 10; ++i) filter.spend(tenth);        // exactly 1
//   bool more = filter.can_spend(tenth);                     // false
//   std::string why = filter.spend(tenth).error().text();    // requested, remaining, missing
//
// Valid under adaptive choice: sums of (ε, δ) (Rogers et al. 2016), zCDP and GDP totals, and Rényi
// DP at one order fixed in advance (Feldman and Zrnic 2021; Whitehouse et al. 2023; Smith and
// Thakurta 2022). "Some order still fits" is not valid, nor is a loss distribution whose steps are
// chosen on the way; so there is no filter for them. All sums are exact.
#pragma once

#include "discreet/privacy/event.h"
#include "discreet/privacy/guarantee.h"

namespace discreet::privacy {

class Filter {
 public:
  // Basic composition: Σε ≤ ε and Σδ ≤ δ.
  static Result<Filter> approximate(const Guarantee& budget);
  // Σρ ≤ ρ.
  static Result<Filter> concentrated(const Rational& rho, Relation relation = Relation::kAddRemove);
  // Σμ² ≤ μ²: Gaussians only, and tight for them.
  static Result<Filter> gaussian(const Rational& mu, Relation relation = Relation::kAddRemove);
  // Σε(α) ≤ ε at this α.
  static Result<Filter> renyi(const Rational& alpha, const Rational& epsilon,
                              Relation relation = Relation::kAddRemove);

  // True iff `spend` would succeed.
  bool can_spend(const Event& event) const;
  // Charges the event. Refused with Code::kBudget where it doesn't fit, with Code::kUsage where
  // this filter can't price the event; nothing is charged then.
  Status spend(const Event& event);

  // The ε that is left at this δ, rounded down. For a sum of (ε, δ) it is the rest of ε if the rest
  // of δ covers it, else 0. Also 0 where nothing is left.
  Result<Rational> remaining(const Rational& delta) const;
  // What all that was spent guarantees at this δ, rounded up.
  Result<Rational> spent(const Rational& delta) const;

  // The totals in the filter's own currency: {Σε, Σδ}, {Σρ}, {Σμ²} or {Σε(α)}, and the budget in
  // the same.
  const std::vector<Rational>& totals() const { return totals_; }
  const std::vector<Rational>& budget() const { return budget_; }

 private:
  enum class Currency { kApproximate, kConcentrated, kGaussian, kRenyi };
  Filter(Currency currency, Relation relation, Rational alpha, std::vector<Rational> budget);
  Result<std::vector<Rational>> price(const Event& event) const;
  Result<Rational> convert(const std::vector<Rational>& amount, const Rational& delta,
                           Rounding rounding) const;

  Currency currency_;
  Relation relation_;
  Rational alpha_;
  std::vector<Rational> budget_, totals_;
};

}  // namespace discreet::privacy
