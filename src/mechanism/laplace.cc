#include "discreet/mechanism/laplace.h"

#include <fmt/format.h>

#include <cmath>

#include "discreet/base/try.h"
#include "discreet/mechanism/checks.h"

namespace discreet::mechanism {
namespace {

constexpr long kBits = 128;

Ball rational(const Rational& value) { return Ball(value, kBits); }
double middle(const Ball& ball) { return ball.middle(); }
Rational whole(std::uint64_t value) { return Rational(Integer(static_cast<unsigned long>(value))); }

Result<Additive::Parts> parts_of(const LaplaceParameters& p) {
  TRY(check_epsilon(p.epsilon));
  TRY(check_sensitivity(p.sensitivity));
  TRY(check_cells(p.cells));
  const Grid grid = TRY(p.grid ? Grid::create(*p.grid)
                               : Grid::suited_to(p.sensitivity, p.sensitivity / p.epsilon));
  const Rational steps(p.on_grid ? grid.sensitivity_on_grid(p.sensitivity)
                                 : grid.sensitivity_l1(p.sensitivity, p.cells));
  const Rational scale = TRY(drawable_scale(steps / p.epsilon));
  NoisePointer noise = TRY(discrete_laplace(scale));
  Additive::Parts parts{.grid = grid,
                        .noise = noise,
                        .guarantee = {p.epsilon, 0, p.relation},
                        .cells = p.cells,
                        .on_grid = p.on_grid,
                        .range = {}};
  // How a unit's share of a vector's ℓ1 norm falls on the cells isn't known here.
  if (p.cells == 1) parts.event = noise->event(steps);
  return parts;
}

LaplaceParameters on_integers(const GeometricParameters& p) {
  return {.epsilon = p.epsilon,
          .sensitivity = p.sensitivity,
          .grid = 1,
          .cells = p.cells,
          .on_grid = true,
          .relation = p.relation};
}

}  // namespace

Result<Additive> laplace(const LaplaceParameters& p) { return Additive(TRY(parts_of(p))); }

Result<Additive> geometric(const GeometricParameters& p) { return laplace(on_integers(p)); }

Result<Additive> truncated_geometric(const TruncatedGeometricParameters& p) {
  if (p.max < 1) {
    return bad_parameter("max",
                         fmt::format("found {}; accepted is a whole number of at least 1", p.max));
  }
  Additive::Parts parts = TRY(parts_of(on_integers(
      {.epsilon = p.epsilon, .sensitivity = p.sensitivity, .cells = 1, .relation = p.relation})));
  parts.range = {0, p.max};
  return Additive(std::move(parts));
}

Result<Additive> count(const CountParameters& p) {
  return geometric({.epsilon = p.epsilon, .sensitivity = 1, .cells = 1, .relation = p.relation});
}

// A unit that comes or goes moves one cell by 1, and one that is replaced moves two cells by 1
// each, whose noises are independent: one discrete Laplace event, or two.
Result<Additive> histogram(const HistogramParameters& p) {
  const bool substitute = p.relation == privacy::Relation::kSubstitute;
  Additive::Parts parts = TRY(parts_of(on_integers({.epsilon = p.epsilon,
                                                    .sensitivity = substitute ? 2 : 1,
                                                    .cells = p.cells,
                                                    .relation = p.relation})));
  const privacy::Event cell = parts.noise->event(1);
  parts.event =
      substitute && p.cells > 1 ? privacy::Event{privacy::Repeated{privacy::share(cell), 2}} : cell;
  return Additive(std::move(parts));
}

double deck_laplace_bound(const Rational& epsilon, const Rational& sensitivity, std::uint64_t cells,
                          const Rational& beta) {
  return middle(
      mul(rational(sensitivity / epsilon), log(rational(whole(cells) / beta), kBits), kBits));
}

double deck_laplace_expected_error(const Rational& epsilon, const Rational& sensitivity,
                                   std::uint64_t cells) {
  return to_double(whole(cells) * sensitivity / epsilon, Rounding::kUp);
}

double laplace_expected_error(const Additive& mechanism) {
  // 2α/(1−α²) = 1/sinh(λ) = 2/(e^λ − e^-λ), λ = 1/scale
  const Ball rate = rational(1 / mechanism.noise().scale());
  const Ball sinh2 = sub(expm1(rate, kBits), expm1(-rate, kBits), kBits);
  const Ball one_cell = div(Ball(2), sinh2, kBits);
  return middle(mul(one_cell, rational(whole(mechanism.cells()) * mechanism.grid().step()), kBits));
}

}  // namespace discreet::mechanism
