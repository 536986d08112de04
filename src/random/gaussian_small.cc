#include <openssl/crypto.h>

#include <array>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/random/gaussian_tables.h"
#include "discreet/random/remainder.h"
#include "discreet/random/saturate.h"

namespace discreet::random {
namespace {

constexpr long kTableBits = 192;
constexpr std::size_t kBlock = 256;

// √2·σ
Ball root2_sigma(const Rational& sigma, long bits) {
  return sqrt(Ball(2 * sigma * sigma, bits), bits);
}

// P[0], P[1], …, P[most] of the rounded kind: differences of Φ at half-integers.
std::vector<Ball> rounded_half(const Rational& sigma, long most, long bits) {
  const Ball scale = root2_sigma(sigma, bits);
  std::vector<Ball> p;
  Ball inner;  // erf at the lower edge
  for (long k = 0; k <= most; ++k) {
    const Ball outer = erf(div(Ball(Rational(2 * k + 1, 2), bits), scale, bits), bits);
    // value 0 owns both halves of its cell, every other value one side's
    const Ball mass = sub(outer, inner, bits);
    p.push_back(k == 0 ? mass : mul(mass, Ball(Rational(1, 2), bits), bits));
    inner = outer;
  }
  return p;
}

// e^(-k²/2σ²) over their sum. The sum is cut where its rest is below 2^-bits, and the rest
// enclosed.
std::vector<Ball> discrete_half(const Rational& sigma, long most, long bits) {
  const Rational twice_square = 2 * sigma * sigma;
  const long last =
      most + 2 +
      static_cast<long>(
          std::ceil(sigma.get_d() * std::sqrt(2.0 * std::log(2.0) * static_cast<double>(bits))));
  std::vector<Ball> p;
  Ball sum;
  for (long k = 0; k <= last; ++k) {
    const Ball weight = exp(-Ball(Rational(k * k) / twice_square, bits), bits);
    sum = add(sum, k == 0 ? weight : mul(weight, Ball(2), bits), bits);
    if (k <= most) p.push_back(weight);
  }
  // Σ_{k>last} e^(-k²/2σ²) lies between 0 and a geometric series from last+1 on
  const GaussianTail rest(GaussianKind::kDiscrete, sigma, Rational(last + 1));
  const Ball ends = mul(rest.envelope(bits), Ball(2), bits);
  sum = add(sum, mul(ends, Ball::between(0, 1, bits), bits), bits);
  for (Ball& weight : p) weight = div(weight, sum, bits);
  return p;
}

}  // namespace

SmallGaussian::SmallGaussian(GaussianKind kind, const Rational& sigma)
    : kind_(kind),
      sigma_(sigma),
      // P[|N| > 8.75·σ] < 2^-58; at σ = 16 that makes 283 symbols
      most_(1 + static_cast<long>(std::ceil(8.75 * sigma.get_d()))) {
  for (const Ball& p : probabilities(kTableBits)) weights_.push_back(weight_below(p));
  table_ = std::make_unique<AliasTable>(weights_);
}

// Symbol s stands for the value s − K.
std::vector<Ball> SmallGaussian::probabilities(long bits) const {
  const std::vector<Ball> half = kind_ == GaussianKind::kRounded
                                     ? rounded_half(sigma_, most_, bits)
                                     : discrete_half(sigma_, most_, bits);
  std::vector<Ball> p(half.rbegin(), half.rend());
  p.insert(p.end(), half.begin() + 1, half.end());
  return p;
}

Result<std::int64_t> SmallGaussian::sample_rare(Source& source) const {
  auto symbol = sample_remainder(source, weights_, [&](long bits) { return probabilities(bits); });
  if (!symbol) return forward_error(symbol);
  if (*symbol < weights_.size()) return static_cast<std::int64_t>(*symbol) - most_;
  // Beyond the table: by symmetry a sign, and a magnitude from the tail.
  const Rational edge =
      kind_ == GaussianKind::kRounded ? Rational(2 * most_ + 1, 2) : Rational(most_ + 1);
  const GaussianTail tail(kind_, sigma_, edge);
  for (;;) {
    auto magnitude = TRY(tail.attempt(source));
    if (!magnitude) continue;
    std::uint64_t sign = 0;
    TRY(source.fill({&sign, 1}));
    return saturate((sign & 1) != 0 ? -*magnitude : *magnitude);
  }
}

Status SmallGaussian::fill(Source& source, std::span<std::int64_t> out) const {
  std::array<std::uint64_t, kBlock> words;
  Status done;
  for (std::size_t start = 0; start < out.size() && done; start += kBlock) {
    const std::size_t count = std::min(kBlock, out.size() - start);
    done = source.fill(std::span(words).first(count));
    if (!done) break;
    bool rare = false;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t symbol = table_->pick(words[i]);
      rare |= symbol == table_->remainder();
      out[start + i] = static_cast<std::int64_t>(symbol) - most_;
    }
    if (!rare) continue;
    for (std::size_t i = 0; i < count && done; ++i) {
      if (table_->pick(words[i]) != table_->remainder()) continue;
      auto value = sample_rare(source);
      if (value) {
        out[start + i] = *value;
      } else {
        done = forward_error(value);
      }
    }
  }
  OPENSSL_cleanse(words.data(), sizeof(std::uint64_t) * std::min(kBlock, out.size()));
  return done;
}

}  // namespace discreet::random
