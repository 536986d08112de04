// The same rows, policy, question and secret give the same bounded integers on every engine, to the
// last: where nothing is cut, and where a unit keeps one group and one row.
//
// 200 random questions of the kind that service/questions_test.cc asks (every function, NULL, NaN,
// infinities, Unicode, decimals, dates, empty tables, skew) are planned twice and run twice, with a
// survey first where bounds are to be measured. DISCREET_QUESTIONS=1000 asks more, from
// DISCREET_QUESTIONS_SEED on.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>

#include "discreet/engine/testing/private_trino.h"
#include "discreet/engine/testing/told.h"
#include "discreet/plan/survey.h"
#include "discreet/plan/testing/forger.h"
#include "discreet/random/testing/sources.h"
#include "discreet/service/testing/questions/question.h"
#include "discreet/service/testing/questions/setting.h"
#include "discreet/service/testing/two_engines.h"

namespace discreet::service {
namespace {

using engine::testing::told;
using std::string;
using testing::TwoEngines;
using testing::questions::Draw;
using testing::questions::Question;
using testing::questions::setting;

struct Tally {
  int asked = 0, compared = 0, runs = 0, refused = 0, not_there = 0, different = 0;
  std::map<string, int> reasons;
};

// Bounds under which units lose groups and rows.
struct Cut {
  std::int64_t groups, rows;
  std::optional<std::int64_t> total;
  bool groups_too = true;  // histograms of groups beside those of rows
};
// Without those of groups a server may do with counting rows by unit.
const Cut kCuts[] = {{1, 1, {}},
                     {2, 2, 3},
                     {1000, 1, 2},
                     {2, 1000, {}},
                     {5, 2, 7},
                     {1000, 2, {}, false},
                     {1000, 1000, 3, false}};

plan::PlanPart cut_to(plan::PlanPart part, const Cut& cut) {
  part.direct = false;
  part.bounds = {cut.groups, cut.rows, cut.total};
  if (part.rows_per_group != 1) part.rows_per_group = cut.rows;
  using Kind = plan::Count::Kind;
  part.left_out.clear();
  for (const auto& [kind, bins] : {std::pair{Kind::kRows, bound::kCountBins},
                                   {Kind::kGroups, bound::kCountBins},
                                   {Kind::kMost, bound::kCountBins},
                                   {Kind::kCut, std::size_t{2}},
                                   {Kind::kLost, bound::kCountBins},
                                   {Kind::kClamped, bound::kCountBins},
                                   {Kind::kKept, std::size_t{1}}}) {
    if (!cut.groups_too && (kind == Kind::kGroups || kind == Kind::kMost)) continue;
    plan::Count count;
    count.kind = kind;
    count.bins = bins;
    part.left_out.push_back(count);
  }
  return part;
}

class Comparer {
 public:
  Comparer(std::uint64_t seed, const testing::Elsewhere& elsewhere, Tally& tally)
      : seed_(seed), elsewhere_(elsewhere), both_(seed, elsewhere), tally_(tally), source_(seed) {}

  void ask_all(int questions) {
    ASSERT_TRUE(both_.open()) << both_.world().about();
    for (int i = 0; i < questions; ++i) {
      Draw draw((seed_ * 1000 + static_cast<std::uint64_t>(i)) * 104729);
      compare(random_question(draw, both_.world()), fmt::format("question {}", i));
    }
    // What they never ask: the mean of each unit's group as a whole.
    Question mean;
    mean.text = "SELECT AVG(x, contribution_bounds_per_group => (0, 50)) FROM t";
    mean.options.epsilon = 1;
    mean.options.delta = Rational(1, 1'000'000);
    compare(mean, "a mean of groups");
    // Groups alone, shown by their units.
    Question keys = mean;
    keys.text = "SELECT k FROM t GROUP BY k";
    compare(keys, "groups alone");
    // Values whose bounds nobody declares: the rows of a unit share it in their histogram.
    Question values = mean;
    values.text = "SELECT AVG(x) FROM t";
    values.options.measure_bounds = true;
    compare(values, "values that are surveyed");
  }

 private:
  void compare(const Question& question, const string& name) {
    ++tally_.asked;
    const string wrong = ask(question);
    if (wrong.empty()) return;
    ++tally_.different;
    ADD_FAILURE() << "seed " << seed_ << ", " << name << ": " << both_.world().about() << "\n"
                  << question.text << "\n"
                  << wrong;
  }

  string ask(const Question& question) {
    const auto here = both_.here().plan(question.text, question.options);
    const auto there = both_.there().plan(question.text, question.options);
    if (!here) {
      ++tally_.refused;
      if (there) return "only one of them refuses";
      // A row's price is the server's own, and asked for first.
      const string other = there.error().text();
      return other == here.error().text() || other.starts_with("one row could take about")
                 ? ""
                 : "they refuse in different words";
    }
    if (!there) {
      // What this dialect can't say is refused, with a reason of its own.
      if (there.error().code != Code::kRefused ||
          there.error().text().find("can't run this question") != string::npos)
        return "no plan: " + there.error().text();
      ++tally_.not_there;
      ++tally_.reasons[there.error().message.text()];
      return {};
    }
    if (plan::json(*here) != plan::json(*there)) return "the plans differ";
    ++tally_.compared;
    if (here->question.open) return open_differences(*here->question.open);
    for (const plan::PlanPart& part : here->parts) {
      if (part.survey)
        if (string wrong = differences(plan::survey_part(part)); !wrong.empty())
          return "survey: " + wrong;
      if (string wrong = differences(part); !wrong.empty()) return wrong;
      if (!elsewhere_.writes_reals_alike() && hashes_reals(part)) continue;
      for (const Cut& cut : kCuts)
        if (string wrong = differences(cut_to(part, cut)); !wrong.empty())
          return fmt::format("{} groups of {} rows: {}", cut.groups, cut.rows, wrong);
    }
    return {};
  }

  // Where rows are cut, which ones stay depends on the hash of such a slot.
  static bool hashes_reals(const plan::PlanPart& part) {
    return std::any_of(part.slots.begin(), part.slots.end(), [](const plan::Slot& slot) {
      return slot.kind == plan::Slot::Kind::kHash && slot.value.type == policy::Type::kDouble;
    });
  }

  string open_differences(const sql::Relation& relation) {
    const auto here = both_.duckdb().run_open(relation, both_.here().catalog(), {});
    const auto there = both_.server().run_open(relation, both_.there().catalog(), {});
    if (!here || !there) return "not answered";
    return here->size() == there->size() ? "" : "other rows";
  }

  string differences(const plan::PlanPart& part) {
    auto secret = *bound::Secret::draw(source_);
    secret.hashing = &elsewhere_.hashing();
    const auto here = both_.duckdb().run(part, both_.here().catalog(), secret, {});
    const auto there = both_.server().run(part, both_.there().catalog(), secret, {});
    ++tally_.runs;
    if (!here) return "DuckDB: " + here.error().text();
    if (!there)
      return elsewhere_.name() + ": " + there.error().text() + "\n" +
             elsewhere_.sql_of(part, both_.there().catalog());
    const auto one = told(*here, part), other = told(*there, part);
    if (one == other) return {};
    string out;
    for (std::size_t i = 0; i < std::max(one.size(), other.size()) && out.size() < 2000; ++i) {
      const string a = i < one.size() ? one[i] : "(nothing)",
                   b = i < other.size() ? other[i] : "(nothing)";
      if (a != b) out += fmt::format("\n  {:10} {}\n  {:10} {}", "DuckDB", a, elsewhere_.name(), b);
    }
    return out + "\n" + elsewhere_.sql_of(part, both_.there().catalog());
  }

  std::uint64_t seed_;
  const testing::Elsewhere& elsewhere_;
  TwoEngines both_;
  Tally& tally_;
  random::testing::Seeded source_;
};

void report(const Tally& tally) {
  fmt::print(
      "{} questions: {} compared in {} runs, {} refused, {} not to be asked there, {} different\n",
      tally.asked, tally.compared, tally.runs, tally.refused, tally.not_there, tally.different);
  for (const auto& [reason, times] : tally.reasons) fmt::print("  {:4} {}\n", times, reason);
}

TEST(Engines, GiveTheSameIntegers) {
  const ledger::testing::Postgres server;
  Tally tally;
  for (std::uint64_t seed = 0; seed < 18 && tally.different < 5; ++seed)
    Comparer(seed, testing::InPostgres(server), tally).ask_all(16);
  report(tally);
  EXPECT_GE(tally.compared, 200);
  // A dialect that refuses everything would pass all else.
  EXPECT_LE(tally.not_there * 5, tally.asked);
}

// The check can fail: with another secret, or another hash, a unit keeps other groups and rows.
TEST(Engines, AnotherChoiceIsSeen) {
  const ledger::testing::Postgres server;
  const testing::InPostgres elsewhere(server);
  TwoEngines both(5, elsewhere);
  ASSERT_TRUE(both.open());
  server.run(
      "DELETE FROM w5.t; INSERT INTO w5.t(id, u, k, x) SELECT i, i % 5, 'g' || i, 7 "
      "FROM "
      "generate_series(1, 400) i");
  sql::Options options;
  options.epsilon = 1;
  options.delta = Rational(1, 1'000'000);
  const auto plan = both.there().plan("SELECT k, COUNT(*) FROM t GROUP BY k", options);
  ASSERT_TRUE(plan) << plan.error().text();
  const plan::PlanPart part = cut_to(plan->parts[0], {2, 1, {}});
  const auto kept = [&](std::uint64_t seed) {
    random::testing::Seeded source(seed);
    auto found = both.server().run(part, both.there().catalog(), *bound::Secret::draw(source), {});
    EXPECT_TRUE(found);
    return told(*found, part);
  };
  EXPECT_EQ(kept(1), kept(1));
  EXPECT_NE(kept(1), kept(2));
}

TEST(EnginesSearch, GiveTheSameIntegers) {
  const ledger::testing::Postgres server;
  Tally tally;
  const auto questions = static_cast<int>(setting("DISCREET_QUESTIONS").value_or(0));
  std::uint64_t seed = setting("DISCREET_QUESTIONS_SEED").value_or(100);
  for (; tally.asked < questions && tally.different < 10; ++seed)
    Comparer(seed, testing::InPostgres(server), tally).ask_all(25);
  report(tally);
}

// Trino takes a good part of a second for a statement, so the first tier asks a few questions and
// the second the others.
void ask_trino(std::uint64_t worlds, int questions, int at_least) {
  if (!engine::testing::PrivateTrino::one().running())
    GTEST_SKIP() << engine::testing::PrivateTrino::one().why_not();
  const testing::InTrino elsewhere;
  Tally tally;
  for (std::uint64_t seed = 0; seed < worlds && tally.different < 5; ++seed)
    Comparer(seed, elsewhere, tally).ask_all(questions);
  report(tally);
  EXPECT_GE(tally.compared, at_least);
  EXPECT_LE(tally.not_there * 4, tally.asked);
}
TEST(Engines, TrinoGivesTheSameIntegers) { ask_trino(1, 8, 4); }
TEST(EnginesTrinoSlow, TrinoGivesTheSameIntegers) { ask_trino(16, 18, 200); }

}  // namespace
}  // namespace discreet::service
