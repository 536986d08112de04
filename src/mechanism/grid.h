// The public grid on which private numbers become integers before any noise is added.
//
//   Grid cents = *Grid::create(Rational(1, 100));
//   std::int64_t price = cents.round(3.999);              // 400
//   Integer apart = cents.sensitivity(Rational(1, 3));    // 34: 33.33 cents may round apart by 34
//
// Why a grid: a floating-point number plus floating-point noise has a pattern of low bits that
// tells which number it was (Mironov 2012). On a grid the outputs for every input are the same set.
#pragma once

#include <cstdint>

#include "discreet/base/number.h"

namespace discreet::mechanism {

class Grid {
 public:
  // Any step above 0. It must be chosen without looking at the data.
  static Result<Grid> create(const Rational& step);
  static Grid integers() { return Grid(1); }
  // The step taken where none is given: 1 if the sensitivity is a whole number; else a power of two
  // so small that rounding costs less than a thousandth: at most 1/1024 of the noise's scale, and
  // either a divisor of the sensitivity (as 1/4 is of 1/2) or at most 1/1024 of it.
  static Grid suited_to(const Rational& sensitivity, const Rational& scale);

  const Rational& step() const { return step_; }

  // The nearest point of the grid, ties upward: ⌊x/step + 1/2⌋. Past the ends of 64 bits it
  // saturates at ±(2^63 − 1), so do the infinities; NaN counts as 0.
  std::int64_t round(double x) const;
  std::int64_t round(const Rational& x) const;
  // The number that a point stands for, exactly, and as a double (the nearest: exact where the step
  // is a power of two and the point has at most 53 bits).
  Rational at(std::int64_t point) const;
  double nearest_double(std::int64_t point) const;

  // By how many points a number can move that moves by at most `delta`: ⌈delta/step⌉. For if u ≥ v
  // differ by at most d, then ⌊u⌋ − ⌊v⌋ < u − (v − 1) ≤ d + 1, and an integer below d + 1 is at
  // most ⌈d⌉. ⌊d⌋ would be wrong: 0.4 and 0.6.
  Integer sensitivity(const Rational& delta) const;
  // The same for vectors of `cells` numbers, rounded each by itself. ℓ1: all but one cell may move
  // by next to nothing and yet round a whole point apart: ⌈delta/step⌉ + cells − 1. ℓ2: each cell
  // moves by less than d_i + 1, so by the triangle inequality delta/step + √cells (⌈delta/step⌉ for
  // one cell).
  Integer sensitivity_l1(const Rational& delta, std::uint64_t cells) const;
  Rational sensitivity_l2(const Rational& delta, std::uint64_t cells) const;
  // For numbers that are known to be on the grid already (counts): a whole number of points,
  // ⌊delta/step⌋, at least 1.
  Integer sensitivity_on_grid(const Rational& delta) const;

  friend bool operator==(const Grid&, const Grid&) = default;

 private:
  explicit Grid(const Rational& step);

  Rational step_;
  bool dyadic_ = false;  // step = 2^exponent_: doubles are rounded without rational arithmetic
  int exponent_ = 0;
};

// ⌈value⌉ and ⌊value⌋.
Integer ceiling(const Rational& value);
Integer floor_of(const Rational& value);
// The least multiple of 2^-bits that is at least √value; value ≥ 0.
Rational sqrt_above(const Rational& value, unsigned long bits = 64);

}  // namespace discreet::mechanism
