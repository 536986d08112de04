#include "discreet/learn/ball.h"

#include <algorithm>
#include <cmath>

namespace discreet::learn {
namespace {

double divisor(const BallOptions& options) {
  return options.intercept ? std::sqrt(options.radius * options.radius + 1) : options.radius;
}

// Σ q² ≤ 2^28 afterwards, whatever stood there.
void fit(std::span<std::int16_t> row) {
  for (;;) {
    std::int64_t squares = 0;
    for (const std::int16_t q : row) squares += std::int64_t{q} * q;
    if (squares <= BallRows::kOne * BallRows::kOne) return;
    // Towards 0, and each that isn't 0 by at least a bit less: it ends.
    const double shrink =
        static_cast<double>(BallRows::kOne) / std::sqrt(static_cast<double>(squares)) * (1 - 1e-6);
    for (std::int16_t& q : row) q = static_cast<std::int16_t>(q * std::min(shrink, 1.0));
  }
}

}  // namespace

BallRows in_ball(const Examples& examples, const BallOptions& options) {
  const std::size_t features = examples.shape.size();
  BallRows out;
  out.count = examples.count;
  out.width = features + (options.intercept ? 1 : 0);
  out.values.resize(out.count * out.width);
  const double scale = static_cast<double>(BallRows::kOne) / divisor(options);
  for (std::size_t i = 0; i < out.count; ++i) {
    const std::span<const float> x = examples.row(i);
    const std::span<std::int16_t> row(out.values.data() + i * out.width, out.width);
    double squares = 0;
    for (const float value : x) squares += double{value} * value;
    if (!std::isfinite(squares)) continue;
    const double norm = std::sqrt(squares), cut = norm > options.radius ? options.radius / norm : 1;
    for (std::size_t f = 0; f < features; ++f)
      row[f] = static_cast<std::int16_t>(std::lround(
          std::clamp(x[f] * cut * scale, -double(BallRows::kOne), double(BallRows::kOne))));
    if (options.intercept) row[features] = static_cast<std::int16_t>(std::lround(scale));
    fit(row);
  }
  return out;
}

std::vector<double> of_examples(std::span<const double> weights, const BallOptions& options) {
  std::vector<double> out(weights.begin(), weights.end());
  for (double& weight : out) weight /= divisor(options);
  return out;
}

}  // namespace discreet::learn
