#include "discreet/privacy/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "discreet/base/ball.h"
#include "discreet/base/try.h"

namespace discreet::privacy {
namespace {

constexpr long kBits = 192;
constexpr long kKeptBits = 128;

// A rational a little above the ball.
Rational above(const Ball& ball) {
  Rational out(ball.ceil_shifted(kKeptBits));
  mpq_div_2exp(out.get_mpq_t(), out.get_mpq_t(), kKeptBits);
  return out;
}

Rational squared(const Rational& value) { return value * value; }

// Σ count·cost over the parts; disjoint ones by the largest, or the two largest.
Result<Rational> total(const Event& event, Adjacency adjacency,
                       const std::function<Result<Rational>(const Event&)>& one) {
  return std::visit(Overloaded{
                        [&](const Repeated& e) -> Result<Rational> {
                          auto cost = total(*e.event, adjacency, one);
                          if (cost) *cost *= e.count;
                          return cost;
                        },
                        [&](const Composed& e) -> Result<Rational> {
                          Rational sum;
                          for (const Event& part : e.events) {
                            auto cost = TRY(total(part, adjacency, one));
                            sum += cost;
                          }
                          return sum;
                        },
                        [&](const Parallel& e) -> Result<Rational> {
                          std::vector<Rational> costs;
                          for (const Event& part : e.events) {
                            auto cost = TRY(total(part, adjacency, one));
                            costs.push_back(cost);
                          }
                          std::sort(costs.begin(), costs.end(), std::greater<>());
                          Rational sum = costs[0];
                          if (adjacency == Adjacency::kSubstitute && costs.size() > 1)
                            sum += costs[1];
                          return sum;
                        },
                        [&](const auto&) { return one(event); },
                    },
                    event.what);
}

tl::unexpected<Error> refuse(std::string_view accountant, const Event& event, Phrase hint) {
  return fail(Code::kUsage,
              fmt::format("the {} accountant can't handle {}", accountant, describe(event)),
              std::move(hint));
}

Phrase no_pair() {
  return "it has no single (epsilon, delta); try " + given("accountant", "pld") + " or rdp";
}

Result<Approximation> sampled(const Poisson& e, Adjacency adjacency, std::string_view accountant);

Result<Rational> epsilon_of(const Event& event, Adjacency adjacency, std::string_view accountant) {
  return std::visit(
      Overloaded{
          [](const Laplace& e) -> Result<Rational> { return Rational(e.sensitivity / e.scale); },
          [](const DiscreteLaplace& e) -> Result<Rational> {
            return Rational(e.sensitivity / e.scale);
          },
          [](const RandomizedResponse& e) -> Result<Rational> { return e.epsilon; },
          [](const Exponential& e) -> Result<Rational> { return e.epsilon; },
          [](const Approximate& e) -> Result<Rational> { return e.epsilon; },
          [&](const Poisson& e) -> Result<Rational> {
            auto cost = TRY(sampled(e, adjacency, accountant));
            return cost.epsilon;
          },
          [&](const auto&) -> Result<Rational> { return refuse(accountant, event, no_pair()); },
      },
      event.what);
}

Result<Rational> delta_of(const Event& event, Adjacency adjacency, std::string_view accountant) {
  return std::visit(Overloaded{
                        [](const Approximate& e) -> Result<Rational> { return e.delta; },
                        [&](const Poisson& e) -> Result<Rational> {
                          auto cost = TRY(sampled(e, adjacency, accountant));
                          return cost.delta;
                        },
                        [](const auto&) -> Result<Rational> { return Rational(0); },
                    },
                    event.what);
}

// ln(1 + q(e^ε−1)); where e^ε is out of all proportion, ε + ln(q + (1−q)e^{−ε}).
Rational sampled_epsilon(const Rational& rate, const Rational& epsilon) {
  if (sgn(epsilon) == 0 || sgn(rate) == 0) return 0;
  if (rate == 1) return epsilon;
  if (epsilon < 1000) {
    const Ball growth = mul(Ball(rate, kBits), expm1(Ball(epsilon, kBits), kBits), kBits);
    return above(log1p(growth, kBits));
  }
  const Rational rest = 1 - rate, least(1, Integer(1) << 1000);
  const Ball shrunk = mul(Ball(rest, kBits), Ball::between(0, least, kBits), kBits);
  const Rational more = above(log(add(Ball(rate, kBits), shrunk, kBits), kBits));
  return std::max(Rational(0), Rational(epsilon + more));
}

Result<Approximation> sampled(const Poisson& e, Adjacency adjacency, std::string_view accountant) {
  auto inner = TRY(approximate_cost(*e.event, Adjacency::kAddRemove, accountant));
  Approximation out{sampled_epsilon(e.rate, inner.epsilon), e.rate * inner.delta};
  if (adjacency == Adjacency::kSubstitute) {
    if (sgn(out.delta) > 0 && out.epsilon < 1000) {
      const Ball factor = add(Ball(1), exp(Ball(out.epsilon, kBits), kBits), kBits);
      out.delta = std::min(Rational(1), Rational(above(factor) * out.delta));
    } else if (sgn(out.delta) > 0) {
      out.delta = 1;
    }
    out.epsilon *= 2;
  }
  return out;
}

}  // namespace

Result<Approximation> approximate_cost(const Event& event, Adjacency adjacency,
                                       std::string_view accountant) {
  auto epsilon =
      total(event, adjacency, [&](const Event& e) { return epsilon_of(e, adjacency, accountant); });
  if (!epsilon) return forward_error(epsilon);
  auto delta =
      total(event, adjacency, [&](const Event& e) { return delta_of(e, adjacency, accountant); });
  if (!delta) return forward_error(delta);
  return Approximation{*epsilon, std::min(Rational(1), *delta)};
}

Result<Rational> concentrated_cost(const Event& event, Adjacency adjacency) {
  return total(event, adjacency, [](const Event& one) -> Result<Rational> {
    return std::visit(
        Overloaded{
            [](const Gaussian& e) -> Result<Rational> {
              return Rational(squared(e.sensitivity / e.sigma) / 2);
            },
            [](const DiscreteGaussian& e) -> Result<Rational> {
              return Rational(squared(e.sensitivity / e.sigma) / 2);
            },
            [](const Laplace& e) -> Result<Rational> {
              return Rational(squared(e.sensitivity / e.scale) / 2);
            },
            [](const DiscreteLaplace& e) -> Result<Rational> {
              return Rational(squared(e.sensitivity / e.scale) / 2);
            },
            [](const RandomizedResponse& e) -> Result<Rational> {
              return Rational(squared(e.epsilon) / 2);
            },
            [](const Exponential& e) -> Result<Rational> {
              return Rational(squared(e.epsilon) / 8);
            },
            [](const Concentrated& e) -> Result<Rational> { return e.rho; },
            [&](const Approximate& e) -> Result<Rational> {
              if (sgn(e.delta) == 0) return Rational(squared(e.epsilon) / 2);
              return refuse(
                  "zcdp", one,
                  "only a pure guarantee implies zCDP; try " + given("accountant", "pld"));
            },
            [&](const auto&) -> Result<Rational> {
              return refuse("zcdp", one, "try " + given("accountant", "pld") + " or rdp");
            },
        },
        one.what);
  });
}

Result<Rational> gaussian_cost(const Event& event, Adjacency adjacency) {
  return total(event, adjacency, [](const Event& one) -> Result<Rational> {
    if (const auto* gaussian = std::get_if<Gaussian>(&one.what))
      return squared(gaussian->sensitivity / gaussian->sigma);
    return refuse("gdp", one,
                  "it takes continuous Gaussians only; try " + given("accountant", "pld"));
  });
}

}  // namespace discreet::privacy
