// Private empirical risk minimisation: a linear classifier by output or by objective perturbation.
// Neighbours differ in one example being there or not; ‖x‖ ≤ 1 holds exactly (learn/ball.h).
//
//   #include "discreet/random/generator.h"
//   const BallRows rows{1, 2, {1 << 13, 1 << 13}};
//   const std::vector<float> labels = {1};
//   Workers workers;
//   ErmOptions options{.method = ErmMethod::kObjective, .epsilon = 1,
//                      .delta = Rational(1, 100000)};
//   ErmPlan plan = *plan_erm(options, {.count = 1000, .width = 2, .classes = 2});
//   ErmModel model = *run_erm(plan, rows, labels, random::thread_generator(), workers);
//
// **Output perturbation** (Chaudhuri, Monteleoni and Sarwate 2011, Section 3.1; Gaussian noise).
// θ* = argmin F, F = Σℓ + (λ/2)‖θ‖² (erm_objective.h). With one more example F' = F + ℓ; at F's
// minimum ∇F' = ∇ℓ, of norm at most L, and F' is λ-strongly convex: ‖θ*' − θ*‖ ≤ L/λ. What is
// computed is within τ/λ of θ* (its gradient is certified to be at most τ) and is rounded to a grid
// of step g: sensitivity (L + 2τ)/λ + g√w. Rounded Gaussian noise on the grid.
//
// **Objective perturbation** (the same, Section 3.2; Kifer, Smith and Thakurta 2012 for Gaussian
// noise; Iyengar et al. 2019 for minima that are approximate). b ~ N(0, σ²I) and θ* = argmin F +
// bᵀθ. b is determined by θ*, b_D(θ) = −∇F_D(θ), so θ* has the density φ_σ(b_D(θ))·det ∇²F_D(θ).
// Let D' have one more example (x, y), of margin ±θᵀx and derivative f' from −1 to 0:
// - determinants: ∇²F' = ∇²F + f''xxᵀ, so their ratio is 1 + f''·xᵀ(∇²F)⁻¹x, from 1 to 1 + c/λ.
// - densities: b' = b − ∇ℓ, and ∇ℓ = −s·(±x) with a factor s = −f' from 0 to 1 that depends on θ
// but
//   never changes its sign. With t = s‖x‖ in [0, 1] and Z = ±⟨b, x⟩/σ‖x‖, standard normal because b
//   is drawn so, the logarithm of the ratio is (2tσZ + t²)/2σ² for either order of D and D'. That
//   is convex in t, so at most max(0, G), G = Z/σ + 1/2σ² being exactly the privacy loss of the
//   Gaussian mechanism with sensitivity 1.
// So the privacy loss is at most ℓ₀ + max(0, G), ℓ₀ = ln(1 + c/λ), and for every ε ≥ ℓ₀
//   δ(ε) ≤ E(1 − e^{ε − ℓ₀ − max(0, G)})₊ = δ_Gauss(ε − ℓ₀; σ)       (Balle and Wang 2018).
// (Redberg, Koskela and Wang 2023 bound it by E with |Z| in place of Z, twice as much; the fixed
// sign of f' is what that leaves out.)
//
// On a computer b is rounded to a grid of step h and the minimum is approximate, so that θ̃ is
// within γ = (τ + h√w/2)/λ of the θ* that belongs to the continuous b. Of the pair (θ*, θ̃ + noise)
// the second is, given the first, a Gaussian release whose mean moves by at most 2γ (and g√w for
// rounding it to a grid): it is composed, as gaussian(sigma=1024), and what is released is the
// second alone. Several classes are told apart by one model each, on the same examples: composed.
#pragma once

#include <vector>

#include "discreet/base/number.h"
#include "discreet/learn/erm_objective.h"
#include "discreet/privacy/event.h"
#include "discreet/random/source.h"

namespace discreet::learn {

enum class ErmMethod { kOutput, kObjective };

struct ErmOptions {
  ErmMethod method = ErmMethod::kObjective;
  Surrogate loss = Surrogate::kLogistic;    // logistic or Huber; several classes: see ErmPlan
  Rational epsilon, delta;                  // for all of it; δ above 0
  std::optional<Rational> lambda = {};      // none: chosen by public numbers
  std::vector<privacy::Event> before = {};  // what else is paid for with the same (ε, δ)
};

// What is public of the data.
struct ErmSize {
  std::uint64_t count = 0;  // about
  std::size_t width = 0;    // of a row in the ball
  std::size_t classes = 2;
  std::uint64_t most = 0;  // rows that there may be; 0: as many as `count` says
};

// Everything that privacy rests on, fixed before a row is looked at.
struct ErmPlan {
  ErmMethod method = ErmMethod::kObjective;
  Surrogate loss = Surrogate::kLogistic;  // softmax: output perturbation with several classes
  ErmSize size;
  std::size_t models = 1;  // objective perturbation of several classes: one each
  double lambda = 1;
  // τ: a few times what doubles may be off by, for any rows (learn/erm_objective.h), so that minima
  // are found whatever the rows are. Only more rows than `size.most` could make it fail.
  double tolerance = 0;
  Rational sigma;        // of the output: a multiplier; of the objective: of b itself
  privacy::Event event;  // all of it
  Rational epsilon, delta;
};
Result<ErmPlan> plan_erm(const ErmOptions& options, const ErmSize& size);

struct ErmModel {
  // A score for each class is θᵀx with x a row of the ball; of two classes told apart by one model
  // the first has score 0.
  std::vector<std::vector<double>> scores;
  double noise = 0;  // the deviation of the output's noise in each number
};
// Examples whose labels aren't numbers of classes must not be there (learn/encode.h leaves them
// out).
Result<ErmModel> run_erm(const ErmPlan& plan, const BallRows& rows, std::span<const float> labels,
                         random::Source& source, Workers& workers);

}  // namespace discreet::learn
