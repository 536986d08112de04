// Principal components, private or public: fewer numbers for a model to learn from.
//
//   #include "discreet/random/generator.h"
//   const Examples examples{.shape = {.width = 784}};
//   Projection first = *private_components(examples, 60, 4, random::thread_generator());
//   Examples fewer = project(first, examples);   // paid for with gaussian(sigma=4)
//
// A row is brought to norm 1 (0 stays 0), so that ‖x‖ ≤ 1 costs no signal, and the components are
// the leading eigenvectors of Σ xxᵀ with noise (learn/moments.h: Gaussian noise with multiplier σ,
// as Abadi et al. 2016 do before DP-SGD). They aren't centred.
//
// Component i is weighted by λ_i^-¼, λ_i its noisy eigenvalue (no less than the noise's), and all
// of them so that examples have the same size on average. Most of a row lies along the first few
// components, and a gradient that is cut to C would be theirs alone; whole whitening, λ^-½, would
// make the last ones, which are mostly noise, as loud. Eigenvalues are released: it costs nothing.
#pragma once

#include "discreet/base/number.h"
#include "discreet/learn/examples.h"
#include "discreet/random/source.h"

namespace discreet::learn {

struct Projection {
  std::size_t width = 0;          // of what is projected
  std::vector<float> components;  // count × width: orthogonal, each as long as it is weighted
  std::size_t count() const { return width == 0 ? 0 : components.size() / width; }
};

// At most 4096 features, at least as many as components.
// Refused before anything is paid for: what no rows of that width would allow.
Status check_components(std::size_t width, std::size_t count, const Rational& sigma);
Result<Projection> private_components(const Examples& examples, std::size_t count,
                                      const Rational& sigma, random::Source& source);
Result<Projection> public_components(const Examples& examples, std::size_t count);

// Each row at norm 1, projected, and multiplied by √width': so that numbers are of size 1. A
// function of each row alone. The rows must be as wide as the projection takes.
Examples project(const Projection& projection, const Examples& examples);

}  // namespace discreet::learn
