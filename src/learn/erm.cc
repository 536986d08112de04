#include "discreet/learn/erm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/ball.h"
#include "discreet/base/try.h"
#include "discreet/mechanism/grid.h"
#include "discreet/privacy/calibrate.h"
#include "discreet/privacy/gaussian.h"
#include "discreet/random/gaussian.h"

namespace discreet::learn {
namespace {

constexpr long kBits = 128;
// The noise for what the minimum misses, over how much that is.
constexpr int kSlackMultiplier = 1024;
constexpr double kStep = 0x1p-24;  // of the grid of b
// How long weights may reasonably be, where λ has to be chosen by public numbers.
constexpr double kReach = 10;

double width_root(const ErmPlan& plan) {
  const double models = plan.loss == Surrogate::kSoftmax ? double(plan.size.classes) : 1;
  return std::sqrt(static_cast<double>(plan.size.width) * models);
}

// τ by public numbers alone: never below what doubles can tell of a gradient, at the longest θ that
// any rows lead to. `linear` bounds ‖b‖.
double tolerance_for(const ErmPlan& plan, double linear) {
  constexpr double kLeast = 1e-6;
  const double rows = static_cast<double>(std::max(plan.size.count, plan.size.most));
  const GradientSize size{plan.loss, plan.size.width, plan.size.classes, plan.lambda};
  const double reach = 1.01 * reach_of(size, rows, linear) + 1;
  return std::max(kLeast, 4 * gradient_error(size, rows, reach, linear));
}

// ln(1 + c/λ), from above.
Result<Rational> determinant_cost(double curve, const Rational& lambda) {
  const Rational ratio = 1 + TRY(exactly(curve)) / lambda;
  return exactly(log(Ball(ratio, kBits), kBits).upper());
}

// A short decimal from above: what is printed is what is used.
Result<Rational> rounded(double value) {
  return parse_number(fmt::format("{:.6g}", value * (1 + 1e-6)), Rounding::kUp);
}

// Released numbers: `values` on a grid with rounded Gaussian noise, where they change by at most
// `moves` in ℓ2 (rounding not included) and the noise is to be `multiplier` of all that.
struct Noisy {
  std::vector<double> values;
  double deviation = 0;
};
Result<Noisy> add_noise(const std::vector<double>& values, double moves, const Rational& multiplier,
                        random::Source& source) {
  // A power of two with √w·g at most a 2^-10th of what is covered anyway.
  const double root = std::sqrt(static_cast<double>(values.size()));
  const double g = std::exp2(std::floor(std::log2(moves / root)) - 10);
  const auto grid = TRY(mechanism::Grid::create(TRY(exactly(g))));
  const Rational sensitivity = grid.sensitivity_l2(TRY(exactly(moves)), values.size());
  const auto noise = TRY(random::RoundedGaussian::create(sensitivity * multiplier));
  std::vector<std::int64_t> drawn(values.size());
  TRY(noise.fill(source, drawn));
  Noisy out;
  out.deviation = to_double(sensitivity * multiplier * grid.step());
  for (std::size_t i = 0; i < values.size(); ++i)
    out.values.push_back(grid.nearest_double(grid.round(values[i]) + drawn[i]));
  return out;
}

// What is written of what is unknown and of what is paid for besides.
Result<privacy::Expression> expression_of(std::vector<std::string> texts, const ErmOptions& o) {
  for (const privacy::Event& event : o.before) texts.push_back(privacy::describe(event));
  return privacy::Expression::parse(std::move(texts));
}

Result<ErmPlan> plan_output(const ErmOptions& o, ErmPlan plan) {
  const auto expression = TRY(expression_of({"gaussian(sigma=?)"}, o));
  plan.sigma = TRY(privacy::calibrate(expression, o.epsilon, o.delta, {})).value;
  plan.event = TRY(expression.at(plan.sigma));
  if (!o.lambda) {
    // What the noise costs, n·c/2 of its square wσ²L²/λ², and what λ does, λ/2 of the weights'
    // square: least where λ³ = 2ncwσ²L²/reach².
    const double n = static_cast<double>(plan.size.count), c = curvature(plan.loss) / 2;
    const double noise = width_root(plan) * to_double(plan.sigma) * lipschitz(plan.loss) / kReach;
    plan.lambda = std::max(1e-3, std::cbrt(2 * n * c * noise * noise));
  }
  plan.tolerance = tolerance_for(plan, 0);
  return plan;
}

Result<ErmPlan> plan_objective(const ErmOptions& o, ErmPlan plan) {
  // Half of δ for the models, half for what their minima miss; ε as the accountant composes them.
  const Rational each_delta = o.delta / (2 * static_cast<unsigned long>(plan.models));
  const auto expression = TRY(
      expression_of({fmt::format("dp(epsilon=?, delta={})*{}", to_decimal(each_delta), plan.models),
                     fmt::format("gaussian(sigma={})*{}", kSlackMultiplier, plan.models)},
                    o));
  const auto found = privacy::calibrate(expression, o.epsilon, o.delta, {});
  if (!found)
    return bad_parameter(
        "epsilon", fmt::format("found {} with δ = {}; accepted is a larger one: what the minima "
                               "miss of themselves takes more than that",
                               to_decimal(o.epsilon), to_decimal(o.delta)));
  plan.event = TRY(expression.at(found->value));
  const Rational each = found->value;
  Rational lambda;
  const double curve = curvature(plan.loss);
  if (o.lambda) {
    lambda = *o.lambda;
  } else {
    // An eighth of ε for the determinants, and weights that noise alone can't make longer than
    // the reach.
    const double eighth = to_double(each) / 8;
    const double least = curve / std::expm1(eighth);
    const double sigma = to_double(TRY(privacy::gaussian_sigma(each * 3 / 4, each_delta, 1)));
    lambda = TRY(rounded(std::max(least, sigma * width_root(plan) / kReach)));
  }
  const Rational determinants = TRY(determinant_cost(curve, lambda));
  if (determinants >= each)
    return bad_parameter("lambda",
                         fmt::format("found {}; accepted with ε = {} a model is more than {:.4g}: "
                                     "the noise needs what ln(1 + {}/λ) leaves of ε",
                                     to_decimal(lambda), to_text(to_double(each)),
                                     curve / std::expm1(to_double(each)), curve));
  plan.sigma = TRY(privacy::gaussian_sigma(each - determinants, each_delta, 1));
  plan.lambda = to_double(lambda, Rounding::kUp);
  if (!random::RoundedGaussian::create(plan.sigma / TRY(exactly(kStep))))
    return bad_parameter(
        "epsilon", fmt::format("asks for noise of {:.4g} times what one example changes; accepted "
                               "is what whole numbers of 2^40 hold, about 65000",
                               to_double(plan.sigma)));
  // b is noise, whatever the rows are: longer than twice its deviation √w (plus a few) it never is.
  plan.tolerance = tolerance_for(plan, to_double(plan.sigma) * (2 * width_root(plan) + 40));
  return plan;
}

Result<std::vector<double>> draw_linear(const ErmPlan& plan, random::Source& source) {
  const auto noise = TRY(random::RoundedGaussian::create(plan.sigma / TRY(exactly(kStep))));
  std::vector<std::int64_t> drawn(plan.size.width);
  TRY(noise.fill(source, drawn));
  std::vector<double> out;
  for (const std::int64_t z : drawn) out.push_back(static_cast<double>(z) * kStep);
  return out;
}

Result<Noisy> objective_model(const ErmPlan& plan, ErmProblem problem, random::Source& source,
                              Workers& workers) {
  problem.linear = TRY(draw_linear(plan, source));
  const Minimiser found = TRY(minimise(problem, plan.tolerance, workers));
  const double missed = (plan.tolerance + kStep * width_root(plan) / 2) / plan.lambda;
  return add_noise(found.theta, 2 * missed * (1 + 1e-9), kSlackMultiplier, source);
}

}  // namespace

Result<ErmPlan> plan_erm(const ErmOptions& o, const ErmSize& size) {
  if (o.epsilon <= 0 || o.delta <= 0 || o.delta >= 1)
    return bad_parameter("delta", fmt::format("found {}; accepted is a number above 0 and below 1: "
                                              "the noise is Gaussian",
                                              to_decimal(o.delta)));
  if (o.lambda && *o.lambda <= 0)
    return bad_parameter("lambda", "found 0 or less; accepted is a number above 0");
  if (size.classes < 2 || size.width == 0 || size.count == 0)
    return fail(Code::kUsage, "accepted are examples of at least two classes with a feature");
  ErmPlan plan;
  plan.method = o.method;
  plan.loss = o.loss;
  plan.size = size;
  plan.epsilon = o.epsilon;
  plan.delta = o.delta;
  if (o.lambda) plan.lambda = to_double(*o.lambda, Rounding::kDown);
  if (o.method == ErmMethod::kOutput) {
    if (size.classes > 2) {
      if (o.loss == Surrogate::kHuber)
        return bad_parameter("loss",
                             "found huber with several classes; accepted with output "
                             "perturbation is logistic: all classes at once");
      plan.loss = Surrogate::kSoftmax;
    }
    return plan_output(o, std::move(plan));
  }
  if (size.classes > 2) plan.models = size.classes;
  return plan_objective(o, std::move(plan));
}

Result<ErmModel> run_erm(const ErmPlan& plan, const BallRows& rows, std::span<const float> labels,
                         random::Source& source, Workers& workers) {
  if (rows.width != plan.size.width || labels.size() != rows.count)
    return fail(Code::kFailure, "the rows aren't those that the plan was made for");
  ErmProblem problem;
  problem.rows = &rows;
  problem.labels = labels;
  problem.loss = plan.loss;
  problem.classes = plan.size.classes;
  problem.lambda = plan.lambda;
  ErmModel out;
  if (plan.method == ErmMethod::kObjective) {
    for (std::size_t m = 0; m < plan.models; ++m) {
      problem.positive = plan.models == 1 ? 1 : m;
      Noisy noisy = TRY(objective_model(plan, problem, source, workers));
      out.noise = noisy.deviation;
      out.scores.push_back(std::move(noisy.values));
    }
  } else {
    const Minimiser found = TRY(minimise(problem, plan.tolerance, workers));
    // Rounded up: (L + 2τ)/λ.
    const double moves = (lipschitz(plan.loss) + 2 * plan.tolerance) / plan.lambda * (1 + 0x1p-40);
    const Noisy noisy = TRY(add_noise(found.theta, moves, plan.sigma, source));
    out.noise = noisy.deviation;
    for (std::size_t k = 0; k < noisy.values.size(); k += rows.width)
      out.scores.emplace_back(noisy.values.begin() + static_cast<std::ptrdiff_t>(k),
                              noisy.values.begin() + static_cast<std::ptrdiff_t>(k + rows.width));
  }
  if (out.scores.size() == 1)
    out.scores.insert(out.scores.begin(), std::vector<double>(rows.width));
  return out;
}

}  // namespace discreet::learn
