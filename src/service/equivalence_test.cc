// Random questions about random, odd data, asked at an ε at which the noise vanishes and with
// bounds that nobody reaches: the answers are those of plain DuckDB. Each piece of a question is
// written twice (testing/twice.h).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include "discreet/engine/duckdb/calculator.h"
#include "discreet/engine/duckdb/duckdb.h"
#include "discreet/ledger/testing/places.h"
#include "discreet/plan/group_keys.h"
#include "discreet/plan/testing/forger.h"
#include "discreet/random/testing/sources.h"
#include "discreet/service/service.h"
#include "discreet/service/testing/plain_duckdb.h"
#include "discreet/service/testing/twice.h"

namespace discreet::service {
namespace {

using std::string;
using testing::kNull;
using testing::questions::Draw;
using testing::twice::kDates;
using testing::twice::kReals;
using testing::twice::kTexts;
using testing::twice::kTimes;
using testing::twice::kTruths;
using testing::twice::kWards;
using testing::twice::kWholes;
using testing::twice::make;
using testing::twice::Questions;
using testing::twice::same;
using testing::twice::Text;

class Equivalence : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    const int seed = GetParam();
    draw_ = std::make_unique<Draw>(static_cast<std::uint64_t>(seed) * 7919);
    const string place = folder_ / "data";
    std::filesystem::create_directories(place);
    const bool text_unit = seed % 2 == 1;
    const string format =
        std::vector<string>{"csv", "parquet", "duckdb"}[static_cast<std::size_t>(seed) % 3];
    // Odd rows, as they are in the file.
    oracle_.run(
        fmt::format("CREATE TABLE t_raw (id BIGINT, u {}, x DOUBLE, y DOUBLE, i BIGINT, j BIGINT, "
                    "m DECIMAL(18, 4), k VARCHAR, w "
                    "VARCHAR, d DATE, z TIMESTAMP, b BOOLEAN)",
                    text_unit ? "VARCHAR" : "BIGINT"));
    const auto unit = [&]() -> string {
      const std::size_t who = draw_->below(14);
      if (who == 0) return "NULL";
      return text_unit ? fmt::format("'person {}'", who) : fmt::format("{}", who * 1000003);
    };
    for (int row = 0; row < 120; ++row)
      oracle_.run(fmt::format(
          "INSERT INTO t_raw VALUES ({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {})",
          draw_->one_in(10) ? "NULL" : fmt::format("{}", draw_->below(60)), unit(),
          draw_->from(kReals), draw_->from(kReals), draw_->from(kWholes), draw_->from(kWholes),
          draw_->one_in(5) ? "NULL" : fmt::format("{}.25", draw_->below(90)), draw_->from(kTexts),
          draw_->from(kWards), draw_->from(kDates), draw_->from(kTimes), draw_->from(kTruths)));
    oracle_.run(
        fmt::format("CREATE TABLE s_raw (u {}, y BIGINT)", text_unit ? "VARCHAR" : "BIGINT"));
    for (int row = 0; row < 25; ++row)
      oracle_.run(fmt::format("INSERT INTO s_raw VALUES ({}, {})", unit(), draw_->below(10)));
    oracle_.run("CREATE TABLE l_raw (tid BIGINT, v BIGINT)");
    for (int row = 0; row < 60; ++row)
      oracle_.run(fmt::format("INSERT INTO l_raw VALUES ({}, {})",
                              draw_->one_in(8) ? "NULL" : fmt::format("{}", draw_->below(70)),
                              draw_->below(10)));
    oracle_.run("CREATE TABLE p_raw (k VARCHAR, q BIGINT)");
    for (int row = 0; row < 12; ++row)
      oracle_.run(
          fmt::format("INSERT INTO p_raw VALUES ({}, {})", draw_->from(kTexts), draw_->below(5)));
    // As queries see them.
    oracle_.run(
        "CREATE VIEW t AS SELECT * REPLACE (CASE WHEN d BETWEEN '0001-01-01' AND '9999-12-31' THEN "
        "d "
        "END AS d, CASE WHEN z BETWEEN '0001-01-01' AND '9999-12-31' THEN z END AS z) FROM t_raw "
        "WHERE u IS NOT NULL");
    oracle_.run("CREATE VIEW s AS SELECT * FROM s_raw WHERE u IS NOT NULL");
    oracle_.run(
        "CREATE VIEW l AS SELECT l_raw.*, owner.u FROM l_raw JOIN (SELECT DISTINCT id, u FROM t) "
        "owner ON tid = id");
    oracle_.run("CREATE VIEW p AS SELECT * FROM p_raw");
    if (format == "duckdb") {
      oracle_.run(fmt::format("ATTACH '{}/all.duckdb' AS file", place));
      for (const char* name : {"t", "s", "l", "p"})
        oracle_.run(fmt::format("CREATE TABLE file.{0} AS SELECT * FROM {0}_raw", name));
      oracle_.run("DETACH file");
    } else {
      for (const char* name : {"t", "s", "l", "p"})
        oracle_.run(fmt::format("COPY {0}_raw TO '{1}/{0}.{2}' (FORMAT {2})", name, place, format));
    }
    const auto source = [&](const char* name) {
      return format == "duckdb" ? fmt::format("all.duckdb#{}", name)
                                : fmt::format("{}.{}", name, format);
    };
    const char* type = text_unit ? "text" : "integer";
    std::ofstream(place + "/policy.toml")
        << fmt::format(R"([policy]
name = "equivalence"
unit = "person"
budget = {{ epsilon = 1 }}
[tables.t]
source = "{}"
key = "u"
columns.id = {{ type = "integer" }}
columns.u = {{ type = "{}" }}
columns.x = {{ type = "double", range = [-50, 50] }}
columns.i = {{ type = "integer", range = [-100, 100] }}
columns.y = {{ type = "double" }}
columns.j = {{ type = "integer" }}
columns.m = {{ type = "double" }}
columns.w = {{ values = ["A", "B", "C"] }}
columns.d = {{ type = "date" }}
columns.z = {{ type = "timestamp" }}
columns.b = {{ type = "boolean" }}
[tables.s]
source = "{}"
key = "u"
columns.u = {{ type = "{}" }}
columns.y = {{ type = "integer" }}
[tables.l]
source = "{}"
link = {{ column = "tid", to = "t.id" }}
columns.tid = {{ type = "integer" }}
columns.v = {{ type = "integer" }}
[tables.p]
source = "{}"
public = true
columns.q = {{ type = "integer" }}
)",
                       source("t"), type, source("s"), type, source("l"), source("p"));
    policy_ = *policy::Policy::read(place + "/policy.toml");
    auto opened = engine::duckdb::Duckdb::open(policy_, {.memory = 200'000'000, .threads = 1});
    ASSERT_TRUE(opened) << opened.error().text();
    engine_ = std::move(*opened);
    auto schemas = engine_->schemas();
    ASSERT_TRUE(schemas) << schemas.error().text();
    auto catalog = policy::make_catalog(policy_, *schemas);
    ASSERT_TRUE(catalog) << catalog.error().text();
    catalog_ = std::move(*catalog);
  }

  struct From {
    Text text;
    string prefix;  // of t's columns
  };
  From from() {
    switch (draw_->below(9)) {
      case 5:
        return {
            make("(SELECT u, w, k, d, MAX(x) AS x, MIN(y) AS y, MAX(i) AS i, COUNT(*) AS j, SUM(m) "
                 "AS m, COUNT(DISTINCT j) > 1 AS b FROM t WHERE {} GROUP BY u, w, k, d) AS t",
                 Questions(*draw_, "").truth(2)),
            "t."};
      case 0:
        return {same("t JOIN s ON t.u = s.u"), "t."};
      case 1:
        return {same("t LEFT JOIN p ON t.k = p.k"), "t."};
      case 2:
        return {make("l JOIN t ON l.tid = t.id", "l JOIN t ON l.tid = t.id AND l.u = t.u"), "t."};
      case 3: {
        Questions inner(*draw_, "");
        return {make("(SELECT * FROM t WHERE {}) AS t", inner.truth(2)), "t."};
      }
      case 4:
        return {
            same(
                "(SELECT u, x, y, i, j, m, k, w, d, z, b FROM t UNION ALL SELECT u, x, y, i, j, m, "
                "upper(left(k, 100)), w, "
                "d, z, NOT b FROM t WHERE b) AS t"),
            "t."};
      default:
        return {same("t"), "t."};
    }
  }

  static sql::Options options() {
    sql::Options out;
    out.epsilon = 1'000'000;
    out.delta = Rational(1, 2);
    out.max_groups = 50;
    out.max_rows = 2000;
    return out;
  }

  Result<plan::Plan> plan(const string& query) {
    auto parsed = sql::parse(query);
    if (!parsed) return forward_error(parsed);
    auto question = sql::check(*parsed, catalog_, plan::tools(engine::duckdb::calculator()));
    if (!question) return forward_error(question);
    auto made = plan::make_plan(std::move(*question), catalog_, options());
    if (!made) return made;
    // The least scale that there is: the noise is 0 but with a probability of exp(-2^20).
    return plan::PlanForger::altered(*made, [](plan::PlanPart& part) {
      for (plan::Statistic& one : part.statistics) one.scale = Rational(1, 1 << 20);
    });
  }

  ledger::testing::Folder folder_;
  testing::PlainDuckdb oracle_;
  std::unique_ptr<Draw> draw_;
  policy::Policy policy_;
  policy::Catalog catalog_;
  std::unique_ptr<engine::duckdb::Duckdb> engine_;
  random::testing::Seeded source_{42};
};

TEST_P(Equivalence, RandomQuestions) {
  constexpr int kQuestions = 120;
  int answered = 0;
  for (int question = 0; question < kQuestions; ++question) {
    const From from = this->from();
    Questions questions(*draw_, from.prefix);
    std::vector<Questions::Key> keys;
    for (std::size_t i = draw_->below(3); i > 0; --i) {
      auto key = questions.key();
      if (keys.empty() || key.text.ours != keys[0].text.ours) keys.push_back(std::move(key));
    }
    std::vector<Questions::Aggregated> aggregates;
    for (std::size_t i = 1 + draw_->below(3); i > 0; --i)
      aggregates.push_back(questions.aggregate(2));
    const Text where = draw_->one_in(2) ? make(" WHERE {}", questions.truth(3)) : same("");
    // Ours, and the oracle's: keys as text, the units of the group, aggregates as doubles.
    string ours, theirs, groups;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ours += keys[i].text.ours + ", ";
      theirs += fmt::format("CAST({} AS VARCHAR), ", keys[i].text.oracle);
      groups += fmt::format("{}{}", i ? ", " : " GROUP BY ", i + 1);
    }
    theirs += fmt::format("COUNT(DISTINCT {}u)", from.prefix);
    for (std::size_t i = 0; i < aggregates.size(); ++i) {
      ours += (i ? ", " : "") + aggregates[i].text.ours;
      theirs += fmt::format(", CAST({} AS DOUBLE)", aggregates[i].text.oracle);
    }
    const string query =
        fmt::format("SELECT {} FROM {}{}{}", ours, from.text.ours, where.ours, groups);
    string oracle_groups;
    for (const auto& key : keys)
      oracle_groups += (oracle_groups.empty() ? " GROUP BY " : ", ") + key.text.oracle;
    const string oracle_query =
        fmt::format("SELECT {} FROM {}{}{}", theirs, from.text.oracle, where.oracle, oracle_groups);
    SCOPED_TRACE("ours:   " + query + "\noracle: " + oracle_query);
    auto made = plan(query);
    ASSERT_TRUE(made) << made.error().text();
    auto answer = run_plan(*engine_, catalog_, *made, {}, source_);
    ASSERT_TRUE(answer) << answer.error().text();
    ++answered;

    std::map<std::vector<string>, std::vector<string>> expected;
    for (const auto& row : oracle_.run(oracle_query)) {
      const auto end_of_key = row.begin() + static_cast<std::ptrdiff_t>(keys.size());
      expected[{row.begin(), end_of_key}] = {end_of_key, row.end()};
    }
    const bool all_public =
        std::all_of(keys.begin(), keys.end(), [](const auto& key) { return !key.values.empty(); });
    std::size_t combinations = 1;
    for (const auto& key : keys) combinations *= key.values.size();
    // Fewer, where a condition excludes some: those must have no rows (below).
    const bool listed = made->parts[0].all_public;
    if (all_public) {
      EXPECT_TRUE(listed);
      EXPECT_LE(answer->rows.size(), combinations);
    }
    if (listed) {
      EXPECT_EQ(answer->rows.size(), plan::number_of_groups(made->parts[0].select));
    }
    std::map<std::vector<string>, bool> seen;
    for (const auto& row : answer->rows) {
      std::vector<string> key;
      bool is_public = true;
      for (std::size_t i = 0; i < keys.size(); ++i) {
        key.push_back(row[i].value.null ? kNull : row[i].value.show());
        if (!keys[i].values.empty())
          is_public = is_public && std::find(keys[i].values.begin(), keys[i].values.end(),
                                             key.back()) != keys[i].values.end();
      }
      EXPECT_TRUE(is_public) << "a value that isn't public forms a group";
      EXPECT_FALSE(seen[key]) << "twice: " << ::testing::PrintToString(key);
      seen[key] = true;
      const auto found = expected.find(key);
      if (!listed) {
        ASSERT_NE(found, expected.end()) << ::testing::PrintToString(key);
      }
      for (std::size_t a = 0; a < aggregates.size(); ++a) {
        // An empty public group: what the aggregate says of no rows.
        const bool empty = found == expected.end() || found->second[a + 1] == kNull;
        if (empty && aggregates[a].mean) {  // the middle of what is known of the values
          EXPECT_LE(std::abs(row[keys.size() + a].value.as_number()), 50);
          continue;
        }
        const double want = empty ? 0 : std::strtod(found->second[a + 1].c_str(), nullptr);
        EXPECT_NEAR(row[keys.size() + a].value.as_number(), want,
                    aggregates[a].near + 1e-9 * std::abs(want))
            << ::testing::PrintToString(key) << " " << aggregates[a].text.ours;
      }
    }
    // Every group of more than one person is there, unless it isn't public.
    for (const auto& [key, values] : expected) {
      bool is_public = true;
      for (std::size_t i = 0; i < keys.size(); ++i)
        if (!keys[i].values.empty())
          is_public = is_public && std::find(keys[i].values.begin(), keys[i].values.end(),
                                             key[i]) != keys[i].values.end();
      if (is_public && (all_public || std::stoi(values[0]) > 1)) {
        EXPECT_TRUE(seen.contains(key)) << "missing: " << ::testing::PrintToString(key);
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_EQ(answered, kQuestions);
}

// Where there is no noise a choice is one of the best: the scores are counted here from the rows.
TEST_P(Equivalence, Choices) {
  for (int question = 0; question < 40; ++question) {
    Questions questions(*draw_, "t.");
    const Text where = questions.truth(2);
    const bool filtered = draw_->one_in(2);
    const string condition =
        filtered ? fmt::format(" FILTER (WHERE {})", where.ours) : fmt::format("");
    const string tail = filtered ? "" : " WHERE " + where.ours;
    const double p = draw_->from(std::vector<double>{0, 0.1, 0.3, 0.7, 0.9, 1});
    const string query = fmt::format(
        "SELECT MEDIAN(t.i){0}, QUANTILE(t.i, {1}){0}, MAX(t.i){0}, MIN(t.i){0}, MODE(t.w){0} FROM "
        "t{2}",
        condition, p, tail);
    SCOPED_TRACE(query);
    auto made = plan(query);
    ASSERT_TRUE(made) << made.error().text();
    const plan::Plan best = plan::PlanForger::altered(*made, [](plan::PlanPart& part) {
      for (plan::Statistic& one : part.statistics) one.epsilon = 1'000'000'000;
    });
    auto answer = run_plan(*engine_, catalog_, best, {}, source_);
    ASSERT_TRUE(answer) << answer.error().text();
    std::vector<double> values;
    for (const auto& row : oracle_.run(
             fmt::format("SELECT greatest(least(i, 100), -100) FROM t WHERE i IS NOT NULL AND {}",
                         where.oracle)))
      values.push_back(std::strtod(row[0].c_str(), nullptr));
    const auto count = [&](auto&& test) {
      return static_cast<double>(std::count_if(values.begin(), values.end(), test));
    };
    const auto quantile = [&](double share, double at) {
      const double below = count([&](double v) { return v < at; });
      const double above = count([&](double v) { return v > at; });
      const double here = count([&](double v) { return v == at; });
      return -std::max({0.0, (1 - share) * below - share * (above + here),
                        share * above - (1 - share) * (below + here)});
    };
    const auto target = [&](std::size_t column) {
      return static_cast<double>(
          made->parts[0].statistics[made->parts[0].parts[column][0]].scoring.target);
    };
    const std::vector<std::function<double(double)>> scores = {
        [&](double at) { return quantile(0.5, at); }, [&](double at) { return quantile(p, at); },
        [&](double at) { return -std::abs(count([&](double v) { return v > at; }) - target(2)); },
        [&](double at) { return -std::abs(count([&](double v) { return v < at; }) - target(3)); }};
    for (std::size_t column = 0; column < scores.size(); ++column) {
      double best = -1e9;
      for (int at = -100; at <= 100; ++at) best = std::max(best, scores[column](at));
      EXPECT_NEAR(scores[column](answer->rows[0][column].value.as_number()), best, 1e-9)
          << "column " << column << ": " << answer->rows[0][column].value.show();
    }
    std::map<string, int> wards = {{"A", 0}, {"B", 0}, {"C", 0}};
    for (const auto& row : oracle_.run(
             fmt::format("SELECT w, count(*) FROM t WHERE w IN ('A', 'B', 'C') AND {} GROUP BY w",
                         where.oracle)))
      wards[row[0]] = std::stoi(row[1]);
    EXPECT_EQ(wards[answer->rows[0][4].value.string],
              std::max({wards["A"], wards["B"], wards["C"]}));
    if (HasFailure()) return;
  }
}

// The grid is fine against the noise, and still has room for the sum.
TEST(Sums, OfManyUnitsAtALargeEpsilon) {
  ledger::testing::Folder folder;
  std::filesystem::create_directories(folder / "");
  testing::PlainDuckdb plain;
  plain.run(fmt::format("COPY (SELECT i AS u, 9.75 AS x FROM range(20000) r(i)) TO '{}'",
                        folder / "t.parquet"));
  std::ofstream(folder / "policy.toml") << R"([policy]
name = "sums"
unit = "person"
budget = { epsilon = 1000000 }
[tables.t]
source = "t.parquet"
key = "u"
columns.x = { type = "double", range = [0, 10] }
)";
  auto session = Service::open(folder / "policy.toml", {.memory = 100'000'000, .threads = 1}, {},
                               Service::Runs::kHere);
  ASSERT_TRUE(session) << session.error().text();
  for (const char* epsilon : {"0.01", "1", "5000", "50000"}) {
    sql::Options options;
    options.epsilon = *parse_number(epsilon, Rounding::kDown);
    auto plan = (*session)->plan("SELECT SUM(x) FROM t", options);
    ASSERT_TRUE(plan) << plan.error().text();
    random::testing::Seeded source(3);
    auto reply = (*session)->ask(*plan, {.analyst = "ana", .presenting = {}, .watch = {}}, source);
    ASSERT_TRUE(reply) << reply.error().text();
    EXPECT_NEAR(reply->answer.rows[0][0].value.as_number(), 195'000,
                1e-3 + 200 / options.epsilon->get_d())
        << epsilon;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Equivalence, ::testing::Range(0, 6));

}  // namespace
}  // namespace discreet::service
