// Laplace noise on the grid, which is geometric noise: pure differential privacy for numbers (decks
// 000, 002, 003).
//
//   auto mechanism = *laplace({.epsilon = Rational(1, 2), .sensitivity = 1});
//   std::int64_t told = mechanism.release(Exact<std::int64_t>::from_private(412))->value();
//   Rational error = mechanism.accuracy(Rational(1, 20));  // 6: within ±6 with probability 95 %
//
// What is proved. The output z for an exact value y (points of the grid) has P(z|y) =
// (1−α)/(1+α)·α^|z−y|, α = e^(-ε/Δ) with Δ the ℓ1 sensitivity on the grid. For neighbours |z−y'| ≤
// |z−y| + Δ, so the probabilities differ by at most α^-Δ = e^ε (for vectors by the same with ℓ1
// norms, as the cells' noises are independent). Tight: every z ≤ y < y' = y+Δ has e^ε.
#pragma once

#include <optional>

#include "discreet/mechanism/additive.h"

namespace discreet::mechanism {

struct LaplaceParameters {
  Rational epsilon;
  Rational sensitivity;               // ℓ1, in the values' own unit, under `relation`
  std::optional<Rational> grid = {};  // none: Grid::suited_to
  std::uint64_t cells = 1;
  bool on_grid = false;  // the values are on the grid already: rounding adds no sensitivity
  privacy::Relation relation = privacy::Relation::kAddRemove;
};
Result<Additive> laplace(const LaplaceParameters& parameters);

// On the integers, for integers.
struct GeometricParameters {
  Rational epsilon;
  Rational sensitivity = 1;
  std::uint64_t cells = 1;
  privacy::Relation relation = privacy::Relation::kAddRemove;
};
Result<Additive> geometric(const GeometricParameters& parameters);

// The same, clamped to [0, max] with max public (deck 003): interior as above, P(z|y) =
// α^|z−y|/(1+α) at the two ends.
struct TruncatedGeometricParameters {
  Rational epsilon;
  std::int64_t max;
  Rational sensitivity = 1;
  privacy::Relation relation = privacy::Relation::kAddRemove;
};
Result<Additive> truncated_geometric(const TruncatedGeometricParameters& parameters);

// How many units have a property: one unit changes the answer by 1 at most, whether it comes, goes
// or is replaced.
struct CountParameters {
  Rational epsilon;
  privacy::Relation relation = privacy::Relation::kAddRemove;
};
Result<Additive> count(const CountParameters& parameters);

// How many units are in each of `cells` disjoint cells, which are public. A unit that comes or goes
// changes one cell by 1; one that is replaced can leave one cell and enter another: ℓ1
// sensitivity 2.
struct HistogramParameters {
  Rational epsilon;
  std::uint64_t cells;
  privacy::Relation relation = privacy::Relation::kAddRemove;
};
Result<Additive> histogram(const HistogramParameters& parameters);

// What the decks say of continuous Laplace noise, to stand beside the exact figures (deck 002).
// ‖error‖∞ ≤ (Δ/ε)·ln(K/β) with probability 1−β (equality can hold at K = 1).
double deck_laplace_bound(const Rational& epsilon, const Rational& sensitivity, std::uint64_t cells,
                          const Rational& beta);
// E‖error‖₁ = K·Δ/ε, and what it is on the grid: K·2α/(1−α²) steps.
double deck_laplace_expected_error(const Rational& epsilon, const Rational& sensitivity,
                                   std::uint64_t cells);
double laplace_expected_error(const Additive& mechanism);

}  // namespace discreet::mechanism
