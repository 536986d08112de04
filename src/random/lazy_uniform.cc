#include "discreet/random/lazy_uniform.h"

#include "discreet/base/try.h"

namespace discreet::random {

LazyUniform::LazyUniform(std::uint64_t first_word) : bits_(64) {
  mpz_import(digits_.get_mpz_t(), 1, 1, sizeof(first_word), 0, 0, &first_word);
}

Status LazyUniform::reveal(Source& source, long bits) {
  while (bits_ < bits) {
    std::uint64_t word = 0;
    TRY(source.fill({&word, 1}));
    Integer next;
    mpz_import(next.get_mpz_t(), 1, 1, sizeof(word), 0, 0, &word);
    digits_ = (digits_ << 64) + next;
    bits_ += 64;
  }
  return {};
}

bool LazyUniform::first_digit() const {
  return mpz_tstbit(digits_.get_mpz_t(), static_cast<mp_bitcnt_t>(bits_ - 1)) != 0;
}

Ball LazyUniform::enclosure() const {
  const Integer one = Integer(1) << static_cast<unsigned long>(bits_);
  Rational low(digits_, one), high(digits_ + 1, one);
  low.canonicalize();
  high.canonicalize();
  return Ball::between(low, high, bits_ + 8);
}

Result<bool> falls_below(Source& source, LazyUniform& u,
                         const std::function<Result<Ball>(long bits)>& p) {
  for (long bits = kFirstBits; bits <= kMostBits; bits *= 2) {
    TRY(u.reveal(source, bits));
    auto target = TRY(p(bits));
    const Ball point = u.enclosure();
    if (surely_at_most(point, target)) return true;
    if (surely_at_most(target, point)) return false;
  }
  return fail(Code::kFailure, "a probability could not be enclosed tightly enough to decide by it");
}

}  // namespace discreet::random
