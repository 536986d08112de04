// How costs add up, and what still fits.
//
// Every account keeps four exact sums, so that an account that gets a limit later needs no
// recomputation:
//
// - approx: Σε and Σδ of the queries as a whole: basic composition, which holds as a privacy filter
//   too, when each query is chosen after seeing the answers before it (Rogers, Roth, Ullman and
//   Vadhan 2016).
//
// - pure: Σε; a query with δ > 0 is refused.
//
// - zcdp: Σρ and Σδ of the queries' parts. Gaussian noise enters as ρ = Δ²/(2σ²) and no δ; any
//   other (ε,δ) part as δ-approximate (ε²/2)-zCDP (Bun and Steinke 2016, Proposition 1.4 and
//   section 8). The limits are fixed when the account is opened, Σδ ≤ δ/2 and Σρ ≤ ρ(ε, δ/2), the
//   largest ρ that converts to (ε, δ/2) (Canonne, Kamath and Steinke 2020); δ-approximate ρ-zCDP
//   totals are (ε, δ/2 + Σδ)-DP, and fixed limits on sums are a filter.
#pragma once

#include "discreet/ledger/ledger.h"

namespace discreet::ledger {

struct Sums {
  Rational epsilon, delta;   // of whole queries
  Rational rho, part_delta;  // of their parts, as zCDP sees them

  Sums& operator+=(const Sums& other);
  Sums& operator-=(const Sums& other);
  friend bool operator==(const Sums&, const Sums&) = default;
};

// What a query adds to each. Fails on a negative cost.
Result<Sums> cost_of(const Request& request);

struct Limit {
  Accountant accountant = Accountant::kApprox;
  Rational epsilon, delta;
  Rational rho;  // zcdp: ρ(ε, δ/2), rounded down
};
// zcdp needs δ > 0.
Result<Limit> make_limit(Accountant accountant, const Rational& epsilon, const Rational& delta);

// Succeeds if `cost` more still fits under the limit. Otherwise kBudget, with Requested / Remaining
// / Missing and what fits.
Status check_fits(const std::string& whose, const Limit& limit, const Sums& spent,
                  const Sums& cost);

Amount limit_of(const Limit& limit);
// With no limit: plain sums.
Amount spent_of(const std::optional<Limit>& limit, const Sums& spent);
// Under zcdp ε is the largest that one more query without δ may have. Never negative.
Amount remaining_of(const Limit& limit, const Sums& spent);

// For people: exact where that is short, else 6 digits rounded to the stated side.
std::string short_text(const Rational& value, Rounding rounding);

}  // namespace discreet::ledger
