// Random questions about random, odd data, asked at an ε at which the noise vanishes and with
// bounds that nobody reaches: the answers are those of plain DuckDB. Each piece of a question is
// written twice, as a user writes it and as DuckDB says what docs/sql.md promises (arithmetic in
// doubles, x/0 is NULL, NaN is NULL in aggregates, values are clamped to their range, empty groups
// give zeros).
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
#include "discreet/service/testing/questions/draw.h"

namespace discreet::service {
namespace {

using std::string;

// A question's piece, as a user writes it and as the oracle reads it.
struct Text {
  string ours, oracle;
};
Text same(const string& text) { return {text, text}; }
template <class... Args>
Text make(const char* ours, const char* oracle, const Args&... args) {
  return {fmt::format(fmt::runtime(ours), args.ours...),
          fmt::format(fmt::runtime(oracle), args.oracle...)};
}
template <class... Args>
Text make(const char* both, const Args&... args) requires(std::is_same_v<Args, Text>&&...) {
  return make(both, both, args...);
}

using testing::kNull;
using testing::questions::Draw;

// The tables: t (private), s (private, fewer rows), l (linked to t), p (public).
const std::vector<string> kReals = {"0",      "1.5",  "-2.25", "'nan'", "'inf'", "'-inf'", "1e300",
                                    "-1e300", "1e-9", "33",    "NULL",  "7",     "-0.0",   "49.5"};
const std::vector<string> kWholes = {
    "0", "1", "-1", "5", "NULL", "4611686018427387904", "-4611686018427387904", "12", "900", "33"};
const std::vector<string> kTexts = {"'a'",
                                    "'b'",
                                    "'Ωmega'",
                                    "'日本'",
                                    "'''; DROP TABLE t; --'",
                                    "'say \"hi\"'",
                                    "'a,b'",
                                    "NULL",
                                    "'NULL'",
                                    "' a '",
                                    "'12'",
                                    "'2.5e3'",
                                    "'x\ny'",
                                    "'ÀÉ'",
                                    "'ß'",
                                    "'%_'",
                                    "'a much longer text than sixteen bytes'"};
const std::vector<string> kDates = {"'2020-02-29'", "'2021-12-31'", "'1969-07-20'", "NULL",
                                    "'2024-01-01'", "'0044-03-15'", "'infinity'",   "'2020-03-01'"};
const std::vector<string> kTimes = {"'2020-02-29 23:59:59.5'", "'1969-07-20 20:17:40'", "NULL",
                                    "'2024-01-01 00:00:00'", "'-infinity'"};
const std::vector<string> kTruths = {"TRUE", "FALSE", "NULL"};
const std::vector<string> kWards = {"'A'", "'B'", "'C'", "NULL", "'other'"};

class Questions {
 public:
  Questions(Draw& draw, string prefix) : draw_(draw), prefix_(std::move(prefix)) {}

  Text number(int depth) {
    if (depth == 0 || draw_.one_in(4)) {
      switch (draw_.below(5)) {
        case 0:
          return column("y");
        case 1:
          return make("{}", "CAST({} AS DOUBLE)", column("j"));
        case 2:
          return make("{}", "CAST({} AS DOUBLE)", column("m"));
        case 3:
          return make("{}", "CAST({} AS DOUBLE)", same(draw_.from(kLiterals)));
        default:
          return make("length({})", "CAST(length({}) AS DOUBLE)", column("k"));
      }
    }
    const auto inner = [&] { return number(depth - 1); };
    switch (draw_.below(17)) {
      case 0:
        return make("({} + {})", inner(), inner());
      case 1:
        return make("({} - {})", inner(), inner());
      case 2:
        return make("({} * {})", inner(), inner());
      case 3:
        return make("({} / {})", "({} / nullif({}, 0::DOUBLE))", inner(), inner());
      case 4:
        return make("({} % {})", "({} % nullif({}, 0::DOUBLE))", inner(), inner());
      case 5:
        return make("(-{})", inner());
      case 6:
        return make("abs({})", inner());
      case 7:
        return make("floor({})", inner());
      case 8: {
        const Text a = inner();
        return make("sqrt({0})", "CASE WHEN {0} >= 0 THEN sqrt({0}) END", a);
      }
      case 9: {
        const Text a = inner();
        return make("ln({0})", "CASE WHEN {0} > 0 THEN ln({0}) END", a);
      }
      case 10:
        return make("CASE WHEN {} THEN {} ELSE {} END", truth(depth - 1), inner(), inner());
      case 11:
        return make("COALESCE({}, {})", inner(), inner());
      case 12:
        return make("LEAST({}, {})", inner(), inner());
      case 13:
        return make("NULLIF({}, {})", inner(), inner());
      case 14:
        return make("CAST({} AS DOUBLE)", "TRY_CAST({} AS DOUBLE)", text(depth - 1));
      case 15:
        return make("year({})", "CAST(year({}) AS DOUBLE)", column("d"));
      default:
        return make("GREATEST({}, {})", inner(), inner());
    }
  }

  Text text(int depth) {
    if (depth == 0 || draw_.one_in(2)) return column(draw_.one_in(3) ? "w" : "k");
    switch (draw_.below(6)) {
      case 0:
        return make("upper({})", text(depth - 1));
      case 1:
        return make("substr({}, 1, 2)", text(depth - 1));
      case 2:
        return make("({} || {})", text(depth - 1), text(depth - 1));
      case 3:
        return make("trim({})", text(depth - 1));
      case 4:
        return make("COALESCE({}, 'none')", text(depth - 1));
      default:
        return make("CASE WHEN {} THEN {} ELSE 'else' END", truth(depth - 1), text(depth - 1));
    }
  }

  Text truth(int depth) {
    switch (depth == 0 ? draw_.below(4) : draw_.below(15)) {
      case 0:
        return column("b");
      case 1:
        return make("({} = 'a')", column("k"));
      case 2:
        return make("({} >= DATE '2020-03-01')", column("d"));
      case 3:
        return make("({} IS NULL)", column(draw_.from(kColumns)));
      case 4:
        return make("({} < {})", number(depth - 1), number(depth - 1));
      case 5:
        return make("({} = {})", number(depth - 1), number(depth - 1));
      case 6:
        return make("({} BETWEEN -10 AND 40)", number(depth - 1));
      case 7:
        return make("({} AND {})", truth(depth - 1), truth(depth - 1));
      case 8:
        return make("({} OR {})", truth(depth - 1), truth(depth - 1));
      case 9:
        return make("(NOT {})", truth(depth - 1));
      case 10:
        return make("({} IN ('a', '日本', 'it''s', 'ÀÉ'))", text(depth - 1));
      case 11:
        return make("({} LIKE '%a%')", text(depth - 1));
      case 12:
        return make("({} IS DISTINCT FROM {})", text(depth - 1), text(depth - 1));
      case 13:
        return make("({} IS NOT NULL)", number(depth - 1));
      default:
        return make("({} > {})", text(depth - 1), text(depth - 1));
    }
  }

  // A grouping key, and all that it can be where that is public.
  struct Key {
    Text text;
    std::vector<string> values;  // empty: chosen privately
  };
  Key key() {
    switch (draw_.below(9)) {
      case 0:
        return {column("w"), {"A", "B", "C"}};
      case 1:
        return {column("b"), {"false", "true"}};
      case 2:
        return {make("CASE WHEN {} THEN 'yes' ELSE 'no' END", truth(1)), {"yes", "no"}};
      case 3:
        return {make("month({})", column("d")),
                {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"}};
      case 4:
        return {column("d"), {}};
      case 5:
        return {column("i"), {}};
      case 6:
        return {
            make("date_trunc('month', {})", "CAST(date_trunc('month', {}) AS DATE)", column("d")),
            {}};
      case 7:
        for (;;)  // what is made of w alone is public
          if (Text made = text(2); made.ours.find("w") == string::npos) return {made, {}};
      default:
        return {column("k"), {}};
    }
  }

  // An aggregate, what it is where nothing is there (by the clamp), and how near the answer must
  // be.
  struct Aggregated {
    Text text;
    double near = 1e-6;
    bool mean = false;
  };
  Aggregated aggregate(int depth) {
    const Text when = draw_.one_in(3) ? make(" FILTER (WHERE {})", truth(depth)) : same("");
    const auto bounded = [&]() -> Text {
      switch (draw_.below(5)) {
        case 0:  // a declared range: NaN is nothing, the rest is clamped
          return make("{0}", "(CASE WHEN NOT isnan({0}) THEN greatest(least({0}, 50), -50) END)",
                      column("x"));
        case 1:
          return make("{0}",
                      "(CASE WHEN {0} IS NOT NULL THEN CAST(greatest(least({0}, 100), -100) AS "
                      "DOUBLE) END)",
                      column("i"));
        default:
          return make("LEAST(GREATEST({}, -20), 30)",
                      "LEAST(GREATEST({}, -20::DOUBLE), 30::DOUBLE)", number(depth));
      }
    };
    switch (draw_.below(9)) {
      case 0:
        return {make("COUNT(*){}", when)};
      case 1: {
        const Text a = number(depth);
        return {make("COUNT({0}){1}", "COUNT(CASE WHEN NOT isnan({0}) THEN 1 END){1}", a, when)};
      }
      case 2: {
        const Text a = text(depth);
        return {make("COUNT(DISTINCT {}){}", a, when)};
      }
      case 3: {
        const Text a = number(depth);
        return {make("COUNT(DISTINCT {0}){1}",
                     "COUNT(DISTINCT CASE WHEN NOT isnan({0}) THEN {0} + 0 END){1}", a, when)};
      }
      case 4:
        return {make("COUNT(DISTINCT {}){}", column("u"), when)};
      case 5: {
        const Text a = bounded();
        return {make("SUM({}){}", "COALESCE(SUM({}){}, 0)", a, when), 1e-2};
      }
      case 6: {
        const Text a = bounded();
        return {make("AVG({0}){1}", "AVG({0}){1}", a, when), 1e-2, true};
      }
      case 7: {
        const Text a = bounded();
        return {make("VAR_POP({}){}", "COALESCE(VAR_POP({}){}, 0)", a, when), 0.5};
      }
      default: {
        const Text a = bounded();
        return {make("STDDEV({0}){1}", "COALESCE(STDDEV_SAMP({0}){1}, 0)", a, when), 0.5};
      }
    }
  }

 private:
  Text column(const string& name) { return {prefix_ + name, prefix_ + name}; }
  Draw& draw_;
  string prefix_;
  const std::vector<string> kLiterals = {"0", "1", "2.5", "33", "(-7)", "1e3"};
  const std::vector<string> kColumns = {"x", "y", "i", "j", "k", "d", "b", "w", "m"};
};

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
                "upper(k), w, "
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
  auto session = Service::open(folder / "policy.toml", {.memory = 100'000'000, .threads = 1});
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
