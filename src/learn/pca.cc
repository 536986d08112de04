#include "discreet/learn/pca.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/learn/dense.h"
#include "discreet/learn/moments.h"

namespace discreet::learn {
namespace {

constexpr std::size_t kMostFeatures = 4096;

Status check(std::size_t width, std::size_t count) {
  if (count >= 1 && count <= width && width <= kMostFeatures) return {};
  return bad_parameter("pca",
                       fmt::format("found {} components of {} features; accepted are from 1 to as "
                                   "many as there are features, of at most {}",
                                   count, width, kMostFeatures));
}

// 1/‖x‖; 0 where there is nothing to bring to norm 1.
double to_one(std::span<const float> row) {
  double squares = 0;
  for (const float x : row) squares += double{x} * x;
  return squares > 0 && std::isfinite(squares) ? 1 / std::sqrt(squares) : 0;
}

Examples at_one(const Examples& examples) {
  Examples out;
  out.shape = {1, 1, examples.shape.size()};
  out.count = examples.count;
  out.x.reserve(examples.x.size());
  for (std::size_t i = 0; i < examples.count; ++i) {
    const double scale = to_one(examples.row(i));
    for (const float x : examples.row(i))
      out.x.push_back(scale > 0 ? static_cast<float>(x * scale) : 0.0F);
  }
  return out;
}

Projection components(std::size_t width, std::vector<double> products, std::size_t count,
                      double noise) {
  const Symmetric all{width, std::move(products)};
  const std::vector<double> vectors = leading(all, count, noise);
  std::vector<double> values;  // vᵀAv
  for (std::size_t c = 0; c < count; ++c) {
    const double* v = vectors.data() + c * width;
    double value = 0;
    for (std::size_t i = 0; i < width; ++i)
      for (std::size_t k = 0; k < width; ++k) value += v[i] * all.at(i, k) * v[k];
    values.push_back(std::max({value, noise, 1e-12}));
  }
  double before = 0, after = 0;
  for (const double value : values) {
    before += value;
    after += std::sqrt(value);  // λ·(λ^-¼)²
  }
  Projection out;
  out.width = width;
  for (std::size_t c = 0; c < count; ++c) {
    const double weight = std::sqrt(before / after) / std::sqrt(std::sqrt(values[c]));
    for (std::size_t k = 0; k < width; ++k)
      out.components.push_back(static_cast<float>(weight * vectors[c * width + k]));
  }
  return out;
}

}  // namespace

Status check_components(std::size_t width, std::size_t count, const Rational& sigma) {
  TRY(check(width, count));
  return check_moments("pca-noise", sigma, false);
}

Result<Projection> private_components(const Examples& examples, std::size_t count,
                                      const Rational& sigma, random::Source& source) {
  TRY(check(examples.shape.size(), count));
  const BallRows rows = in_ball(at_one(examples), {.radius = 1, .intercept = false});
  Moments moments = TRY(release_moments(rows, {}, sigma, source));
  // The spectrum of the noise reaches to 2σ√w (Wigner).
  const double noise = 2 * moments.sigma * std::sqrt(static_cast<double>(moments.width));
  return components(moments.width, std::move(moments.products), count, noise);
}

Result<Projection> public_components(const Examples& examples, std::size_t count) {
  TRY(check(examples.shape.size(), count));
  const Examples rows = at_one(examples);
  const std::size_t width = rows.shape.size();
  std::vector<double> products(width * width);
  for (std::size_t r = 0; r < rows.count; ++r)
    for (std::size_t i = 0; i < width; ++i) {
      const double weight = rows.row(r)[i];
      if (weight == 0) continue;
      for (std::size_t k = 0; k < width; ++k)
        products[i * width + k] += weight * double{rows.row(r)[k]};
    }
  return components(width, std::move(products), count, 0);
}

Examples project(const Projection& projection, const Examples& examples) {
  Examples out;
  out.shape = {1, 1, projection.count()};
  out.count = examples.count;
  out.y = examples.y;
  out.classes = examples.classes;
  out.x.reserve(out.count * out.shape.width);
  const double root = std::sqrt(static_cast<double>(projection.count()));
  for (std::size_t i = 0; i < examples.count; ++i) {
    const std::span<const float> row = examples.row(i);
    const double scale = to_one(row) * root;
    for (std::size_t c = 0; c < projection.count(); ++c) {
      double sum = 0;
      for (std::size_t k = 0; k < row.size(); ++k)
        sum += double{projection.components[c * projection.width + k]} * row[k];
      out.x.push_back(scale > 0 ? static_cast<float>(sum * scale) : 0.0F);
    }
  }
  return out;
}

}  // namespace discreet::learn
