#include "discreet/local/hadamard.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "discreet/channel/channel.h"
#include "discreet/local/estimate.h"
#include "discreet/local/hadamard_transform.h"
#include "discreet/random/testing/sources.h"

namespace discreet::local {
namespace {

std::unique_ptr<Hadamard> make(const Rational& epsilon, std::size_t domain, std::size_t blocks) {
  return *Hadamard::create({.epsilon = epsilon, .domain = domain, .blocks = blocks});
}

TEST(HadamardTransform, IsTheMatrix) {
  for (const std::size_t size : {1U, 2U, 8U, 4096U}) {
    std::vector<double> x(size), expected(size);
    for (std::size_t i = 0; i < size; ++i) x[i] = static_cast<double>(i * i % 101) - 50;
    for (std::size_t r = 0; r < size; ++r)
      for (std::size_t y = 0; y < size; ++y)
        expected[r] += std::popcount(r & y) % 2 == 0 ? x[y] : -x[y];
    hadamard_transform(x);
    EXPECT_EQ(x, expected);  // whole numbers: exact
  }
}

TEST(HadamardTransform, Parity) {
  for (std::uint32_t i = 0; i < 100000; ++i) {
    const std::uint32_t word = i * 2654435761U;
    ASSERT_EQ(parity(word), static_cast<std::uint32_t>(std::popcount(word) % 2));
  }
}

// Solves Σ_x f_x·M[x] = c by elimination, in rationals.
std::vector<Rational> solve(std::vector<std::vector<Rational>> m, std::vector<Rational> c) {
  const std::size_t n = c.size();
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t pivot = i;
    while (m[i][pivot] == 0) ++pivot;  // columns are equations; the matrix is invertible
    for (auto& row : m) std::swap(row[i], row[pivot]);
    std::swap(c[i], c[pivot]);
    for (std::size_t j = 0; j < n; ++j) {
      if (j == i) continue;
      const Rational factor = m[i][j] / m[i][i];
      for (auto& row : m) row[j] -= factor * row[i];
      c[j] -= factor * c[i];
    }
  }
  for (std::size_t i = 0; i < n; ++i) c[i] /= m[i][i];
  return c;
}

// The answer of the dense matrix: C of K − 1 values, and a row of uniform reports beside them that
// makes it square, inverted exactly. ε = ln 3.
TEST(Hadamard, TheEstimateIsTheDenseMatrixs) {
  const Rational epsilon = *parse_number("ln(3)", Rounding::kUp);
  for (const std::size_t domain : {2U, 3U, 5U, 7U, 12U}) {
    const auto protocol = make(epsilon, domain, 1);
    const std::size_t outputs = protocol->constants().counters;
    std::vector<Rational> entries;
    for (std::size_t row = 1; row < outputs; ++row)
      for (std::size_t y = 0; y < outputs; ++y)
        entries.emplace_back(std::popcount(row & y) % 2 == 0 ? 3 : 1, 2 * outputs);
    for (Rational& each : entries) each.canonicalize();
    const auto dense = channel::Channel::create(outputs - 1, outputs, entries);
    ASSERT_TRUE(dense.has_value()) << dense.error().text();
    State state(*protocol);
    std::vector<std::vector<Rational>> rows;
    std::vector<Rational> seen;
    for (std::size_t y = 0; y < outputs; ++y) {
      state.counters[y] = 10 + y * y * 7 % 13;
      state.users += state.counters[y];
      for (Value x = 0; x < domain; ++x) {
        const auto report = static_cast<Word>(y);
        EXPECT_NEAR(protocol->probability(x, {&report, 1}, 64).middle(), to_double(dense->at(x, y)),
                    1e-15);
      }
    }
    for (std::size_t x = 0; x + 1 < outputs; ++x)
      rows.emplace_back(dense->row(x).begin(), dense->row(x).end());
    rows.emplace_back(outputs, Rational(1, outputs));
    for (const std::uint64_t count : state.counters) {
      seen.emplace_back(count, state.users);
      seen.back().canonicalize();
    }
    const auto expected = solve(rows, seen);
    const auto estimate = estimate_frequencies(*protocol, state, {});
    ASSERT_TRUE(estimate.has_value());
    for (std::size_t x = 0; x < domain; ++x)
      EXPECT_NEAR(estimate->distribution[x], to_double(expected[x]), 1e-12) << domain << " " << x;
  }
}

// The variance of one report's estimate of x where all hold v.
double exact_variance(const Hadamard& protocol, Value x, Value v) {
  const Constants& c = protocol.constants();
  double mean = 0, square = 0;
  const std::vector<Word> outcomes = *protocol.outcomes();
  for (const Word report : outcomes) {
    std::vector<std::uint64_t> counters(c.counters);
    protocol.count({&report, 1}, counters);
    const double f = (protocol.supports(counters)[x] - c.q) / (c.p - c.q);
    const double chance = protocol.probability(v, {&report, 1}, 64).middle();
    mean += chance * f;
    square += chance * f * f;
  }
  return square - mean * mean;
}

// Of a frequency of 0, the others spread evenly over the blocks: Z²/(B(e^ε − 1)²).
TEST(Hadamard, TheVarianceOfBlocks) {
  for (const std::size_t blocks : {1U, 2U, 4U}) {
    const auto protocol = make(2, 12, blocks);
    for (Value x = 0; x < 12; ++x) {
      double sum = 0;
      for (std::size_t b = 0; b < blocks; ++b) {
        double within = 0, held = 0;
        for (auto v = static_cast<Value>(b); v < 12; v += static_cast<Value>(blocks)) {
          if (v == x) continue;
          within += exact_variance(*protocol, x, v);
          ++held;
        }
        sum += within / held / static_cast<double>(blocks);
      }
      EXPECT_NEAR(sum, protocol->constants().variance, 1e-9) << blocks << " " << x;
    }
  }
}

// Whatever the others hold: `variances` goes by how many reports were in the block.
TEST(Hadamard, VariancesGoByTheBlocksSeen) {
  for (const std::size_t blocks : {1U, 2U, 4U}) {
    const auto protocol = make(1, 8, blocks);
    const std::vector<Word> outcomes = *protocol->outcomes();
    for (Value v = 0; v < 8; ++v) {
      std::vector<std::uint64_t> counters;
      for (const Word report : outcomes)
        counters.push_back(static_cast<std::uint64_t>(
            std::llround(1e15 * protocol->probability(v, {&report, 1}, 64).middle())));
      std::vector<double> frequencies(8);
      frequencies[v] = 1;
      const auto variances = protocol->variances(counters, frequencies);
      for (Value x = 0; x < 8; ++x)
        EXPECT_NEAR(variances[x], exact_variance(*protocol, x, v), 1e-9) << blocks << " " << x;
    }
  }
}

// From ε = ln 5 on, more blocks are better: B = (e^ε − 1)/2 is best.
TEST(Hadamard, BlocksHelpWhereEpsilonIsLarge) {
  const auto variance = [](const Rational& epsilon, std::size_t blocks) {
    return make(epsilon, 64, blocks)->constants().variance;
  };
  EXPECT_LT(variance(1, 1), variance(1, 2));
  EXPECT_LT(variance(2, 4), variance(2, 1));
  EXPECT_LT(variance(3, 8), variance(3, 4));
  EXPECT_LT(variance(3, 8), variance(3, 16));
}

TEST(Hadamard, BlocksThatArent) {
  for (const std::size_t blocks : {0U, 3U, 16U})
    EXPECT_FALSE(Hadamard::create({.epsilon = 1, .domain = 12, .blocks = blocks}).has_value());
  EXPECT_TRUE(Hadamard::create({.epsilon = 1, .domain = 12, .blocks = 8}).has_value());
}

TEST(Hadamard, ColumnsOneAboveAPowerOfTwo) {
  EXPECT_EQ(make(1, 7, 1)->constants().counters, 8u);
  EXPECT_EQ(make(1, 8, 1)->constants().counters, 16u);
  EXPECT_EQ(make(1, 14, 2)->constants().counters, 16u);
  EXPECT_EQ(make(1, kMostValues, 1)->constants().counters, std::size_t{1} << 31);
}

}  // namespace
}  // namespace discreet::local
