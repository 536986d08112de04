#include "discreet/local/prefix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "discreet/random/testing/chi_square.h"
#include "discreet/random/testing/sources.h"
#include "discreet/random/uniform.h"

namespace discreet::local {
namespace {

using random::Wide;
using random::testing::Seeded;

std::string padded_text(std::string_view word, std::size_t bytes) {
  const PaddedWord out = *padded(word, bytes);
  return std::string(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(bytes));
}

TEST(Prefix, WordsArePaddedAndCut) {
  using namespace std::string_literals;
  struct Case {
    std::string word, bytes;
  };
  for (const Case& each : std::initializer_list<Case>{
           {"", "\0\0\0\0"s},
           {"a", "a\0\0\0"s},
           {"abcd", "abcd"},
           {"abcde", "abcd"},
           {"abcé", "abc\0"s},                       // é is two bytes, and isn't cut into halves
           {"ab日本", "ab\0\0"s},                    // three each
           {"abc\xBF\xBF\xBF\xBF\xBF", "abc\xBF"s},  // no UTF-8: cut as bytes
           {"\xBF\xBF\xBF\xBF\xBF\xBF", "\xBF\xBF\xBF\xBF"},
       })
    EXPECT_EQ(padded_text(each.word, 4), each.bytes) << each.word;
  EXPECT_FALSE(padded("a\0"s, 4));  // would be "a"
  EXPECT_FALSE(padded("\0a"s, 4));
  EXPECT_EQ(unpadded("a\0\0"s), "a");
  EXPECT_EQ(unpadded("abc"), "abc");
}

TEST(Prefix, TheFieldIsRight) {
  Seeded source(4);
  for (int i = 0; i < 1000; ++i) {
    std::array<std::uint64_t, 3> v;
    ASSERT_TRUE(random::fill_uniform_below(source, kField, v));
    if (i % 3 == 0) v[0] = kField - 1;
    if (i % 5 == 0) v[1] = kField - 1;
    EXPECT_EQ(multiply_add(v[0], v[1], v[2]),
              static_cast<std::uint64_t>((Wide{v[0]} * v[1] + v[2]) % kField));
  }
  EXPECT_EQ(multiply_add(1, kField - 1, 1), 0);
}

TEST(Prefix, FingerprintsGrowByteByByteAndTellWordsApart) {
  const PaddedWord word = *padded("a longer word than seven bytes", kMostBytes);
  for (std::size_t k = 1; k <= kMostBytes; ++k)
    EXPECT_EQ(fingerprint(word, k),
              multiply_add(byte_weight(k - 1), word[k - 1], fingerprint(word, k - 1)));
  // seven bytes are a number
  EXPECT_EQ(fingerprint(*padded("\x01\x02\x03\x04\x05\x06\x07", 7), 7), 0x01020304050607U);
  // all words of two bytes that stand at places far from each other
  std::set<std::uint64_t> seen;
  for (std::size_t i = 0; i < 65536; ++i) {
    PaddedWord pair = {};
    pair[6] = static_cast<std::uint8_t>(i), pair[29] = static_cast<std::uint8_t>(i >> 8);
    seen.insert(fingerprint(pair, 30));
  }
  EXPECT_EQ(seen.size(), 65536);
}

TEST(Prefix, BucketsAreIntervalsThatCoverTheField) {
  for (const std::uint64_t g : {2ULL, 3ULL, 8ULL, 1000ULL, 1ULL << 30}) {
    for (const std::uint64_t y : {std::uint64_t{0}, std::uint64_t{1}, g - 2, g - 1}) {
      const Interval interval = bucket_interval(y, g);
      const Interval before = y == 0 ? Interval{} : bucket_interval(y - 1, g);
      EXPECT_EQ(interval.start, before.start + before.length);
      // a hash with a = 0 is b
      const std::uint64_t end = interval.start + interval.length;
      EXPECT_EQ((PrefixHash{0, interval.start}.bucket(5, g)), y);
      EXPECT_EQ((PrefixHash{0, end - 1}.bucket(5, g)), y);
      EXPECT_NEAR(static_cast<double>(interval.length) * static_cast<double>(g) / 0x1p61, 1, 1e-9);
    }
    const Interval last = bucket_interval(g - 1, g);
    EXPECT_EQ(last.start + last.length, kField);
  }
}

TEST(Prefix, PairsOfWordsAreHashedAsIfIndependently) {
  constexpr std::uint64_t kG = 4;
  Seeded source(9);
  const std::uint64_t x = fingerprint(*padded("berlina", 7), 7);
  const std::uint64_t other = fingerprint(*padded("berlins", 7), 7);
  std::vector<double> pairs(kG * kG), twin(kG * kG);
  for (int i = 0; i < 40'000; ++i) {
    PrefixHash hash;
    hash.a = *random::uniform_below(source, kField);
    hash.b = *random::uniform_below(source, kField);
    ++pairs[hash.bucket(x, kG) * kG + hash.bucket(other, kG)];
    hash.a >>= 40;  // a twin whose factors are small: near words stay near
    ++twin[hash.bucket(x, kG) * kG + hash.bucket(other, kG)];
  }
  const std::vector<double> uniform(kG * kG, 1.0 / (kG * kG));
  EXPECT_GT(random::testing::goodness_of_fit(pairs, uniform), random::testing::kFalseAlarm);
  EXPECT_LT(random::testing::goodness_of_fit(twin, uniform), random::testing::kFalseAlarm);
}

}  // namespace
}  // namespace discreet::local
