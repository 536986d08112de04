// Bounding by weights: a unit with more rows than may count keeps all of them, and each counts
// less.
//
// Of a unit with n rows, of which N may count, every row has the weight W = ⌊2^k · min(n, N) / n⌋,
// in units of 2^-k. With a limit m in each group as well, a group with n_g rows has room for a_g =
// min(n_g, m) of them; with n' = Σ a_g,
//
//     F = ⌊2^k · min(n', N) / n'⌋        W_g = ⌊F · a_g / n_g⌋
//
// What a unit counts with is bounded as if so many of its rows had been drawn:
//
//     in one group   W_g · n_g ≤ F · a_g ≤ 2^k · m
//     in all         Σ W_g · n_g ≤ F · n' ≤ 2^k · N
//
// and so Σ W·|x| ≤ 2^k · N · B for values of size at most B: centred sums and squares too, since
// W is the same for all rows of a group, whatever they hold. W · x is exact; there is nothing to
// round but the weight.
//
// It is what drawing rows gives on average, but for less than 2^-k a row: the same bias, none of
// the luck. A unit counts for nothing where n > 2^k · N; what is lost by rounding weights down is
// less than n · 2^(1-k) rows of the n − N that don't count anyway.
//
// n is every row that reaches the bounding: NULL, and false under FILTER, are rows. It would
// otherwise be a number for each aggregate, and rows that count in none could hide others.
#pragma once

#include <algorithm>
#include <cstdint>

#include "discreet/bound/shape.h"

namespace discreet::bound {

class Weights {
 public:
  explicit Weights(const Shape& shape)
      : bits_(shape.weight_bits.value_or(0)),
        max_rows_(most(shape.max_rows)),
        max_total_(most(shape.max_total)) {}

  // a_g of n_g.
  std::uint64_t room(std::uint64_t rows) const { return std::min(rows, max_rows_); }
  // min(n', N): as many rows as count.
  std::uint64_t kept(std::uint64_t rooms) const { return std::min(rooms, max_total_); }
  // F, of n' > 0.
  std::uint64_t share(std::uint64_t rooms) const {
    return rooms <= max_total_ ? whole() : (max_total_ << bits_) / rooms;
  }
  // W_g, of F and n_g > 0.
  std::uint64_t weight(std::uint64_t share, std::uint64_t rows) const {
    return rows <= max_rows_ ? share : share * max_rows_ / rows;
  }
  // So many rows' worth, rounded up.
  std::uint64_t rows_of(std::uint64_t weighted) const {
    return (weighted >> bits_) + ((weighted & (whole() - 1)) != 0 ? 1 : 0);
  }

 private:
  // Limits have 32 bits and weights kWeightBits at most: no product of two leaves 64.
  static std::uint64_t most(std::uint32_t limit) { return limit == kNoLimit ? UINT64_MAX : limit; }
  std::uint64_t whole() const { return std::uint64_t{1} << bits_; }

  unsigned bits_;
  std::uint64_t max_rows_, max_total_;
};

// Weights have so many bits, or fewer where the noise is so large that its scale, on the grid that
// is finer by as many, would leave what can be drawn.
inline constexpr unsigned kWeightBits = 10;

}  // namespace discreet::bound
