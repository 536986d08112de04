#include "discreet/random/testing/sources.h"

namespace discreet::random::testing {

Status Seeded::fill(std::span<std::uint64_t> words) {
  for (std::uint64_t& word : words) {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    word = z ^ (z >> 31);
  }
  return {};
}

Status Scripted::fill(std::span<std::uint64_t> words) {
  for (std::uint64_t& word : words) {
    if (at_ < words_.size()) {
      word = words_[at_++];
    } else if (auto status = rest_.fill({&word, 1}); !status) {
      return status;
    }
  }
  return {};
}

Status Failing::fill(std::span<std::uint64_t> words) {
  if (words.size() > left_) return fail(Code::kFailure, "the injected entropy failure");
  left_ -= words.size();
  return rest_.fill(words);
}

}  // namespace discreet::random::testing
