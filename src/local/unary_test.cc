#include "discreet/local/unary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "discreet/local/subset.h"
#include "discreet/local/unary_count.h"
#include "discreet/random/testing/sources.h"

namespace discreet::local {
namespace {

// Rows past 255 (where planes are emptied) and words past 256 (a tile).
TEST(CountBits, IsTheSumOfBits) {
  for (const std::size_t words : {1U, 3U, 300U})
    for (const std::size_t rows : {0U, 1U, 255U, 256U, 600U}) {
      const std::size_t bits = words * 32 - 5;
      std::vector<std::uint64_t> drawn(rows * words + 1);
      random::testing::Seeded source(words);
      ASSERT_TRUE(source.fill(drawn).has_value());
      std::vector<std::uint32_t> all;
      for (std::size_t i = 0; i < rows * words; ++i) {
        const auto word = static_cast<std::uint32_t>(drawn[i] & drawn[i + 1]);
        all.push_back(i % words == words - 1 ? word & (~0U >> 5) : word);
      }
      std::vector<std::uint64_t> expected(bits, 7), counters(bits, 7);
      for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t b = 0; b < 32; ++b)
          if ((all[i] >> b & 1) != 0) ++expected[i % words * 32 + b];
      count_bits(all, words, counters);
      EXPECT_EQ(counters, expected) << words << " " << rows;
    }
}

TEST(Unary, TheLiteraturesNumbers) {
  const Constants symmetric = (*Unary::symmetric({.epsilon = 1, .domain = 10}))->constants();
  EXPECT_NEAR(symmetric.p, 0.6224593312018546, 1e-15);  // e^½/(e^½ + 1)
  EXPECT_NEAR(symmetric.q, 1 - symmetric.p, 1e-15);
  EXPECT_NEAR(symmetric.variance, 3.9177, 1e-4);  // e^½/(e^½ − 1)²
  const Constants optimised = (*Unary::optimised({.epsilon = 1, .domain = 10}))->constants();
  EXPECT_EQ(optimised.p, 0.5);
  EXPECT_NEAR(optimised.q, 0.2689414213699951, 1e-15);  // 1/(e + 1)
  EXPECT_NEAR(optimised.variance, 3.6827, 1e-4);        // 4e/(e − 1)²
}

TEST(Unary, Reads) {
  const auto protocol = *Unary::optimised({.epsilon = 1, .domain = 40});
  std::vector<Word> report(2);
  const std::string zeros(40, '0');
  EXPECT_EQ(protocol->read("1" + zeros.substr(2) + "1", report), Fault::kNone);
  EXPECT_EQ(report, (std::vector<Word>{1, 1U << 7}));
  EXPECT_EQ(protocol->read(zeros.substr(1), report), Fault::kWrongLength);
  EXPECT_EQ(protocol->read(zeros + "0", report), Fault::kWrongLength);
  EXPECT_EQ(protocol->read("", report), Fault::kWrongLength);
  for (const char* junk : {"x", "-5", "nan"})
    EXPECT_EQ(protocol->read(junk, report), Fault::kMalformed) << junk;
  for (const char c : {'2', '/', ' ', '\0', '\xb0', 'q'})
    for (const std::size_t at : {0U, 20U, 39U}) {
      std::string line = zeros;
      line[at] = c;
      EXPECT_EQ(protocol->read(line, report), Fault::kMalformed) << c;
    }
}

// Bits past the domain stay zero: a collector's sums would be wrong, and a text would differ.
TEST(Unary, PaddingIsZero) {
  const auto protocol = *Unary::symmetric({.epsilon = Rational(1, 10), .domain = 33});
  random::testing::Seeded source(2);
  std::vector<Word> reports(2 * 1000);
  ASSERT_TRUE(protocol->perturb(std::vector<Value>(1000, 32), source, reports).has_value());
  for (std::size_t i = 1; i < reports.size(); i += 2) EXPECT_LE(reports[i], 1u);
}

TEST(Unary, DomainsThatDontFit) {
  EXPECT_FALSE(Unary::optimised({.epsilon = 1, .domain = Unary::kMostBits + 1}).has_value());
  EXPECT_FALSE(Subset::create({.epsilon = 1, .domain = Subset::kMostDomain + 1}).has_value());
}

// The best for all values together, of whom one is true: what a user's report says in all.
TEST(Subset, TheSizeIsTheBest) {
  const auto total = [](double p, double q, double d) {
    return (p * (1 - p) + (d - 1) * q * (1 - q)) / ((p - q) * (p - q));
  };
  for (const Rational& epsilon : {Rational(1, 10), Rational(1), Rational(3)})
    for (const std::size_t domain : {2U, 3U, 10U, 50U}) {
      const Constants c = (*Subset::create({.epsilon = epsilon, .domain = domain}))->constants();
      const double ratio = std::exp(epsilon.get_d()), d = static_cast<double>(domain);
      for (double size = 1; size < d; ++size) {
        const double p = size * ratio / (size * ratio + d - size);
        const double q = p * (size - 1) / (d - 1) + (1 - p) * size / (d - 1);
        const double variance = q * (1 - q) / ((p - q) * (p - q));
        EXPECT_LE(total(c.p, c.q, d), total(p, q, d) * (1 + 1e-12)) << domain << " " << size;
        if (size == c.own[0].second) {
          EXPECT_NEAR(c.variance / variance, 1, 1e-12);
          EXPECT_NEAR(c.p, p, 1e-14);
          EXPECT_NEAR(c.q, q, 1e-14);
        }
      }
    }
}

TEST(Subset, Reads) {
  const auto protocol = *Subset::create({.epsilon = 1, .domain = 12});  // three of them
  std::vector<Word> report(3);
  ASSERT_EQ(protocol->constants().words, 3u);
  const auto read = [&](std::string_view line) { return protocol->read(line, report); };
  EXPECT_EQ(read("0,7,11"), Fault::kNone);
  EXPECT_EQ(report, (std::vector<Word>{0, 7, 11}));
  EXPECT_EQ(read("0,7"), Fault::kWrongLength);
  EXPECT_EQ(read("0,7,8,9"), Fault::kWrongLength);
  EXPECT_EQ(read("0,7,12"), Fault::kOutOfRange);
  for (const char* line : {"", ",", "0,7,", ",0,7", "0,,7", "7,0,11", "0,7,7", "0,0,7", "0, 7,11",
                           "00,7,11", "0,7,11 ", "0;7;11", "-0,7,11", "0,+7,11"})
    EXPECT_EQ(read(line), Fault::kMalformed) << line;
}

}  // namespace
}  // namespace discreet::local
