// What reports say of a distribution of values: the right likelihood, report by report.
//
// For reports r_1 … r_n and a distribution θ, ℓ(θ) = (1/n)·Σ_i ln Σ_v θ_v·P[r_i|v] is concave. The
// gradient tells two things at once: θ_v·g_v is the next step of the iterative Bayesian update
// (deck 003; it is the EM algorithm), and max_v g_v − 1 bounds how far ℓ(θ) is below its maximum,
// since ℓ(θ*) − ℓ(θ) ≤ Σ_v θ*_v·g_v − 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace discreet::local {

class Likelihood {
 public:
  virtual ~Likelihood() = default;
  virtual std::size_t values() const = 0;
  virtual double users() const = 0;
  // g_v = (1/n)·Σ_i P[r_i|v] / Σ_u θ_u·P[r_i|u]. Returns ℓ(θ) − constant(), in nats a report:
  // what doesn't depend on θ may be large, and would cost digits of what does.
  virtual double gradient(std::span<const double> theta, std::span<double> g) const = 0;
  virtual double constant() const { return 0; }

  // What follows may be left as it is: it makes things faster.

  // About how many additions a gradient takes: what is worth asking for many times depends on it.
  virtual double steps() const { return users() * static_cast<double>(values()); }
  // The θ of the largest ℓ, where there is a formula for it.
  virtual std::optional<std::vector<double>> maximum() const { return {}; }
  // How sharply ℓ bends at θ between the values `among`, in reports:
  //     J_uv = Σ_i P[r_i|u]·P[r_i|v]/P[r_i]²,
  // or any other matrix with the same tᵀJt for all t that sum to 0. Row by row; or its diagonal
  // alone, where the rest is 0; or nothing, and information.h takes differences of the gradient.
  virtual std::vector<double> information(std::span<const double> theta,
                                          std::span<const std::size_t> among) const;
};

inline std::vector<double> Likelihood::information(std::span<const double> /*theta*/,
                                                   std::span<const std::size_t> /*among*/) const {
  return {};
}

}  // namespace discreet::local
