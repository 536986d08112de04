#include "discreet/random/remainder.h"

#include "discreet/base/try.h"
#include "discreet/random/lazy_uniform.h"

namespace discreet::random {
namespace {

Integer integer(std::uint64_t value) {
  Integer out;
  mpz_import(out.get_mpz_t(), 1, 1, sizeof(value), 0, 0, &value);
  return out;
}

}  // namespace

std::uint64_t weight_below(const Ball& p) {
  const Integer floor = p.floor_shifted(64);
  if (sgn(floor) <= 0) return 0;
  if (mpz_sizeinbase(floor.get_mpz_t(), 2) > 64)
    return ~std::uint64_t{0};  // p = 1: all but one unit
  std::uint64_t out = 0;
  mpz_export(&out, nullptr, 1, sizeof(out), 0, 0, floor.get_mpz_t());
  return out;
}

// Inverse of the cumulative sums of 2^64·p_i − w_i at u·R. All of it is done over again with twice
// the bits whenever u's interval and a partial sum's overlap, so the answer is the one that
// infinite precision would give.
Result<std::uint32_t> sample_remainder(
    Source& source, std::span<const std::uint64_t> weights,
    const std::function<std::vector<Ball>(long bits)>& probabilities) {
  Integer total = Integer(1) << 64;
  for (const std::uint64_t weight : weights) total -= integer(weight);
  LazyUniform u;
  const Ball two64(Rational(Integer(1) << 64), 128);
  for (long bits = kFirstBits * 4;; bits *= 2) {
    TRY(u.reveal(source, bits));
    const Ball point = mul(u.enclosure(), Ball(Rational(total), bits), bits);
    const std::vector<Ball> p = probabilities(bits);
    Ball sum;
    bool undecided = false;
    for (std::uint32_t i = 0; i < weights.size() && !undecided; ++i) {
      const Ball scaled = mul(p[i], two64, bits);
      sum = add(sum, sub(scaled, Ball(Rational(integer(weights[i])), bits), bits), bits);
      if (surely_at_most(point, sum)) return i;
      undecided = !surely_at_most(sum, point);
    }
    if (!undecided) return static_cast<std::uint32_t>(weights.size());
  }
}

}  // namespace discreet::random
