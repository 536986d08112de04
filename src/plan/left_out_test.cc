// What the bounds left out, from counts whose noise is known.
#include "discreet/plan/left_out.h"

#include <gtest/gtest.h>

#include <cmath>

#include "discreet/bound/scale.h"
#include "discreet/plan/testing/planned.h"
#include "discreet/random/testing/sources.h"

namespace discreet::plan {
namespace {

using Kind = Count::Kind;

class WhatIsLeftOut : public testing::Planned {
 protected:
  PlanPart part_of(const std::string& about, const std::string& query, const char* delta = "0") {
    const auto made = plan(std::string(testing::kRanges) + about, query, delta);
    EXPECT_TRUE(made) << made.error().text();
    return made->parts[0];
  }
  // Units that were cut and weren't, rows that were kept, rows that each cut unit lost, and how
  // many of a unit's values were clamped.
  struct People {
    std::int64_t whole = 0, cut = 0, kept = 0;
    std::uint64_t lost = 0, clamped = 0;
  };
  static LeftOut measured(PlanPart part, const People& people, const Rational& epsilon,
                          const Rational& confidence = Rational(19, 20), std::uint64_t seed = 1) {
    bound::Contributions::Parts parts;
    for (Count& count : part.left_out) {
      count.epsilon = epsilon;
      auto& bins = parts.tallies.emplace_back(count.bins);
      if (count.kind == Kind::kCut) bins = {people.whole, people.cut};
      if (count.kind == Kind::kKept) bins = {people.kept};
      if (count.kind == Kind::kLost) {
        bins[0] = people.whole;
        bins[bound::count_bin(people.lost)] += people.cut;
      }
      if (count.kind == Kind::kClamped)
        bins[bound::count_bin(people.clamped)] = people.whole + people.cut;
    }
    random::testing::Seeded source(seed);
    const auto out =
        measure_left_out(part, bound::Contributions(std::move(parts)), {}, confidence, source);
    EXPECT_TRUE(out);
    return *out;
  }
};

constexpr const char* kBounds = "max_groups = 3\nmax_rows_per_group = 4\n";
constexpr const char* kQuery = "SELECT g, SUM(n) FROM t GROUP BY g";

TEST_F(WhatIsLeftOut, SharesAreOfTheWhole) {
  const PlanPart part = part_of(kBounds, kQuery);
  ASSERT_EQ(part.left_out.size(), 4u);
  // Without noise to speak of: 3000 units lose 16 rows each, 9000 lose none; 96000 rows are kept.
  const LeftOut out = measured(
      part, {.whole = 9000, .cut = 3000, .kept = 96'000, .lost = 16, .clamped = 2}, 1'000'000);
  EXPECT_EQ(out.state, LeftOut::State::kMeasured);
  EXPECT_NEAR(out.units.share, 0.25, 1e-3);
  EXPECT_NEAR(out.units.lower, 0.25, 1e-3);
  EXPECT_NEAR(out.units.upper, 0.25, 1e-3);
  // The bin of 16 holds 13 to 16; a tenth on both sides is for where in it they are.
  const auto of = [](double lost) { return lost / (lost + 96'000); };
  EXPECT_NEAR(out.rows.share, of(3000 * 14.5), 1e-3);
  EXPECT_NEAR(out.rows.lower, of(0.9 * 3000 * 14.5), 1e-3);
  EXPECT_NEAR(out.rows.upper, of(1.1 * 3000 * 14.5), 1e-3);
  ASSERT_TRUE(out.clamped);
  EXPECT_NEAR(out.clamped->share, 24'000.0 / 96'000, 1e-3);
}

// With m = b·ln(2/β), units are (c ± m) of (c ± m) + (w ∓ m): half of what may go wrong for each.
TEST_F(WhatIsLeftOut, IntervalsHaveRoomForTheNoiseOfBothNumbers) {
  const PlanPart part = part_of(kBounds, kQuery);
  constexpr std::int64_t kMany = 1'000'000'000'000;
  for (const Rational& confidence : {Rational(19, 20), Rational(1, 2)}) {
    const LeftOut out = measured(part, {.whole = kMany, .cut = kMany, .kept = kMany, .lost = 1},
                                 Rational(1, 1000), confidence);
    const double m = 1000 * std::log(2 / (1 - to_double(confidence)));
    EXPECT_NEAR((out.units.upper - out.units.lower) / 2 * 2 * kMany, m, 0.01 * m);
    EXPECT_NEAR((out.units.upper - out.units.share) * 2 * kMany, m, 0.01 * m);
  }
}

// 160 units that lose about 1000 rows each, in noise of 20: too few to be sure of, too many to be
// ruled out. They have three rows in five.
TEST_F(WhatIsLeftOut, WhatNoiseMayHideIsNotRuledOut) {
  const PlanPart part = part_of(kBounds, kQuery);
  int holds = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    holds += measured(part, {.whole = 10'000, .cut = 160, .kept = 100'000, .lost = 1000},
                      Rational(1, 20), Rational(19, 20), seed)
                 .rows.upper >= 0.5;
  EXPECT_GT(holds, 20);
}

TEST_F(WhatIsLeftOut, NothingIsWhereItIsPromised) {
  const char* grouped = "SELECT g, COUNT(*) FROM t GROUP BY g";
  EXPECT_TRUE(can_leave_out(part_of(kBounds, grouped)));
  EXPECT_TRUE(can_leave_out(part_of("max_groups = 1\nmax_rows_per_group = 9\n", grouped)));
  EXPECT_FALSE(can_leave_out(part_of("rows_per_unit = 2\n", grouped)));
  EXPECT_FALSE(can_leave_out(part_of("rows_per_unit = 1\n", "SELECT COUNT(*) FROM t")));
  EXPECT_FALSE(can_leave_out(part_of(kBounds, "SELECT COUNT(DISTINCT who) FROM t")));
  // As many groups as rows have to be let in; a promise of rows alone isn't enough.
  PlanPart part = part_of("rows_per_unit = 3\n", grouped);
  ASSERT_FALSE(can_leave_out(part));
  part.bounds.groups = 2;
  part.bounds.rows = 3;
  EXPECT_TRUE(can_leave_out(part));
  part.bounds = {3, 2, {}};
  EXPECT_TRUE(can_leave_out(part));
  part.bounds = {3, 3, 2};
  EXPECT_TRUE(can_leave_out(part));
}

}  // namespace
}  // namespace discreet::plan
