// A survey and its answer are made of one reading of the rows, as if each had read them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>

#include "discreet/engine/testing/one_table.h"
#include "discreet/engine/testing/told.h"
#include "discreet/plan/survey.h"
#include "discreet/random/testing/sources.h"

namespace discreet::engine::duckdb {
namespace {

using std::string;
using testing::told;

class Reader : public testing::OneTable {
 protected:
  // Some people have many rows, some values are NULL or beyond their range.
  void write(int units, int offset = 0) {
    std::ofstream rows(place_ + "/t.csv");
    rows << "u,k,x,s\n";
    for (int unit = 0; unit < units; ++unit)
      for (int i = 0; i < (unit % 50 == 0 ? 200 : 1 + unit % 7); ++i)
        rows << unit << "," << (unit + i) % 5 << ","
             << ((unit + i) % 11 == 0 ? "" : std::to_string((unit * 37 + i + offset) % 1300 - 50))
             << ",word" << i % 9 << "\n";
  }
  std::unique_ptr<Duckdb> open_table(const Limits& limits = {.threads = 2}) {
    auto out = open("t.csv", limits, "");
    random::testing::Seeded source(5);
    secret_ = *bound::Secret::draw(source);
    return out;
  }
  // The survey, and the answer by the bounds that it leads to.
  struct Both {
    std::vector<string> survey, answer;
    friend bool operator==(const Both&, const Both&) = default;
  };
  template <class Run>
  Both both(
      const plan::Plan& asked, Run&& run, const std::function<void()>& between = [] {}) {
    Both out;
    const plan::PlanPart survey = plan::survey_part(asked.parts[0]);
    const auto counted = run(survey);
    EXPECT_TRUE(counted) << counted.error().text();
    if (!counted) return out;
    out.survey = told(*counted, survey);
    random::testing::Seeded source(6);
    const auto profile = plan::release_survey(asked.parts[0], *counted, source);
    EXPECT_TRUE(profile) << profile.error().text();
    if (!profile) return out;
    const auto settled = plan::settle(asked, catalog_, *profile);
    EXPECT_TRUE(settled) << settled.error().text();
    if (!settled) return out;
    between();
    const auto answered = run(settled->parts[0]);
    EXPECT_TRUE(answered) << answered.error().text();
    if (answered) out.answer = told(*answered, settled->parts[0]);
    return out;
  }
  Both read_twice(Duckdb& engine, const plan::Plan& asked) {
    return both(
        asked, [&](const plan::PlanPart& part) { return engine.run(part, catalog_, secret_, {}); });
  }
  Both read_once(
      Duckdb& engine, const plan::Plan& asked, const std::function<void()>& between = [] {}) {
    const auto reader = engine.reader(asked.parts[0], catalog_, secret_);
    return both(
        asked, [&](const plan::PlanPart& part) { return reader->run(part, {}); }, between);
  }

  bound::Secret secret_;
};

constexpr const char* kQuestions[] = {
    "SELECT k, COUNT(*), SUM(x), AVG(x), COUNT(x) FROM t GROUP BY k",
    "SELECT COUNT(*), SUM(x * x) FROM t WHERE k < '3'",
    "SELECT k, COUNT(DISTINCT u), COUNT(DISTINCT s), COUNT(DISTINCT x) FROM t GROUP BY k",
    "SELECT s, MEDIAN(x, contribution_bounds_per_row => (0, 100)) FROM t GROUP BY s",
};

TEST_F(Reader, GivesWhatTwoReadingsGive) {
  write(2000);
  const auto engine = open_table();
  ASSERT_TRUE(engine);
  for (const char* question : kQuestions) {
    const plan::Plan asked = plan(question);
    ASSERT_FALSE(asked.settled()) << question;
    EXPECT_EQ(read_once(*engine, asked), read_twice(*engine, asked)) << question;
  }
}

// What is written between the two doesn't count: bounds are those of the rows that they bound.
TEST_F(Reader, ReadsOnce) {
  write(2000);
  const auto engine = open_table();
  ASSERT_TRUE(engine);
  for (const char* question : kQuestions) {
    write(2000);
    const plan::Plan asked = plan(question);
    const Both before = read_twice(*engine, asked);
    EXPECT_EQ(read_once(*engine, asked, [&] { write(2000, 400); }), before) << question;
    // The check can fail: a second reading is of other rows.
    EXPECT_NE(read_twice(*engine, asked), before) << question;
  }
}

// Where the rows don't fit they are read as before.
TEST_F(Reader, ReadsAgainWhereRowsDontFit) {
  write(250'000);
  const auto small = open_table({.memory = 3'000'000, .threads = 2});
  ASSERT_TRUE(small);
  const plan::Plan asked = plan(kQuestions[0]);
  const Both twice = read_twice(*small, asked);
  EXPECT_EQ(read_once(*small, asked), twice);
  bool changed = false;
  const Both other = read_once(*small, asked, [&] {
    write(250'000, 400);
    changed = true;
  });
  EXPECT_TRUE(changed);
  EXPECT_EQ(other.survey, twice.survey);
  EXPECT_NE(other.answer, twice.answer);
}

// Rows that are held take the place of a query, until the reader is gone.
TEST_F(Reader, HoldsItsSeat) {
  write(100);
  const auto engine = open_table({.threads = 1, .queries = 1});
  ASSERT_TRUE(engine);
  const plan::Plan asked = plan(kQuestions[0]);
  const plan::PlanPart survey = plan::survey_part(asked.parts[0]);
  const std::atomic<bool> stop{true};
  Watch stopped;
  stopped.stop = &stop;
  {
    const auto reader = engine->reader(asked.parts[0], catalog_, secret_);
    ASSERT_TRUE(reader->run(survey, {}));
    const auto waiting = engine->run(survey, catalog_, secret_, stopped);
    ASSERT_FALSE(waiting);
    EXPECT_EQ(waiting.error().code, Code::kInterrupted);
  }
  EXPECT_TRUE(engine->run(survey, catalog_, secret_, {}));
}

// A reading that is stopped leaves nothing that could be taken for its rows.
TEST_F(Reader, EndsWhenItIsStopped) {
  write(250'000);
  const auto engine = open_table({.threads = 1, .queries = 1});
  ASSERT_TRUE(engine);
  const plan::Plan asked = plan(kQuestions[0]);
  const plan::PlanPart survey = plan::survey_part(asked.parts[0]);
  std::atomic<bool> stop{true};
  Watch stopped;
  stopped.stop = &stop;
  {
    const auto reader = engine->reader(asked.parts[0], catalog_, secret_);
    const auto ended = reader->run(survey, stopped);
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().code, Code::kInterrupted);
  }
  EXPECT_EQ(read_once(*engine, asked), read_twice(*engine, asked));
}

}  // namespace
}  // namespace discreet::engine::duckdb
