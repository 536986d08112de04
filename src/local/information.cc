#include "discreet/local/information.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "discreet/local/cholesky.h"

namespace discreet::local {
namespace {

// K_vv − (K·1)_v²/(1ᵀ·K·1)
std::vector<double> bordered(std::span<const double> diagonal, std::span<const double> sums) {
  const double total = std::accumulate(sums.begin(), sums.end(), 0.0);
  std::vector<double> out;
  out.reserve(diagonal.size());
  for (std::size_t v = 0; v < diagonal.size(); ++v)
    out.push_back(std::max(diagonal[v] - sums[v] * sums[v] / total, 0.0));
  return out;
}

// J by differences of the gradient along t_u = e_u − θ, which sums to 0: −n·dg_v along t_u is
// (J·t_u)_v, and t_vᵀ·J·t_u agrees with J_vu for all changes that sum to 0.
std::vector<double> by_differences(const Likelihood& likelihood, std::span<const double> theta,
                                   std::span<const std::size_t> support) {
  constexpr double kStep = 1e-6;
  const std::size_t k = support.size();
  std::vector<double> out(k * k), ahead(theta.size()), behind(theta.size()), moved(theta.size());
  for (std::size_t i = 0; i < k; ++i) {
    const auto along = [&](double step, std::vector<double>& g) {
      for (std::size_t v = 0; v < theta.size(); ++v) moved[v] = theta[v] * (1 - step);
      moved[support[i]] += step;
      likelihood.gradient(moved, g);
    };
    along(kStep, ahead);
    along(-kStep, behind);
    for (std::size_t v = 0; v < theta.size(); ++v)
      ahead[v] = (behind[v] - ahead[v]) * likelihood.users() / (2 * kStep);
    const double mean = std::inner_product(theta.begin(), theta.end(), ahead.begin(), 0.0);
    for (std::size_t j = 0; j < k; ++j) out[j * k + i] = ahead[support[j]] - mean;
  }
  // rounding leaves the halves a little apart
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j < i; ++j)
      out[i * k + j] = out[j * k + i] = (out[i * k + j] + out[j * k + i]) / 2;
  return out;
}

}  // namespace

std::vector<std::size_t> support_of(std::span<const double> theta, double users) {
  std::vector<std::size_t> out;
  for (std::size_t v = 0; v < theta.size(); ++v)
    if (theta[v] * users >= 1e-3) out.push_back(v);
  return out;
}

// A matrix may be singular along a change of the sum, which is not allowed: ρ·1·1ᵀ mends that and
// changes nothing else.
std::optional<std::vector<double>> constrained_variances(std::span<const double> information,
                                                         std::size_t size) {
  if (information.size() == size) {
    if (!std::all_of(information.begin(), information.end(), [](double x) { return x > 0; }))
      return {};
    std::vector<double> inverse;
    for (const double each : information) inverse.push_back(1 / each);
    return bordered(inverse, inverse);
  }
  std::vector<double> m(information.begin(), information.end());
  double trace = 0;
  for (std::size_t v = 0; v < size; ++v) trace += m[v * size + v];
  for (double& each : m) each += trace / static_cast<double>(size);
  if (!to_cholesky(m, size)) return {};
  invert_lower(m, size);
  // K = L⁻ᵀ·L⁻¹; with x = L⁻¹·1, K·1 = L⁻ᵀ·x
  std::vector<double> diagonal(size), sums(size);
  for (std::size_t i = 0; i < size; ++i) {
    const auto row = std::span(m).subspan(i * size, i + 1);
    const double x = std::accumulate(row.begin(), row.end(), 0.0);
    for (std::size_t v = 0; v <= i; ++v) {
      diagonal[v] += row[v] * row[v];
      sums[v] += row[v] * x;
    }
  }
  return bordered(diagonal, sums);
}

std::vector<double> information_of(const Likelihood& likelihood, std::span<const double> theta,
                                   std::span<const std::size_t> among, double most) {
  auto out = likelihood.information(theta, among);
  const bool fits = among.size() <= kMostInformed &&
                    2 * static_cast<double>(among.size()) * likelihood.steps() <= most;
  if (out.empty() && fits) out = by_differences(likelihood, theta, among);
  return out;
}

std::optional<std::vector<double>> information_errors(const Likelihood& likelihood,
                                                      std::span<const double> theta,
                                                      std::span<const std::size_t> support) {
  // One value alone can't move: that it is sure would be said of any number of reports.
  if (support.size() < 2) return {};
  const double users = likelihood.users();
  constexpr double kMostSteps = 4e9;
  const auto information = information_of(likelihood, theta, support, kMostSteps);
  if (information.empty()) return {};
  auto out = constrained_variances(information, support.size());
  if (!out) return {};
  for (std::size_t i = 0; i < support.size(); ++i) {
    const double drawn = theta[support[i]] * (1 - theta[support[i]]) / users;
    (*out)[i] = std::sqrt(std::max((*out)[i] - drawn, 0.0));
  }
  return out;
}

}  // namespace discreet::local
