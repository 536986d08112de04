#include "discreet/local/choose.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace discreet::local {
namespace {

const Choice* row(const Choices& choices, std::string_view name) {
  const auto found = std::find_if(choices.rows.begin(), choices.rows.end(),
                                  [name](const Choice& each) { return each.name == name; });
  return found == choices.rows.end() ? nullptr : &*found;
}

// e^ε·4/(e^ε − 1)² is what unary and hashing come to, whatever the domain; flat's grows with it.
TEST(Choose, SmallDomainsAreForFlatAndLargeOnesAreNot) {
  const Choices small = *choose_frequencies({.epsilon = 2, .domain = 3, .users = 100});
  const Choices large = *choose_frequencies({.epsilon = 2, .domain = 1000, .users = 1'000'000});
  EXPECT_EQ(small.rows[small.by_variance].entry->name, "flat");
  EXPECT_EQ(small.rows[small.by_communication].entry->name, "flat");
  EXPECT_EQ(large.rows[large.by_variance].entry->name, "subset");
  EXPECT_NE(large.rows[large.by_communication].entry->name, "subset");
  const double e = std::exp(2.0);
  const Choice* flat = row(large, "flat");
  ASSERT_NE(flat, nullptr);
  EXPECT_NEAR(flat->variance, (e + 998) / ((e - 1) * (e - 1)), 1e-9 * flat->variance);
  EXPECT_NEAR(flat->stderr_, std::sqrt(flat->variance / 1e6), 1e-15);
  const Choice* unary = row(large, "optimised-unary");
  ASSERT_NE(unary, nullptr);
  EXPECT_NEAR(unary->variance, 4 * e / ((e - 1) * (e - 1)), 1e-9);
}

// By the definition, over all rows.
TEST(Choose, TheMarkedOnesAreTheBest) {
  for (const std::size_t domain : {2, 5, 64, 5000})
    for (const Rational& epsilon : {Rational(1, 10), Rational(1), Rational(5)}) {
      const Choices choices = *choose_frequencies({.epsilon = epsilon, .domain = domain});
      const Choice& best = choices.rows[choices.by_variance];
      const Choice& brief = choices.rows[choices.by_communication];
      EXPECT_LE(brief.stderr_, 1.1000001 * best.stderr_);
      for (const Choice& each : choices.rows) {
        EXPECT_GE(each.variance, best.variance * (1 - 1e-9)) << each.name;
        if (each.stderr_ < 1.0999999 * best.stderr_) {
          EXPECT_GE(each.bits, brief.bits) << each.name;
        }
      }
      ASSERT_FALSE(choices.left_out.empty());
      EXPECT_EQ(choices.left_out.front().first, "coins");
    }
}

TEST(Choose, TheBestNumberOfBlocksIsTheBest) {
  for (const Rational& epsilon : {Rational(1, 2), Rational(2), Rational(4), Rational(7)}) {
    const std::size_t best = best_blocks(epsilon, 1024);
    const Entry& entry = *find("hadamard");
    const auto variance = [&](std::size_t blocks) {
      return (*entry.make({.epsilon = epsilon, .domain = 1024, .blocks = blocks}))
          ->constants()
          .variance;
    };
    for (std::size_t blocks = 1; blocks <= 512; blocks *= 2)
      EXPECT_GE(variance(blocks), variance(best)) << blocks;
  }
  EXPECT_EQ(best_blocks(500, 1024), 512);
}

// Piecewise has less variance in the middle, and from ε = 1.29 on at its worst too (Wang et al.
// 2019); the hybrid is never worse than either at its worst.
TEST(Choose, MeansByTheirWorstCase) {
  for (const char* text : {"0.3", "1.2", "1.4", "4"}) {
    const Rational epsilon = *parse_number(text, Rounding::kDown);
    const Choices choices = *choose_means({.epsilon = epsilon});
    const Choice *duchi = row(choices, "duchi"), *piecewise = row(choices, "piecewise"),
                 *hybrid = row(choices, "hybrid");
    ASSERT_TRUE(duchi && piecewise && hybrid);
    EXPECT_EQ(piecewise->worst<duchi->worst, epsilon> Rational(129, 100)) << text;
    EXPECT_LE(hybrid->worst, std::min(duchi->worst, piecewise->worst) * (1 + 1e-6)) << text;
    const double e = std::exp(epsilon.get_d()), h = std::exp(epsilon.get_d() / 2);
    EXPECT_NEAR(duchi->worst, std::pow((e + 1) / (e - 1), 2), 1e-9);
    EXPECT_NEAR(piecewise->worst / (4 * h / (3 * (h - 1) * (h - 1))), 1, 1e-4) << text;
  }
}

TEST(Choose, WhatCannotBeIsRefused) {
  EXPECT_FALSE(choose_frequencies({.epsilon = 0, .domain = 10}).has_value());
  EXPECT_FALSE(choose_frequencies({.epsilon = 1, .domain = 1}).has_value());
  EXPECT_FALSE(choose_frequencies({.epsilon = 1, .domain = 10, .users = 0}).has_value());
  // too large a domain for some: they are named, and the others are there
  const auto huge = choose_frequencies({.epsilon = 1, .domain = 500'000'000});
  ASSERT_TRUE(huge.has_value());
  EXPECT_GE(huge->left_out.size(), 2);
}

}  // namespace
}  // namespace discreet::local
