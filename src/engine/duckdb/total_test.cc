// Where DuckDB's own functions have a value, ours have the same.
#include "discreet/engine/duckdb/total.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "discreet/engine/duckdb/result.h"
#include "discreet/policy/value.h"

namespace discreet::engine::duckdb {
namespace {

using std::string;

// The first value of what DuckDB answers, in a database of its own with our functions.
string one(const string& sql) {
  duckdb_database database = nullptr;
  duckdb_connection connection = nullptr;
  EXPECT_EQ(duckdb_open(nullptr, &database), DuckDBSuccess);
  EXPECT_EQ(duckdb_connect(database, &connection), DuckDBSuccess);
  EXPECT_TRUE(add_total_functions(connection));
  ResultHolder holder;
  string out = "failed";
  if (duckdb_query(connection, sql.c_str(), &holder.result) == DuckDBSuccess) {
    char* value = duckdb_value_varchar(&holder.result, 0, 0);
    out = value ? value : "NULL";
    duckdb_free(value);
  }
  duckdb_disconnect(&connection);
  duckdb_close(&database);
  return out;
}

TEST(Total, MomentsMoveAsInDuckdb) {
  // Every third day of 1600 years, by counts that cross months, years and leap days both ways.
  const string days =
      "FROM (SELECT DATE '0401-01-01' + CAST(i * 3 AS INTEGER) AS d FROM range(200000) r(i)), "
      "(VALUES (0), (1), (-1), (11), (12), (-13), (-400), (4801)) v(n)";
  for (const char* unit : {"days", "months"})
    EXPECT_EQ(one(fmt::format("SELECT count(*) FILTER (WHERE discreet_date_{0}(d, n) IS DISTINCT "
                              "FROM CAST(d + to_{0}(n) AS DATE)) || ' of ' || count(*) {1}",
                              unit, days)),
              "0 of 1600000");
  for (const char* unit : {"days", "months", "seconds"})
    EXPECT_EQ(one(fmt::format("SELECT count(*) FILTER (WHERE discreet_timestamp_{0}(t, n) IS "
                              "DISTINCT FROM t + to_{0}(n)) || ' of ' || count(*) FROM (SELECT d + "
                              "to_microseconds(86399999999) AS t, n {1})",
                              unit, days)),
              "0 of 1600000");
}

TEST(Total, MomentsEndWithTheirYears) {
  EXPECT_EQ(one("SELECT discreet_date_days(DATE '9999-12-31', 1)"), "NULL");
  EXPECT_EQ(one("SELECT discreet_date_days(DATE '0001-01-01', -1)"), "NULL");
  EXPECT_EQ(one("SELECT discreet_date_months(DATE '9999-11-30', 1)"), "9999-12-30");
  EXPECT_EQ(one("SELECT discreet_date_months(DATE '9999-12-01', 1)"), "NULL");
  EXPECT_EQ(one("SELECT discreet_date_months(DATE '0001-01-31', -1)"), "NULL");
  EXPECT_EQ(one("SELECT discreet_date_months(DATE '2024-01-31', 1)"), "2024-02-29");
  EXPECT_EQ(one("SELECT discreet_timestamp_seconds(TIMESTAMP '9999-12-31 23:59:59', 1)"), "NULL");
  EXPECT_EQ(one("SELECT discreet_date(DATE 'infinity')"), "NULL");
  EXPECT_EQ(one("SELECT discreet_timestamp(TIMESTAMP '-infinity')"), "NULL");
  EXPECT_EQ(kFirstDay, policy::days_from(1, 1, 1));
  EXPECT_EQ(kLastDay, policy::days_from(9999, 12, 31));
}

TEST(Total, NumbersWithoutAValueAreNull) {
  EXPECT_EQ(one("SELECT discreet_sqrt(-1)"), "NULL");
  EXPECT_EQ(one("SELECT discreet_sqrt(4)"), "2.0");
  EXPECT_EQ(one("SELECT discreet_ln(0)"), "NULL");
  EXPECT_EQ(one("SELECT discreet_divide(1, 0)"), "NULL");
  EXPECT_EQ(one("SELECT discreet_modulo(-7, 4)"), "-3.0");
  EXPECT_EQ(one("SELECT discreet_number('nan'::DOUBLE)"), "NULL");
  EXPECT_EQ(one("SELECT discreet_grid('inf'::DOUBLE, 1)"), "4000000000000000000");
  EXPECT_EQ(one("SELECT discreet_grid(2.5, 1)"), "2");
  EXPECT_EQ(one("SELECT discreet_nullif_text('a', NULL)"), "a");
  EXPECT_EQ(one("SELECT discreet_nullif_integer(7, NULL)"), "7");
  EXPECT_EQ(one("SELECT discreet_nullif_integer(7, 7)"), "NULL");
}

// Whatever bits lie under a NULL: those of the value, here.
TEST(Total, ANullEqualsNothing) {
  EXPECT_EQ(one("SELECT discreet_nullif_double(1e150 + i, discreet_moderate(1e150 + i)) "
                "FROM range(1) r(i)"),
            "1e+150");
  EXPECT_EQ(one("SELECT discreet_nullif_integer(i, discreet_grid('nan'::DOUBLE + i, 1)) "
                "FROM range(1) r(i)"),
            "0");
}

// Squares are added up, and farther out a double is no angle: neighbours are whole turns apart.
TEST(Total, NumbersThatAreTooLargeAreNull) {
  EXPECT_EQ(one("SELECT discreet_moderate(1e140)"), "1e+140");
  EXPECT_EQ(one("SELECT discreet_moderate(1.1e140)"), "NULL");
  EXPECT_EQ(one("SELECT discreet_moderate(-1.1e140)"), "NULL");
  for (const char* angle : {"sin", "cos"}) {
    EXPECT_NE(one(fmt::format("SELECT discreet_{}(-9e14)", angle)), "NULL");
    EXPECT_EQ(one(fmt::format("SELECT discreet_{}(1e15)", angle)), "NULL");
    EXPECT_EQ(one(fmt::format("SELECT discreet_{}(-1e16)", angle)), "NULL");
    EXPECT_EQ(one(fmt::format("SELECT discreet_{}('inf'::DOUBLE)", angle)), "NULL");
  }
}

// NULLs among many rows, in every word of a vector's validity.
TEST(Total, NullsStayWhereTheyAre) {
  EXPECT_EQ(one("SELECT count(*) FROM (SELECT i, discreet_sqrt(CASE WHEN i % 7 > 0 THEN i - 2500 "
                "END) AS s FROM range(5000) r(i)) WHERE (s IS NULL) <> (i % 7 = 0 OR i < 2500)"),
            "0");
}

}  // namespace
}  // namespace discreet::engine::duckdb
