// Small samples, where P and Q agree in nearly all digits, against interval arithmetic: no
// tolerance anywhere, an end is on its side of the truth or it is wrong.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "discreet/privacy/accountant.h"
#include "discreet/privacy/expression.h"
#include "discreet/privacy/hockey_stick.h"

namespace discreet::privacy {
namespace {

constexpr long kBits = 256;

Ball ball(const Rational& value) { return Ball(value, kBits); }
Ball e_to(const Rational& exponent) { return exp(ball(exponent), kBits); }

struct Outcomes {
  std::vector<Ball> p, q;
  void add(const Ball& a, const Ball& b) {
    p.push_back(a);
    q.push_back(b);
  }
};

Outcomes sampled(const Outcomes& one, const Rational& rate) {
  Outcomes out;
  const Rational rest = 1 - rate;
  for (std::size_t o = 0; o < one.p.size(); ++o) {
    out.add(add(mul(ball(rest), one.q[o], kBits), mul(ball(rate), one.p[o], kBits), kBits),
            one.q[o]);
  }
  return out;
}

Outcomes composed(const Outcomes& one, int count) {
  Outcomes all;
  all.add(Ball(1), Ball(1));
  for (int i = 0; i < count; ++i) {
    Outcomes next;
    for (std::size_t a = 0; a < all.p.size(); ++a)
      for (std::size_t b = 0; b < one.p.size(); ++b)
        next.add(mul(all.p[a], one.p[b], kBits), mul(all.q[a], one.q[b], kBits));
    all = std::move(next);
  }
  return all;
}

// Geometric noise, its tails one outcome each: x = e^{−1/b}, P[z ≤ 0] = 1/(1+x).
Outcomes geometric(const Rational& scale, int shift) {
  const Rational step = -1 / scale;
  const Ball x = e_to(step), one_more = add(Ball(1), x, kBits);
  const auto mass = [&](int z) {
    const Rational power = step * z;
    const Ball here = e_to(power);
    return z == 0 || z == shift ? div(here, one_more, kBits)
                                : div(mul(here, sub(Ball(1), x, kBits), kBits), one_more, kBits);
  };
  Outcomes out;
  for (int z = 0; z <= shift; ++z) out.add(mass(z), mass(shift - z));
  return out;
}

Outcomes response(int k, const Rational& epsilon) {
  const Ball grown = e_to(epsilon), all = add(grown, Ball(k - 1), kBits);
  Outcomes out;
  out.add(div(grown, all, kBits), div(Ball(1), all, kBits));
  out.add(div(Ball(1), all, kBits), div(grown, all, kBits));
  if (k > 2) out.add(div(Ball(k - 2), all, kBits), div(Ball(k - 2), all, kBits));
  return out;
}

Outcomes approximate(const Rational& epsilon, const Rational& delta) {
  Outcomes out = response(2, epsilon);
  const Rational rest = 1 - delta;
  for (std::size_t o = 0; o < 2; ++o) {
    out.p[o] = mul(out.p[o], ball(rest), kBits);
    out.q[o] = mul(out.q[o], ball(rest), kBits);
  }
  out.add(ball(delta), Ball());
  out.add(Ball(), ball(delta));
  return out;
}

Ball truth(const Outcomes& o, const Rational& epsilon, Adjacency adjacency) {
  if (adjacency == Adjacency::kRemove) return hockey_stick(o.p, o.q, epsilon, kBits);
  if (adjacency == Adjacency::kAdd) return hockey_stick(o.q, o.p, epsilon, kBits);
  return worst_hockey_stick(o.p, o.q, epsilon, kBits);
}

// Does the interval contain the truth, to its last digit?
bool holds(const Interval& delta, const Ball& exact) {
  return surely_at_most(Ball(Rational(delta.lower), kBits), exact) &&
         surely_at_most(exact, Ball(Rational(delta.upper), kBits));
}

Interval delta_of(const std::string& text, const Rational& epsilon, Adjacency adjacency) {
  AccountOptions options;
  options.adjacency = adjacency;
  const auto answer = account_delta(*parse_event(text), epsilon, options);
  EXPECT_TRUE(answer.has_value()) << text;
  return answer ? answer->value : Interval{0, 1};
}

TEST(SmallSample, EveryDigitHoldsAtRandom) {
  std::mt19937_64 random(20260725);
  const auto uniform = [&](double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(random);
  };
  const auto decimal = [](double value) { return fmt::format("{:.4e}", value); };
  int naive_wrong = 0;
  for (int i = 0; i < 240; ++i) {
    const std::string q = decimal(std::pow(10, uniform(-12, -0.5)));
    const int count = 1 + i % 3, kind = (i / 3) % 3;
    const int shift = 1 + static_cast<int>(uniform(0, 3)), k = 2 + static_cast<int>(uniform(0, 3));
    const std::string scale = decimal(std::pow(10, uniform(-0.3, 1.5)));
    const Rational size = *parse_number(scale, Rounding::kDown), inverse = 1 / size;
    std::string inner;
    Outcomes one;
    if (kind == 0) {
      inner = fmt::format("discrete-laplace(scale={}, sensitivity={})", scale, shift);
      one = geometric(size, shift);
    } else if (kind == 1) {
      inner = fmt::format("randomized-response(k={}, epsilon=1/{})", k, scale);
      one = response(k, inverse);
    } else {
      inner = fmt::format("dp(epsilon=1/{}, delta=0.001)", scale);
      one = approximate(inverse, Rational(1, 1000));
    }
    const std::string text = fmt::format("poisson({}, {})*{}", q, inner, count);
    const Rational rate = *parse_number(q, Rounding::kDown);
    const Outcomes all = composed(sampled(one, rate), count);
    const double top = std::log1p(rate.get_d() * std::expm1(shift / size.get_d())) * count;
    for (const Adjacency adjacency : {Adjacency::kAdd, Adjacency::kRemove}) {
      const Rational epsilon(uniform(0, 0.95) * top);
      const Interval found = delta_of(text, epsilon, adjacency);
      const Ball exact = truth(all, epsilon, adjacency);
      EXPECT_TRUE(holds(found, exact))
          << text << " at " << epsilon.get_d() << ": " << found.lower << " to " << found.upper
          << ", the truth is " << exact.middle();
      // Single ones need no grid; nor may any be uselessly wide.
      const double width = found.upper - found.lower;
      EXPECT_LE(width, (count == 1 ? 1e-6 : 2e-2) * found.upper + 1e-100) << text;
      // The twin: sums of P and of e^ε·Q, subtracted.
      double p = 0, q_sum = 0;
      for (std::size_t o = 0; o < all.p.size(); ++o) {
        const double a = all.p[o].middle(), b = all.q[o].middle();
        const bool remove = adjacency == Adjacency::kRemove;
        const double ratio = std::exp(epsilon.get_d()), x = remove ? a : b, y = remove ? b : a;
        if (x > ratio * y) p += x, q_sum += y;
      }
      const double naive = p - std::exp(epsilon.get_d()) * q_sum;
      if (!holds({0, naive * (1 + 1e-12)}, exact)) ++naive_wrong;
    }
  }
  EXPECT_GT(naive_wrong, 20);  // the check can tell
}

// Two cases of a review, with what was answered then.
TEST(SmallSample, WhatWasOnceBelowTheTruthIsCaught) {
  const Rational epsilon = *parse_number("3.633531e-06", Rounding::kDown);
  const Outcomes one = sampled(geometric(*parse_number("0.7447", Rounding::kDown), 1),
                               *parse_number("2.568e-06", Rounding::kDown));
  const Ball exact = truth(one, epsilon, Adjacency::kRemove);
  EXPECT_FALSE(holds({7.521220627894642e-07, 7.522999956275074e-07}, exact));
  EXPECT_TRUE(holds(delta_of("poisson(2.568e-06, discrete-laplace(scale=0.7447, sensitivity=1))",
                             epsilon, Adjacency::kRemove),
                    exact));

  const Outcomes other =
      sampled(geometric(*parse_number("8.244", Rounding::kDown), 1), Rational(1, 1000000));
  const Rational delta = *parse_number("5.452e-08", Rounding::kDown);
  const auto enough = [&](double upper) {
    const Ball spent = truth(other, Rational(upper), Adjacency::kAddRemove);
    return surely_at_most(spent, ball(delta));
  };
  EXPECT_FALSE(enough(1.2892724765079475e-08));
  const auto now = account_epsilon(
      *parse_event("poisson(1e-6, discrete-laplace(scale=8.244, sensitivity=1))"), delta, {});
  EXPECT_TRUE(enough(now->value.upper));
  EXPECT_FALSE(enough(now->value.lower * (1 - 1e-12)));
}

// At a negative ε, and with the directions mixed up.
TEST(SmallSample, TheProfileGoesOnBelowZero) {
  const Outcomes one = composed(sampled(response(3, Rational(3, 2)), Rational(1, 5)), 2);
  const std::string text = "poisson(0.2, randomized-response(k=3, epsilon=1.5))*2";
  for (const double at : {-3.0, -0.7, -0.1}) {
    for (const Adjacency adjacency : {Adjacency::kAdd, Adjacency::kRemove}) {
      const Adjacency wrong = adjacency == Adjacency::kAdd ? Adjacency::kRemove : Adjacency::kAdd;
      const Interval found = delta_of(text, Rational(at), adjacency);
      EXPECT_TRUE(holds(found, truth(one, Rational(at), adjacency))) << at;
      if (at > -1) {
        EXPECT_FALSE(holds(found, truth(one, Rational(at), wrong))) << at;
      }
    }
  }
  EXPECT_NEAR(*largest_divergence(*parse_event(text), Adjacency::kRemove),
              2 * std::log1p(0.2 * std::expm1(1.5)), 1e-12);
}

}  // namespace
}  // namespace discreet::privacy
