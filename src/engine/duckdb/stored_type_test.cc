// Whole numbers that are read from texts are those that DuckDB's cast reads.
#include "discreet/engine/duckdb/stored_type.h"

#include <duckdb.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "discreet/engine/duckdb/print.h"
#include "discreet/engine/duckdb/result.h"

namespace discreet::engine::duckdb {
namespace {

using std::string;

TEST(StoredType, TextsAreReadAsTheNumbersThatACastReads) {
  std::vector<string> texts = {"",    "0",   "-0",    "00",   "007",   "-12", "+5",   " 7",
                               "7 ",  "-",   "--1",   "1-",   "1e3",   "1.5", "0x1f", "1_000",
                               "12a", "a12", "1/",    "1:",   "\x01",  "٣",   "true", "null",
                               "NaN", "inf", "1e400", "0.49", "-0.51", ".5",  "5.",   "- 1"};
  for (const string nines : {"", "9"})
    for (std::size_t digits = 0; digits <= 21; ++digits)
      for (const char* sign : {"", "-"}) texts.push_back(sign + nines + string(digits, '9'));
  for (const char* edge : {"9223372036854775807", "9223372036854775808", "-9223372036854775808",
                           "-9223372036854775809", "999999999999", "-99999999999", "100000000000"})
    texts.emplace_back(edge);
  string list;
  for (const string& text : texts) list += (list.empty() ? "(" : ", (") + quote_text(text) + ")";
  duckdb_database database = nullptr;
  duckdb_connection connection = nullptr;
  ASSERT_EQ(duckdb_open(nullptr, &database), DuckDBSuccess);
  ASSERT_EQ(duckdb_connect(database, &connection), DuckDBSuccess);
  ASSERT_TRUE(add_readers(connection));
  const auto ask = [&](const string& sql) {
    ResultHolder holder;
    string out = "failed";
    if (duckdb_query(connection, sql.c_str(), &holder.result) == DuckDBSuccess) {
      char* value = duckdb_value_varchar(&holder.result, 0, 0);
      out = value ? value : "NULL";
      duckdb_free(value);
    }
    return out;
  };
  const string ours = read_as("t", *stored_type(DUCKDB_TYPE_VARCHAR), policy::Type::kInt);
  // Twice over, with NULLs between, so that vectors have rows of both ways.
  const string from = fmt::format(
      "FROM (SELECT CASE WHEN i % 7 = 0 THEN NULL ELSE t END AS t FROM range(100), (VALUES {}) "
      "v(t) "
      "CROSS JOIN range(3) r(i))",
      list);
  EXPECT_EQ(ask(fmt::format("SELECT count(*) FILTER (WHERE {} IS DISTINCT FROM TRY_CAST(t AS "
                            "BIGINT)) {}",
                            ours, from)),
            "0");
  // The check can fail: the quick way alone knows fewer numbers.
  EXPECT_NE(
      ask(fmt::format("SELECT count(*) FILTER (WHERE discreet_short_whole(t) IS DISTINCT FROM "
                      "TRY_CAST(t AS BIGINT)) {}",
                      from)),
      "0");
  duckdb_disconnect(&connection);
  duckdb_close(&database);
}

}  // namespace
}  // namespace discreet::engine::duckdb
