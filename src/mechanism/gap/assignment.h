// Which block a unit is in: the "sample" of subsample-and-aggregate (sample_aggregate.h).
//
//   Assignment assignment = *Assignment::draw(100);
//   std::uint64_t block = *assignment.block_of("patient 17");  // 0 … 99, and always the same one
//
// What is proved. A unit's block is a function of the secret key and of the unit's own bytes, so
// that taking a unit out moves no other: whatever the key, two data sets that differ in one unit
// differ in one block. Privacy needs nothing else of the hash. Accuracy needs blocks that look like
// random samples, each unit's drawn independently: SipHash (Aumasson and Bernstein 2012) under a
// key that nobody has seen is taken for that.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "discreet/random/generator.h"

namespace discreet::mechanism::gap {

inline constexpr std::uint64_t kMostBlocks = 1'000'000;

class Assignment {
 public:
  // With a key of its own, drawn for one run.
  static Result<Assignment> draw(std::uint64_t blocks,
                                 random::Source& source = random::thread_generator());

  std::uint64_t blocks() const { return blocks_; }
  Result<std::uint64_t> block_of(std::string_view unit) const;

 private:
  explicit Assignment(std::uint64_t blocks) : blocks_(blocks) {}
  std::uint64_t blocks_;
  std::array<std::uint64_t, 2> key_{};
};

}  // namespace discreet::mechanism::gap
