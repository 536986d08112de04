#include "discreet/random/geometric.h"

#include <fmt/format.h>

#include "discreet/base/try.h"
#include "discreet/random/digit_tables.h"
#include "discreet/random/scale.h"

namespace discreet::random {
namespace {

// α^n = e^(-n/scale)
DigitTables::Power powers_of_scale(const Rational& scale) {
  return
      [scale](const Integer& n, long bits) { return exp(-Ball(Rational(n) / scale, bits), bits); };
}

template <class Sampler>
Result<std::int64_t> one(const Sampler& sampler, Source& source) {
  std::int64_t value = 0;
  TRY(sampler.fill(source, {&value, 1}));
  return value;
}

}  // namespace

Result<Geometric> Geometric::create(const Rational& scale) {
  auto checked = TRY(checked_scale("scale", scale));
  return with_any_scale(checked);
}

Geometric Geometric::with_any_scale(const Rational& scale) {
  return Geometric(std::make_shared<DigitTables>(Head::kNone, powers_of_scale(scale), nullptr));
}

Result<Geometric> Geometric::failures(const Rational& asked) {
  Rational q = asked;
  q.canonicalize();
  if (q * kLargestScale < 1 || q >= 1) {
    return fail(
        Code::kUsage,
        fmt::format("probability of success: found {}; accepted is 2^-40 or more, and below 1",
                    to_decimal(q)));
  }
  const Rational alpha = 1 - q;
  return Geometric(std::make_shared<DigitTables>(
      Head::kNone,
      [alpha](const Integer& n, long bits) {
        // a power of n loses about log2(n) bits
        const long working = bits + 8 + static_cast<long>(mpz_sizeinbase(n.get_mpz_t(), 2));
        return pow(Ball(alpha, working), n.get_ui(), working);
      },
      nullptr));
}

Status Geometric::fill(Source& source, std::span<std::int64_t> out) const {
  return tables_->fill(source, out);
}
Result<std::int64_t> Geometric::sample(Source& source) const { return one(*this, source); }

// Either side of a discrete Laplace is geometric: z ≥ 0 with probability 1/(1+α), and then z = g;
// else z = −1−g.
Result<DiscreteLaplace> DiscreteLaplace::create(const Rational& asked) {
  const Rational scale = TRY(checked_scale("scale", asked));
  return DiscreteLaplace(
      std::make_shared<DigitTables>(Head::kSign, powers_of_scale(scale), [scale](long bits) {
        const Ball alpha = exp(-Ball(1 / scale, bits), bits);
        const Ball sum = add(Ball(1), alpha, bits);
        return std::vector<Ball>{div(Ball(1), sum, bits), div(alpha, sum, bits)};
      }));
}
Status DiscreteLaplace::fill(Source& source, std::span<std::int64_t> out) const {
  return tables_->fill(source, out);
}
Result<std::int64_t> DiscreteLaplace::sample(Source& source) const { return one(*this, source); }

// P[0] = 1 − h, P[±(1+g)] = h/2·P[g], h = e^(-1/(2·scale)): the mass beyond ±1/2.
Result<RoundedLaplace> RoundedLaplace::create(const Rational& asked) {
  const Rational scale = TRY(checked_scale("scale", asked));
  return RoundedLaplace(
      std::make_shared<DigitTables>(Head::kRounded, powers_of_scale(scale), [scale](long bits) {
        const Ball outside = exp(-Ball(Rational(1, 2) / scale, bits), bits);
        const Ball side = mul(outside, Ball(Rational(1, 2), bits), bits);
        return std::vector<Ball>{sub(Ball(1), outside, bits), side, side};
      }));
}
Status RoundedLaplace::fill(Source& source, std::span<std::int64_t> out) const {
  return tables_->fill(source, out);
}
Result<std::int64_t> RoundedLaplace::sample(Source& source) const { return one(*this, source); }

}  // namespace discreet::random
