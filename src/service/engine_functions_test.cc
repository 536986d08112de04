// Every function, cast and operator on values that break things: PostgreSQL says what DuckDB says,
// to the last bit, and none of them makes it fail.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>

#include "discreet/ledger/testing/places.h"
#include "discreet/service/service.h"
#include "discreet/service/testing/plain_duckdb.h"
#include "discreet/service/testing/questions/odd_values.h"

namespace discreet::service {
namespace {

using std::string;
using namespace testing::questions;
using Strings = std::vector<string>;

// More than the questions draw: ends of exponents, halves, texts that look like numbers.
const Strings kMoreReals = {"0.5",
                            "-0.5",
                            "2.5",
                            "0.49999999999999994",
                            "1e15",
                            "'1000000000000000.1'",
                            "1e16",
                            "-123456789.125",
                            "1e-5",
                            "'1.3407807929942597e154'",
                            "'-1.4916681462400413e-154'",
                            "709.78",
                            "-745.1",
                            "1e22",
                            "3.7e-310"};
const Strings kMoreTexts = {"'1_000'",
                            "' 12 '",
                            "'1e400'",
                            "'-1e-400'",
                            "'0x10x'",
                            "'.5'",
                            "'5.'",
                            "'.'",
                            "'+7'",
                            "'--7'",
                            "'1e5'",
                            "'Infinity'",
                            "'-inf'",
                            "'9223372036854775807'",
                            "'9223372036854775808'",
                            "'2.5'",
                            "'-2.5'",
                            "'yes'",
                            "'F'",
                            "'ΑΣ'",
                            "'İstanbul'",
                            "'straße'",
                            "'ﬁn'",
                            "'e' || chr(769)",
                            "'a\\b'",
                            "'a_b%'",
                            "chr(160) || 'x '",
                            "'1e99999'",
                            "'0e99999'",
                            "'1e-99999'",
                            "'nan '",
                            "'2.47032822920623272085e-324'",
                            "'2.4703282292062327209e-324'",
                            "'1.7976931348623157e308'",
                            "'1.797693134862315808e308'",
                            "'-1e294'",
                            "'aXbXc'"};

class Functions : public ::testing::Test {
 protected:
  Functions() {
    testing::PlainDuckdb duckdb;
    duckdb.run(fmt::format("ATTACH '{}' AS f", folder_ / "all.duckdb"));
    duckdb.run(
        "CREATE TABLE f.f (n BIGINT, x DOUBLE, y DOUBLE, i BIGINT, k VARCHAR, d DATE, z TIMESTAMP, "
        "b BOOLEAN)");
    const auto joined = [](Strings a, const Strings& b) {
      a.insert(a.end(), b.begin(), b.end());
      return a;
    };
    const Strings reals = joined(kOddReals, kMoreReals), texts = joined(kOddTexts, kMoreTexts);
    // Every value, beside ever other ones.
    for (std::size_t row = 0; row < 400; ++row) {
      const auto one = [&](const Strings& list, std::size_t step) {
        return list[(row * step + row / list.size()) % list.size()];
      };
      duckdb.run(fmt::format("INSERT INTO f.f VALUES ({}, {}, {}, {}, {}, {}, {}, {})", row,
                             one(reals, 1), one(reals, 11), one(kOddWholes, 1), one(texts, 1),
                             one(kOddDates, 1), one(kOddTimes, 1), one(kTruths, 1)));
    }
    server_.run(
        "CREATE TABLE f(n bigint, x float8, y float8, i bigint, k text, d date, z timestamp, b "
        "boolean)");
    string values;
    for (const auto& row : duckdb.run("SELECT n, x, y, i, replace(replace(k, '''', ''''''), "
                                      "chr(92), chr(92)), d, z, b FROM f.f")) {
      values += values.empty() ? "(" : ", (";
      for (std::size_t i = 0; i < row.size(); ++i)
        values += fmt::format("{}{}", i ? ", " : "",
                              row[i] == testing::kNull ? "NULL" : "'" + row[i] + "'");
      values += ")";
    }
    server_.run("INSERT INTO f VALUES " + values);
    duckdb.run("DETACH f");
    here_ = open("here.toml", "", "all.duckdb#f");
    there_ = open("there.toml",
                  fmt::format("engine = \"postgres\"\ndsn = \"{}\"\n", server_.address()), "f");
  }

  std::unique_ptr<Service> open(const string& name, const string& head, const string& source) {
    std::ofstream(folder_ / name) << fmt::format(
        "[policy]\nname = \"f\"\nunit = \"person\"\n{}budget = {{ epsilon = 1 "
        "}}\n[tables.f]\nsource = \"{}\"\npublic = true\n",
        head, source);
    auto out = Service::open(folder_ / name, {.memory = 1'000'000'000, .threads = 1});
    EXPECT_TRUE(out) << out.error().text();
    return out ? std::move(*out) : nullptr;
  }

  // Its values by row; what is refused says so.
  static Strings values(Service& service, const string& expression) {
    auto plan = service.plan(fmt::format("SELECT n, {} AS v FROM f", expression), {});
    if (!plan) return {"refused: " + plan.error().message.text()};
    auto reply = service.ask(*plan, {});
    if (!reply) return {"failed: " + reply.error().text()};
    Strings out;
    for (const auto& row : reply->answer.rows) {
      const policy::Value& value = row[1].value;
      const string shown = value.null ? "NULL"
                           : value.type == policy::Type::kDouble && value.real != value.real ? "nan"
                           : value.type == policy::Type::kDouble
                               ? fmt::format("{} {:016x}", value.real,
                                             std::bit_cast<std::uint64_t>(value.real + 0.0))
                               : value.show();
      out.push_back(fmt::format("{:4} {}", row[0].value.whole, shown));
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  ledger::testing::Folder folder_;
  ledger::testing::Postgres server_;
  std::unique_ptr<Service> here_, there_;
};

const Strings kExpressions = {"x",
                              "x + y",
                              "x - y",
                              "x * y",
                              "x / y",
                              "x * x * y",
                              "(x * y) / (x - y)",
                              "x * 1e300",
                              "x / 1e-300",
                              "i * x",
                              "i / i",
                              "i + 1",
                              "i * i",
                              "i % 7",
                              "i % i",
                              "-x",
                              "x + 1",
                              "1 - x",
                              "abs(x)",
                              "ceil(x)",
                              "floor(x)",
                              "trunc(x)",
                              "round(x)",
                              "round(x, 2)",
                              "round(x, -2)",
                              "sign(x)",
                              "sqrt(x)",
                              "exp(x)",
                              "ln(x)",
                              "log10(x)",
                              "sin(x)",
                              "cos(x)",
                              "power(x, 2)",
                              "power(x, 3)",
                              "power(x, -1)",
                              "power(x, 0.5)",
                              "power(x, 0)",
                              "power(x, -2.5)",
                              "least(x, y)",
                              "greatest(x, y, 3)",
                              "nullif(x, y)",
                              "nullif(k, 'a')",
                              "lower(k)",
                              "upper(k)",
                              "trim(k)",
                              "ltrim(k)",
                              "rtrim(k)",
                              "length(k)",
                              "k || k",
                              "k || '-' || k",
                              "substr(k, 2)",
                              "substr(k, 1, 2)",
                              "substr(k, -3, 2)",
                              "substr(k, 0, 2)",
                              "substr(k, 3, -2)",
                              "left(k, 3)",
                              "left(k, -1)",
                              "right(k, 2)",
                              "right(k, -1)",
                              "contains(k, 'a')",
                              "starts_with(k, 'a')",
                              "ends_with(k, 'a')",
                              "strpos(k, 'b')",
                              "replace(k, 'aa', 'a')",
                              "split_part(k, 'X', 2)",
                              "split_part(k, 'X', -1)",
                              "split_part(k, '', 2)",
                              "split_part(k, 'a', 0)",
                              "lpad(k, 5, 'Ω')",
                              "rpad(k, 5, 'xy')",
                              "lpad(k, 0, 'x')",
                              "regexp_matches(k, '^[a-z]+$')",
                              "regexp_matches(k, 'x.y')",
                              "regexp_full_match(k, '\\d+')",
                              "regexp_matches(k, '(a|b)c?\\s')",
                              "k LIKE '%a%'",
                              "k LIKE 'a\\b'",
                              "k ILIKE '_A%'",
                              "k < 'b'",
                              "k >= 'Ω'",
                              "k IN ('a', '日本')",
                              "k BETWEEN 'a' AND 'z'",
                              "x < y",
                              "x = y",
                              "x IS DISTINCT FROM y",
                              "x BETWEEN -1 AND 50",
                              "i = x",
                              "i < 9007199254740993",
                              "x IN (0, 33, 1e300)",
                              "coalesce(x, y, 7)",
                              "CASE WHEN x > 0 THEN x ELSE i END",
                              "CAST(x AS BIGINT)",
                              "CAST(x AS VARCHAR)",
                              "CAST(x AS BOOLEAN)",
                              "CAST(i AS DOUBLE)",
                              "CAST(i AS VARCHAR)",
                              "CAST(i AS BOOLEAN)",
                              "CAST(k AS DOUBLE)",
                              "CAST(k AS BIGINT)",
                              "CAST(k AS BOOLEAN)",
                              "CAST(b AS BIGINT)",
                              "CAST(b AS VARCHAR)",
                              "CAST(d AS VARCHAR)",
                              "CAST(z AS VARCHAR)",
                              "CAST(z AS DATE)",
                              "CAST(d AS TIMESTAMP)",
                              "year(d)",
                              "quarter(z)",
                              "month(d)",
                              "week(d)",
                              "day(z)",
                              "dayofweek(d)",
                              "isodow(z)",
                              "dayofyear(d)",
                              "hour(z)",
                              "minute(z)",
                              "second(z)",
                              "hour(d)",
                              "dayname(d)",
                              "monthname(z)",
                              "strftime(z, '%Y/%m/%d %H:%M:%S %j %B %b %A %a %p %I %f %y {%%}')",
                              "date_trunc('year', d)",
                              "date_trunc('quarter', z)",
                              "date_trunc('month', d)",
                              "date_trunc('week', z)",
                              "date_trunc('day', z)",
                              "date_trunc('hour', z)",
                              "date_trunc('minute', z)",
                              "date_diff('day', d, z)",
                              "date_diff('month', z, d)",
                              "date_diff('year', d, z)",
                              "date_diff('quarter', d, z)",
                              "date_diff('hour', z, d)",
                              "date_diff('minute', d, z)",
                              "date_diff('second', d, z)",
                              "d + INTERVAL 1 MONTH",
                              "d - INTERVAL 400 DAY",
                              "d + INTERVAL 100 YEAR",
                              "z - INTERVAL 1 WEEK",
                              "z + INTERVAL 1 MONTH",
                              "z + INTERVAL 36 HOUR",
                              "z - INTERVAL 90 SECOND",
                              "d - INTERVAL 2019 YEAR",
                              "NOT b",
                              "b AND x > 0",
                              "b OR x IS NULL"};

TEST_F(Functions, SayTheSame) {
  ASSERT_TRUE(here_ && there_);
  std::size_t refused = 0;
  for (const string& expression : kExpressions) {
    const Strings here = values(*here_, expression), there = values(*there_, expression);
    ASSERT_GT(here.size(), 100u) << expression << ": " << here.front();
    if (there.front().starts_with("refused")) {
      ++refused;
      ADD_FAILURE() << expression << " is " << there.front();
      continue;
    }
    ASSERT_EQ(here.size(), there.size()) << expression << ": " << there.front();
    int shown = 0;
    for (std::size_t i = 0; i < here.size() && shown < 3; ++i)
      if (here[i] != there[i]) {
        ++shown;
        ADD_FAILURE() << expression << "\n  DuckDB     " << here[i].substr(0, 200)
                      << "\n  PostgreSQL " << there[i].substr(0, 200);
      }
  }
  EXPECT_EQ(refused, 0u);
}

TEST_F(Functions, AreRefusedWhereTheyWouldNot) {
  ASSERT_TRUE(here_ && there_);
  for (const char* expression :
       {"reverse(k)", "log2(x)", "x % y", "date_diff('week', d, z)", "CAST(k AS DATE)",
        "CAST(k AS TIMESTAMP)", "regexp_matches(k, '(?i)a')", "strftime(d, '%U')"}) {
    EXPECT_GT(values(*here_, expression).size(), 100u) << expression;
    const Strings there = values(*there_, expression);
    EXPECT_NE(there.front().find("can't be asked of the engine postgres"), string::npos)
        << expression << ": " << there.front();
  }
}

}  // namespace
}  // namespace discreet::service
