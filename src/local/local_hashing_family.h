// The hash functions of local hashing: h(x) = ⌊g·((a·x + b) mod P)/P⌋, a and b in the field of P
// elements, P a prime.
//
//   HashFamily family{.prime = kHashPrime, .range = 4};
//   std::uint32_t bucket = family.bucket(family.place(5, 7, 1000));
//
// What is proved: with a and b uniform (a = 0 included), the places of two different x below P are
// uniform and independent, since (a, b) ↦ (a·x + b, a·x' + b) is one to one (Carter and Wegman
// 1979). Buckets are intervals of places, of two sizes that differ by 1. With the prime 2^31 − 1,
// which clients use, nothing is divided, and the time depends on no x.
#pragma once

#include <cstdint>

namespace discreet::local {

inline constexpr std::uint32_t kHashPrime = 0x7fffffff;  // 2^31 − 1

struct HashFamily {
  std::uint32_t prime = kHashPrime;  // below 2^31
  std::uint32_t range = 2;           // g, at most the prime

  std::uint32_t place(std::uint64_t a, std::uint64_t b, std::uint64_t x) const {
    const std::uint64_t sum = a * x + b;
    if (prime != kHashPrime) return static_cast<std::uint32_t>(sum % prime);
    // 2^31 is 1 modulo the prime; a division could take longer for some x than for others
    const std::uint64_t once = (sum & kHashPrime) + (sum >> 31);
    const std::uint64_t twice = (once & kHashPrime) + (once >> 31);
    return static_cast<std::uint32_t>(twice -
                                      (kHashPrime & (0 - std::uint64_t{twice >= kHashPrime})));
  }
  std::uint32_t bucket(std::uint64_t place) const {
    const std::uint64_t product = place * range;
    if (prime != kHashPrime) return static_cast<std::uint32_t>(product / prime);
    // h·2^31 + l = h·P + (h + l), and h + l is below 2P
    const std::uint64_t high = product >> 31, rest = high + (product & kHashPrime);
    return static_cast<std::uint32_t>(high + std::uint64_t{rest >= kHashPrime});
  }
  // The least place of a bucket, ⌈y·P/g⌉; of bucket g it is P.
  std::uint32_t first(std::uint64_t bucket) const {
    return static_cast<std::uint32_t>((bucket * prime + range - 1) / range);
  }
};

}  // namespace discreet::local
