// A keyed hash that an engine has too: where the bounding happens inside of the engine, it chooses
// with this, and so does the bounding here when it is told to (Secret::hashing). Then both keep the
// same groups and the same rows, which a test can compare to the last integer.
//
//   Lookup3 hashing;
//   std::uint64_t same = hashing.whole(7, 1) ^ hashing.real(7.0, 1);  // 0
//
// What is made of the three functions stands in priority.h and, as SQL, in engine/pushdown.
#pragma once

#include <cstdint>
#include <string_view>

namespace discreet::bound {

class Hashing {
 public:
  virtual ~Hashing() = default;
  virtual std::uint64_t whole(std::int64_t value, std::uint64_t key) const = 0;
  virtual std::uint64_t real(double value, std::uint64_t key) const = 0;  // one zero, one NaN
  virtual std::uint64_t text(std::string_view value, std::uint64_t key) const = 0;
  // By both of its halves: where `whole` rounds, neighbours have different hashes still. The lower
  // one is never 0, whose hash may be the key itself: k and k·2^32 would then meet by every key.
  virtual std::uint64_t halves(std::int64_t value, std::uint64_t key) const {
    constexpr std::int64_t kLow = 0xffffffff;
    return whole(value >> 32, whole((value & kLow) + 1, key));
  }
};

// Bob Jenkins's lookup3 with 64 bits of key and of output, as PostgreSQL calculates it in
// hashtextextended and hashfloat8extended. Whole numbers are hashed as the nearest double (its
// hashint8extended folds them to 32 bits first, and hashes that meet would no longer be rare): of
// those beyond 2^53 several have one hash.
class Lookup3 final : public Hashing {
 public:
  std::uint64_t whole(std::int64_t value, std::uint64_t key) const override;
  std::uint64_t real(double value, std::uint64_t key) const override;
  std::uint64_t text(std::string_view value, std::uint64_t key) const override;
};

}  // namespace discreet::bound
