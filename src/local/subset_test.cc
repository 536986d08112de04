#include "discreet/local/subset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "discreet/random/testing/sources.h"

namespace discreet::local {
namespace {

// Zeros for whoever asks for that many words at once, random ones for others.
class ZerosFor final : public random::Source {
 public:
  explicit ZerosFor(std::size_t size) : size_(size) {}
  Status fill(std::span<std::uint64_t> words) override {
    if (Status drawn = rest_.fill(words); !drawn) return drawn;
    if (words.size() == size_) std::ranges::fill(words, 0);
    return {};
  }

 private:
  std::size_t size_;
  random::testing::Seeded rest_{5};
};

// A word whose product falls below 2^64 mod j favours some members: it is drawn again. A word of
// zeros is one, unless j is a power of two.
TEST(Subset, UnfairWordsAreDrawnAgain) {
  const auto subset = *Subset::create({.epsilon = 1, .domain = 20});
  const std::size_t size = subset->constants().words;
  ASSERT_GT(size, 2U);
  ZerosFor source(size);
  std::set<std::vector<Word>> found;
  const Value value = 0;
  for (int i = 0; i < 200; ++i) {
    std::vector<Word> report(size);
    ASSERT_TRUE(subset->perturb({&value, 1}, source, report));
    found.insert(report);
  }
  EXPECT_GT(found.size(), 50U);
}

}  // namespace
}  // namespace discreet::local
