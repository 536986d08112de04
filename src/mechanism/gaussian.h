// Gaussian noise: approximate differential privacy for numbers and vectors, calibrated to the
// Euclidean norm (decks 001, 002).
//
//   GaussianParameters parameters{.sensitivity = 1};
//   parameters.epsilon = Rational(1, 2), parameters.delta = Rational(1, 1000000);
//   auto mechanism = *gaussian(parameters);
//
// Two kinds.
// - gaussian: a continuous normal variable rounded to the grid. Rounding is post-processing, so the
// exact privacy curve of the
//   continuous Gaussian holds for it (Balle and Wang 2018): any ε, any dimension.
// - discrete_gaussian: P[z] ∝ e^(-z²/2σ²) on the grid (Canonne, Kamath and Steinke 2020). It is
// ρ-zCDP with ρ = Δ²/(2σ²), and in
//   one dimension its δ is computed exactly from its own probabilities. It is not the same: at σ =
//   Δ its δ is 1.8 times as large.
#pragma once

#include <optional>

#include "discreet/mechanism/additive.h"

namespace discreet::mechanism {

// Two of (ε, δ, σ) are given and the third follows: σ as small as (ε, δ) allows, or δ, or ε, from σ
// and the other.
struct GaussianParameters {
  Rational sensitivity;  // ℓ2, in the values' own unit, under `relation`
  std::optional<Rational> epsilon = {}, delta = {};
  std::optional<Rational> sigma = {};  // in the values' own unit
  std::optional<Rational> grid = {};   // none: Grid::suited_to
  std::uint64_t cells = 1;
  bool on_grid = false;
  privacy::Relation relation = privacy::Relation::kAddRemove;
};
Result<Additive> gaussian(const GaussianParameters& parameters);

// As above for one cell; `rho` may stand in for σ = Δ/√(2ρ).
struct DiscreteGaussianParameters {
  Rational sensitivity;
  std::optional<Rational> epsilon = {}, delta = {};
  std::optional<Rational> sigma = {}, rho = {};
  std::optional<Rational> grid = {};
  bool on_grid = false;
  privacy::Relation relation = privacy::Relation::kAddRemove;
};
Result<Additive> discrete_gaussian(const DiscreteGaussianParameters& parameters);

// ‖error‖∞ ≤ σ·√(2 ln(K/β)) with probability 1−β, to stand beside the exact figure (deck 002, with
// the 2 that it forgets).
double deck_gaussian_bound(const Rational& sigma, std::uint64_t cells, const Rational& beta);

}  // namespace discreet::mechanism
