// No question fails, or is refused, because of what rows contain: what is answered on an ordinary
// table is answered on every odd one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "discreet/engine/duckdb/calculator.h"
#include "discreet/engine/duckdb/duckdb.h"
#include "discreet/ledger/testing/places.h"
#include "discreet/random/testing/sources.h"
#include "discreet/service/service.h"
#include "discreet/service/testing/plain_duckdb.h"

namespace discreet::service {
namespace {

using std::string;

constexpr const char* kPolicy = R"([policy]
name = "totality"
unit = "person"
budget = {{ epsilon = 1000000, delta = 0.5 }}
[tables.t]
source = "{0}"
key = "u"
columns.u = {{ type = "{1}" }}
columns.x = {{ type = "double", range = [-10, 10] }}
columns.y = {{ type = "double" }}
columns.n = {{ type = "integer" }}
columns.i = {{ type = "integer", range = [0, 1000] }}
columns.w = {{ values = ["A", "B"] }}
columns.d = {{ type = "date", range = ["2020-01-01", "2025-12-31"] }}
columns.z = {{ type = "timestamp" }}
columns.b = {{ type = "boolean" }}
max_groups = 3
max_rows_per_group = 2
[tables.p]
source = "p.csv"
public = true
columns.q = {{ type = "double" }}
)";

// Numbers, texts, truth values and moments made in every way there is.
const std::vector<string> kNumbers = {"1 / (y - 33)",
                                      "x / (n - n)",
                                      "n % 0",
                                      "n % (n - n)",
                                      "y % y",
                                      "n * n * n * n",
                                      "y * y * y",
                                      "-n",
                                      "abs(n)",
                                      "n + 9223372036854775807",
                                      "n - 9223372036854775807",
                                      "exp(y)",
                                      "exp(exp(y))",
                                      "ln(y)",
                                      "ln(-y)",
                                      "log10(n)",
                                      "log2(y)",
                                      "sqrt(y)",
                                      "sqrt(-abs(y))",
                                      "power(y, 0.5)",
                                      "power(y, -1)",
                                      "power(n, 8)",
                                      "power(y, 1e300)",
                                      "power(-1, 0.5) * y",
                                      "round(y, 15)",
                                      "round(y, -15)",
                                      "round(n)",
                                      "floor(y)",
                                      "ceil(y * 1e300)",
                                      "sign(y)",
                                      "CAST(k AS DOUBLE)",
                                      "CAST(k AS INTEGER)",
                                      "CAST(y AS INTEGER)",
                                      "CAST(y AS BIGINT)",
                                      "CAST(k AS BIGINT) * 2",
                                      "CAST(b AS INTEGER)",
                                      "length(k)",
                                      "length(k || k)",
                                      "length(upper(k))",
                                      "year(d)",
                                      "week(d)",
                                      "dayofyear(z)",
                                      "hour(z)",
                                      "minute(z)",
                                      "date_diff('day', d, DATE '0001-01-01')",
                                      "date_diff('second', z, TIMESTAMP '9999-12-31 23:59:59')",
                                      "date_diff('year', d, d)",
                                      "COALESCE(y, n, 0)",
                                      "NULLIF(y, y)",
                                      "LEAST(y, n, x)",
                                      "GREATEST(y, n)",
                                      "CASE WHEN y > n THEN y ELSE n END",
                                      "CASE k WHEN 'a' THEN 1 WHEN '' THEN 2 END",
                                      "(y - y) / (y - y)",
                                      "EXTRACT(year FROM d + INTERVAL 100000 DAY)",
                                      "EXTRACT(month FROM z - INTERVAL 100000 MONTH)",
                                      "EXTRACT(day FROM d - INTERVAL 100000 MONTH)"};
const std::vector<string> kConditions = {"y = 'nan'::DOUBLE OR TRUE",
                                         "k LIKE '%a%'",
                                         "k ILIKE '_%'",
                                         "k IN ('a', '')",
                                         "k BETWEEN 'a' AND 'zz'",
                                         "y BETWEEN -1e308 AND 1e308",
                                         "n = 9223372036854775807",
                                         "d = DATE '2020-02-29'",
                                         "d + INTERVAL 1 MONTH > DATE '2020-03-01'",
                                         "z < TIMESTAMP '2020-01-01 00:00:00'",
                                         "CAST(k AS DATE) > DATE '2020-01-01'",
                                         "CAST(k AS TIMESTAMP) IS NULL",
                                         "CAST(k AS BOOLEAN)",
                                         "NOT b",
                                         "b IS NULL",
                                         "y IS DISTINCT FROM n",
                                         "contains(k, 'a')",
                                         "starts_with(k, upper(k))",
                                         "substr(k, -5, 3) = 'abc'",
                                         "left(k, -2) = right(k, -2)",
                                         "replace(k, 'aa', 'a') = k",
                                         "trim(k) || lower(k) = k",
                                         "date_trunc('month', d) = d",
                                         "date_trunc('hour', z) = z",
                                         "CAST(y AS VARCHAR) = k",
                                         "CAST(d AS VARCHAR) = k"};
const std::vector<string> kGroups = {"k",
                                     "y",
                                     "n",
                                     "d",
                                     "z",
                                     "b",
                                     "w",
                                     "upper(k)",
                                     "date_trunc('month', d)",
                                     "date_trunc('year', z)",
                                     "month(d)",
                                     "year(z)",
                                     "CAST(k AS DATE)",
                                     "CAST(y AS INTEGER)",
                                     "y / (y - 33)",
                                     "k || k",
                                     "CASE WHEN y > 0 THEN 'more' ELSE 'less' END",
                                     "substr(k, 1, 3), b",
                                     "d + INTERVAL 7 DAY"};
const std::vector<string> kWhole = {
    "SELECT COUNT(*), COUNT(y), COUNT(DISTINCT k), COUNT(DISTINCT y), COUNT(DISTINCT u) FROM t",
    "SELECT SUM(x), AVG(x), VAR_POP(x), STDDEV(x), MEDIAN(x), MIN(x), MAX(x), QUANTILE(x, 0.9) "
    "FROM t",
    "SELECT SUM(i), AVG(i), VAR_SAMP(i), MEDIAN(i), MIN(i), MAX(i) FROM t",
    "SELECT MEDIAN(d), MIN(d), MAX(d), MODE(w) FROM t",
    "SELECT COUNT(*, contribution_bounds_per_group => (0, 5)), SUM(y, "
    "contribution_bounds_per_group "
    "=> (-5, 5)), AVG(y, contribution_bounds_per_group => (0, 5)) FROM t",
    "SELECT SUM(n, contribution_bounds_per_group => (0, 10)) FROM t",
    "SELECT COUNT(*) FILTER (WHERE y > 0), SUM(x) FILTER (WHERE k = 'a') FROM t",
    "SELECT SUM(LEAST(GREATEST(s, -5), 5)), SUM(LEAST(c, 9)), AVG(LEAST(GREATEST(a, 0), 1)), "
    "SUM(LEAST(GREATEST(m, 0), 1)), SUM(LEAST(GREATEST(l, 0), 1)), SUM(LEAST(q, 5)) FROM (SELECT "
    "u, SUM(y) AS s, COUNT(*) AS c, AVG(y) AS a, "
    "MAX(y) AS m, MIN(n) AS l, COUNT(DISTINCT k) AS q FROM t GROUP BY u)",
    "SELECT SUM(LEAST(GREATEST(s, -5), 5)) FROM (SELECT u, SUM(n) AS s FROM t GROUP BY u)",
    "SELECT COUNT(*) FROM t JOIN p ON t.k = p.k",
    "SELECT COUNT(*) FROM t LEFT JOIN p ON t.y = p.q",
    "SELECT COUNT(*) FROM t AS one JOIN t AS two ON one.u = two.u AND one.k = two.k",
    "SELECT COUNT(*) FROM (SELECT u, k FROM t UNION ALL SELECT u, upper(k) FROM t)",
    "SELECT COUNT(*) FROM (SELECT DISTINCT u, k, y, d FROM t)",
    "SELECT SUM(x) / COUNT(*), AVG(x) * 1e300 * 1e300, SUM(x) / (COUNT(*) - COUNT(*)) FROM t"};

std::vector<string> questions() {
  std::vector<string> out = kWhole;
  for (const string& number : kNumbers) {
    out.push_back(
        fmt::format("SELECT SUM(LEAST(GREATEST({0}, -5), 5)), COUNT({0}) FROM t", number));
    out.push_back(fmt::format("SELECT COUNT(*) FROM t WHERE {} > 1", number));
  }
  for (const string& condition : kConditions)
    out.push_back(fmt::format("SELECT COUNT(*) FROM t WHERE {}", condition));
  for (const string& group : kGroups)
    out.push_back(fmt::format("SELECT {}, COUNT(*), SUM(x) FROM t GROUP BY ALL", group));
  return out;
}

class Totality : public ::testing::Test {
 protected:
  void SetUp() override {
    place_ = folder_ / "data";
    std::filesystem::create_directories(place_);
    std::ofstream(place_ + "/p.csv") << "k,q\na,1\na,2\n,3\n";
  }

  void write(const string& name, const string& bytes) {
    std::ofstream(place_ + "/" + name, std::ios::binary) << bytes;
  }

  // Asks everything; whatever is not answered is a failure.
  void ask_all(const string& source, const string& unit) {
    SCOPED_TRACE(source + " " + unit);
    std::ofstream(place_ + "/policy.toml") << fmt::format(fmt::runtime(kPolicy), source, unit);
    auto policy = policy::Policy::read(place_ + "/policy.toml");
    ASSERT_TRUE(policy) << policy.error().text();
    auto engine = engine::duckdb::Duckdb::open(*policy, {.memory = 400'000'000, .threads = 1});
    ASSERT_TRUE(engine) << engine.error().text();
    auto schemas = (*engine)->schemas();
    ASSERT_TRUE(schemas) << schemas.error().text();
    auto catalog = policy::make_catalog(*policy, *schemas);
    ASSERT_TRUE(catalog) << catalog.error().text();
    sql::Options options;
    options.epsilon = 10;
    options.delta = Rational(1, 100);
    for (const string& query : questions()) {
      auto parsed = sql::parse(query);
      ASSERT_TRUE(parsed) << query << "\n" << parsed.error().text();
      auto question = sql::check(*parsed, *catalog, plan::tools(engine::duckdb::calculator()));
      EXPECT_TRUE(question) << query << "\n" << question.error().text();
      if (!question) continue;
      auto plan = plan::make_plan(std::move(*question), *catalog, options);
      EXPECT_TRUE(plan) << query << "\n" << plan.error().text();
      if (!plan) continue;
      auto answer = run_plan(**engine, *catalog, *plan, {}, source_);
      EXPECT_TRUE(answer) << query << "\n" << answer.error().text();
    }
  }

  static constexpr const char* kHeader = "u,x,y,n,i,k,w,d,z,b\n";
  ledger::testing::Folder folder_;
  string place_;
  random::testing::Seeded source_{7};
};

TEST_F(Totality, Csv) {
  EXPECT_GT(questions().size(), 150u);
  write("ordinary.csv", string(kHeader) +
                            "1,1,2,3,4,a,A,2020-01-02,2020-01-02 03:04:05,true\n"
                            "2,3,33,5,6,b,B,2021-02-03,2021-02-03 03:04:05,false\n");
  ask_all("ordinary.csv", "integer");
  write("empty.csv", kHeader);
  ask_all("empty.csv", "integer");
  write("nothing.csv", string(kHeader) + ",,,,,,,,,\n1,,,,,,,,,\n1,,,,,,,,,\n2,,,,,,,,,\n");
  ask_all("nothing.csv", "integer");
  // Every odd value in every place.
  const std::vector<string> odd = {"nan",
                                   "inf",
                                   "-inf",
                                   "1e308",
                                   "-1e308",
                                   "1e-320",
                                   "1e999",
                                   "33",
                                   "0",
                                   "-0",
                                   "abc",
                                   "9223372036854775807",
                                   "-9223372036854775808",
                                   "170141183460469231731687303715884105727",
                                   "2020-02-30",
                                   "infinity",
                                   "-infinity",
                                   "epoch",
                                   "0000-00-00",
                                   "294247-01-10",
                                   "9999-12-31",
                                   "0001-01-01",
                                   "290308-12-22 (BC)",
                                   "2020-01-01 25:00:00",
                                   "9999-12-31 23:59:59.999999",
                                   "2020-01-01 00:00:00+14:00",
                                   "true",
                                   "maybe",
                                   "\xff\xfe",
                                   "\xc3\x28",
                                   "\xed\xa0\x80",
                                   "Ωmega",
                                   "\u202e",
                                   "'; DROP TABLE t; --",
                                   "\"say \"\"hi\"\"\"",
                                   "\"a\nb\"",
                                   "NULL",
                                   " ",
                                   "A"};
  string rows = kHeader;
  int who = 0;
  for (const string& value : odd) {
    for (int place = 1; place < 10; ++place) {
      rows += fmt::format("{}", ++who % 30);
      for (int at = 1; at < 10; ++at) rows += "," + (at == place ? value : "1");
      rows += "\n";
    }
    rows += fmt::format("{0},{1},{1},{1},{1},{1},{1},{1},{1},{1}\n", ++who, value);
    rows += fmt::format("{0},{0},{0},{0},{0},{0},{0},{0},{0},{0}\n", value);
  }
  rows += "1,2\n1,2,3,4,5,6,7,8,9,10,11,12\n\"never closed,1,1,1,1,1,1,1,1,1\n";
  rows += string("5,\0,\0,1,1,a\0b,A,2020-01-01,,\n", 30);
  write("odd.csv", rows);
  ask_all("odd.csv", "integer");
  ask_all("odd.csv", "text");
  write("broken.csv", string(kHeader) + "\xff\xfe\x00\x01garbage,,\n\n\n\r\r\n,\"\"\"");
  ask_all("broken.csv", "text");
}

TEST_F(Totality, LongTexts) {
  string rows = kHeader;
  for (int i = 0; i < 3; ++i)
    rows += fmt::format("{},1,1,1,1,{},A,2020-01-01,2020-01-01 00:00:00,true\n", i,
                        string(1'000'000, i == 2 ? '9' : 'a'));
  write("long.csv", rows);
  ask_all("long.csv", "integer");
}

TEST_F(Totality, Parquet) {
  testing::PlainDuckdb plain;
  // In the file's own types, at their ends.
  plain.run(fmt::format(
      "COPY (SELECT * FROM (VALUES (1::BIGINT, 'nan'::DOUBLE), (2, 'inf'), (3, '-inf'), (4, "
      "1e308), "
      "(5, -1e308), (6, 33), (7, 0), (8, NULL), (NULL, 1)) a(u, x), (VALUES (0::HUGEINT, "
      "'0001-01-01'::DATE, "
      "TIMESTAMP '0001-01-01 00:00:00'), (170141183460469231731687303715884105727, 'infinity', "
      "'infinity'), (-170141183460469231731687303715884105727, '-infinity', '-infinity'), (NULL, "
      "NULL, "
      "NULL), (9223372036854775807, '5874897-12-31', '294246-12-31 00:00:00'), (33, '5877641-06-23 "
      "(BC)', '290308-12-22 (BC) 00:00:00')) c(n0, d, z), (VALUES ('a', true), ('', false), "
      "('\u202e', "
      "NULL), (NULL, NULL)) e(k, b)) TO '{}/all.parquet' (FORMAT parquet)",
      place_));
  plain.run(
      fmt::format("COPY (SELECT u, x, x AS y, TRY_CAST(n0 AS BIGINT) AS n, TRY_CAST(n0 AS BIGINT) "
                  "AS i, k, CASE "
                  "WHEN b THEN 'A' ELSE k END AS w, d, z, b FROM '{0}/all.parquet') TO "
                  "'{0}/typed.parquet' (FORMAT "
                  "parquet)",
                  place_));
  ask_all("typed.parquet", "integer");
  // Other types than the policy's: they are cast.
  plain.run(fmt::format(
      "COPY (SELECT u::VARCHAR AS u, TRY_CAST(x AS FLOAT) AS x, TRY_CAST(x AS DECIMAL(38, 10)) AS "
      "y, n0 AS n, "
      "TRY_CAST(n0 AS UBIGINT) AS i, encode(k) AS k, k AS w, CAST(d AS VARCHAR) AS d, TRY_CAST(z "
      "AS "
      "TIMESTAMPTZ) AS z, b::TINYINT AS b FROM '{0}/all.parquet') TO '{0}/other.parquet' (FORMAT "
      "parquet)",
      place_));
  ask_all("other.parquet", "text");
  plain.run(fmt::format("COPY (SELECT * FROM '{0}/typed.parquet' LIMIT 0) TO '{0}/none.parquet'",
                        place_));
  ask_all("none.parquet", "integer");
}

TEST_F(Totality, OneUnitWithAMillionRows) {
  testing::PlainDuckdb plain;
  plain.run(
      fmt::format("COPY (SELECT CASE WHEN i % 1000 = 999 THEN i ELSE 0 END AS u, (i % 77)::DOUBLE "
                  "AS x, (i % 77 - "
                  "33)::DOUBLE AS y, i AS n, i % 2000 AS i, (i % 5000)::VARCHAR AS k, 'A' AS w, "
                  "DATE '2020-01-01' + "
                  "(i % 9)::INTEGER AS d, TIMESTAMP '2020-01-01 00:00:00' AS z, true AS b FROM "
                  "range(1000000) r(i)) TO "
                  "'{}/many.parquet'",
                  place_));
  auto policy = policy::Policy::parse(fmt::format(fmt::runtime(kPolicy), "many.parquet", "integer"),
                                      "policy.toml", place_);
  ASSERT_TRUE(policy) << policy.error().text();
  auto engine = engine::duckdb::Duckdb::open(*policy, {.memory = 400'000'000, .threads = 1});
  ASSERT_TRUE(engine) << engine.error().text();
  auto catalog = policy::make_catalog(*policy, *(*engine)->schemas());
  ASSERT_TRUE(catalog) << catalog.error().text();
  sql::Options options;
  options.epsilon = 1000;
  options.delta = Rational(1, 100);
  for (const char* query :
       {"SELECT COUNT(*), SUM(x), MEDIAN(x), COUNT(DISTINCT k) FROM t",
        "SELECT k, COUNT(*) FROM t GROUP BY k",
        "SELECT COUNT(*), SUM(x, contribution_bounds_per_group => (0, 5)) FROM t"}) {
    auto plan = plan::make_plan(
        *sql::check(*sql::parse(query), *catalog, plan::tools(engine::duckdb::calculator())),
        *catalog, options);
    ASSERT_TRUE(plan) << plan.error().text();
    auto answer = run_plan(**engine, *catalog, *plan, {}, source_);
    ASSERT_TRUE(answer) << query << "\n" << answer.error().text();
  }
  // One of each of the thousand others. Of the one two rows may count: two millionths of each of
  // its rows, which is less than a weight can say.
  auto plan = plan::make_plan(*sql::check(*sql::parse("SELECT COUNT(*) FROM t"), *catalog,
                                          plan::tools(engine::duckdb::calculator())),
                              *catalog, options);
  auto answer = run_plan(**engine, *catalog, *plan, {}, source_);
  ASSERT_TRUE(answer);
  EXPECT_NEAR(answer->rows[0][0].value.as_number(), 1000, 1);
}

}  // namespace
}  // namespace discreet::service
