// Two doubling scales with one step between: what a unit contributes, and what its values are, is
// put into one of few bins, so that a histogram of units can be released.
//
//   std::size_t bin = count_bin(20);   // 9: more than 16 …
//   std::uint64_t most = count_edge(bin);  // … up to 24
//
// Counts: 0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, … Values: the same to both sides of zero, from a
// smallest power of two on. Neighbouring edges are at most a factor 1.5 apart (2 between 1 and 2),
// so a bound at an edge is never much larger than it has to be.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace discreet::bound {

// Bins of counts; the last takes whatever is larger.
inline constexpr std::size_t kCountBins = 66;

// The largest count of a bin.
constexpr std::uint64_t count_edge(std::size_t bin) {
  if (bin < 2) return bin;
  return bin % 2 == 0 ? std::uint64_t{1} << (bin / 2) : std::uint64_t{3} << ((bin - 3) / 2);
}

// The bin whose edge is the smallest that isn't below n.
constexpr std::size_t count_bin(std::uint64_t n) {
  if (n < 2) return static_cast<std::size_t>(n);
  const auto doublings = static_cast<std::size_t>(std::bit_width(n - 1));  // n <= 2^doublings
  const bool lower_half = doublings >= 2 && n <= std::uint64_t{3} << (doublings - 2);
  return std::min(kCountBins - 1, 2 * doublings - (lower_half ? 1 : 0));
}

// Values from 2^smallest to 2^kLargest, and their negatives around zero.
class ValueScale {
 public:
  static constexpr int kLargest = 50;
  explicit ValueScale(int smallest)
      : smallest_(smallest), sizes_(2 * static_cast<std::int64_t>(kLargest - smallest) + 1) {}

  std::size_t bins() const { return static_cast<std::size_t>(2 * sizes_ + 1); }
  // Of any number but NaN.
  std::int64_t bin(double value) const {
    const std::int64_t size = size_of(std::abs(value));
    return value < 0 ? sizes_ - size : sizes_ + size;
  }
  // A bin holds the values between its two ends (the one nearer to zero excluded).
  double low(std::int64_t bin) const {
    return bin > sizes_ ? edge(bin - sizes_ - 1) : -edge(sizes_ - bin);
  }
  double high(std::int64_t bin) const {
    return bin >= sizes_ ? edge(bin - sizes_) : -edge(sizes_ - bin - 1);
  }

 private:
  // 0, 2^smallest, 1.5 · 2^smallest, 2 · 2^smallest, …
  double edge(std::int64_t size) const {
    if (size <= 0) return 0;
    const int exponent = smallest_ + static_cast<int>((size - 1) / 2);
    return std::ldexp(size % 2 == 1 ? 1.0 : 1.5, exponent);
  }
  std::int64_t size_of(double magnitude) const {
    if (magnitude == 0) return 0;
    if (magnitude >= std::ldexp(1.0, kLargest)) return sizes_;
    // (1 + part / 2^52) · 2^(exponent − 1023); smaller numbers than those have exponent 0.
    const auto bits = std::bit_cast<std::uint64_t>(magnitude);
    const auto exponent = static_cast<std::int64_t>(bits >> 52);
    const std::uint64_t part = bits & ((std::uint64_t{1} << 52) - 1);
    const std::int64_t below = 2 * (exponent - 1023 - smallest_) + 1;
    return std::clamp<std::int64_t>(
        below + (part > 0 ? 1 : 0) + (part > std::uint64_t{1} << 51 ? 1 : 0), 1, sizes_);
  }
  int smallest_;
  std::int64_t sizes_;  // bins on each side of zero
};

}  // namespace discreet::bound
