// The beginnings of words as numbers, and hashes of them: what heavy hitters (hitters.h) are made
// of.
//
//   PaddedWord word = *padded("naïve", 8);      // n a 0xC3 0xAF v e 0 0
//   std::uint64_t x = fingerprint(word, 2);     // of its first two bytes
//   PrefixHash hash{.a = 17, .b = 4};
//   std::uint64_t bucket = hash.bucket(x, 8);   // 0 to 7
//
// A word shorter than the length is padded with zero bytes, which no word may hold: so "a" is a
// word of its own beside "ab", and nothing else looks like it. A longer one is cut, not inside a
// character of UTF-8.
//
// The numbers are of the field of P = 2^61 − 1 elements. A prefix is the polynomial whose
// coefficients are seven of its bytes each, at a fixed point t:
//
//     x = Σ_j byte_j · w_j,   w_j = 2^(8·(6 − j mod 7)) · t^⌊j/7⌋
//
// What is proved: prefixes of up to 7 bytes have different numbers. Of longer ones two have the
// same only where t is one of at most 4 roots of their difference: for any two words that were
// chosen without regard to t, 4 points of 2^61. Then they would be estimated as one: privacy
// doesn't depend on it. For x ≠ x' and uniform a, b the pair (ax + b, ax' + b) is uniform over the
// pairs of the field (Carter and Wegman 1979), so two values share a bucket with probability 1/g,
// to 2^-60.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "discreet/base/error.h"
#include "discreet/random/wide.h"

namespace discreet::local {

inline constexpr std::uint64_t kField = (std::uint64_t{1} << 61) - 1;
inline constexpr std::size_t kMostBytes = 32;
using PaddedWord = std::array<std::uint8_t, kMostBytes>;

// a·x + b of the field, for a, x, b in it. Takes the same time whatever they are.
inline std::uint64_t multiply_add(std::uint64_t a, std::uint64_t x, std::uint64_t b) {
  const random::Wide product = random::Wide{a} * x + b;  // 2^61 = 1, so the halves are added
  const std::uint64_t sum =
      (static_cast<std::uint64_t>(product) & kField) + static_cast<std::uint64_t>(product >> 61);
  return sum - (kField & (0 - static_cast<std::uint64_t>(sum >= kField)));
}

// Zeros behind it, or cut to so many bytes; an error where it holds a zero byte.
Result<PaddedWord> padded(std::string_view word, std::size_t bytes);
// The word that was padded.
std::string unpadded(std::string_view bytes);

// w_j: what byte j, from 0 on, adds to a fingerprint for each unit of its value.
std::uint64_t byte_weight(std::size_t j);
// x of the first so many bytes.
std::uint64_t fingerprint(const PaddedWord& word, std::size_t bytes);

// Buckets are intervals of the field, nearly equal: y has those v with ⌊v·g/2^61⌋ = y.
struct Interval {
  std::uint64_t start = 0, length = 0;
};
Interval bucket_interval(std::uint64_t y, std::uint64_t buckets);

struct PrefixHash {
  std::uint64_t a = 0, b = 0;
  std::uint64_t bucket(std::uint64_t x, std::uint64_t buckets) const {
    return static_cast<std::uint64_t>((random::Wide{multiply_add(a, x, b)} * buckets) >> 61);
  }
};

}  // namespace discreet::local
