// Geometric noise and what is made of it: the discrete Laplace (two-sided geometric) and the
// rounded continuous Laplace.
//
//   #include "discreet/random/generator.h"
//   DiscreteLaplace noise = *DiscreteLaplace::create(Rational(65537, 3));
//   std::vector<std::int64_t> z(1'000'000);
//   Status drawn = noise.fill(thread_generator(), z);
//
// How: the digits of a geometric variable in any base are independent, P[digit i = d] ∝
// α^(d·base^i). Each digit (511 values or fewer) is one 64-bit word and one look-up in an exact
// alias table (alias.h); there is no loop whose length depends on the value. The last table also
// holds the sign. The infinitely many digits above it stand in its remainder, of probability ≤
// 2^-54 a table, which is sampled exactly by interval arithmetic (memoryless: add the span of the
// table and draw again).
//
// The samples are integers; beyond ±(2^63 − 1) they saturate, with probability < e^(-2^22) at the
// largest scale, 2^40.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "discreet/base/ball.h"
#include "discreet/random/source.h"

namespace discreet::random {

class DigitTables;

// P[k] = (1−α)·α^k, k = 0, 1, 2, …
class Geometric {
 public:
  // α = e^(-1/scale), scale any rational from 2^-20 to 2^40 (scale.h), as in all samplers here.
  static Result<Geometric> create(const Rational& scale);
  // The number of failures before the first success of a coin with P[success] = q, 0 < q < 1: α =
  // 1−q.
  static Result<Geometric> failures(const Rational& q);
  Result<std::int64_t> sample(Source& source) const;
  Status fill(Source& source, std::span<std::int64_t> out) const;

 private:
  friend class GaussianTail;
  // For noise made of other noise, whose scale is derived: above 0, and otherwise any.
  static Geometric with_any_scale(const Rational& scale);
  explicit Geometric(std::shared_ptr<const DigitTables> tables) : tables_(std::move(tables)) {}
  std::shared_ptr<const DigitTables> tables_;
};

// P[z] = (1−α)/(1+α)·α^|z|, α = e^(-1/scale).
class DiscreteLaplace {
 public:
  static Result<DiscreteLaplace> create(const Rational& scale);
  Result<std::int64_t> sample(Source& source) const;
  Status fill(Source& source, std::span<std::int64_t> out) const;

 private:
  explicit DiscreteLaplace(std::shared_ptr<const DigitTables> tables)
      : tables_(std::move(tables)) {}
  std::shared_ptr<const DigitTables> tables_;
};

// A continuous Laplace variable of this scale, rounded to the nearest integer: P[0] = 1 −
// e^(-1/(2b)), else a sign and 1 + geometric.
class RoundedLaplace {
 public:
  static Result<RoundedLaplace> create(const Rational& scale);
  Result<std::int64_t> sample(Source& source) const;
  Status fill(Source& source, std::span<std::int64_t> out) const;

 private:
  explicit RoundedLaplace(std::shared_ptr<const DigitTables> tables) : tables_(std::move(tables)) {}
  std::shared_ptr<const DigitTables> tables_;
};

}  // namespace discreet::random
