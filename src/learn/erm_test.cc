#include "discreet/learn/erm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "discreet/privacy/accountant.h"
#include "discreet/privacy/gaussian.h"
#include "discreet/random/testing/sources.h"

namespace discreet::learn {
namespace {

using random::testing::Seeded;

struct Data {
  BallRows rows;
  std::vector<float> labels;
};

Data some_data(std::size_t count, std::size_t width, std::size_t classes, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Examples examples;
  examples.count = count;
  examples.shape.width = width;
  Data out;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t label = i % classes;
    out.labels.push_back(float(label));
    for (std::size_t k = 0; k < width; ++k)
      examples.x.push_back(normal(random) * 0.3F + (k == label % width ? 1.0F : -0.2F));
  }
  out.rows = in_ball(examples, {.radius = 2, .intercept = true});
  return out;
}

Data without_last(const Data& data) {
  Data out = data;
  --out.rows.count;
  out.rows.values.resize(out.rows.count * out.rows.width);
  out.labels.pop_back();
  return out;
}

ErmProblem problem_of(const Data& data, Surrogate loss, std::size_t classes, double lambda) {
  ErmProblem out;
  out.rows = &data.rows;
  out.labels = data.labels;
  out.loss = loss;
  out.classes = classes;
  out.lambda = lambda;
  return out;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double out = 0;
  for (std::size_t i = 0; i < a.size(); ++i) out += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(out);
}

constexpr Surrogate kLosses[] = {Surrogate::kLogistic, Surrogate::kHuber, Surrogate::kSoftmax};

TEST(ErmObjectiveTest, GradientsAreDifferences) {
  const Data data = some_data(30, 4, 3, 1);
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  for (const Surrogate loss : kLosses) {
    ErmProblem problem = problem_of(data, loss, 3, 0.7);
    std::vector<double> theta(problem.size()), gradient, ignored;
    for (double& x : theta) x = normal(random);
    for (std::size_t i = 0; i < theta.size(); ++i) problem.linear.push_back(normal(random));
    value_of(problem, theta, gradient);
    for (std::size_t i = 0; i < theta.size(); ++i) {
      constexpr double kStep = 1e-5;
      std::vector<double> up = theta, down = theta;
      up[i] += kStep;
      down[i] -= kStep;
      const double difference =
          (value_of(problem, up, ignored) - value_of(problem, down, ignored)) / (2 * kStep);
      ASSERT_NEAR(gradient[i], difference, 1e-4);
    }
  }
}

TEST(ErmObjectiveTest, ConstantsBoundTheLosses) {
  // One example alone: F is ℓ + (λ/2)‖θ‖², so ∇ℓ = ∇F − λθ.
  std::mt19937 random(3);
  std::normal_distribution<double> normal(0, 3);
  for (const Surrogate loss : kLosses) {
    double longest = 0, steepest = 0;
    for (unsigned seed = 0; seed < 300; ++seed) {
      const Data one = some_data(1, 3, 1, seed);
      const ErmProblem problem = problem_of(one, loss, 3, 1e-3);
      std::vector<double> a(problem.size()), b, ga, gb;
      for (double& x : a) x = normal(random);
      b = a;
      for (double& x : b) x += 0.01 * normal(random);
      value_of(problem, a, ga);
      value_of(problem, b, gb);
      double length = 0;
      for (std::size_t i = 0; i < a.size(); ++i) {
        ga[i] -= 1e-3 * a[i];
        gb[i] -= 1e-3 * b[i];
        length += ga[i] * ga[i];
      }
      longest = std::max(longest, std::sqrt(length));
      steepest = std::max(steepest, distance(ga, gb) / distance(a, b));
    }
    EXPECT_LE(longest, lipschitz(loss) * (1 + 1e-9));
    EXPECT_LE(steepest, curvature(loss) * (1 + 1e-6));
    EXPECT_GT(longest, lipschitz(loss) / 2);  // the check can fail
    EXPECT_GT(steepest, curvature(loss) / 4);
  }
}

TEST(ErmObjectiveTest, MinimumIsCertified) {
  Workers workers(2);
  for (const Surrogate loss : kLosses)
    for (const double lambda : {0.01, 1.0, 100.0}) {
      const Data data = some_data(700, 6, 3, 4);
      const ErmProblem problem = problem_of(data, loss, 3, lambda);
      const auto found = minimise(problem, 1e-8, workers);
      ASSERT_TRUE(found) << found.error().text();
      EXPECT_LE(found->gradient, 1e-8);
      std::vector<double> gradient;
      value_of(problem, found->theta, gradient);
      double norm = 0;
      for (const double g : gradient) norm += g * g;
      EXPECT_LE(std::sqrt(norm), found->gradient);
    }
  // What doubles can't tell is refused, not claimed.
  const Data data = some_data(700, 6, 3, 4);
  EXPECT_FALSE(minimise(problem_of(data, Surrogate::kLogistic, 3, 1), 1e-18, workers));
}

// A certificate ‖∇F‖ ≤ τ is a distance of τ/λ to the minimum, so two that are found in different
// ways are within twice that of each other.
bool same_minimum(const std::vector<double>& a, const std::vector<double>& b, double tolerance,
                  double lambda) {
  return distance(a, b) <= 2 * tolerance / lambda;
}

TEST(ErmObjectiveTest, GradientsAloneGetToTheSameMinimum) {
  Workers workers(1);
  const double tolerance = 1e-7;
  for (const Surrogate loss : kLosses)
    for (const double lambda : {0.1, 10.0}) {
      const Data data = some_data(300, 4, 3, 6);
      ErmProblem problem = problem_of(data, loss, 3, lambda);
      problem.linear.assign(problem.size(), 0.5);
      const auto newton = minimise(problem, tolerance, workers);
      const auto gradients = minimise(problem, tolerance, workers, {.newton_steps = 0});
      ASSERT_TRUE(newton && gradients);
      EXPECT_LE(gradients->gradient, tolerance);
      EXPECT_NE(gradients->theta, newton->theta);  // by another way
      EXPECT_TRUE(same_minimum(newton->theta, gradients->theta, tolerance, lambda));
      // The twin: one number off by what a bound of ten times the tolerance would let pass.
      std::vector<double> off = gradients->theta;
      off[0] += 10 * tolerance / lambda;
      EXPECT_FALSE(same_minimum(newton->theta, off, tolerance, lambda));
    }
}

// Wherever Newton's method ended, at no number at all or further away than a minimum can be, the
// gradients begin where their number of steps is proved.
TEST(ErmObjectiveTest, GradientsBeginWhereTheyCanArrive) {
  Workers workers(1);
  const double tolerance = 1e-7, lambda = 1;
  const Data data = some_data(300, 4, 3, 6);
  for (const Surrogate loss : kLosses) {
    const ErmProblem problem = problem_of(data, loss, 3, lambda);
    const auto best = minimise(problem, tolerance, workers);
    ASSERT_TRUE(best);
    for (const double lost : {double(NAN), double(INFINITY), 1e300, -1e30})
      for (const int steps : {0, 3}) {
        const auto found = minimise(problem, tolerance, workers,
                                    {.theta = std::vector<double>(problem.size(), lost),
                                     .newton_steps = std::isfinite(lost) ? 0 : steps});
        ASSERT_TRUE(found) << lost << " " << found.error().text();
        EXPECT_TRUE(same_minimum(best->theta, found->theta, tolerance, lambda)) << lost;
      }
  }
}

// Where doubles can't certify a minimum, that is said at once and in the same words whatever the
// rows are: there are none behind this count, so whoever looked at one would not get so far.
TEST(ErmObjectiveTest, WhatCannotBeCertifiedIsRefusedWithoutALook) {
  Workers workers(1);
  const BallRows rows{std::size_t{1} << 61, 3, {}};
  for (const Surrogate loss : kLosses) {
    ErmProblem problem;
    problem.rows = &rows;
    problem.loss = loss;
    const auto found = minimise(problem, 1e-6, workers);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().text(),
              "the minimum could not be found as closely as its noise needs; nothing is released "
              "(set lambda = a larger number)");
  }
}

// Rows of which one more moves the minimum as far as any can: many short ones of one class, whose
// gradients add up and whose curvature doesn't, and a long one of another class, which they
// contradict.
Data contradicted(double lambda) {
  constexpr double kShort = 0.005;
  Data out;
  out.rows.width = 1;
  const auto put = [&](double size, float label) {
    out.rows.values.push_back(static_cast<std::int16_t>(std::floor(size * double(BallRows::kOne))));
    out.labels.push_back(label);
    ++out.rows.count;
  };
  for (int i = 0; i < 12 * lambda / kShort; ++i) put(kShort, 0);
  put(1, 1);
  return out;
}

// What run_erm's noise is made for, against what one example does to the minimum: never less, and
// not a tenth more for this one.
TEST(ErmTest, OneExampleMovesTheMinimumByLessThanTheSensitivity) {
  Workers workers(1);
  Seeded source(14);
  for (const Surrogate loss : kLosses) {
    const std::size_t classes = loss == Surrogate::kSoftmax ? 3 : 2;
    const Rational lambda = 2;
    const Data data = contradicted(2), fewer = without_last(data);
    const auto plan = plan_erm({.method = ErmMethod::kOutput,
                                .loss = loss == Surrogate::kHuber ? loss : Surrogate::kLogistic,
                                .epsilon = 1,
                                .delta = Rational(1, 100000),
                                .lambda = lambda},
                               {.count = data.rows.count, .width = 1, .classes = classes});
    ASSERT_TRUE(plan) << plan.error().text();
    ASSERT_EQ(plan->loss, loss);
    const auto model = run_erm(*plan, data.rows, data.labels, source, workers);
    ASSERT_TRUE(model) << model.error().text();
    const double sensitivity = model->noise / to_double(plan->sigma);
    // Thousands of rows: a gradient below 1e-9 is beneath what their sum is rounded to.
    const auto with = minimise(problem_of(data, loss, classes, 2), 1e-6, workers);
    const auto without = minimise(problem_of(fewer, loss, classes, 2), 1e-6, workers);
    ASSERT_TRUE(with) << with.error().text();
    ASSERT_TRUE(without) << without.error().text();
    const double moved = distance(with->theta, without->theta);
    EXPECT_LE(moved, sensitivity) << int(loss);
    EXPECT_GT(moved, 0.9 * sensitivity) << int(loss);  // the twin: a sensitivity that is too small
  }
  // Others, that move it less.
  for (const Surrogate loss : kLosses)
    for (unsigned seed = 0; seed < 25; ++seed) {
      Data data = some_data(1 + seed % 4, 3, 1, seed);
      data.labels.back() = 2;
      const Data fewer = without_last(data);
      const auto with = minimise(problem_of(data, loss, 3, 20), 1e-9, workers);
      const auto without = minimise(problem_of(fewer, loss, 3, 20), 1e-9, workers);
      ASSERT_TRUE(with && without);
      EXPECT_LE(distance(with->theta, without->theta), lipschitz(loss) / 20);
    }
}

// What minima miss of themselves is part of what the noise is made for, on both sides: with a large
// τ it is most of it, with a small one what b is rounded by shows.
TEST(ErmTest, TheNoiseCoversWhatBothMinimaMiss) {
  Workers workers(1);
  Seeded source(15);
  const Data data = some_data(50, 4, 2, 7);
  const double width = double(data.rows.width);
  for (const double tolerance : {1e-6, 1e-3, 0.25, 3.0})
    for (const double lambda : {0.5, 20.0})
      for (const ErmMethod method : {ErmMethod::kOutput, ErmMethod::kObjective}) {
        auto plan = plan_erm({.method = method,
                              .epsilon = 4,
                              .delta = Rational(1, 100000),
                              .lambda = *exactly(lambda)},
                             {.count = 50, .width = data.rows.width, .classes = 2});
        ASSERT_TRUE(plan) << plan.error().text();
        plan->tolerance = tolerance;
        const auto model = run_erm(*plan, data.rows, data.labels, source, workers);
        ASSERT_TRUE(model) << model.error().text();
        double least = 0;
        if (method == ErmMethod::kOutput) {
          // σ·(L + 2τ)/λ
          least = to_double(plan->sigma) * (lipschitz(plan->loss) + 2 * tolerance) / lambda;
        } else {
          // 1024·2γ, γ = (τ + h√w/2)/λ with h = 2^-24
          least = 1024 * 2 * (tolerance + 0x1p-24 * std::sqrt(width) / 2) / lambda;
        }
        EXPECT_GE(model->noise, least) << tolerance << ' ' << lambda << ' ' << int(method);
        EXPECT_LE(model->noise, least * 1.002) << tolerance << ' ' << lambda << ' ' << int(method);
      }
}

// Objective perturbation in one dimension, where the density of θ* can be written down:
// φ_σ(−∇F(θ))·F''(θ). The hockey-stick divergence of neighbours, added up over a grid.
struct OneDimension {
  std::vector<double> x;  // with sign: label times feature
  double lambda, sigma;
  Surrogate loss;

  double slope(double t) const {
    if (loss == Surrogate::kLogistic) return -1 / (1 + std::exp(t));
    return t > 1.5 ? 0 : t < 0.5 ? -1 : -(1.5 - t);
  }
  double bend(double t) const {
    if (loss == Surrogate::kLogistic) return -slope(t) * (1 + slope(t));
    return t > 1.5 || t < 0.5 ? 0 : 1;
  }
  double density(double theta) const {
    double b = -lambda * theta, curve = lambda;
    for (const double one : x) {
      b -= slope(one * theta) * one;
      curve += bend(one * theta) * one * one;
    }
    return std::exp(-b * b / (2 * sigma * sigma)) / (sigma * std::sqrt(2 * M_PI)) * curve;
  }
};

double hockey_stick(const OneDimension& p, const OneDimension& q, double epsilon) {
  constexpr double kStep = 1e-3;
  double out = 0;
  const double reach = (12 * p.sigma + double(p.x.size()) + 2) / p.lambda;
  for (double theta = -reach; theta < reach; theta += kStep)
    out += std::max(0.0, p.density(theta) - std::exp(epsilon) * q.density(theta)) * kStep;
  return out;
}

// The largest δ(ε) over neighbours, for what the plan's σ and λ make of it.
double worst_delta(Surrogate loss, double lambda, double sigma, double epsilon) {
  double out = 0;
  for (const double last : {1.0, -1.0, 0.4})
    for (const auto& others :
         {std::vector<double>{}, {0.5}, {1, -1}, {1, 1, 1, 1}, {-1, -1, 0.2, -0.7}}) {
      OneDimension without{others, lambda, sigma, loss}, with = without;
      with.x.push_back(last);
      out = std::max(
          {out, hockey_stick(with, without, epsilon), hockey_stick(without, with, epsilon)});
    }
  return out;
}

// Rows that drive θ far away, or of sizes that differ by thousands and say nearly the same of every
// column, with a small λ: the minimum is found all the same. The twin of Newton's method, gradients
// alone, would take 750,000 steps.
TEST(ErmTest, NoRowsMakeItFail) {
  constexpr std::size_t kCount = 40'000, kWidth = 40;
  Workers workers(2);
  Seeded source(12);
  for (const double margin : {1.0, 0.01, 0.0002, 0.0}) {
    Data data;
    data.rows = {kCount, kWidth, std::vector<std::int16_t>(kCount * kWidth)};
    for (std::size_t i = 0; i < kCount; ++i) {
      data.labels.push_back(float(i % 2));
      if (margin == 0) {
        const double scale = std::exp2(-double(i % 13)) * double(BallRows::kOne) / 7;
        for (std::size_t k = 0; k < kWidth; ++k)
          data.rows.values[i * kWidth + k] = static_cast<std::int16_t>(
              (i % 2 == 1 ? scale : -scale) * (1 + 0.001 * double((i * 7 + k * 13) % 11)));
        continue;
      }
      const auto size = static_cast<std::int16_t>(std::ceil(margin * 0.7 * double(BallRows::kOne)));
      data.rows.values[i * kWidth] = static_cast<std::int16_t>(i % 2 == 1 ? size : -size);
    }
    for (const auto method : {ErmMethod::kOutput, ErmMethod::kObjective})
      for (const auto loss : {Surrogate::kLogistic, Surrogate::kHuber}) {
        const auto plan =
            plan_erm({.method = method,
                      .loss = loss,
                      .epsilon = 8,
                      .delta = Rational(1, 100000),
                      .lambda = Rational(1, 1000)},
                     {.count = kCount / 4, .width = kWidth, .classes = 2, .most = kCount});
        ASSERT_TRUE(plan) << plan.error().text();
        const auto found = run_erm(*plan, data.rows, data.labels, source, workers);
        EXPECT_TRUE(found) << margin << " " << found.error().text();
      }
  }
}

// The tolerance covers what doubles are off by at the furthest θ that any rows can bring about. The
// twin, a millionth whatever is public, doesn't.
TEST(ErmPlanTest, TheToleranceIsWhatDoublesCanTellWhateverTheRows) {
  bool twin_fails = false;
  for (const double count : {1e3, 6e4, 1e6})
    for (const auto loss : {Surrogate::kLogistic, Surrogate::kHuber}) {
      const ErmSize size{.count = static_cast<std::uint64_t>(count),
                         .width = 785,
                         .classes = 2,
                         .most = static_cast<std::uint64_t>(4 * count)};
      const auto plan = plan_erm({.method = ErmMethod::kOutput,
                                  .loss = loss,
                                  .epsilon = 1,
                                  .delta = Rational(1, 100000),
                                  .lambda = Rational(1, 1000)},
                                 size);
      ASSERT_TRUE(plan) << plan.error().text();
      const GradientSize of{loss, size.width, 2, plan->lambda};
      const double error = gradient_error(of, 4 * count, reach_of(of, 4 * count, 0), 0);
      EXPECT_GE(plan->tolerance, error) << count;
      twin_fails |= error > 1e-6;
    }
  EXPECT_TRUE(twin_fails);
}

TEST(ErmTest, ObjectivePerturbationIsAsPrivateAsItSays) {
  for (const Surrogate loss : {Surrogate::kLogistic, Surrogate::kHuber})
    for (const double epsilon : {0.7, 2.0}) {
      const double delta = 1e-3;
      for (const double share : {0.2, 0.5}) {
        // λ such that determinants take that share of ε.
        const double lambda = curvature(loss) / std::expm1(share * epsilon);
        const auto exact = exactly(epsilon * (1 - share));
        const double sigma = to_double(*privacy::gaussian_sigma(*exact, Rational(1, 1000), 1));
        const double found = worst_delta(loss, lambda, sigma, epsilon);
        EXPECT_LE(found, delta) << epsilon << " " << share;
        // The twin has half the noise; what forgets the determinants is caught below, where they
        // weigh.
        EXPECT_GT(worst_delta(loss, lambda, sigma / 2, epsilon), delta);
      }
    }
}

TEST(ErmTest, ForgottenDeterminantsAreCaught) {
  // With λ far below the curvature, noise as of the Gaussian mechanism alone isn't enough: for both
  // losses, and the more the smaller λ is. (Where determinants weigh little, nothing shows.)
  const double sigma = to_double(*privacy::gaussian_sigma(*exactly(1.0), Rational(1, 1000), 1));
  double before = 1e-3;
  for (const double lambda : {0.3, 0.2, 0.1}) {
    const double found = worst_delta(Surrogate::kHuber, lambda, sigma, 1);
    EXPECT_GT(found, before) << lambda;
    before = found;
  }
  EXPECT_GT(worst_delta(Surrogate::kLogistic, 0.1, sigma, 1), 1e-3);
}

TEST(ErmPlanTest, CostsWhatItSays) {
  for (const ErmMethod method : {ErmMethod::kOutput, ErmMethod::kObjective})
    for (const std::size_t classes : {2, 4}) {
      const auto plan = plan_erm({.method = method, .epsilon = 1, .delta = Rational(1, 100000)},
                                 {.count = 1000, .width = 5, .classes = classes});
      ASSERT_TRUE(plan) << plan.error().text();
      const auto delta = privacy::account_delta(plan->event, 1, {});
      const auto epsilon = privacy::account_epsilon(plan->event, plan->delta, {});
      ASSERT_TRUE(delta && epsilon);
      EXPECT_LE(delta->value.upper, 1.001e-5);
      EXPECT_NEAR(epsilon->value.upper, 1, 0.05);  // and wastes little
    }
}

// δ_Gauss(ε − ln(1 + c/λ); σ) is what objective perturbation costs: what determinants take is
// spent.
TEST(ErmPlanTest, WhatDeterminantsTakeIsNotSpentOnNoise) {
  for (const Surrogate loss : {Surrogate::kLogistic, Surrogate::kHuber})
    for (const double share : {0.2, 0.5, 0.8}) {
      const double lambda = curvature(loss) / std::expm1(2 * share);
      const auto plan = plan_erm({.method = ErmMethod::kObjective,
                                  .loss = loss,
                                  .epsilon = 2,
                                  .delta = Rational(1, 100000),
                                  .lambda = *exactly(lambda)},
                                 {.count = 1000, .width = 5, .classes = 2});
      ASSERT_TRUE(plan) << plan.error().text();
      const auto least = privacy::gaussian_sigma(*exactly(2 * (1 - share)), Rational(1, 200000), 1);
      EXPECT_GE(to_double(plan->sigma), to_double(*least) * (1 - 1e-12)) << share;
      EXPECT_LE(to_double(plan->sigma), to_double(*least) * 1.1) << share;
    }
}

// A model for each class sees the same examples, and their minima miss something each.
TEST(ErmPlanTest, EveryModelIsPaidFor) {
  for (const std::size_t classes : {3, 10}) {
    const auto plan =
        plan_erm({.method = ErmMethod::kObjective, .epsilon = 1, .delta = Rational(1, 100000)},
                 {.count = 1000, .width = 5, .classes = classes});
    ASSERT_TRUE(plan) << plan.error().text();
    EXPECT_EQ(plan->models, classes);
    const std::string event = privacy::describe(plan->event);
    EXPECT_NE(event.find("gaussian(sigma=1024)*" + std::to_string(classes)), std::string::npos);
    EXPECT_NE(event.find(")*" + std::to_string(classes) + ", "), std::string::npos) << event;
  }
}

TEST(ErmPlanTest, WhatIsMeasuredBeforeIsPaidForToo) {
  const privacy::Event before{privacy::Gaussian{6}};
  for (const ErmMethod method : {ErmMethod::kOutput, ErmMethod::kObjective}) {
    ErmOptions options{.method = method, .epsilon = 1, .delta = Rational(1, 100000)};
    const ErmSize size{.count = 1000, .width = 5, .classes = 2};
    const auto alone = plan_erm(options, size);
    options.before = {before};
    const auto beside = plan_erm(options, size);
    ASSERT_TRUE(alone && beside);
    EXPECT_GT(beside->sigma, alone->sigma * Rational(11, 10));
    EXPECT_NE(privacy::describe(beside->event).find("gaussian(sigma=6)"), std::string::npos);
    const auto delta = privacy::account_delta(beside->event, 1, {});
    ASSERT_TRUE(delta);
    EXPECT_LE(delta->value.upper, 1.001e-5);
  }
}

TEST(ErmPlanTest, RefusesWhatCannotBePrivate) {
  const ErmSize size{.count = 100, .width = 3, .classes = 2};
  EXPECT_FALSE(plan_erm({.epsilon = 1, .delta = 0}, size));
  const auto small = plan_erm(
      {.epsilon = Rational(1, 10), .delta = Rational(1, 100000), .lambda = Rational(1, 10)}, size);
  ASSERT_FALSE(small);
  EXPECT_EQ(small.error().parameter, "lambda");
  EXPECT_FALSE(plan_erm({.method = ErmMethod::kOutput,
                         .loss = Surrogate::kHuber,
                         .epsilon = 1,
                         .delta = Rational(1, 100000)},
                        {.count = 100, .width = 3, .classes = 3}));
}

double accuracy(const ErmModel& model, const Data& data) {
  double right = 0;
  for (std::size_t i = 0; i < data.rows.count; ++i) {
    std::size_t best = 0;
    double most = -1e300;
    for (std::size_t k = 0; k < model.scores.size(); ++k) {
      double score = 0;
      for (std::size_t j = 0; j < data.rows.width; ++j)
        score += model.scores[k][j] * data.rows.row(i)[j];
      if (score > most) most = score, best = k;
    }
    right += best == std::size_t(data.labels[i]);
  }
  return right / double(data.rows.count);
}

TEST(ErmTest, LearnsWhatIsThere) {
  Workers workers(2);
  Seeded source(11);
  for (const std::size_t classes : {2, 3})
    for (const ErmMethod method : {ErmMethod::kOutput, ErmMethod::kObjective})
      for (const Surrogate loss : {Surrogate::kLogistic, Surrogate::kHuber}) {
        const Data data = some_data(6000, 4, classes, 5);
        const auto plan =
            plan_erm({.method = method, .loss = loss, .epsilon = 2, .delta = Rational(1, 100000)},
                     {.count = 6000, .width = data.rows.width, .classes = classes});
        if (!plan) continue;  // Huber's with several classes at once
        const auto model = run_erm(*plan, data.rows, data.labels, source, workers);
        ASSERT_TRUE(model) << model.error().text();
        EXPECT_EQ(model->scores.size(), classes);
        EXPECT_GT(accuracy(*model, data), 0.9) << classes << " " << int(method);
      }
}

// More rows than a plan was made for: refused by their number alone, whatever they say.
TEST(ErmTest, MoreRowsThanThePlanAllowsAreRefusedInTheSameWords) {
  constexpr std::size_t kCount = 3'000'000;
  Workers workers(1);
  Seeded source(13);
  std::vector<std::string> said;
  for (const bool spread : {false, true}) {
    Data data;
    data.rows = {kCount, 1, std::vector<std::int16_t>(kCount)};
    data.labels.resize(kCount);
    for (std::size_t i = 0; spread && i < kCount; ++i) {
      data.rows.values[i] = static_cast<std::int16_t>(i % 2 == 0 ? BallRows::kOne : -100);
      data.labels[i] = static_cast<float>(i % 2);
    }
    for (const ErmMethod method : {ErmMethod::kOutput, ErmMethod::kObjective}) {
      const ErmOptions options{.method = method, .epsilon = 1, .delta = Rational(1, 100000)};
      const auto few = plan_erm(options, {.count = 1, .width = 1, .classes = 2});
      ASSERT_TRUE(few) << few.error().text();
      const auto refused = run_erm(*few, data.rows, data.labels, source, workers);
      ASSERT_FALSE(refused);
      said.push_back(refused.error().text());
      // The same rows, of which the plan knows how many there may be, have an answer.
      const auto enough = plan_erm(options, {.count = 1, .width = 1, .classes = 2, .most = kCount});
      ASSERT_TRUE(enough) << enough.error().text();
      EXPECT_TRUE(run_erm(*enough, data.rows, data.labels, source, workers));
    }
  }
  EXPECT_EQ(said, std::vector<std::string>(4, said[0]));
}

TEST(ErmTest, NobodyAtAllStillHasAModel) {
  Workers workers(1);
  Seeded source(12);
  const BallRows none{0, 3, {}};
  for (const ErmMethod method : {ErmMethod::kOutput, ErmMethod::kObjective}) {
    const auto plan = plan_erm({.method = method, .epsilon = 1, .delta = Rational(1, 100000)},
                               {.count = 100, .width = 3, .classes = 2});
    ASSERT_TRUE(plan && run_erm(*plan, none, {}, source, workers));
  }
}

}  // namespace
}  // namespace discreet::learn
