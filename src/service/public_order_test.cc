// Answers about public tables are exact, and the same each time: the last bit of VAR and STDDEV
// depends on the order in which rows are added up, so that is always the same.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "discreet/service/testing/asked.h"
#include "discreet/service/testing/every_type.h"

namespace discreet::service {
namespace {

using std::string;
using testing::Asked;
using testing::Database;

class PublicOrder : public testing::InAFolder {};

TEST_F(PublicOrder, DoesNotShow) {
  {
    Database database(place() + "/p.duckdb");
    ASSERT_TRUE(
        database.run("CREATE TABLE up AS SELECT i % 3 AS g, sin(i) * 1e3 AS x, CASE WHEN i "
                     "% 2 = 0 THEN 0.0 ELSE -0.0 END AS z FROM range(130000) r(i)"));
    ASSERT_TRUE(database.run("CREATE TABLE down AS FROM up ORDER BY x DESC, z"));
  }
  const string query =
      "SELECT VAR_POP(x), STDDEV(x), AVG(x), SUM(x), MIN(z), MAX(z), CAST(MIN(z) AS VARCHAR) FROM "
      "t";
  std::set<string> seen;
  for (const char* name : {"up", "down"}) {
    Asked t(place(), fmt::format("source = \"p.duckdb#{}\"\npublic = true\n", name), 4);
    for (int run = 0; run < 100; ++run) seen.insert(t.look_up(query));
  }
  EXPECT_EQ(seen.size(), 1u);
  // The twin: DuckDB's own, on one thread.
  Database plain(place() + "/p.duckdb");
  ASSERT_TRUE(plain.run("SET threads = 1"));
  duckdb_result result{};
  duckdb_query(plain.connection,
               "SELECT (SELECT var_pop(x) FROM up) = (SELECT var_pop(x) FROM down)", &result);
  EXPECT_FALSE(duckdb_value_boolean(&result, 0, 0));
  duckdb_destroy_result(&result);
}

}  // namespace
}  // namespace discreet::service
