#include "discreet/engine/trino/cell.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "discreet/policy/value.h"

namespace discreet::engine::trino {
namespace {

TEST(Cell, TypesAreAClosedList) {
  const std::pair<const char*, CellType> known[] = {{"boolean", CellType::kBoolean},
                                                    {"tinyint", CellType::kWhole},
                                                    {"smallint", CellType::kWhole},
                                                    {"integer", CellType::kWhole},
                                                    {"bigint", CellType::kWhole},
                                                    {"real", CellType::kReal},
                                                    {"double", CellType::kReal},
                                                    {"varchar", CellType::kText},
                                                    {"varchar(25)", CellType::kText},
                                                    {"char(3)", CellType::kText},
                                                    {"decimal(38,0)", CellType::kWide},
                                                    {"decimal(1,0)", CellType::kWide},
                                                    {"decimal(38, 0)", CellType::kWide},
                                                    {"date", CellType::kDate},
                                                    {"timestamp(0)", CellType::kTimestamp},
                                                    {"timestamp(6)", CellType::kTimestamp}};
  for (const auto& [name, type] : known) EXPECT_EQ(cell_type(name), type) << name;
  for (const char* name : {"",
                           "BIGINT",
                           "bigint(3)",
                           "decimal",
                           "decimal(38)",
                           "decimal(38,2)",
                           "decimal(39,0)",
                           "decimal(0,0)",
                           "decimal(38,0",
                           "decimal(38,0)x",
                           "decimal(-1,0)",
                           "decimal(38,  0)",
                           "decimal(38, 2)",
                           "varchar()",
                           "varchar(x)",
                           "varchar(25",
                           "timestamp",
                           "timestamp(7)",
                           "timestamp()",
                           "timestamp(3) with time zone",
                           "varbinary",
                           "array(bigint)",
                           "row(a bigint)",
                           "json",
                           "(",
                           ")",
                           "()",
                           "hyperloglog",
                           "uuid",
                           "time(3)"})
    EXPECT_EQ(cell_type(name), std::nullopt) << name;
}

TEST(Cell, WideNumbersKeepAllDigits) {
  const auto wide = [](const char* text) { return read_cell(CellType::kWide, text); };
  bound::Wide largest = 0;
  for (int i = 0; i < 38; ++i) largest = 10 * largest + 9;
  EXPECT_TRUE(wide("99999999999999999999999999999999999999")->wide == largest);
  EXPECT_TRUE(wide("-99999999999999999999999999999999999999")->wide == -largest);
  EXPECT_TRUE(wide("9007199254740993")->wide == bound::Wide{9007199254740993});
  EXPECT_TRUE(wide("-0")->wide == 0);
  EXPECT_TRUE(wide("00000000000000000000000000000000000001")->wide == 1);
  for (const char* text : {"", "-", "+1", "1.0", "1e3", " 1", "1 ", "0x1", "--1", "1-",
                           "999999999999999999999999999999999999999", "NaN"})
    EXPECT_EQ(wide(text), std::nullopt) << text;
  // A JSON number has been through a double somewhere: no form of it.
  EXPECT_EQ(read_cell(CellType::kWide, std::int64_t{1}), std::nullopt);
  EXPECT_EQ(read_cell(CellType::kWide, 1.0), std::nullopt);
}

TEST(Cell, RealsAreNumbersOrThreeTexts) {
  EXPECT_TRUE(std::isnan(read_cell(CellType::kReal, "NaN")->real));
  EXPECT_EQ(read_cell(CellType::kReal, "Infinity")->real, std::numeric_limits<double>::infinity());
  EXPECT_EQ(read_cell(CellType::kReal, "-Infinity")->real,
            -std::numeric_limits<double>::infinity());
  EXPECT_EQ(read_cell(CellType::kReal, 2.7e-312)->real, 2.7e-312);
  EXPECT_TRUE(std::signbit(read_cell(CellType::kReal, -0.0)->real));
  EXPECT_EQ(read_cell(CellType::kReal, std::int64_t{3})->real, 3.0);
  for (const char* text : {"nan", "inf", "+Infinity", "1.5", ""})
    EXPECT_EQ(read_cell(CellType::kReal, text), std::nullopt) << text;
  EXPECT_EQ(read_cell(CellType::kReal, std::numeric_limits<double>::infinity()), std::nullopt);
  EXPECT_EQ(read_cell(CellType::kReal, true), std::nullopt);
}

TEST(Cell, WholeNumbersAndTruthValuesAreOnlyThemselves) {
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(read_cell(CellType::kWhole, kLeast)->whole, kLeast);
  EXPECT_EQ(read_cell(CellType::kWhole, 1.0), std::nullopt);
  EXPECT_EQ(read_cell(CellType::kWhole, "1"), std::nullopt);
  EXPECT_EQ(read_cell(CellType::kWhole, true), std::nullopt);
  EXPECT_EQ(read_cell(CellType::kBoolean, true)->whole, 1);
  EXPECT_EQ(read_cell(CellType::kBoolean, std::int64_t{1}), std::nullopt);
  EXPECT_EQ(read_cell(CellType::kBoolean, "true"), std::nullopt);
}

TEST(Cell, TextsAreUtf8) {
  EXPECT_EQ(read_cell(CellType::kText, "Grüße, 東京 🏥")->text, "Grüße, 東京 🏥");
  const std::string with_nul("a\0b", 3);
  EXPECT_EQ(read_cell(CellType::kText, std::string_view(with_nul))->text, with_nul);
  EXPECT_FALSE(read_cell(CellType::kText, "")->null);
  EXPECT_EQ(read_cell(CellType::kText, "\xff"), std::nullopt);
  EXPECT_EQ(read_cell(CellType::kText, std::int64_t{1}), std::nullopt);
}

TEST(Cell, MomentsAreRead) {
  EXPECT_EQ(read_cell(CellType::kDate, "1969-12-31")->whole, -1);
  EXPECT_EQ(read_cell(CellType::kDate, "2023-02-29"), std::nullopt);
  EXPECT_EQ(read_cell(CellType::kTimestamp, "1970-01-01 00:00:01.250")->whole, 1'250'000);
  EXPECT_EQ(read_cell(CellType::kTimestamp, "1970-01-01 25:00:00"), std::nullopt);
  EXPECT_EQ(read_cell(CellType::kDate, std::int64_t{1}), std::nullopt);
}

}  // namespace
}  // namespace discreet::engine::trino
