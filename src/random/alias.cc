#include "discreet/random/alias.h"

#include <bit>
#include <cassert>

namespace discreet::random {

// Walker 1977, in integers. With n = 2^bits cells of capacity 2^64/n each: repeatedly give a cell
// that has too little the rest of its capacity from a symbol that has too much. Every step moves
// whole units, so the weights are kept to the last unit.
AliasTable::AliasTable(std::span<const std::uint64_t> weights)
    : cell_bits_(static_cast<unsigned>(std::bit_width(weights.size()))),
      cell_shift_(64 - cell_bits_),
      alias_mask_((std::uint64_t{1} << cell_bits_) - 1),
      remainder_(static_cast<std::uint32_t>(weights.size())) {
  assert(!weights.empty() && weights.size() < kMostSymbols);
  const std::size_t cells = std::size_t{1}
                            << cell_bits_;  // > weights.size(): there is a cell for the remainder
  const std::uint64_t capacity = std::uint64_t{1} << cell_shift_;
  std::vector<std::uint64_t> left(cells, 0);
  std::uint64_t rest = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    left[i] = weights[i];
    rest -= weights[i];  // modulo 2^64: ends as 2^64 − Σ weights
  }
  left[remainder_] = rest;

  std::vector<std::uint32_t> poor, rich;
  for (std::uint32_t i = 0; i < cells; ++i) (left[i] < capacity ? poor : rich).push_back(i);
  entries_.resize(cells);
  while (!poor.empty()) {
    const std::uint32_t cell = poor.back(), giver = rich.back();
    poor.pop_back();
    entries_[cell] = left[cell] << cell_bits_ | giver;
    left[giver] -= capacity - left[cell];
    if (left[giver] < capacity) {
      rich.pop_back();
      poor.push_back(giver);
    }
  }
  // What is rich at the end holds exactly its capacity: threshold 0 and itself as alias say the
  // same.
  for (const std::uint32_t cell : rich) entries_[cell] = cell;
}

}  // namespace discreet::random
