// The convex functions that private ERM minimises, and their minimiser to a certified distance.
//
//     F(θ) = Σ_i ℓ(θ; x_i, y_i) + (λ/2)‖θ‖² + bᵀθ,    ‖x_i‖ ≤ 1 exactly (learn/ball.h)
//
// Losses ℓ, each convex in θ, with gradients of at most L in ℓ2 (lipschitz) and second derivatives
// of at most c (curvature):
// - logistic, ln(1 + e^-t) of the margin t = ±θᵀx:            L = 1,  c = 1/4
// - Huber's hinge of width h = 1/2 (Chaudhuri, Monteleoni and Sarwate 2011, Corollary 21): 0 above
//   1 + h, (1 + h − t)²/4h near 1, 1 − t below 1 − h:         L = 1,  c = 1/(2h) = 1
// - softmax of several classes, −ln p_y: the gradient is (p − e_y)xᵀ: L = √2, c = 1/2 (Böhning
// 1992) Of the first two, the derivative by the margin never changes its sign: it is from −1 to 0.
//
// The certificate: F is λ-strongly convex, so ‖θ − argmin F‖ ≤ ‖∇F(θ)‖/λ. The gradient is computed
// in floating point with a bound on its error that is added to its norm (gradient_error).
#pragma once

#include <span>
#include <vector>

#include "discreet/base/error.h"
#include "discreet/learn/ball.h"
#include "discreet/learn/workers.h"

namespace discreet::learn {

enum class Surrogate { kLogistic, kHuber, kSoftmax };

double lipschitz(Surrogate loss);
double curvature(Surrogate loss);

struct ErmProblem {
  const BallRows* rows = nullptr;
  std::span<const float> labels;  // numbers of classes
  Surrogate loss = Surrogate::kLogistic;
  std::size_t classes = 2;   // of softmax
  std::size_t positive = 1;  // of the others: the class whose margin is θᵀx, all else −θᵀx
  double lambda = 1;         // above 0
  std::vector<double> linear;  // b; empty: 0

  // Numbers in θ: a row's, times the classes for softmax (class by class).
  std::size_t size() const { return rows->width * (loss == Surrogate::kSoftmax ? classes : 1); }
};

// ‖computed − true gradient‖ ≤ this, for θ of that norm, n rows of the ball and all else public.
// With t of error (w + 3)u‖θ‖ (‖x‖ ≤ 1), slopes are off by c times that and 8u of their own (the
// exponential's included; for softmax over the classes), the product with a row by u: (c(w + 3)‖θ‖
// + 16)u·√classes for each of n rows. Sums of blocks and of their sums lose (512 + n/512 + 8)u of
// Σ‖terms‖ ≤ Ln; λθ + b few u of themselves. All of it twice, for what is of second order.
struct GradientSize {
  Surrogate loss = Surrogate::kLogistic;
  std::size_t width = 0, classes = 2;  // of softmax
  double lambda = 1;
};
double gradient_error(const GradientSize& size, double rows, double theta, double linear);
// ‖θ*‖ ≤ this: F(θ*) ≤ F(0) is λ/2·‖θ*‖² ≤ n·ℓ(0) + ‖b‖‖θ*‖, so ‖θ*‖ ≤ √(2nℓ(0)/λ) + 2‖b‖/λ.
double reach_of(const GradientSize& size, double rows, double linear);

struct Minimiser {
  std::vector<double> theta;
  double gradient = 0;  // an upper bound of ‖∇F(θ)‖₂, rounding errors included
};

// Where the search begins, and how long it is Newton's: other than this in tests only.
struct MinimiserStart {
  std::vector<double> theta = {};  // empty: 0
  int newton_steps = 200;
};

// Until that bound is at most `tolerance`. Newton's method, each step to where F's slope along it
// is all but 0; should its steps not do, accelerated gradients, which get there in a number of
// steps that λ, c and the number of rows bound, whatever the rows are. It fails (rather than give a
// θ that is too far away) only where the tolerance is below what doubles can tell, and without a
// look at the rows where it is below gradient_error() at reach_of(): a few times that is enough for
// any rows.
Result<Minimiser> minimise(const ErmProblem& problem, double tolerance, Workers& workers,
                           const MinimiserStart& start = {});

// For tests: F(θ) and its gradient, the plain way.
double value_of(const ErmProblem& problem, std::span<const double> theta,
                std::vector<double>& gradient);

}  // namespace discreet::learn
