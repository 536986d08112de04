#include "discreet/mechanism/laplace_table.h"

#include "discreet/mechanism/grid.h"

namespace discreet::mechanism {

LaplaceTable::LaplaceTable(const Rational& scale, std::size_t reach, long bits)
    : scale_(scale), bits_(bits + 32) {
  const Ball one(1), alpha = exp(-Ball(1 / scale, bits_), bits_);
  powers_.reserve(reach + 1);
  // Every 256th power is computed by itself, so that the balls stay narrow.
  for (std::size_t n = 0; n <= reach; ++n) {
    const Rational exponent = Rational(Integer(static_cast<unsigned long>(n))) / scale;
    powers_.push_back(n % 256 == 0 ? exp(-Ball(exponent, bits_ + 32), bits_)
                                   : mul(powers_.back(), alpha, bits_));
  }
  tail_ = div(one, add(one, alpha, bits_), bits_);
  mass_at_zero_ = mul(sub(one, alpha, bits_), tail_, bits_);
}

Ball LaplaceTable::power(const Integer& n) const {
  if (n < Integer(static_cast<unsigned long>(powers_.size()))) return powers_[n.get_ui()];
  return exp(-Ball(Rational(n) / scale_, bits_ + 64), bits_);
}

Ball LaplaceTable::mass(const Integer& z) const { return mul(mass_at_zero_, power(abs(z)), bits_); }

Ball LaplaceTable::at_least(const Integer& m) const {
  if (m >= 1) return mul(tail_, power(m), bits_);
  return sub(Ball(1), mul(tail_, power(1 - m), bits_), bits_);
}

std::int64_t negligible_beyond(const Rational& scale) {
  // 2·e^(-m/scale) ≤ 2^-64 from m = 65·ln 2·scale on, and 65·ln 2 < 46
  return ceiling(scale * 46).get_si();
}

}  // namespace discreet::mechanism
