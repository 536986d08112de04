#include "discreet/local/local_hashing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "discreet/local/local_hashing_count.h"
#include "discreet/random/testing/sources.h"
#include "discreet/random/uniform.h"

namespace discreet::local {
namespace {

using random::testing::Seeded;

// Whether the places of every two values are independent and uniform over the functions from
// `least` on as a.
bool pairwise_independent(std::uint32_t prime, std::uint32_t least) {
  const HashFamily family{.prime = prime, .range = 3};
  for (std::uint32_t x = 0; x < prime; ++x)
    for (std::uint32_t other = 0; other < x; ++other) {
      std::map<std::pair<std::uint32_t, std::uint32_t>, int> seen;
      for (std::uint32_t a = least; a < prime; ++a)
        for (std::uint32_t b = 0; b < prime; ++b)
          ++seen[{family.place(a, b, x), family.place(a, b, other)}];
      if (seen.size() != std::size_t{prime} * prime) return false;
      for (const auto& [pair, count] : seen)
        if (count != 1) return false;
    }
  return true;
}

TEST(HashFamily, PlacesAreIndependentInPairs) {
  for (const std::uint32_t prime : {2U, 3U, 13U, 17U}) {
    EXPECT_TRUE(pairwise_independent(prime, 0)) << prime;
    EXPECT_FALSE(pairwise_independent(prime, 1)) << prime;  // the twin: without a = 0
  }
  EXPECT_FALSE(pairwise_independent(9, 0));  // and no prime at all
}

TEST(HashFamily, BucketsAreIntervals) {
  for (const std::uint32_t prime : {13U, 31U, 127U})
    for (std::uint32_t range = 2; range <= prime; ++range) {
      const HashFamily family{prime, range};
      EXPECT_EQ(family.first(0), 0u);
      EXPECT_EQ(family.first(range), prime);
      for (std::uint32_t place = 0; place < prime; ++place) {
        const std::uint32_t bucket = family.bucket(place);
        EXPECT_TRUE(family.first(bucket) <= place && place < family.first(bucket + 1));
      }
    }
  for (const std::uint32_t range : {2U, 3U, 4U, 21U, 1000003U, 1U << 30}) {
    const HashFamily family{kHashPrime, range};
    EXPECT_EQ(family.first(range), kHashPrime);
    for (const std::uint32_t y : {1U, range / 2, range - 1}) {
      EXPECT_EQ(family.bucket(family.first(y)), y);
      EXPECT_EQ(family.bucket(family.first(y) - 1), y - 1);
    }
  }
}

std::vector<std::uint32_t> random_reports(const HashFamily& family, std::size_t count) {
  Seeded source(family.range);
  std::vector<std::uint32_t> out;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(static_cast<std::uint32_t>(*random::uniform_below(source, family.prime)));
    out.push_back(static_cast<std::uint32_t>(*random::uniform_below(source, family.prime)));
    out.push_back(static_cast<std::uint32_t>(*random::uniform_below(source, family.range)));
  }
  // the ends of what there is
  const std::uint32_t last = family.prime - 1;
  out.insert(out.end(), {0, 0, 0, 0, last, family.range - 1, last, 0, 0, last, last, 0});
  return out;
}

// Every form of the loop against the definition, on sizes around a register, a tile and four
// reports.
TEST(LocalHashing, CountsAreTheDefinitions) {
  ASSERT_GE(hash_kernels(), 1u);
  for (const auto& [prime, range] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
           {kHashPrime, 4}, {kHashPrime, 1U << 30}, {kHashPrime, 2}, {4093, 5}})
    for (const std::size_t domain : {2U, 16U, 17U, 1000U, 4096U, 5003U}) {
      const HashFamily family{prime, range};
      const auto reports = random_reports(family, 37);
      std::vector<std::uint64_t> expected(domain, 1);
      for (std::size_t i = 0; i < reports.size(); i += 3)
        for (std::size_t x = 0; x < domain; ++x)
          expected[x] +=
              family.bucket(family.place(reports[i], reports[i + 1], x)) == reports[i + 2];
      for (std::size_t kernel = 0; kernel < hash_kernels(); ++kernel) {
        std::vector<std::uint64_t> counters(domain, 1);
        count_hash_supports(family, reports, counters, kernel);
        EXPECT_EQ(counters, expected) << prime << " " << range << " " << domain << " " << kernel;
      }
    }
}

TEST(LocalHashing, RowsAreTheDefinitions) {
  const HashFamily family{kHashPrime, 4};
  const auto reports = random_reports(family, 5);
  for (std::size_t i = 0; i < reports.size(); i += 3)
    for (std::size_t kernel = 0; kernel < hash_kernels(); ++kernel) {
      std::array<std::uint8_t, 128> row{};
      hash_support_row(family, std::span(reports).subspan(i).first<3>(), 1024, row, kernel);
      for (std::size_t byte = 0; byte < 128; ++byte)
        for (std::size_t bit = 0; bit < 8; ++bit) {
          const std::size_t x = 1024 + byte / 16 * 128 + 16 * bit + byte % 16;
          ASSERT_EQ(row[byte] >> bit & 1,
                    family.bucket(family.place(reports[i], reports[i + 1], x)) == reports[i + 2]);
        }
    }
}

TEST(LocalHashing, TheRangeIsTheBest) {
  for (const Rational& epsilon : {Rational(1, 10), Rational(1), Rational(2), Rational(9, 2)}) {
    const Constants best = (*LocalHashing::create({.epsilon = epsilon, .domain = 50}))->constants();
    for (std::size_t range = 2; range < 200; ++range)
      EXPECT_LE(best.variance,
                (*LocalHashing::create({.epsilon = epsilon, .domain = 50, .range = range}))
                        ->constants()
                        .variance *
                    (1 + 1e-14));
  }
  const Constants one = (*LocalHashing::create({.epsilon = 1, .domain = 50}))->constants();
  EXPECT_EQ(one.own[0].second, 4);  // e + 1 = 3.7
  EXPECT_NEAR(one.q, 0.25, 1e-15);
  EXPECT_TRUE(LocalHashing::create({.epsilon = 500, .domain = 50}).has_value());
  EXPECT_FALSE(LocalHashing::create({.epsilon = 1, .domain = 50, .range = 1}).has_value());
}

// The largest distance of an estimate from the truth in standard errors, where everybody holds
// value 5, with the q that is given.
double worst_deviation(const LocalHashing& protocol, double q) {
  constexpr std::size_t kUsers = 200000;
  const Constants& c = protocol.constants();
  std::vector<Word> reports(3 * kUsers);
  Seeded source(21);
  EXPECT_TRUE(protocol.perturb(std::vector<Value>(kUsers, 5), source, reports).has_value());
  std::vector<std::uint64_t> counters(c.counters);
  protocol.count(reports, counters);
  double worst = 0;
  for (std::size_t x = 0; x < counters.size(); ++x) {
    const double chance = x == 5 ? c.p : q;
    const double expected = kUsers * chance, error = std::sqrt(expected * (1 - chance));
    worst = std::max(worst, std::fabs(static_cast<double>(counters[x]) - expected) / error);
  }
  return worst;
}

// Over the functions that are drawn. 200 values at 6 standard errors: a false alarm in 2·10^6. The
// twins: a client of a slightly different ε, and a collector who takes q for 2 % more.
TEST(LocalHashing, EstimatesAreUnbiased) {
  const auto protocol = *LocalHashing::create({.epsilon = 1, .domain = 200});
  EXPECT_LT(worst_deviation(*protocol, protocol->constants().q), 6);
  EXPECT_GT(worst_deviation(*protocol, protocol->constants().q * 1.02), 6);
}

TEST(LocalHashing, Reads) {
  const auto protocol = *LocalHashing::create({.epsilon = 1, .domain = 50});
  std::array<Word, 3> report{};
  const auto read = [&](std::string_view line) { return protocol->read(line, report); };
  EXPECT_EQ(read("2147483646 0 3"), Fault::kNone);
  EXPECT_EQ(report, (std::array<Word, 3>{2147483646, 0, 3}));
  EXPECT_EQ(read("2147483647 0 3"), Fault::kOutOfRange);
  EXPECT_EQ(read("0 2147483647 3"), Fault::kOutOfRange);
  EXPECT_EQ(read("0 0 4"), Fault::kOutOfRange);
  for (const char* line : {"", "1", "1 2", "1 2 ", "1 2 3 4", "1  2 3", " 1 2 3", "1 2 3 ",
                           "01 2 3", "1 -2 3", "1 2 +3", "1,2,3", "1\t2\t3", "1 2 3\r"})
    EXPECT_EQ(read(line), Fault::kMalformed) << line;
}

TEST(LocalHashing, WithoutDivisionsItIsTheSame) {
  for (const std::uint32_t range : {2U, 3U, 1000U, 1U << 30, kHashPrime}) {
    const HashFamily family{.range = range};
    for (const std::uint64_t a : {0ULL, 1ULL, 2ULL, 0x7ffffffdULL, 0x7ffffffeULL, 123456789ULL})
      for (const std::uint64_t b : {0ULL, 1ULL, 0x7ffffffeULL})
        for (const std::uint64_t x : {0ULL, 1ULL, 0x7ffffffdULL, 0x7ffffffeULL, 987654321ULL}) {
          const std::uint64_t place = (a * x + b) % kHashPrime;
          ASSERT_EQ(family.place(a, b, x), place);
          ASSERT_EQ(family.bucket(place), place * range / kHashPrime);
        }
  }
}

}  // namespace
}  // namespace discreet::local
