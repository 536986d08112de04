#include "discreet/local/newton.h"

#include <algorithm>
#include <numeric>

#include "discreet/local/cholesky.h"
#include "discreet/local/information.h"

namespace discreet::local {
namespace {

// J of all values, as a matrix that is positive definite along the sum too, and where no report
// tells of a value.
std::vector<double> whole_information(const Likelihood& likelihood, std::span<const double> theta) {
  const std::size_t size = theta.size();
  std::vector<std::size_t> all(size);
  std::iota(all.begin(), all.end(), std::size_t{0});
  constexpr double kMostSteps = 2e8;  // a fraction of a second
  std::vector<double> out = information_of(likelihood, theta, all, kMostSteps);
  if (out.empty()) return out;
  if (out.size() == size) {
    std::vector<double> matrix(size * size);
    for (std::size_t v = 0; v < size; ++v) matrix[v * size + v] = out[v];
    out = std::move(matrix);
  }
  double trace = 0;
  for (std::size_t v = 0; v < size; ++v) trace += out[v * size + v];
  const double mean = trace / static_cast<double>(size);
  for (std::size_t v = 0; v < size; ++v)
    out[v * size + v] = std::max(out[v * size + v], 1e-9 * mean);
  for (double& each : out) each += mean;
  return out;
}

// The parabola's maximum x where the values outside `free` are 0: J·(x − θ) = n·g − μ there and
// Σx = 1. Returns μ; nothing where J is singular.
std::optional<double> solve(std::span<const double> j, std::span<const double> right,
                            const std::vector<std::size_t>& free, std::vector<double>& x) {
  const std::size_t size = x.size(), k = free.size();
  std::vector<double> matrix(k * k), a(k), b(k, 1.0);
  for (std::size_t r = 0; r < k; ++r) {
    for (std::size_t c = 0; c < k; ++c) matrix[r * k + c] = j[free[r] * size + free[c]];
    a[r] = right[free[r]];
  }
  if (!to_cholesky(matrix, k)) return {};
  solve_cholesky(matrix, k, a);
  solve_cholesky(matrix, k, b);
  const double mu =
      (std::accumulate(a.begin(), a.end(), 0.0) - 1) / std::accumulate(b.begin(), b.end(), 0.0);
  std::fill(x.begin(), x.end(), 0.0);
  for (std::size_t r = 0; r < k; ++r) x[free[r]] = a[r] - mu * b[r];
  return mu;
}

}  // namespace

bool newton_step(const Likelihood& likelihood, std::span<const double> theta,
                 std::span<const double> g, std::span<double> out) {
  const std::size_t size = theta.size();
  if (size > kMostInformed) return false;
  const std::vector<double> j = whole_information(likelihood, theta);
  if (j.empty()) return false;
  // J·x = n·g + J·θ − μ at the maximum
  std::vector<double> right(size), x(size);
  for (std::size_t v = 0; v < size; ++v)
    right[v] = std::inner_product(theta.begin(), theta.end(), j.data() + v * size,
                                  likelihood.users() * g[v]);
  std::vector<bool> is_free(size);
  for (std::size_t v = 0; v < size; ++v) is_free[v] = g[v] > 1 || theta[v] > 1e-9;
  constexpr int kPivots = 20;
  for (int i = 0; i < kPivots; ++i) {
    std::vector<std::size_t> free;
    for (std::size_t v = 0; v < size; ++v)
      if (is_free[v]) free.push_back(v);
    const auto mu = solve(j, right, free, x);
    if (!mu) return false;
    bool changed = false;
    for (std::size_t v = 0; v < size; ++v) {
      const bool gains = is_free[v] ? x[v] > 0
                                    : right[v] - *mu > std::inner_product(x.begin(), x.end(),
                                                                          j.data() + v * size, 0.0);
      changed |= gains != is_free[v];
      is_free[v] = gains;
    }
    if (!changed) break;
  }
  double total = 0;
  for (std::size_t v = 0; v < size; ++v) total += out[v] = std::max(x[v], 1e-3 * theta[v]);
  for (double& each : out) each /= total;
  return true;
}

}  // namespace discreet::local
