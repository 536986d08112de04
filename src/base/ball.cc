#include "discreet/base/ball.h"

#include <arb.h>
#include <arb_hypgeom.h>

#include <algorithm>
#include <new>
#include <utility>

namespace discreet {
namespace {

static_assert(sizeof(arb_struct) == 48 && alignof(arb_struct) <= 8);

arb_struct* arb(std::byte* storage) { return std::launder(reinterpret_cast<arb_struct*>(storage)); }
const arb_struct* arb(const std::byte* storage) {
  return std::launder(reinterpret_cast<const arb_struct*>(storage));
}

class Fraction {  // a Rational in FLINT's form
 public:
  explicit Fraction(const Rational& value) {
    fmpq_init(value_);
    fmpq_set_mpq(value_, value.get_mpq_t());
  }
  ~Fraction() { fmpq_clear(value_); }
  Fraction(const Fraction&) = delete;
  Fraction& operator=(const Fraction&) = delete;
  const fmpq* get() const { return value_; }

 private:
  fmpq_t value_;
};

class End {  // one end of a ball
 public:
  End() { arf_init(value_); }
  ~End() { arf_clear(value_); }
  End(const End&) = delete;
  End& operator=(const End&) = delete;
  arf_struct* get() { return value_; }

 private:
  arf_t value_;
};

constexpr slong kEndBits = 4096;

Integer shifted(arf_struct* value, long shift, arf_rnd_t rounding) {
  fmpz_t integer;
  fmpz_init(integer);
  arf_mul_2exp_si(value, value, shift);
  arf_get_fmpz(integer, value, rounding);
  Integer out;
  fmpz_get_mpz(out.get_mpz_t(), integer);
  fmpz_clear(integer);
  return out;
}

}  // namespace

Ball::Ball() {
  // What FLINT keeps for a thread, constants and numbers to be used again, ends with the thread.
  struct Caches {
    ~Caches() { flint_cleanup(); }
    void used() const {}
  };
  thread_local const Caches caches;
  caches.used();
  arb_init(arb(storage_));
}
Ball::Ball(const Rational& value, long bits) : Ball() {
  arb_set_fmpq(arb(storage_), Fraction(value).get(), bits);
}
Ball::Ball(long value) : Ball() { arb_set_si(arb(storage_), value); }
Ball Ball::between(const Rational& low, const Rational& high, long bits) {
  Ball a(low, bits), b(high, bits), out;
  arb_union(arb(out.storage_), arb(a.storage_), arb(b.storage_), bits);
  return out;
}
Ball Ball::pi(long bits) {
  Ball out;
  arb_const_pi(arb(out.storage_), bits);
  return out;
}
std::pair<Ball, Ball> Ball::legendre(unsigned long n, unsigned long k, long bits) {
  std::pair<Ball, Ball> out;
  arb_hypgeom_legendre_p_ui_root(arb(out.first.storage_), arb(out.second.storage_), n, k, bits);
  // from [-1, 1] to [0, 1]
  out.first = div(add(out.first, Ball(1), bits), Ball(2), bits);
  out.second = div(out.second, Ball(2), bits);
  return out;
}
Ball::Ball(const Ball& other) : Ball() { arb_set(arb(storage_), arb(other.storage_)); }
Ball& Ball::operator=(const Ball& other) {
  if (this != &other) arb_set(arb(storage_), arb(other.storage_));
  return *this;
}
Ball::Ball(Ball&& other) noexcept : Ball() { arb_swap(arb(storage_), arb(other.storage_)); }
Ball& Ball::operator=(Ball&& other) noexcept {
  arb_swap(arb(storage_), arb(other.storage_));
  return *this;
}
Ball::~Ball() { arb_clear(arb(storage_)); }

#define DISCREET_BINARY(name)                                              \
  Ball name(const Ball& a, const Ball& b, long bits) {                     \
    Ball out;                                                              \
    arb_##name(arb(out.storage_), arb(a.storage_), arb(b.storage_), bits); \
    return out;                                                            \
  }
DISCREET_BINARY(add)
DISCREET_BINARY(sub)
DISCREET_BINARY(mul)
DISCREET_BINARY(div)
DISCREET_BINARY(max)
#undef DISCREET_BINARY

#define DISCREET_UNARY(name, function)                  \
  Ball name(const Ball& a, long bits) {                 \
    Ball out;                                           \
    function(arb(out.storage_), arb(a.storage_), bits); \
    return out;                                         \
  }
DISCREET_UNARY(exp, arb_exp)
DISCREET_UNARY(expm1, arb_expm1)
DISCREET_UNARY(log, arb_log)
DISCREET_UNARY(log1p, arb_log1p)
DISCREET_UNARY(sqrt, arb_sqrt)
DISCREET_UNARY(erf, arb_hypgeom_erf)
DISCREET_UNARY(erfc, arb_hypgeom_erfc)
DISCREET_UNARY(tan, arb_tan)
DISCREET_UNARY(atan, arb_atan)
#undef DISCREET_UNARY

Ball pow(const Ball& a, unsigned long exponent, long bits) {
  Ball out;
  arb_pow_ui(arb(out.storage_), arb(a.storage_), exponent, bits);
  return out;
}
Ball operator-(const Ball& a) {
  Ball out;
  arb_neg(arb(out.storage_), arb(a.storage_));
  return out;
}
bool surely_less(const Ball& a, const Ball& b) {
  return arb_lt(arb(a.storage_), arb(b.storage_)) != 0;
}
bool surely_at_most(const Ball& a, const Ball& b) {
  return arb_le(arb(a.storage_), arb(b.storage_)) != 0;
}

Integer Ball::floor_shifted(long shift) const {
  End end;
  arb_get_lbound_arf(end.get(), arb(storage_), kEndBits);
  return shifted(end.get(), shift, ARF_RND_FLOOR);
}
Integer Ball::ceil_shifted(long shift) const {
  End end;
  arb_get_ubound_arf(end.get(), arb(storage_), kEndBits);
  return shifted(end.get(), shift, ARF_RND_CEIL);
}
long Ball::accurate_bits() const {
  return std::max<slong>(0, arb_rel_accuracy_bits(arb(storage_)));
}
bool Ball::is_finite() const { return arb_is_finite(arb(storage_)) != 0; }
double Ball::lower() const {
  End end;
  arb_get_lbound_arf(end.get(), arb(storage_), 53);
  return arf_get_d(end.get(), ARF_RND_FLOOR);
}
double Ball::middle() const { return arf_get_d(arb_midref(arb(storage_)), ARF_RND_NEAR); }
double Ball::upper() const {
  End end;
  arb_get_ubound_arf(end.get(), arb(storage_), 53);
  return arf_get_d(end.get(), ARF_RND_CEIL);
}

}  // namespace discreet
