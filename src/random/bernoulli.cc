#include "discreet/random/bernoulli.h"

#include <fmt/format.h>

#include "discreet/random/exp_bound.h"
#include "discreet/random/lazy_uniform.h"

namespace discreet::random {
namespace {

Result<std::uint64_t> one_word(Source& source) {
  std::uint64_t word = 0;
  if (auto status = source.fill({&word, 1}); !status) return forward_error(status);
  return word;
}

}  // namespace

Result<bool> bernoulli(Source& source, const Rational& p) {
  if (sgn(p) < 0 || p > 1) {
    return fail(Code::kUsage, fmt::format("probability: found {}; accepted is a number from 0 to 1",
                                          to_decimal(p)));
  }
  auto word = one_word(source);
  if (!word) return forward_error(word);
  // the word w stands for u in [w, w+1)·2^-64, and ⌊p·2^64⌋ is where p falls
  const Integer here(static_cast<unsigned long>(*word));
  const Integer cut = (p.get_num() << 64) / p.get_den();
  if (here < cut) return true;
  if (here > cut) return false;
  if ((p.get_num() << 64) == cut * p.get_den()) return false;  // p is exactly w·2^-64, and u ≥ p
  LazyUniform u(*word);
  return falls_below(source, u, [&](long bits) -> Result<Ball> { return Ball(p, bits); });
}

Result<bool> bernoulli(Source& source, const Real& p) {
  auto word = one_word(source);
  if (!word) return forward_error(word);
  LazyUniform u(*word);
  return falls_below(source, u, [&](long bits) -> Result<Ball> { return p(bits); });
}

Result<bool> bernoulli_exp(Source& source, const Rational& gamma) {
  if (sgn(gamma) < 0) {
    return fail(Code::kUsage, fmt::format("exponent of e^-x: found {}; accepted is 0 or more",
                                          to_decimal(gamma)));
  }
  auto word = one_word(source);
  if (!word) return forward_error(word);
  const double p = exp_minus(gamma > 64 ? 64.0 : gamma.get_d());
  const double u = static_cast<double>(*word >> 11) * 0x1p-53;  // u ≤ the uniform < u + 2^-53
  if (u <= p - kExpTolerance) return true;
  if (u >= p + kExpTolerance) return false;
  LazyUniform exact(*word);
  return falls_below(source, exact,
                     [&](long bits) -> Result<Ball> { return exp(-Ball(gamma, bits), bits); });
}

}  // namespace discreet::random
