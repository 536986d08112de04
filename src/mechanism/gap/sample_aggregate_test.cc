#include "discreet/mechanism/gap/sample_aggregate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "discreet/mechanism/door.h"
#include "discreet/mechanism/gap/blocks_needed.h"
#include "discreet/random/testing/chi_square.h"
#include "discreet/random/testing/sources.h"

namespace discreet::mechanism::gap {
namespace {

TEST(Assignment, UnitsAreSpreadEvenlyAndStayWhereTheyAre) {
  random::testing::Seeded source(1);
  const Assignment assignment = *Assignment::draw(16, source);
  std::vector<double> found(16), expected(16, 1.0 / 16);
  for (int i = 0; i < 16'000; ++i) {
    const std::string unit = "unit " + std::to_string(i);
    const std::uint64_t block = *assignment.block_of(unit);
    ASSERT_LT(block, 16U);
    EXPECT_EQ(*assignment.block_of(unit), block);
    found[block] += 1;
  }
  EXPECT_GT(random::testing::goodness_of_fit(found, expected), random::testing::kFalseAlarm);
}

TEST(Assignment, AnotherKeyMovesThem) {
  random::testing::Seeded source(1);
  const Assignment one = *Assignment::draw(16, source), other = *Assignment::draw(16, source);
  std::vector<double> found(16), expected(16, 1.0 / 16);
  for (int i = 0; i < 16'000; ++i) {
    const std::string unit = std::to_string(i);
    found[(*one.block_of(unit) + 16 - *other.block_of(unit)) % 16] += 1;
  }
  EXPECT_GT(random::testing::goodness_of_fit(found, expected), random::testing::kFalseAlarm);
}

TEST(Assignment, WhatIsRefused) {
  EXPECT_FALSE(Assignment::draw(0).has_value());
  EXPECT_FALSE(Assignment::draw(kMostBlocks + 1).has_value());
  random::testing::Failing failing(0);
  EXPECT_FALSE(Assignment::draw(2, failing).has_value());
}

struct Row {
  std::string unit;
  int value;
};

class Open : private Door {
 public:
  template <class T>
  static const T& of(const Exact<T>& exact) {
    return open(exact);
  }
};

std::vector<int> sums(const Assignment& assignment, const std::vector<Row>& rows) {
  const auto answers = block_answers(
      assignment, std::span<const Row>(rows),
      [](const Row& row) -> std::string_view { return row.unit; },
      [](std::span<const Row> block) -> std::optional<int> {
        int sum = 0;
        for (const Row& row : block) sum += row.value;
        if (sum == 13) throw std::runtime_error("a block that has a secret");
        if (block.empty()) return {};
        return sum;
      },
      -1);
  return Open::of(*answers);
}

TEST(BlockAnswers, AUnitChangesOneAnswer) {
  random::testing::Seeded source(5);
  const Assignment assignment = *Assignment::draw(10, source);
  std::vector<Row> rows;
  for (int i = 0; i < 60; ++i) rows.push_back({"unit " + std::to_string(i % 20), 100 + i});
  const std::vector<int> all = sums(assignment, rows);
  ASSERT_EQ(all.size(), 10U);
  for (int unit = 0; unit < 20; ++unit) {
    std::vector<Row> less = rows;
    std::erase_if(less, [&](const Row& row) { return row.unit == "unit " + std::to_string(unit); });
    const std::vector<int> without = sums(assignment, less);
    int changed = 0;
    for (std::size_t i = 0; i < all.size(); ++i) changed += int(all[i] != without[i]);
    EXPECT_EQ(changed, 1);
  }
}

TEST(BlockAnswers, ABlockThatFailsGivesTheDefault) {
  const Assignment assignment = *Assignment::draw(1);
  EXPECT_EQ(sums(assignment, {{"a", 13}}), std::vector<int>{-1});  // throws
  EXPECT_EQ(sums(assignment, {}), std::vector<int>{-1});           // has no answer
  EXPECT_EQ(sums(assignment, {{"a", 12}}), std::vector<int>{12});
}

// D + discrete Laplace(1) ≥ 15: what (1, 1e-6) asks for.
Ball passes(std::int64_t distance, long bits) {
  const std::int64_t away = 15 - distance;
  const Ball alpha = exp(Ball(-1), bits), all = add(Ball(1), alpha, bits);
  if (away > 0) return div(pow(alpha, static_cast<unsigned long>(away), bits), all, bits);
  return sub(Ball(1), div(pow(alpha, static_cast<unsigned long>(1 - away), bits), all, bits), bits);
}

TEST(BlocksNeeded, TheChanceIsThatOfAllOutcomes) {
  // By hand for three blocks: all right (distance 2), or two of three (distance 1).
  const double expected =
      std::pow(0.9, 3) * passes(2, 96).middle() + 3 * 0.81 * 0.1 * passes(1, 96).middle();
  EXPECT_NEAR(chance_of_right_mode(passes, 3, Rational(9, 10), 96).middle(), expected, 1e-18);
  // An even number that is split evenly isn't right.
  EXPECT_NEAR(chance_of_right_mode(passes, 2, Rational(9, 10), 96).middle(),
              0.81 * passes(1, 96).middle(), 1e-18);
}

TEST(BlocksNeeded, IsTheLeast) {
  for (const Rational& accuracy : {Rational(1), Rational(9, 10), Rational(7, 10)})
    for (const Rational& wanted : {Rational(1, 2), Rational(19, 20)}) {
      const std::int64_t blocks = *blocks_needed(passes, accuracy, wanted);
      EXPECT_GE(chance_of_right_mode(passes, blocks, accuracy, 96).lower(), wanted.get_d());
      for (std::int64_t less = 1; less < blocks; ++less)
        EXPECT_LT(chance_of_right_mode(passes, less, accuracy, 96).upper(), wanted.get_d());
    }
  EXPECT_EQ(*blocks_needed(passes, 1, Rational(1, 2)), 29);  // ⌈29/2⌉ = 15
}

TEST(BlocksNeeded, WhatIsRefused) {
  EXPECT_FALSE(blocks_needed(passes, Rational(1, 2), Rational(19, 20)).has_value());
  EXPECT_FALSE(blocks_needed(passes, Rational(9, 10), 1).has_value());
  EXPECT_FALSE(blocks_needed(passes, Rational(3, 2), Rational(1, 2)).has_value());
  EXPECT_FALSE(blocks_needed(passes, Rational(50'001, 100'000), Rational(1, 2)).has_value());
}

}  // namespace
}  // namespace discreet::mechanism::gap
