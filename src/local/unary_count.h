// How many rows of bits have each bit: counted in columns, so that a word adds to 32 counters at
// once.
//
//   const std::vector<std::uint32_t> rows{0b01, 0b11, 0b01};  // three reports of one word
//   std::vector<std::uint64_t> counters(2);
//   count_bits(rows, 1, counters);  // 3 and 1
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace discreet::local {

// counters[32w + i] += bit i of word w, over all rows of `words` words. Bits past the counters are
// zero.
void count_bits(std::span<const std::uint32_t> rows, std::size_t words,
                std::span<std::uint64_t> counters);

}  // namespace discreet::local
