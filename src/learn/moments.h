// Second moments of rows, released once: Σ xxᵀ and, for a regression, Σ xy. What regression and PCA
// are computed from; whatever is computed from them is post-processing.
//
//   #include "discreet/random/generator.h"
//   const Examples examples{.shape = {.width = 2}, .count = 1, .x = {1, 2}};
//   BallRows rows = in_ball(examples, {.radius = 3});
//   Moments moments = *release_moments(rows, {}, 5, random::thread_generator());
//   privacy::Event cost = moments_event(5);  // gaussian(sigma=5)
//
// What is proved. A row has ‖x‖ ≤ 1 and |y| ≤ 1 exactly (learn/ball.h), so of all numbers that are
// released it changes the upper triangle of Σ xxᵀ by Σ_i x_i⁴ + Σ_{i<j} x_i²x_j² ≤ ‖x‖⁴ ≤ 1 (in
// squares) and Σ xy by y²‖x‖² ≤ 1: by 1 in ℓ2 without targets and by √2 with them. Everything is
// added up in whole numbers, multiples of 2^-28, exactly; each number gets rounded Gaussian noise
// of σ (with targets σ√2) times that, which is Gaussian noise with multiplier σ for all of them
// together. The noisy triangle is mirrored, which is post-processing ("Analyze Gauss", Dwork,
// Talwar, Thakurta and Zhang 2014).
#pragma once

#include <string>
#include <vector>

#include "discreet/base/number.h"
#include "discreet/learn/ball.h"
#include "discreet/privacy/event.h"
#include "discreet/random/source.h"

namespace discreet::learn {

struct Moments {
  std::size_t width = 0;
  double sigma = 0;              // the noise of each number
  std::vector<double> products;  // Σ xxᵀ, width × width, symmetric
  std::vector<double> targets;   // Σ xy; empty without targets
};

// Is there such noise? Asked before anything is paid for; `parameter` names where σ comes from.
Status check_moments(const std::string& parameter, const Rational& sigma, bool with_targets);

privacy::Event moments_event(const Rational& sigma);

// `targets` are numbers from −1 to 1 (others are clamped, NaN is 0), one a row, or none. Any
// number of rows, 2^-10 ≤ σ ≤ 2^11.
Result<Moments> release_moments(const BallRows& rows, std::span<const float> targets,
                                const Rational& sigma, random::Source& source);

}  // namespace discreet::learn
