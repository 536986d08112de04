// Random whole questions over random policies and odd tables, through the whole path: text, plan,
// ledger, files, DuckDB, bounding, release. At an ε at which noise vanishes and with bounds that
// nobody reaches the answers are those of plain DuckDB, with what docs/sql.md changes
// (testing/questions/question.h). And whatever the rows are:
//
//   - nothing fails: a question is answered, or refused with a reason;
//   - the plan does not depend on the rows: a neighbour (one unit's rows taken away) has the same
//   one,
//     the same refusals, and as many public groups;
//   - what is asked is what `explain` shows, and a public question has the groups that it lists.
//
// A few seeds are asked here. DISCREET_QUESTIONS=1000 asks as many more from
// DISCREET_QUESTIONS_SEED on (or a new one each time it is left out), best under the sanitizers;
// what fails says its seed, and DISCREET_QUESTIONS=1 DISCREET_QUESTIONS_SEED=… asks it again.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>

#include "discreet/engine/duckdb/duckdb.h"
#include "discreet/ledger/testing/places.h"
#include "discreet/plan/group_keys.h"
#include "discreet/plan/testing/forger.h"
#include "discreet/random/testing/sources.h"
#include "discreet/service/service.h"
#include "discreet/service/testing/questions/known.h"
#include "discreet/service/testing/questions/question.h"
#include "discreet/service/testing/questions/setting.h"

namespace discreet::service {
namespace {

using std::string;
using testing::questions::Draw;
using testing::questions::Expected;
using testing::questions::Question;
using testing::questions::setting;
using testing::questions::World;

constexpr int kQuestionsAWorld = 25;
// Each scan of a JSON file takes room for its longest object, on each thread.
const engine::Limits kLimits{.memory = 4'000'000'000, .threads = 2};

struct Tally {
  int asked = 0, answered = 0, refused = 0, wide = 0, known = 0;
};

// The least scale that there is: noise is 0 but with a probability of exp(-2^20), and a choice is
// one of the best.
plan::Plan without_noise(const plan::Plan& plan) {
  return plan::PlanForger::altered(plan, [](plan::PlanPart& part) {
    for (plan::Statistic& one : part.statistics)
      if (!plan::chooses(one.noise)) {
        one.scale = Rational(1, 1 << 20);
      } else {
        one.epsilon = 1'000'000'000;
        one.delta = Rational(1, 2);
        if (one.noise != plan::Noise::kExponential) one.sensitivity = 1;
      }
  });
}

std::size_t public_rows(const plan::Plan& plan) {
  std::size_t out = 0;
  for (const plan::PlanPart& part : plan.parts) out += plan::public_groups(part.select).size();
  return out;
}

bool all_public(const plan::Plan& plan) {
  for (const plan::PlanPart& part : plan.parts)
    if (part.selection) return false;
  return true;
}

// One side of a pair of neighbours.
struct Side {
  std::unique_ptr<Service> session;
  std::unique_ptr<engine::duckdb::Duckdb> engine;  // for what no ledger could pay

  explicit Side(const string& policy) {
    auto opened = Service::open(policy, kLimits, {}, Service::Runs::kHere);
    EXPECT_TRUE(opened) << opened.error().text();
    if (!opened) return;
    session = std::move(*opened);
    engine = std::move(*engine::duckdb::Duckdb::open(session->policy(), kLimits));
  }
};

class Asker {
 public:
  explicit Asker(std::uint64_t seed)
      : seed_(seed),
        world_(seed, folder_ / "data"),
        here_(world_.policy()),
        there_(world_.neighbour()),
        source_(seed) {}

  // Asks all questions of this seed; what is wrong is a failure of the test.
  void ask_all(Tally& tally) {
    if (!here_.session || !there_.session) {
      ADD_FAILURE() << "seed " << seed_ << ": " << world_.about();
      return;
    }
    for (int i = 0; i < kQuestionsAWorld; ++i) {
      Draw draw((seed_ * 1000 + static_cast<std::uint64_t>(i)) * 104729);
      const Question question = random_question(draw, world_);
      ++tally.asked;
      const string wrong = ask(question, draw, tally);
      if (wrong.empty()) continue;
      if (testing::questions::is_known(question.text, wrong)) {
        ++tally.known;
        continue;
      }
      ADD_FAILURE() << "seed " << seed_ << ", question " << i << ": " << world_.about()
                    << "\nours:   " << question.text << "\noracle: " << oracle_text(question)
                    << wrong;
    }
  }

 private:
  // In what the question goes wrong; empty if it doesn't.
  string ask(const Question& question, Draw& draw, Tally& tally) {
    auto plan = here_.session->plan(question.text, question.options);
    auto neighbours = there_.session->plan(question.text, question.options);
    if (plan.has_value() != neighbours.has_value()) return "only one of two neighbours has a plan";
    if (!plan) {
      ++tally.refused;
      if (plan.error().code != Code::kRefused || plan.error().message.empty())
        return "no plan, and not for the policy: " + plan.error().text();
      if (plan.error().text() != neighbours.error().text())
        return "neighbours are refused for different reasons";
      return {};
    }
    if (question.must_refuse) return "this should be refused";
    if (plan::json(*plan) != plan::json(*neighbours)) return "neighbours have different plans";
    if (plan::words(*plan, "person").empty()) return "the plan has no words";
    for (const plan::PlanPart& part : plan->parts)
      if (expected_error(part, 100, Rational(19, 20)).size() != part.select.outputs.size())
        return "not each column has an expected error";
    if (!fits_bounds(question, world_)) {
      ++tally.wide;
      return {};
    }
    string wrong;
    // With its noise through the ledger, and without it for what is compared below.
    if (!question.chooses && draw.one_in(3) && !ask(here_, *plan, wrong)) return wrong;
    const plan::Plan bare = without_noise(*plan);
    const auto answer = run(here_, bare, wrong);
    if (!answer) return wrong;
    if (draw.one_in(3)) {
      const auto other = run(there_, bare, wrong);
      if (!other) return "on the neighbour: " + wrong;
      const bool cut = std::any_of(question.parts.begin(), question.parts.end(),
                                   [](const auto& part) { return part.more_than.has_value(); });
      if (all_public(*plan) && !cut && other->rows.size() != answer->rows.size())
        return "neighbours have different numbers of public groups";
    }
    ++tally.answered;
    const std::vector<Expected> parts = expected(question, *plan, world_);
    std::vector<string> all = differences(parts, question.limit.has_value(), answer->rows);
    std::size_t rows = 0;
    for (const Expected& part : parts) rows += part.rows.size();
    if (question.limit) rows = std::min(rows, *question.limit);
    if (all_public(*plan) ? answer->rows.size() != rows : answer->rows.size() > rows)
      all.push_back(fmt::format("{} rows, expected are {}", answer->rows.size(), rows));
    const bool whole = !question.limit &&
                       std::none_of(question.parts.begin(), question.parts.end(),
                                    [](const auto& part) { return part.more_than.has_value(); });
    if (all_public(*plan) && whole && answer->rows.size() != public_rows(*plan))
      all.push_back("the rows are not the plan's public groups");
    if (question.by_first && !ordered(*answer, question))
      all.push_back("the rows are not in order");
    if (all.size() > 10) all.resize(10);
    return fmt::format("{}", fmt::join(all, "\n"));
  }

  static bool ordered(const plan::Answer& answer, const Question& question) {
    for (std::size_t i = 1; i < answer.rows.size(); ++i) {
      const policy::Value &a = answer.rows[i - 1][0].value, &b = answer.rows[i][0].value;
      if (a.null || b.null) {
        if (a.null != b.null && a.null != question.nulls_first) return false;
      } else if (question.descending ? a < b : b < a) {
        return false;
      }
    }
    return true;
  }

  bool ask(Side& side, const plan::Plan& plan, string& wrong) {
    auto reply =
        side.session->ask(plan, {.analyst = "ana", .presenting = {}, .watch = {}}, source_);
    if (!reply) {
      wrong = "not answered: " + reply.error().text();
    } else if (plan::json(*reply->plan) != plan::json(plan)) {
      wrong = "what was asked is not what was planned";
    } else if (reply->data_set.spent.epsilon < plan.cost.epsilon) {
      wrong = "what was asked was not paid for";
    }
    return wrong.empty();
  }
  std::optional<plan::Answer> run(Side& side, const plan::Plan& plan, string& wrong) {
    auto answer = run_plan(*side.engine, side.session->catalog(), plan, {}, source_);
    if (answer) return std::move(*answer);
    wrong = "not answered: " + answer.error().text();
    return {};
  }

  std::uint64_t seed_;
  ledger::testing::Folder folder_;
  World world_;
  Side here_, there_;
  random::testing::Seeded source_;
};

void report(const Tally& tally) {
  fmt::print("{} questions: {} answered, {} refused, {} with more rows than bounds, {} known\n",
             tally.asked, tally.answered, tally.refused, tally.wide, tally.known);
}

class Questions : public ::testing::TestWithParam<int> {};

constexpr int kWorldsATest = 6;

TEST_P(Questions, AreAnsweredAsPlainDuckdbDoes) {
  Tally tally;
  for (int i = 0; i < kWorldsATest; ++i)
    Asker(static_cast<std::uint64_t>(GetParam() * kWorldsATest + i)).ask_all(tally);
  report(tally);
  // A checker that refuses everything would pass all else.
  EXPECT_GE(tally.answered * 10, tally.asked * 8);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Questions, ::testing::Range(0, 10));

// Questions about public tables only are answered exactly, and need no ε.
TEST(QuestionsAboutPublicTables, AreAnsweredAsPlainDuckdbDoes) {
  const std::vector<string> kQueries = {
      "SELECT k, COUNT(*), MIN(q), MAX(r), COUNT(DISTINCT r) FROM p GROUP BY k",
      "SELECT e, COUNT(*) AS n FROM p GROUP BY e HAVING COUNT(*) > 0 ORDER BY n DESC, e LIMIT 100",
      "SELECT DISTINCT r FROM p",
      "SELECT k, q, r, e FROM p",
      "SELECT q, e FROM p ORDER BY q DESC NULLS FIRST, e LIMIT 3",
      "SELECT k FROM p UNION SELECT upper(left(k, 1000)) FROM p",
      "SELECT q FROM p EXCEPT SELECT q FROM p WHERE r > 0",
      "SELECT k FROM p INTERSECT SELECT k FROM p WHERE q IS NOT NULL",
      "SELECT k, q FROM p UNION ALL SELECT k, q FROM p WHERE k IN (SELECT k FROM p WHERE q > 0)",
      "SELECT p.k, v.a FROM p JOIN (VALUES ('a'), ('b'), ('nan')) v(a) ON p.k <= v.a",
      "SELECT p.q, o.n FROM p LEFT JOIN (SELECT q, COUNT(*) AS n FROM p GROUP BY q) o ON p.q = o.q",
      "WITH c AS (SELECT k, q FROM p WHERE q > (SELECT MIN(q) FROM p)) SELECT COUNT(*) FROM c",
      "SELECT k FROM p WHERE EXISTS (SELECT 1 FROM t WHERE FALSE)"};
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    ledger::testing::Folder folder;
    World world(seed, folder / "data");
    Side side(world.policy());
    for (const string& query : kQueries) {
      SCOPED_TRACE(fmt::format("seed {}: {}\n{}", seed, world.about(), query));
      auto plan = side.session->plan(query, {});
      if (query == kQueries.back()) {  // speaks of people
        EXPECT_FALSE(plan);
        continue;
      }
      ASSERT_TRUE(plan) << plan.error().text();
      EXPECT_EQ(plan->cost.epsilon, 0);
      auto reply = side.session->ask(*plan, {});
      ASSERT_TRUE(reply) << reply.error().text();
      EXPECT_FALSE(reply->receipt);
      const std::vector<policy::Type>& types = reply->answer.types;
      std::vector<string> names, items;
      for (std::size_t i = 0; i < types.size(); ++i) {
        names.push_back(fmt::format("c{}", i));
        items.push_back(
            testing::questions::canonical_sql({"", names.back(), types[i], {}, {}, false}));
      }
      std::multiset<std::vector<string>> ours, theirs;
      for (auto row :
           world.oracle().run(fmt::format("SELECT {} FROM ({}) AS o({})", fmt::join(items, ", "),
                                          query, fmt::join(names, ", ")))) {
        for (std::size_t i = 0; i < row.size(); ++i)
          row[i] = testing::questions::canonical(row[i], types[i]);
        theirs.insert(row);
      }
      for (const auto& row : reply->answer.rows) {
        std::vector<string> cells;
        for (std::size_t i = 0; i < row.size(); ++i)
          cells.push_back(testing::questions::canonical(row[i].value, types[i]));
        ours.insert(std::move(cells));
      }
      EXPECT_EQ(ours, theirs);
    }
  }
}

// The check can fail: each of these is one thing that was, or could be, wrong with an answer.
class BrokenAnswers : public ::testing::Test {
 protected:
  // Three public groups, and what is expected of them.
  static std::vector<Expected> wanted() {
    Expected out;
    out.key_types = {policy::Type::kDouble};
    for (const char* key : {"0", "1.5", "nan"})
      out.rows.push_back({{key}, {testing::questions::near(7, 1e-6)}, true});
    return {out};
  }
  static std::vector<plan::Cell> row(double key, std::int64_t count) {
    return {{policy::Value::number(key), {}}, {policy::Value::integer(count), {}}};
  }
  const double nan_ = std::numeric_limits<double>::quiet_NaN();
};

TEST_F(BrokenAnswers, AreSeen) {
  EXPECT_EQ(differences(wanted(), false, {row(-0.0, 7), row(1.5, 7), row(-nan_, 7)}),
            std::vector<string>{});
  // One group short, in either order.
  EXPECT_EQ(differences(wanted(), false, {row(0, 7), row(1.5, 7)}).size(), 1u);
  EXPECT_EQ(differences(wanted(), true, {row(0, 7), row(1.5, 7)}).size(), 0u);
  // −0 beside 0, and what lay in memory behind the totals.
  EXPECT_EQ(differences(wanted(), false,
                        {row(0, 7), row(-0.0, 7), row(1.5, 7), row(nan_, 94527986342480)})
                .size(),
            2u);
  EXPECT_EQ(differences(wanted(), false, {row(0, 7), row(1.5, 8), row(nan_, 7)}).size(), 1u);
  EXPECT_EQ(differences(wanted(), false, {row(0, 7), row(1.5, 7), row(nan_, 7), row(3, 0)}).size(),
            1u);
}

// The first defect that these questions were made for, made again: a plan that lists a public value
// twice (as −0 and 0 were). Each question with a public key of doubles is asked so.
TEST_F(BrokenAnswers, OfAListThatHasAValueTwice) {
  int asked = 0;
  for (std::uint64_t seed = 0; seed < 20 && asked < 5; ++seed) {
    ledger::testing::Folder folder;
    World world(seed, folder / "data");
    Side side(world.policy());
    for (std::uint64_t i = 0; i < kQuestionsAWorld && asked < 5; ++i) {
      Draw draw((seed * 1000 + i) * 104729);
      const Question question = random_question(draw, world);
      auto plan = side.session->plan(question.text, question.options);
      if (!plan || question.must_refuse || question.limit || !all_public(*plan)) continue;
      const sql::Select& select = plan->parts[0].select;
      if (select.keys.empty() || select.keys[0].type != policy::Type::kDouble) continue;
      if (question.parts[0].more_than || !fits_bounds(question, world)) continue;
      const plan::Plan bare = without_noise(*plan);
      const std::vector<Expected> parts = expected(question, bare, world);
      random::testing::Seeded source(seed);
      auto honest = run_plan(*side.engine, side.session->catalog(), bare, {}, source);
      ASSERT_TRUE(honest) << honest.error().text();
      EXPECT_TRUE(differences(parts, false, honest->rows).empty()) << question.text;
      const plan::Plan doubled = plan::PlanForger::altered(bare, [](plan::PlanPart& part) {
        std::vector<policy::Value>& values = *part.select.domains[0];
        values.push_back(policy::Value(values.front()));
      });
      auto broken = run_plan(*side.engine, side.session->catalog(), doubled, {}, source);
      EXPECT_TRUE(!broken || !differences(parts, false, broken->rows).empty()) << question.text;
      ++asked;
    }
  }
  EXPECT_EQ(asked, 5);
}

// As many combinations of public keys as may be shown, and one list more.
TEST(QuestionsOfManyGroups, AMillionCombinationsAndNoMore) {
  ledger::testing::Folder folder;
  World world(1, folder / "data");
  Side side(world.policy());
  const auto list = [](int count, const char* alias) {
    string out;
    for (int i = 0; i < count; ++i) out += fmt::format("{}({})", i ? ", " : "", i);
    return fmt::format("(VALUES {}) {}(a)", out, alias);
  };
  sql::Options options;
  options.epsilon = 10'000;
  options.max_groups = testing::questions::kMostGroups;
  options.max_rows = testing::questions::kMostRows;
  const auto ask = [&](const string& more) {
    return fmt::format(
        "SELECT v1.a, v2.a, COUNT(*) FROM t LEFT JOIN {} ON t.id = v1.a LEFT JOIN {} ON t.id = "
        "v2.a{}",
        list(1000, "v1"), list(1000, "v2"), more);
  };
  auto plan = side.session->plan(ask(" GROUP BY v1.a, v2.a"), options);
  ASSERT_TRUE(plan) << plan.error().text();
  const plan::Plan bare = without_noise(*plan);
  EXPECT_EQ(public_rows(bare), 1'000'000u);
  random::testing::Seeded source(1);
  auto answer = run_plan(*side.engine, side.session->catalog(), bare, {}, source);
  ASSERT_TRUE(answer) << answer.error().text();
  ASSERT_EQ(answer->rows.size(), 1'000'000u);
  std::int64_t counted = 0;
  for (std::size_t i = 0; i < answer->rows.size(); ++i) {
    ASSERT_EQ(answer->rows[i][0].value.whole * 1000 + answer->rows[i][1].value.whole,
              static_cast<std::int64_t>(i));
    counted += answer->rows[i][2].value.whole;
  }
  const auto there = world.oracle().run("SELECT COUNT(*) FROM t WHERE id BETWEEN 0 AND 999");
  EXPECT_EQ(counted, std::stoll(there[0][0]));
  EXPECT_GT(counted, 0);
  auto refused = side.session->plan(ask(" GROUP BY v1.a, v2.a, t.b"), options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kRefused);
}

TEST(QuestionsSearch, GoesOnForAsLongAsIsAsked) {
  const auto worlds = setting("DISCREET_QUESTIONS");
  if (!worlds) GTEST_SKIP() << "DISCREET_QUESTIONS=1000 searches on";
  const std::uint64_t first =
      setting("DISCREET_QUESTIONS_SEED")
          .value_or(static_cast<std::uint64_t>(
              std::chrono::system_clock::now().time_since_epoch().count() / 1'000'000));
  Tally tally;
  for (std::uint64_t seed = first; seed < first + *worlds; ++seed) {
    Asker(seed).ask_all(tally);
    if (seed % 20 == 0) fmt::print("seed {}: {} questions\n", seed, tally.asked), fflush(stdout);
  }
  report(tally);
}

}  // namespace
}  // namespace discreet::service
