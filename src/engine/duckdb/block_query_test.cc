#include "discreet/engine/duckdb/block_query.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "discreet/engine/duckdb/unit_blocks.h"
#include "discreet/random/testing/sources.h"

namespace discreet::engine::duckdb {
namespace {

using std::string;
const std::vector<string> kNames{"id", "x", "code"};
constexpr const char* kRows = "1,20,007\n2,30,012\n3,\"40\",\"a \"\"b\"\"\"\n4,,\n";

std::optional<string> ask(const string& text, const string& rows = kRows, double seconds = 10,
                          std::size_t memory = std::size_t{256} << 20) {
  const auto query =
      BlockQuery::open({.text = text, .names = kNames, .seconds = seconds, .memory = memory});
  EXPECT_TRUE(query.has_value()) << query.error().text();
  return query ? query->answer(rows) : std::nullopt;
}

TEST(BlockQuery, AnswersFromTheBlockAlone) {
  EXPECT_EQ(ask("SELECT count(*) FROM data"), "4");
  EXPECT_EQ(ask("SELECT sum(x) FROM data"), "90");
  EXPECT_EQ(ask("SELECT code FROM data WHERE id = 3 -- a comment"), "a \"b\"");
  EXPECT_EQ(ask("SELECT avg(x) FROM data;", "1,1.5,z\n2,2,z\n"), "1.75");
  EXPECT_EQ(ask("WITH a AS (SELECT max(id) AS most FROM data) SELECT most FROM a"), "4");
}

TEST(BlockQuery, TypesAreThoseThatAllValuesHave) {
  EXPECT_EQ(ask("SELECT typeof(id) || typeof(x) || typeof(code) FROM data"), "BIGINTBIGINTVARCHAR");
  EXPECT_EQ(ask("SELECT typeof(x) FROM data", "1,1.5,\n2,-3e4,\n"), "DOUBLE");
  EXPECT_EQ(ask("SELECT typeof(x) FROM data", "1,1.5,\n2,many,\n"), "VARCHAR");
  EXPECT_EQ(ask("SELECT typeof(code) FROM data", "1,1,012.5\n"), "VARCHAR");
}

TEST(BlockQuery, WhatFailsHasNoAnswer) {
  EXPECT_EQ(ask("SELECT x FROM data WHERE id = 99"), std::nullopt);
  EXPECT_EQ(ask("SELECT NULL FROM data"), std::nullopt);
  EXPECT_EQ(ask("SELECT sum(code) FROM data"), std::nullopt);
  EXPECT_EQ(ask("SELECT error(code) FROM data"), std::nullopt);
  EXPECT_EQ(ask("SELECT x FROM data", ""), std::nullopt);
}

TEST(BlockQuery, TheDatabaseIsLocked) {
  std::ofstream("block_query_test.txt") << "secret\n";
  for (const string text :
       {"SELECT content FROM read_text('block_query_test.txt')",
        "SELECT * FROM 'block_query_test.txt'", "SELECT * FROM read_csv('block_query_test.txt')"})
    EXPECT_FALSE(BlockQuery::open({.text = text, .names = kNames}).has_value()) << text;
  std::filesystem::remove("block_query_test.txt");
}

TEST(BlockQuery, TimeAndMemoryAreLimited) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(ask("SELECT count(*) FROM range(100000000000) a, range(100000) b", kRows, 0.5),
            std::nullopt);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(8));
  EXPECT_EQ(ask("SELECT len(list(i)) FROM range(10000000) t(i)", kRows, 60), "10000000");
  EXPECT_EQ(ask("SELECT len(list(i)) FROM range(10000000) t(i)", kRows, 60, 30 << 20),
            std::nullopt);
}

// DuckDB's own interrupts and limits aren't looked at in there.
TEST(BlockQuery, ScalarFunctionsAreLimitedToo) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(
      ask("SELECT levenshtein(repeat('ab' || max(id), 300000), repeat('b', 300000)) FROM data",
          kRows, 0.5),
      std::nullopt);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(8));
  EXPECT_EQ(ask("SELECT len(range(1000000000 + max(id))) FROM data"), std::nullopt);
  EXPECT_EQ(ask("SELECT len(range(1000 + max(id))) FROM data"), "1004");
}

TEST(BlockQuery, WhatNoBlockCouldAnswerIsRefused) {
  for (const string text :
       {"", "SELECT", "SELECT age FROM data", "SELECT x FROM visits", "SELECT nosuch(x) FROM data",
        "SELECT 1; SELECT 2", "DROP TABLE data", "ATTACH 'x.db'", "COPY data TO 'x.csv'"}) {
    const auto query = BlockQuery::open({.text = text, .names = kNames});
    ASSERT_FALSE(query.has_value()) << text;
    EXPECT_EQ(query.error().parameter, "query") << text;
  }
  EXPECT_FALSE(BlockQuery::open({.text = "SELECT 1", .names = {"x", "x"}}).has_value());
}

class Units : public ::testing::Test {
 protected:
  void SetUp() override {
    string path = (std::filesystem::temp_directory_path() / "units-XXXXXX").string();
    const int file = mkstemp(path.data());
    ASSERT_GE(file, 0);
    close(file);
    file_ = path;
  }
  void TearDown() override { std::filesystem::remove(file_); }
  void write(const string& text) const { std::ofstream(file_, std::ios::binary) << text; }
  std::vector<string> split(std::uint64_t blocks) const {
    random::testing::Seeded source(9);
    const auto assignment = *mechanism::gap::Assignment::draw(blocks, source);
    return *UnitTable::open(file_, "id")->split(assignment);
  }
  string file_;
};

TEST_F(Units, RowsAreWrittenAgainAsAnyReaderReadsThem) {
  write(
      "\xef\xbb\xbfid, \"a \"\"name\"\"\"\r\n1, x\r\n\"1\",\"two\nlines\"\n,nobody\n1\n2,5\" "
      "pipe\n");
  EXPECT_EQ(UnitTable::open(file_, "id")->header(), "id,\"a \"\"name\"\"\"\n");
  EXPECT_EQ(split(1), std::vector<string>{"1,\" x\"\n1,\"two\nlines\"\n2,\"5\"\" pipe\"\n"});
}

TEST_F(Units, TakingAUnitOutChangesOneBlock) {
  // Some of what people write: quotes, line breaks, delimiters, bytes that aren't text.
  const auto row = [](int unit, int i) {
    const string texts[] = {"plain", "\"quoted, with\nlines\"", "5\" pipe", "\xff\xfe", ""};
    return std::to_string(unit) + "," + texts[(unit + i) % 5] + "\n";
  };
  const auto file_without = [&](int out) {
    string text = "id,note\n";
    for (int i = 0; i < 3; ++i)
      for (int unit = 0; unit < 40; ++unit)
        if (unit != out) text += row(unit, i);
    return text;
  };
  write(file_without(-1));
  const std::vector<string> all = split(10);
  for (int unit = 0; unit < 40; ++unit) {
    write(file_without(unit));
    const std::vector<string> without = split(10);
    int changed = 0;
    for (std::size_t i = 0; i < 10; ++i) changed += int(all[i] != without[i]);
    EXPECT_EQ(changed, 1) << unit;
  }
}

TEST_F(Units, WhatIsRefusedBeforeARowIsRead) {
  write("id,note\n1,x\n");
  const auto typo = UnitTable::open(file_, "ids");
  ASSERT_FALSE(typo.has_value());
  EXPECT_EQ(typo.error().parameter, "unit");
  EXPECT_NE(typo.error().text().find("did you mean 'id'?"), string::npos) << typo.error().text();
  EXPECT_FALSE(UnitTable::open(file_ + ".not", "id").has_value());
  write("");
  EXPECT_FALSE(UnitTable::open(file_, "id").has_value());
}

}  // namespace
}  // namespace discreet::engine::duckdb
