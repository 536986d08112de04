// Every function, cast and operator on values that break things: the engines say what DuckDB says,
// to the last bit, and none of them makes one fail.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "discreet/engine/testing/private_trino.h"
#include "discreet/service/testing/elsewhere.h"
#include "discreet/service/testing/open_table.h"
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
                            "'1e1_0_0'",
                            "'-1e-1_0_0'",
                            "'1e1_0_0_0_0'",
                            "'1e0_0_0_0_7'",
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
                              "power(-x, -3)",
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
                              "regexp_matches(left(k, 20), '(a?b?c?d?e?){38}$')",
                              "regexp_matches(left(k, 20), '(a?b?c?d?e?){8}$')",
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
                              "i < x",
                              "x >= i",
                              "x IN (i, y)",
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
                              "strftime(z, '%Y/%m/%d %H:%M:%S %j %B %b %A %a %p %I %y {%%}')",
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

class Functions : public ::testing::Test {
 protected:
  // The same 400 rows here and there.
  void fill(const testing::Elsewhere& elsewhere) {
    testing::PlainDuckdb duckdb;
    duckdb.run(fmt::format("ATTACH '{}' AS f", folder_ / "all.duckdb"));
    duckdb.run(
        "CREATE TABLE raw (n BIGINT, x DOUBLE, y DOUBLE, i BIGINT, k VARCHAR, d DATE, z TIMESTAMP, "
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
      duckdb.run(fmt::format("INSERT INTO raw VALUES ({}, {}, {}, {}, {}, {}, {}, {})", row,
                             one(reals, 1), one(reals, 11), one(kOddWholes, 1), one(texts, 1),
                             one(kOddDates, 1), one(kOddTimes, 1), one(kTruths, 1)));
    }
    elsewhere.run("CREATE SCHEMA " + elsewhere.schema("functions"));
    testing::copy(duckdb, "raw", "f.f", elsewhere, elsewhere.table("functions", "f"));
    duckdb.run("DETACH f");
    here_.emplace(folder_, "", "all.duckdb#f");
    there_.emplace(folder_, elsewhere.head(), "functions.f");
  }
  static string about(const string& expression, std::size_t number = 0) {
    return fmt::format("SELECT n, {} AS v{} FROM open", expression, number);
  }
  static string shown(const policy::Value& value) {
    if (value.null || value.type != policy::Type::kDouble) return value.show().substr(0, 200);
    if (std::isnan(value.real)) return "nan";
    return fmt::format("{} {:016x}", value.real, std::bit_cast<std::uint64_t>(value.real + 0.0));
  }
  // Doubles that are neighbours, or one.
  static bool next_to(const policy::Value& a, const policy::Value& b) {
    return a.type == policy::Type::kDouble && !a.null && !b.null &&
           (std::nextafter(a.real, b.real) == b.real);
  }

  // All that aren't refused, in few statements: a server may take a second for each.
  void compare(const string& name, const Strings& refused, const Strings& nearly) {
    const auto among = [](const Strings& list, const string& one) {
      return std::find(list.begin(), list.end(), one) != list.end();
    };
    Strings asked;
    for (const string& expression : kExpressions) {
      EXPECT_EQ(here_->refusal(about(expression)), "") << expression;
      const string refusal = there_->refusal(about(expression));
      EXPECT_EQ(!refusal.empty(), among(refused, expression)) << expression << ": " << refusal;
      if (refusal.empty()) asked.push_back(expression);
    }
    constexpr std::size_t kAtOnce = 25;
    for (std::size_t from = 0, to = 0; from < asked.size(); from = to) {
      // As many as a row may cost there.
      string question = about(asked[from], from);
      for (to = from + 1; to < std::min(from + kAtOnce, asked.size()); ++to) {
        string more = question;
        more.insert(more.rfind(" FROM"), fmt::format(", {} AS v{}", asked[to], to));
        if (!there_->refusal(more).empty() || !here_->refusal(more).empty()) break;
        question = std::move(more);
      }
      const auto here = here_->rows(question), there = there_->rows(question);
      ASSERT_EQ(here.size(), 400u);
      ASSERT_EQ(there.size(), 400u) << asked[from];
      for (std::size_t e = from; e < to; ++e) {
        int told = 0;
        for (std::size_t row = 0; row < here.size() && told < 3; ++row) {
          const policy::Value &a = here[row][e - from + 1], &b = there[row][e - from + 1];
          if (shown(a) == shown(b) || (among(nearly, asked[e]) && next_to(a, b))) continue;
          ++told;
          ADD_FAILURE() << asked[e] << ", row " << row << "\n  DuckDB     " << shown(a) << "\n  "
                        << fmt::format("{:11}", name) << shown(b);
        }
      }
    }
  }

  ledger::testing::Folder folder_;
  std::optional<testing::OpenTable> here_, there_;
};

// Regular expressions, pieces from the end and texts of reals are DuckDB's own.
const Strings kNotOfTrino = {"substr(k, -3, 2)",
                             "substr(k, 0, 2)",
                             "substr(k, 3, -2)",
                             "left(k, -1)",
                             "right(k, -1)",
                             "split_part(k, 'X', -1)",
                             "split_part(k, '', 2)",
                             "split_part(k, 'a', 0)",
                             "regexp_matches(k, '^[a-z]+$')",
                             "regexp_matches(k, 'x.y')",
                             "regexp_full_match(k, '\\d+')",
                             "regexp_matches(k, '(a|b)c?\\s')",
                             "regexp_matches(left(k, 20), '(a?b?c?d?e?){38}$')",
                             "regexp_matches(left(k, 20), '(a?b?c?d?e?){8}$')",
                             "CAST(x AS VARCHAR)",
                             "strftime(z, '%Y/%m/%d %H:%M:%S %j %B %b %A %a %p %I %f %y {%%}')"};
// … and these, to all but the last bit, Java's.
const Strings kJavas = {"sin(x)",        "cos(x)",        "power(x, -1)",
                        "power(-x, -3)", "power(x, 0.5)", "power(x, -2.5)",
                        "exp(x)",        "ln(x)",         "log10(x)"};

TEST_F(Functions, OfPostgresSayTheSame) {
  const ledger::testing::Postgres server;
  fill(testing::InPostgres(server));
  // What takes PostgreSQL ten milliseconds to compile is refused there.
  compare("PostgreSQL", {"regexp_matches(left(k, 20), '(a?b?c?d?e?){38}$')"}, {});
}

TEST_F(Functions, OfPostgresThatWouldNotAreRefused) {
  const ledger::testing::Postgres server;
  fill(testing::InPostgres(server));
  for (const char* expression :
       {"reverse(k)", "log2(x)", "x % y", "date_diff('week', d, z)", "CAST(k AS DATE)",
        "CAST(k AS TIMESTAMP)", "regexp_matches(k, '(?i)a')", "strftime(d, '%U')"}) {
    EXPECT_EQ(here_->refusal(about(expression)), "") << expression;
    EXPECT_NE(there_->refusal(about(expression)).find("can't be asked of the engine postgres"),
              string::npos)
        << expression;
  }
}

TEST_F(Functions, OfTrinoSayTheSame) {
  const auto& server = engine::testing::PrivateTrino::one();
  if (!server.running()) GTEST_SKIP() << server.why_not();
  fill(testing::InTrino());
  compare("Trino", kNotOfTrino, kJavas);
}

}  // namespace
}  // namespace discreet::service
