#include "discreet/local/numeric_shape_bars.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "discreet/local/inverse.h"

namespace discreet::local {
namespace {

class Matrix {
 public:
  Matrix(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), cells_(rows * columns) {}
  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  std::span<double> operator[](std::size_t row) {
    return std::span(cells_).subspan(row * columns_, columns_);
  }
  std::span<const double> operator[](std::size_t row) const {
    return std::span(cells_).subspan(row * columns_, columns_);
  }

 private:
  std::size_t rows_, columns_;
  std::vector<double> cells_;
};

void add_multiple(std::span<double> to, double factor, std::span<const double> from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * from[i];
}

// Half of itself and a quarter of each side, row by row; what would leave at an end stays there.
Matrix smoothed(const Matrix& a) {
  Matrix out(a.rows(), a.columns());
  const std::size_t last = a.rows() - 1;
  for (std::size_t v = 0; v <= last; ++v) {
    add_multiple(out[v], 0.5, a[v]);
    add_multiple(out[v], 0.25, a[v > 0 ? v - 1 : 0]);
    add_multiple(out[v], 0.25, a[v < last ? v + 1 : last]);
  }
  return out;
}

// The standard deviation of Σ_i x_i·f_i over n reports of people whose numbers are distributed by
// θ: Var = (1/n)·Σ_v θ_v·(Σ_i P_vi·x_i² − (Σ_i P_vi·x_i)²).
double deviation(std::span<const double> x, const Matrix& p, std::span<const double> theta,
                 double users) {
  double variance = 0;
  for (std::size_t v = 0; v < p.rows(); ++v) {
    double first = 0, second = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      first += p[v][i] * x[i];
      second += p[v][i] * x[i] * x[i];
    }
    variance += theta[v] * (second - first * first);
  }
  return std::sqrt(std::max(variance, 0.0) / users);
}

// With m_i = Σ_v θ_v·P_vi and g_v = Σ_i f_i·P_vi/m_i (shares f; where none are given, m), a round
// is M_v = θ_v·g_v, and so
//     ∂M_v/∂f_i = θ_v·P_vi/m_i
//     ∂M_v/∂θ_u = [u = v]·g_v − θ_v·Σ_i f_i·P_vi·P_ui/m_i².
ShapeBars bars_at(const ShapeProtocol& protocol, std::span<const double> theta,
                  std::span<const double> shares, double users, bool smooth) {
  const std::size_t values = theta.size(), reports = protocol.constants().counters;
  Matrix p(values, reports), by_share(values, reports), weighted(values, reports);
  const std::size_t bins = protocol.constants().domain, together = values / bins;
  const std::size_t parts = bins * protocol.parts() / values;  // of what was estimated
  for (std::size_t v = 0; v < values; ++v)
    for (std::size_t i = 0; i < reports; ++i)
      for (std::size_t part = v * parts; part < (v + 1) * parts; ++part)
        p[v][i] += protocol.probability_of_counter(part, i) / static_cast<double>(parts);
  for (std::size_t i = 0; i < reports; ++i) {
    double marginal = 0;
    for (std::size_t v = 0; v < values; ++v) marginal += theta[v] * p[v][i];
    if (!(marginal > 0)) continue;  // a bin without cells
    for (std::size_t v = 0; v < values; ++v) {
      by_share[v][i] = theta[v] * p[v][i] / marginal;
      weighted[v][i] = (shares.empty() ? marginal : shares[i]) * p[v][i] / (marginal * marginal);
    }
  }
  Matrix jacobian(values, values);
  for (std::size_t v = 0; v < values; ++v) {
    for (std::size_t u = 0; u < values; ++u) {
      double bend = 0;
      for (std::size_t i = 0; i < reports; ++i) bend += weighted[v][i] * p[u][i];
      jacobian[v][u] -= theta[v] * bend;
      jacobian[v][v] += theta[u] * bend;  // g_v = Σ_u θ_u·Σ_i f_i·P_vi·P_ui/m_i²
    }
  }
  if (smooth) {
    jacobian = smoothed(jacobian);
    by_share = smoothed(by_share);
  }
  std::vector<double> left(values * values);
  for (std::size_t v = 0; v < values; ++v)
    for (std::size_t u = 0; u < values; ++u)
      left[v * values + u] = (u == v ? 1 : 0) - jacobian[v][u];
  ShapeBars out{std::vector<double>(bins, INFINITY), INFINITY};
  const auto inverse = inverse_of(std::move(left), values);
  if (!inverse) return out;
  Matrix moved(values, reports);  // how θ moves with f
  for (std::size_t v = 0; v < values; ++v)
    for (std::size_t u = 0; u < values; ++u)
      add_multiple(moved[v], (*inverse)[v * values + u], std::as_const(by_share)[u]);
  std::vector<double> mean(reports), bin(reports);
  for (std::size_t v = 0; v < values; ++v) {
    const double centre = (static_cast<double>(v) + 0.5) / static_cast<double>(values);
    add_multiple(mean, centre, std::as_const(moved)[v]);
    if (v % together == 0) std::fill(bin.begin(), bin.end(), 0.0);
    add_multiple(bin, 1, std::as_const(moved)[v]);
    // no frequency is off by more than 1
    if ((v + 1) % together == 0)
      out.bins[v / together] = std::min(deviation(bin, p, theta, users), 1.0);
  }
  out.mean = std::min(deviation(mean, p, theta, users), 1.0);
  return out;
}

// No bin below about what noise could hide, 1/√n, and even inside where it had less.
std::vector<double> lifted(std::span<const double> theta, std::size_t bins, double users) {
  const std::size_t together = theta.size() / bins;
  const double least = std::min(1 / std::sqrt(users), 1 / static_cast<double>(bins));
  std::vector<double> out(theta.begin(), theta.end());
  double total = 0;
  for (std::size_t b = 0; b < bins; ++b) {
    const auto bin = std::span(out).subspan(b * together, together);
    const double more = least - std::accumulate(bin.begin(), bin.end(), 0.0);
    for (double& each : bin) each += std::max(more, 0.0) / static_cast<double>(together);
    total = std::accumulate(bin.begin(), bin.end(), total);
  }
  for (double& each : out) each /= total;
  return out;
}

}  // namespace

// A bin that is estimated as nothing can't move in a round (∂M_v ∝ θ_v), which says nothing of how
// many may be there. So the bars are those of a distribution beside the estimate that gives every
// bin something, and the reports that it would bring, where they are longer.
ShapeBars shape_bars(const ShapeProtocol& protocol, const State& state,
                     std::span<const double> theta, bool smooth) {
  const auto users = static_cast<double>(state.users);
  std::vector<double> shares(state.counters.begin(), state.counters.end());
  for (double& each : shares) each /= users;
  const std::size_t bins = protocol.constants().domain;
  ShapeBars out = bars_at(protocol, theta, shares, users, smooth);
  const ShapeBars beside = bars_at(protocol, lifted(theta, bins, users), {}, users, smooth);
  for (std::size_t b = 0; b < bins; ++b) out.bins[b] = std::max(out.bins[b], beside.bins[b]);
  out.mean = std::max(out.mean, beside.mean);
  return out;
}

}  // namespace discreet::local
