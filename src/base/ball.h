// Certified real arithmetic: a Ball is an interval that surely contains the real number it stands
// for (Arb's midpoint-radius intervals). A Real is a number that can be enclosed as tightly as one
// likes.
//
//   Real p = [](long bits) { return exp(-Ball(Rational(1, 3), bits), bits); };  // e^(-1/3)
//   double low = p(200).lower(), high = p(200).upper();  // neighbouring doubles, the truth between
//
// No outcome of a sampler is decided by a floating-point function whose error nobody has bounded:
// where 64-bit words and a proved bound don't decide, these do.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include "discreet/base/number.h"

namespace discreet {

class Ball {
 public:
  Ball();  // exactly 0
  Ball(const Rational& value, long bits);
  explicit Ball(long value);
  // Somewhere in [low, high].
  static Ball between(const Rational& low, const Rational& high, long bits);
  static Ball pi(long bits);
  // Node and weight k = 0 … n−1 of the Gauss-Legendre rule on [0, 1]: the integral of any
  // polynomial of degree below 2n is the sum of weight·value.
  static std::pair<Ball, Ball> legendre(unsigned long n, unsigned long k, long bits);

  Ball(const Ball& other);
  Ball& operator=(const Ball& other);
  Ball(Ball&& other) noexcept;
  Ball& operator=(Ball&& other) noexcept;
  ~Ball();

  // Every operation encloses every result its operands could give; `bits` is the precision it works
  // at.
  friend Ball add(const Ball& a, const Ball& b, long bits);
  friend Ball sub(const Ball& a, const Ball& b, long bits);
  friend Ball mul(const Ball& a, const Ball& b, long bits);
  friend Ball div(const Ball& a, const Ball& b, long bits);
  friend Ball pow(const Ball& a, unsigned long exponent, long bits);
  friend Ball exp(const Ball& a, long bits);
  friend Ball expm1(const Ball& a, long bits);
  friend Ball log(const Ball& a, long bits);
  friend Ball log1p(const Ball& a, long bits);
  friend Ball sqrt(const Ball& a, long bits);
  friend Ball erf(const Ball& a, long bits);
  friend Ball erfc(const Ball& a, long bits);
  friend Ball tan(const Ball& a, long bits);
  friend Ball atan(const Ball& a, long bits);
  friend Ball operator-(const Ball& a);
  friend Ball max(const Ball& a, const Ball& b, long bits);

  // a < b for every pair of values the two could have.
  friend bool surely_less(const Ball& a, const Ball& b);
  friend bool surely_at_most(const Ball& a, const Ball& b);

  // floor of the lowest, and ceiling of the highest, value times 2^shift.
  Integer floor_shifted(long shift) const;
  Integer ceil_shifted(long shift) const;
  // How many leading bits are surely right: about −log2(radius/|midpoint|); none at all for a ball
  // around 0.
  long accurate_bits() const;
  // Whether it says anything at all: log(-1) doesn't.
  bool is_finite() const;
  // Doubles on either side.
  double lower() const;
  // The double nearest to its midpoint.
  double middle() const;
  double upper() const;

 private:
  // An arb_t in place: Arb's header stays out of ours (it is a C header full of macros).
  alignas(8) std::byte storage_[48];
};

// A real number, known as tightly as asked: real(bits) is a Ball computed at that working
// precision. Its radius must go to 0 as bits grows.
using Real = std::function<Ball(long bits)>;

}  // namespace discreet
