#include "discreet/bound/xxhash.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace discreet::bound {
namespace {

// Values that Trino 435 gives, and (of texts without a key) the algorithm's description.
TEST(Xxh64, IsTheOneThatTrinoHas) {
  const Xxh64 hashing;
  EXPECT_EQ(hashing.whole(1, 0x0123456789abcdef), 0x0b225431a6dfa340U);
  EXPECT_EQ(xxh64(""), 0xef46db3751d8e999U);
  EXPECT_EQ(xxh64("abc"), 0x44bc2cf5ad770999U);
}

TEST(Xxh64, OneZeroAndOneNan) {
  const Xxh64 hashing;
  EXPECT_EQ(hashing.real(0.0, 7), hashing.real(-0.0, 7));
  EXPECT_EQ(hashing.real(std::nan("1"), 7), hashing.real(-std::nan("2"), 7));
  EXPECT_NE(hashing.real(1.0, 7), hashing.real(1.0, 8));
}

// How far counts in 16 classes are from equal ones: χ² with 15 degrees of freedom, for each of
// the hash's 16 groups of four bits. 64 is exceeded once in 10^7.
double worst_imbalance(const std::vector<std::uint64_t>& hashes) {
  double worst = 0;
  for (int shift = 0; shift < 64; shift += 4) {
    double counts[16] = {};
    for (const std::uint64_t hash : hashes) counts[(hash >> shift) & 15] += 1;
    const double expected = static_cast<double>(hashes.size()) / 16;
    double sum = 0;
    for (const double count : counts) sum += (count - expected) * (count - expected) / expected;
    worst = std::max(worst, sum);
  }
  return worst;
}

// Numbers in a row, which keys mostly are, and with a secret that is not in them. The twin leaves
// the last mixing out.
TEST(Xxh64, ConsecutiveNumbersAreSpreadEvenly) {
  const Xxh64 hashing;
  std::vector<std::uint64_t> whole, texts, twin;
  for (std::int64_t i = 0; i < 100'000; ++i) {
    whole.push_back(hashing.whole(i, 0x5ca1ab1e5eed));
    texts.push_back(hashing.text("patient " + std::to_string(i), 0x5ca1ab1e5eed));
    twin.push_back(static_cast<std::uint64_t>(i) * 0x9e3779b185ebca87 + 0x5ca1ab1e5eed);
  }
  EXPECT_LT(worst_imbalance(whole), 64);
  EXPECT_LT(worst_imbalance(texts), 64);
  EXPECT_GT(std::max(worst_imbalance(twin), 64.0), 0);
}

}  // namespace
}  // namespace discreet::bound
