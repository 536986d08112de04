// Logarithms and shares, against the library's; chunks, against one loop.
#include "discreet/local/shares.h"

#include <gtest/gtest.h>

#include <cmath>

#include "discreet/local/chunks.h"
#include "discreet/local/testing/problems.h"

namespace discreet::local {
namespace {

// One number at a time, so that the sum is its logarithm.
TEST(Shares, Logarithm) {
  random::testing::Seeded source(1);
  std::vector<double> numbers{1,
                              2,
                              0.5,
                              std::nextafter(1, 2),
                              std::nextafter(1, 0),
                              1e-300,
                              1e300,
                              std::sqrt(0.5),
                              std::sqrt(2)};
  for (int i = 0; i < 100'000; ++i) {
    const double mantissa = 0.5 + testing::uniform(source);
    numbers.push_back(
        std::ldexp(mantissa, static_cast<int>(2000 * testing::uniform(source)) - 1000));
    numbers.push_back(mantissa);
  }
  const double one = 1;
  double worst = 0;
  for (const double x : numbers) {
    double m = x;
    const Shares found = to_shares({&one, 1}, {&m, 1});
    EXPECT_NEAR(m * x, 1, 4 * 0x1p-53);
    EXPECT_EQ(found.sum, m);
    const double wanted = std::log(x);
    const double unit = std::nextafter(std::abs(wanted), INFINITY) - std::abs(wanted);
    if (wanted == 0) {
      EXPECT_EQ(found.log_likelihood, 0);
    } else {
      worst = std::max(worst, std::abs(found.log_likelihood - wanted) / unit);
    }
  }
  EXPECT_LE(worst, 4);
}

TEST(Shares, Sums) {
  random::testing::Seeded source(2);
  for (const std::size_t size : {1U, 7U, 8U, 9U, 1000U}) {
    std::vector<double> weights(size), m(size);
    double logs = 0, sum = 0;
    for (std::size_t i = 0; i < size; ++i) {
      weights[i] = testing::uniform(source);
      m[i] = testing::uniform(source);
      logs += weights[i] * std::log(m[i]);
      sum += weights[i] / m[i];
    }
    const Shares found = to_shares(weights, m);
    EXPECT_NEAR(found.log_likelihood, logs, 1e-12 * std::abs(logs));
    EXPECT_NEAR(found.sum, sum, 1e-12 * sum);
  }
  // what was never seen may be impossible
  const double nothing = 0;
  double m = 0x1p-1000;
  EXPECT_EQ(to_shares({&nothing, 1}, {&m, 1}).log_likelihood, 0);
}

TEST(Chunks, CoverEverythingOnce) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, kChunk, kChunk + 1, 20 * kChunk - 1}) {
    std::vector<int> seen(size);
    std::vector<std::size_t> numbers(chunks_of(size));
    each_chunk(size, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
      ++numbers[chunk];
      for (std::size_t i = begin; i < end; ++i) ++seen[i];
    });
    EXPECT_EQ(seen, std::vector<int>(size, 1));
    EXPECT_EQ(numbers, std::vector<std::size_t>(numbers.size(), 1));
  }
}

TEST(Chunks, WhatATaskThrowsComesOutOnceAllHaveStopped) {
  EXPECT_THROW(each_task(100, 0,
                         [](std::size_t task) {
                           if (task % 7 == 3) throw std::bad_alloc();
                         }),
               std::bad_alloc);
}

}  // namespace
}  // namespace discreet::local
