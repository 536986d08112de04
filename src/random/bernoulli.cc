#include "discreet/random/bernoulli.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "discreet/base/try.h"
#include "discreet/random/lazy_uniform.h"

namespace discreet::random {
namespace {

constexpr long kBits = 192;

Result<bool> toss(Result<Bernoulli> coin, Source& source) {
  if (!coin) return forward_error(coin);
  return coin->sample(source);
}

}  // namespace

Result<Bernoulli> Bernoulli::create(const Rational& asked) {
  Rational p = asked;
  p.canonicalize();
  if (sgn(p) < 0 || p > 1) {
    return fail(Code::kUsage, fmt::format("probability: found {}; accepted is a number from 0 to 1",
                                          to_decimal(p)));
  }
  return create([p](long bits) { return Ball(p, bits); });
}

Result<Bernoulli> Bernoulli::create(Real p) {
  const Ball near = p(kBits);
  if (!near.is_finite()) {
    return fail(Code::kUsage,
                "probability: found something that is no number; accepted is one from 0 to 1");
  }
  const Integer low = near.floor_shifted(64), high = near.ceil_shifted(64);  // low ≤ 2^64·p ≤ high
  const Integer one = Integer(1) << 64;
  if (high < 0 || low > one) {
    return fail(Code::kUsage, "probability: found a number outside 0 to 1; accepted is one within");
  }
  if (low == one) return Bernoulli(std::move(p), 0, 0, true);
  // u < p is sure below low, and u ≥ p is sure from high on
  const Integer first = std::max(low, Integer(0)), last = std::min(high, one) - 1;
  return Bernoulli(std::move(p), first.get_ui(), std::max(first, last).get_ui(), false);
}

Result<Bernoulli> Bernoulli::exponential(const Rational& gamma) {
  if (sgn(gamma) < 0) {
    return fail(Code::kUsage, fmt::format("exponent of e^-x: found {}; accepted is 0 or more",
                                          to_decimal(gamma)));
  }
  return create([gamma](long bits) { return exp(-Ball(gamma, bits), bits); });
}

Status Bernoulli::fill(Source& source, std::span<std::int64_t> out) const {
  std::array<std::uint64_t, 256> words;
  for (std::size_t start = 0; start < out.size(); start += words.size()) {
    const std::size_t count = std::min(words.size(), out.size() - start);
    TRY(source.fill(std::span(words).first(count)));
    bool tie = false;
    for (std::size_t i = 0; i < count; ++i) {
      out[start + i] = (words[i] < low_) | always_;
      tie |= (words[i] >= low_) & (words[i] <= high_) & !always_;
    }
    for (std::size_t i = 0; tie && i < count; ++i) {
      if (words[i] < low_ || words[i] > high_) continue;
      LazyUniform u(words[i]);
      auto heads = falls_below(source, u, [&](long bits) -> Result<Ball> { return p_(bits); });
      if (!heads) return forward_error(heads);
      out[start + i] = *heads;
    }
  }
  return {};
}

Result<bool> Bernoulli::sample(Source& source) const {
  std::int64_t value = 0;
  TRY(fill(source, {&value, 1}));
  return value != 0;
}

Result<bool> bernoulli(Source& source, const Rational& p) {
  return toss(Bernoulli::create(p), source);
}
Result<bool> bernoulli(Source& source, const Real& p) { return toss(Bernoulli::create(p), source); }
Result<bool> bernoulli_exp(Source& source, const Rational& gamma) {
  return toss(Bernoulli::exponential(gamma), source);
}

}  // namespace discreet::random
