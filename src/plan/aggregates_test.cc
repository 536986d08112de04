// An aggregate is a row of one table: with another row there is another aggregate, from the query's
// text to the answer.
#include "discreet/plan/aggregates.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "discreet/engine/duckdb/calculator.h"
#include "discreet/engine/duckdb/duckdb.h"
#include "discreet/mechanism/noise.h"
#include "discreet/plan/canonical.h"
#include "discreet/plan/release.h"
#include "discreet/random/testing/sources.h"
#include "discreet/sql/parse.h"

namespace discreet::plan {
namespace {

using engine::duckdb::calculator;

// √(Σx²/n), from the moments that a variance is made of.
Cell root_mean_square(const Finishing& from) {
  const double n = std::max(1.0, from.number(0)), beside = from.number(1) / n;
  const double center =
      std::ldexp(static_cast<double>(from.last.center), from.part.slots[*from.last.slot].exponent);
  const double square = from.number(2) / n + 2 * center * beside + center * center;
  return {Value::number(std::sqrt(std::max(0.0, square))), {}};
}

class OneMore : public ::testing::Test {
 protected:
  static std::vector<AggregateRow> with(AggregateRow row) {
    std::vector<AggregateRow> out = aggregates().rows();
    out.push_back(std::move(row));
    return out;
  }
  static AggregateRow toy() {
    return {{.name = "RMS", .called = {"RMS"}, .spellings = {{"rms", true}, {"root_mean_square"}}},
            {Made::kValues, Made::kCentered, Made::kSquares},
            root_mean_square};
  }

  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("discreet-toy-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    std::ofstream rows(folder_ / "t.csv");
    rows << "who,x\n";
    for (int i = 0; i < 2000; ++i) rows << i << "," << (i % 2 ? 3 : 7) << "\n";
    rows.close();
    policy_ = *policy::Policy::parse(
        "[policy]\nname = \"p\"\nunit = \"u\"\nbudget = { epsilon = 1 }\n[tables.t]\nsource = "
        "\"t.csv\"\nkey = \"who\"\ncolumns.x = { type = \"integer\", range = [0, 10] }\n",
        (folder_ / "p.toml").string(), folder_.string());
    engine_ = *engine::duckdb::Duckdb::open(policy_, {.memory = 400'000'000, .threads = 1});
    catalog_ = *policy::make_catalog(policy_, *engine_->schemas());
    options_.epsilon = 1000;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Result<Plan> planned(const std::string& query, const Aggregates& table) {
    auto question = sql::check(*sql::parse(query), catalog_, {calculator(), table.forms()});
    if (!question) return forward_error(question);
    return make_plan(std::move(*question), catalog_, options_, table);
  }

  std::filesystem::path folder_;
  policy::Policy policy_;
  std::unique_ptr<engine::duckdb::Duckdb> engine_;
  Catalog catalog_;
  Options options_;
};

TEST_F(OneMore, RowIsOneMoreAggregate) {
  const Aggregates table(with(toy()));
  const std::string query = "SELECT RMS(x), ROOT_MEAN_SQUARE(x), COUNT(*) FROM t HAVING RMS(x) > 1";
  const auto plan = planned(query, table);
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(plan->parts[0].select.aggregates.size(), 2u);  // the same again is the same number
  EXPECT_EQ(plan->parts[0].statistics.size(), 4u);
  EXPECT_NE(canonical_query(*plan).find("RMS(c"), std::string::npos);
  EXPECT_NE(words(*plan, "person").find("sum of squares"), std::string::npos);
  random::testing::Seeded source(3);
  const auto secret = *bound::Secret::draw(source);
  std::vector<bound::Contributions> contributions;
  contributions.push_back(*engine_->run(plan->parts[0], catalog_, secret, {}));
  const auto answer = release(*plan, contributions, {}, calculator(), source);
  ASSERT_TRUE(answer) << answer.error().text();
  ASSERT_EQ(answer->rows.size(), 1u);
  EXPECT_NEAR(answer->rows[0][0].value.real, std::sqrt((9 + 49) / 2.0), 0.05);
  // In every other way it is an aggregate like the others.
  for (const char* refused :
       {"SELECT RMS(who) FROM t", "SELECT RMS('a') FROM t", "SELECT RMS(x + RMS(x)) FROM t",
        "SELECT RMS(DISTINCT x) FROM t", "SELECT COUNT(*) FROM t WHERE RMS(x) > 1",
        "SELECT COUNT(*) FROM (SELECT who, RMS(x) FROM t GROUP BY who)"})
    EXPECT_FALSE(planned(refused, table)) << refused;
}

// An interval of a ratio holds where those of all its numbers do: each has its part of what may go
// wrong.
TEST_F(OneMore, NumbersThatAreUsedTogetherShareTheErrorProbability) {
  static std::vector<double> margins;
  AggregateRow row = toy();
  row.finish = [](const Finishing& from) {
    margins.clear();
    for (std::size_t i = 0; i < from.numbers.size(); ++i)
      margins.push_back((from.range(i).second - from.range(i).first) / 2);
    return Cell{Value::number(0), {}};
  };
  const Aggregates table(with(row));
  options_.epsilon = 1;
  for (const Rational& confidence : {Rational(19, 20), Rational(1, 2)}) {
    const auto plan = planned("SELECT RMS(x) FROM t", table);
    ASSERT_TRUE(plan) << plan.error().text();
    random::testing::Seeded source(3);
    const auto secret = *bound::Secret::draw(source);
    std::vector<bound::Contributions> contributions;
    contributions.push_back(*engine_->run(plan->parts[0], catalog_, secret, {}));
    ASSERT_TRUE(release(*plan, contributions, {.confidence = confidence}, calculator(), source));
    ASSERT_EQ(margins.size(), 3u);
    for (std::size_t s = 0; s < 3; ++s) {
      const Statistic& one = plan->parts[0].statistics[s];
      const Rational finer = Integer(1) << static_cast<unsigned>(one.weight_bits);
      const auto noise = *mechanism::discrete_laplace(one.scale * finer);
      const double step = std::ldexp(1.0, one.exponent - one.weight_bits);
      EXPECT_DOUBLE_EQ(margins[s], noise->quantile((1 - confidence) / 3).get_d() * step);
      EXPECT_GT(margins[s], noise->quantile(1 - confidence).get_d() * step);
    }
  }
}

TEST_F(OneMore, WithoutItsRowItIsUnknown) {
  EXPECT_FALSE(planned("SELECT RMS(x) FROM t", aggregates()));
  // A question that was checked with one table can't be planned with another.
  const Aggregates table(with(toy()));
  auto question =
      sql::check(*sql::parse("SELECT RMS(x) FROM t"), catalog_, {calculator(), table.forms()});
  ASSERT_TRUE(question);
  const auto plan = make_plan(*question, catalog_, options_);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, Code::kFailure);
}

// The broken twin: a row that adds up values which nothing bounds must not become a plan.
TEST_F(OneMore, RowThatCannotBeBoundedIsNotPlanned) {
  AggregateRow broken = toy();
  broken.form.of = sql::AggregateForm::Of::kAnything;
  broken.form.gives = sql::AggregateForm::Gives::kCount;  // a count is asked for no bounds
  const Aggregates table(with(broken));
  options_.assume_bounds = true;
  const auto plan = planned("SELECT RMS(x) FROM t", table);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, Code::kRefused);
  options_.assume_bounds = false;  // they are measured, and it can't be run before
  EXPECT_FALSE(planned("SELECT RMS(x) FROM t", table)->settled());
}

TEST(Aggregates, NamesMeanOneThing) {
  std::set<std::string_view> names;
  for (const AggregateRow& row : aggregates().rows()) {
    EXPECT_TRUE(names.insert(row.form.name).second) << row.form.name;
    EXPECT_FALSE(row.made_of.empty()) << row.form.name;
    EXPECT_FALSE(row.form.spellings.empty()) << row.form.name;
  }
  const auto offered = aggregate_names();
  EXPECT_EQ(std::count(offered.begin(), offered.end(), "COUNT"), 1);
  EXPECT_EQ(std::count(offered.begin(), offered.end(), "STDDEV_SAMP"), 1);
}

}  // namespace
}  // namespace discreet::plan
