// Exact alias tables: one 64-bit word picks one of up to 512 symbols, in constant time, with
// probabilities that are *exactly* those of any real-valued distribution.
//
// How it is exact (the remainder): let p_i be the true probabilities and w_i = ⌊2^64·p_i⌋ integers
// just below. The mixture
//     p_i  =  w_i/2^64  +  R/2^64 · r_i ,     R = 2^64 − Σ w_i,   r_i = (2^64·p_i − w_i)/R
// is an identity. The table draws from the integers w_i and the symbol "remainder" (weight R) with
// no error at all (Walker's construction in integers); on the remainder, of probability R/2^64 ≤
// 2^-54, the symbol is drawn from r by interval arithmetic (remainder.h). So nothing is rounded
// away, and the hot path is two loads' worth of integer work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace discreet::random {

class AliasTable {
 public:
  // The most symbols, the remainder included. 512 entries are 4 KiB: three tables fit any
  // first-level cache.
  static constexpr std::size_t kMostSymbols = 512;

  // P[i] = weights[i]/2^64; what is missing to 2^64 is the probability of the symbol
  // weights.size(), the remainder. Needs 1 ≤ weights.size() < kMostSymbols and Σ weights < 2^64.
  explicit AliasTable(std::span<const std::uint64_t> weights);

  std::uint32_t remainder() const { return remainder_; }

  // The symbol that `word` falls on. Branch-free: a cell from the top bits, then its own symbol or
  // its alias from the rest.
  std::uint32_t pick(std::uint64_t word) const {
    const auto cell = static_cast<std::uint32_t>(word >> cell_shift_);
    const std::uint64_t entry = entries_[cell];
    const auto alias = static_cast<std::uint32_t>(entry & alias_mask_);
    // below = 0 or ~0: the two outcomes are merged by masks, because a branch here would be
    // mispredicted half the time and its cost would tell which way it went
    const std::uint32_t below =
        -static_cast<std::uint32_t>((word << cell_bits_) < (entry & ~alias_mask_));
    return (cell & below) | (alias & ~below);
  }

  // What `pick` looks at, for loops over many words.
  struct Entries {
    const std::uint64_t* entries;
    std::uint64_t cell_bits, cell_shift, alias_mask;
  };
  Entries entries() const { return {entries_.data(), cell_bits_, cell_shift_, alias_mask_}; }

 private:
  // Each entry: the cell's threshold in its top 64 − bits, its alias in the bits below.
  std::vector<std::uint64_t> entries_;
  unsigned cell_bits_;
  unsigned cell_shift_;
  std::uint64_t alias_mask_;
  std::uint32_t remainder_;
};

}  // namespace discreet::random
