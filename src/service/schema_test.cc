// Whether a column can be read is decided by its type, before anything is spent.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "discreet/engine/duckdb/parquet_footer.h"
#include "discreet/service/testing/asked.h"
#include "discreet/service/testing/every_type.h"

namespace discreet::service {
namespace {

using std::string;
using testing::Asked;
using testing::Database;
using testing::RawColumn;

class Schema : public testing::InAFolder {};

// One person's moment near the end of its type, with a salary that a filter looks for.
TEST_F(Schema, AFilterDoesNotTellWhoHasAnOddMoment) {
  RawColumn seen = testing::raw_wholes("seen", {0, INT64_MAX - 2, 60'000});
  seen.type.logical = testing::raw_moment(8, true, 2);
  testing::write_parquet(place() + "/t.parquet",
                         {testing::raw_wholes("u", {1, 2, 3}),
                          testing::raw_wholes("salary", {0, 30'000, 60'000}), seen});
  Asked t(place(), "source = \"t.parquet\"\nkey = \"u\"\n");
  for (const int salary : {0, 30'000, 30'001, 100'000})
    EXPECT_EQ(t.ask(fmt::format("SELECT COUNT(seen) FROM t WHERE salary >= {}", salary)), "");
  // The twin: DuckDB's own cast of the same column.
  Database plain("");
  const string read = fmt::format(
      "SELECT count(TRY_CAST(seen AS TIMESTAMP)) FROM '{}/t.parquet' WHERE salary >= ", place());
  EXPECT_TRUE(plain.run("SET TimeZone = 'UTC'") && plain.run(read + "30001"));
  EXPECT_FALSE(plain.run(read + "30000"));
}

// A moment that DuckDB's reader can't even read from the footer costs nobody who doesn't ask for
// it.
TEST_F(Schema, AFooterThatCantBeReadCostsItsColumnOnly) {
  for (const std::int64_t odd : {std::int64_t{0}, INT64_MAX / 2}) {
    RawColumn seen = testing::raw_wholes("seen", {0, odd, 60'000});
    seen.type.logical = testing::raw_moment(8, false, 1);  // milliseconds
    testing::write_parquet(place() + "/t.parquet", {testing::raw_wholes("u", {1, 2, 3}), seen});
    Asked t(place(), "source = \"t.parquet\"\nkey = \"u\"\n");
    EXPECT_EQ(t.error, "");
    EXPECT_EQ(t.ask("SELECT COUNT(*) FROM t"), "");
    EXPECT_NE(t.ask("SELECT COUNT(seen) FROM t").find("TIMESTAMP(MILLIS)"), string::npos);
  }
}

// The shortcut that asks the footer about the key must not stumble over another column's values.
TEST_F(Schema, AKeyThatIsNeverMissingIsFoundInAnyFooter) {
  testing::write_every_parquet(place());
  EXPECT_TRUE(engine::duckdb::never_null({place() + "/t.parquet"}, "u"));
  EXPECT_FALSE(engine::duckdb::never_null({place() + "/t.parquet"}, "no such column"));
  EXPECT_FALSE(engine::duckdb::never_null({place() + "/t.parquet", place() + "/none"}, "u"));
  Asked t(place(), "source = \"t.parquet\"\nkey = \"u\"\nrows_per_unit = 1\n");
  EXPECT_EQ(t.ask("SELECT COUNT(*) FROM t"), "");
  EXPECT_EQ(t.ask("SELECT COUNT(a) FROM (SELECT u, COUNT(*) AS a FROM t GROUP BY u)"), "");
  // DuckDB's own way to ask does stumble.
  EXPECT_FALSE(Database("").run(
      fmt::format("SELECT sum(stats_null_count) FROM parquet_metadata('{}/t.parquet')", place())));
  // Cut anywhere, or with any byte changed, it ends with an answer.
  constexpr char kFooter[] =
      "\x15\x02\x19\x1c\x48\x01s\x15\x02\x00\x16\x02\x19\x1c\x19\x1c\x26\x08\x1c\x15\x04\x19\x15"
      "\x00\x19"
      "\x18\x01u\x15\x00\x16\x02\x16\x02\x16\x02\x26\x08\x3c\x36\x00\x00\x00\x00\x16\x02\x16\x02"
      "\x00\x00";
  const string footer(kFooter, sizeof kFooter - 1);
  EXPECT_TRUE(engine::duckdb::footer_never_null(footer, "u"));
  for (std::size_t length = 0; length < footer.size(); ++length)
    EXPECT_FALSE(engine::duckdb::footer_never_null(footer.substr(0, length), "u")) << length;
  for (std::size_t i = 0; i < footer.size(); ++i)
    for (int value = 0; value < 256; ++value) {
      string other = footer;
      other[i] = static_cast<char>(value);
      (void)engine::duckdb::footer_never_null(other, "u");
    }
  EXPECT_FALSE(
      engine::duckdb::footer_never_null(string(100'000, '\x1c'), "u"));  // structs in structs
  EXPECT_FALSE(engine::duckdb::footer_never_null(string(100'000, '\x19'), "u"));  // lists in lists
}

TEST_F(Schema, ColumnsWithoutAReaderAreRefusedBySchema) {
  {
    // VARIANT needs a file of the newest version.
    Database database("");
    ASSERT_TRUE(database.run(
        fmt::format("ATTACH '{}/all.duckdb' AS a (STORAGE_VERSION 'latest')", place())));
    ASSERT_TRUE(database.run("USE a"));
    string list;
    for (std::size_t i = 0; i < testing::refused().size(); ++i)
      list += fmt::format(", v{} {}", i, testing::refused()[i].sql);
    ASSERT_TRUE(database.run("CREATE TABLE t (u BIGINT" + list + ")"));
    ASSERT_TRUE(database.run("CREATE VIEW w AS FROM t"));
    ASSERT_TRUE(database.run("CREATE TABLE g (u BIGINT, x BIGINT AS (u // 0))"));
  }
  Asked t(place(), "source = \"all.duckdb#t\"\nkey = \"u\"\n");
  EXPECT_EQ(t.ask("SELECT COUNT(*) FROM t"), "");  // the others can be asked about
  for (std::size_t i = 0; i < testing::refused().size(); ++i) {
    const string said = t.ask(fmt::format("SELECT COUNT(v{}) FROM t", i));
    EXPECT_NE(said.find(fmt::format("'v{}' is", i)), string::npos) << said;
    EXPECT_NE(said.find("accepted are BOOLEAN, TINYINT"), string::npos) << said;
  }
  EXPECT_NE(Asked(place(), "source = \"all.duckdb#t\"\nkey = \"v0\"\n").error.find("'v0' is"),
            string::npos);
  EXPECT_NE(Asked(place(), "source = \"all.duckdb#w\"\nkey = \"u\"\n").error.find("view"),
            string::npos);
  EXPECT_NE(Asked(place(), "source = \"all.duckdb#g\"\nkey = \"u\"\n").error.find("generated"),
            string::npos);
  const string moment = "columns.u = { type = \"date\" }\n";
  EXPECT_NE(Asked(place(), "source = \"all.duckdb#t\"\nkey = \"u\"\n" + moment)
                .error.find("can't be read as a date"),
            string::npos);
}

TEST_F(Schema, WhatTheParquetReaderFailsOnNeedsAPromise) {
  testing::write_every_parquet(place());
  Asked n(place(), "source = \"n.parquet\"\nkey = \"u\"\n");
  for (std::size_t i = 0; i < testing::raw_types().size(); ++i) {
    const string query = fmt::format("SELECT COUNT(v{}) FROM t", i);
    EXPECT_EQ(n.ask(query).empty(), testing::raw_types()[i].readable) << i << n.ask(query);
    // (Only of the moments is the first row's value one that can be read.)
    if (testing::raw_types()[i].readable || testing::raw_types()[i].type.physical != 2) continue;
    Asked promised(place(), fmt::format("source = \"n.parquet\"\nkey = \"u\"\ncolumns.v{} = {{ "
                                        "sound = true }}\n",
                                        i));
    EXPECT_EQ(promised.ask(query), "") << i;
  }
}

TEST_F(Schema, FilesOfAGlobHaveOneType) {
  RawColumn x = testing::raw_wholes("x", {1});
  const RawColumn u = testing::raw_wholes("u", {1});
  testing::write_parquet(place() + "/a1.parquet", {u, x});
  x.type.converted = 14;  // UINT_64
  testing::write_parquet(place() + "/a2.parquet", {u, x});
  const string said = Asked(place(), "source = \"a*.parquet\"\nkey = \"u\"\n").error;
  EXPECT_NE(said.find("the same types"), string::npos) << said;
}

}  // namespace
}  // namespace discreet::service
