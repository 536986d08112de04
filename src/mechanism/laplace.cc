#include "discreet/mechanism/laplace.h"

#include <fmt/format.h>

#include <cmath>

#include "discreet/base/try.h"
#include "discreet/mechanism/parameters.h"

namespace discreet::mechanism {
namespace {

constexpr long kBits = 128;

Ball rational(const Rational& value) { return Ball(value, kBits); }
double middle(const Ball& ball) { return ball.middle(); }
Rational whole(std::uint64_t value) { return Rational(Integer(static_cast<unsigned long>(value))); }

}  // namespace

Result<Additive> laplace(const LaplaceParameters& p) {
  for (const Status& status :
       {check_epsilon(p.epsilon), check_sensitivity(p.sensitivity), check_cells(p.cells)})
    if (!status) return tl::unexpected<Error>(status.error());
  auto grid =
      p.grid ? Grid::create(*p.grid) : Grid::suited_to(p.sensitivity, p.sensitivity / p.epsilon);
  if (!grid) return forward_error(grid);
  const Integer steps = p.on_grid ? grid->sensitivity_on_grid(p.sensitivity)
                                  : grid->sensitivity_l1(p.sensitivity, p.cells);
  auto scale = TRY(drawable_scale(Rational(steps) / p.epsilon));
  auto noise = TRY(discrete_laplace(scale));
  return Additive({.grid = *grid,
                   .noise = std::move(noise),
                   .guarantee = {p.epsilon, 0, p.relation},
                   .cells = p.cells,
                   .on_grid = p.on_grid,
                   .range = {}});
}

Result<Additive> geometric(const GeometricParameters& p) {
  return laplace({.epsilon = p.epsilon,
                  .sensitivity = p.sensitivity,
                  .grid = 1,
                  .cells = p.cells,
                  .on_grid = true,
                  .relation = p.relation});
}

Result<Additive> truncated_geometric(const TruncatedGeometricParameters& p) {
  if (p.max < 1) {
    return fail(Code::kUsage,
                fmt::format("max: found {}; accepted is a whole number of at least 1", p.max));
  }
  auto unbounded = TRY(geometric(
      {.epsilon = p.epsilon, .sensitivity = p.sensitivity, .cells = 1, .relation = p.relation}));
  auto noise = TRY(discrete_laplace(unbounded.noise().scale()));
  return Additive({.grid = Grid::integers(),
                   .noise = std::move(noise),
                   .guarantee = unbounded.guarantee(),
                   .cells = 1,
                   .on_grid = true,
                   .range = {0, p.max}});
}

Result<Additive> count(const CountParameters& p) {
  return geometric({.epsilon = p.epsilon, .sensitivity = 1, .cells = 1, .relation = p.relation});
}

Result<Additive> histogram(const HistogramParameters& p) {
  return geometric({.epsilon = p.epsilon,
                    .sensitivity = p.relation == privacy::Relation::kSubstitute ? 2 : 1,
                    .cells = p.cells,
                    .relation = p.relation});
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
