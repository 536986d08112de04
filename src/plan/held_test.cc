// What is held between a survey and its answer is enough for both, and for no other part.
#include "discreet/plan/held.h"

#include <gtest/gtest.h>

#include "discreet/bound/contributions.h"
#include "discreet/plan/shape.h"
#include "discreet/plan/survey.h"
#include "discreet/plan/testing/planned.h"
#include "discreet/random/testing/sources.h"

namespace discreet::plan {
namespace {

class Held : public testing::Planned {
 protected:
  Plan asked(const std::string& query, const std::string& table = testing::kTypes) {
    auto made = plan(table, query, "1e-6");
    EXPECT_TRUE(made) << made.error().text();
    EXPECT_FALSE(made->settled());
    return *made;
  }
};

constexpr const char* kAll =
    "SELECT g, COUNT(*), COUNT(x), SUM(x), AVG(n), STDDEV(x), MAX(n) FROM t GROUP BY g";

TEST_F(Held, NumbersAreHeldOnceAndAsTheyAre) {
  const Plan one = asked("SELECT g, SUM(x), AVG(x), STDDEV(x) FROM t GROUP BY g");
  const PlanPart held = held_part(one.parts[0]);
  std::size_t numbers = 0;
  for (const Slot& slot : held.slots) numbers += slot.kind == Slot::Kind::kReal;
  EXPECT_EQ(numbers, 1u);
  EXPECT_TRUE(held.left_out.empty());
  EXPECT_TRUE(held.statistics.empty());
}

// Whatever the survey shows, the part that it leads to is made of what is held.
TEST_F(Held, TheSurveyAndTheAnswerFindTheirSlots) {
  for (const char* query : {kAll, "SELECT COUNT(DISTINCT n) FROM t", "SELECT AVG(x + n) FROM t",
                            "SELECT COUNT(*) FROM t"}) {
    const Plan one = asked(query);
    const PlanPart held = held_part(one.parts[0]);
    const auto of_survey = held_places(held, survey_part(one.parts[0]));
    ASSERT_TRUE(of_survey) << query;
    EXPECT_EQ(of_survey->size(), one.parts[0].survey->slots.size());
    Profile measured;
    for (const Count& count : one.parts[0].survey->counts) {
      std::vector<std::int64_t> bins(count.bins);
      bins[std::min<std::size_t>(count.bins - 1, 3)] = 1'000'000;
      measured.add({count.key, count.slot ? one.parts[0].survey->slots[*count.slot].exponent : 0,
                    std::move(bins), count.epsilon});
    }
    const auto settled = settle(one, catalog_, measured);
    ASSERT_TRUE(settled) << settled.error().text();
    const auto places = held_places(held, settled->parts[0]);
    ASSERT_TRUE(places) << query;
    for (std::size_t s = 0; s < places->size(); ++s) {
      const Slot& slot = settled->parts[0].slots[s];
      EXPECT_EQ(held.slots[(*places)[s]].value, slot.value) << query;
      EXPECT_EQ(held.slots[(*places)[s]].kind,
                slot_column(slot) == bound::Column::Kind::kReal ? Slot::Kind::kReal : slot.kind);
    }
  }
}

TEST_F(Held, WhatIsntHeldIsntFound) {
  const PlanPart held = held_part(asked("SELECT g, SUM(x) FROM t GROUP BY g").parts[0]);
  EXPECT_FALSE(held_places(held, asked("SELECT g, SUM(n) FROM t GROUP BY g").parts[0]));
  EXPECT_FALSE(held_places(held, asked("SELECT g, SUM(x + 1) FROM t GROUP BY g").parts[0]));
}

}  // namespace
}  // namespace discreet::plan
