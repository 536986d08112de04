// Another keyed hash that an engine has: XXH64 of a value's bytes and then of the key's, as Trino
// calculates it in xxhash64(bytes || key).
//
//   Xxh64 hashing;
//   std::uint64_t one = hashing.whole(1, 0x0123456789abcdef);  // 0x0b225431a6dfa340
#pragma once

#include "discreet/bound/hashing.h"

namespace discreet::bound {

// Whole numbers and doubles are eight bytes, the highest first; the key always is. No two values of
// one type have the same bytes, so hashes meet by chance only.
class Xxh64 final : public Hashing {
 public:
  std::uint64_t whole(std::int64_t value, std::uint64_t key) const override;
  std::uint64_t halves(std::int64_t value, std::uint64_t key) const override {
    return whole(value, key);  // which rounds nothing
  }
  std::uint64_t real(double value, std::uint64_t key) const override;
  std::uint64_t text(std::string_view value, std::uint64_t key) const override;
};

// XXH64 with the seed 0.
std::uint64_t xxh64(std::string_view bytes);

}  // namespace discreet::bound
