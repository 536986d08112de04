// The fast Walsh-Hadamard transform.
//
//   std::vector<double> x{1, 2, 3, 4};
//   hadamard_transform(x);  // 10, −2, −4, 0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace discreet::local {

// x_r ← Σ_y (−1)^popcount(r & y)·x_y, for all r at once; the size is a power of two. O(n log n).
void hadamard_transform(std::span<double> x);

// popcount(word) mod 2, in operations that every processor has as fast as any.
inline std::uint32_t parity(std::uint32_t word) {
  word ^= word >> 16;
  word ^= word >> 8;
  word ^= word >> 4;
  return 0x6996U >> (word & 15) & 1;
}

}  // namespace discreet::local
