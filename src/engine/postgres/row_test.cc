// Numerics in their binary form, and answers that are not what was planned.
#include "discreet/engine/postgres/row.h"

#include <gtest/gtest.h>

#include <string>

#include "discreet/engine/testing/answer.h"

namespace discreet::engine::postgres {
namespace {

// As numeric_send writes it.
std::string numeric(std::vector<int> digits, int weight, int sign = 0, int scale = 0) {
  std::string out;
  const auto put = [&](int value) {
    out += static_cast<char>((value >> 8) & 0xff);
    out += static_cast<char>(value & 0xff);
  };
  put(static_cast<int>(digits.size()));
  put(weight);
  put(sign);
  put(scale);
  for (const int digit : digits) put(digit);
  return out;
}

TEST(Numeric, IsReadWhole) {
  EXPECT_EQ(read_numeric(numeric({}, 0)), 0);
  EXPECT_EQ(read_numeric(numeric({42}, 0)), 42);
  EXPECT_EQ(read_numeric(numeric({42}, 0, 0x4000)), -42);
  EXPECT_EQ(read_numeric(numeric({1}, 1)), 10'000);  // zeros at the end are not written
  EXPECT_EQ(read_numeric(numeric({1, 2345}, 1)), 12'345);
  EXPECT_EQ(read_numeric(numeric({9, 2233, 7203, 6854, 7758, 7}, 5)),
            bound::Wide{92'233'720'368'547'758} * 10'000 + 7);
  EXPECT_EQ(read_numeric(numeric({12, 5000}, 0, 0, 1)), 12);  // what is after the point is cut
  EXPECT_EQ(read_numeric(numeric({5000}, -1, 0, 1)), 0);
}

TEST(Numeric, IsCutWhereItIsHuge) {
  EXPECT_EQ(read_numeric(numeric({1}, 100)), bound::Wide{1} << 100);
  EXPECT_EQ(read_numeric(numeric({1}, 32767, 0x4000)), -(bound::Wide{1} << 100));
}

TEST(Numeric, IsNothingWhereItsBytesAreNone) {
  EXPECT_EQ(read_numeric(""), 0);
  EXPECT_EQ(read_numeric("1234567"), 0);
  EXPECT_EQ(read_numeric(numeric({42}, 0, 0xC000)), 0);  // NaN
  EXPECT_EQ(read_numeric(numeric({42}, 0, 0xD000)), 0);  // infinity
  EXPECT_EQ(read_numeric(numeric({42}, 0) + "x"), 0);
  EXPECT_EQ(read_numeric(numeric({42, 42}, 1).substr(0, 10)), 0);
}

TEST(Numeric, IsToldFromOtherBytes) {
  EXPECT_TRUE(is_numeric(numeric({}, 0)));
  EXPECT_TRUE(is_numeric(numeric({9999, 1}, 1, 0x4000)));
  for (const std::string& bytes :
       {std::string(), std::string("1234567"), numeric({42}, 0, 0xC000), numeric({42}, 0, 0xD000),
        numeric({42}, 0) + "x", numeric({42, 42}, 1).substr(0, 10), numeric({10'000}, 0)})
    EXPECT_FALSE(is_numeric(bytes));
}

TEST(Cell, OfAnotherSizeIsNone) {
  using pushdown::Held;
  const std::string eight(8, '\0');
  EXPECT_TRUE(is_held(Held::kWhole, eight));
  EXPECT_TRUE(is_held(Held::kReal, eight));
  EXPECT_TRUE(is_held(Held::kText, ""));
  EXPECT_TRUE(is_held(Held::kWide, numeric({1}, 0)));
  for (const Held held : {Held::kWhole, Held::kReal, Held::kWide}) {
    EXPECT_FALSE(is_held(held, ""));
    EXPECT_FALSE(is_held(held, eight + "x"));
    EXPECT_FALSE(is_held(held, "1234567"));
  }
}

// What is read are bytes: those of an integer of 32 bits, or of a time, would be another number.
TEST(Columns, OfOtherTypesAreNotRead) {
  using engine::testing::Answer;
  using pushdown::Held;
  const std::vector<Held> planned = {Held::kWhole, Held::kReal, Held::kText, Held::kWide};
  const std::vector<unsigned> types = {20, 701, 25, 1700};
  EXPECT_TRUE(has_columns(Answer(types).get(), planned));
  EXPECT_FALSE(has_columns(Answer(types, false).get(), planned));
  EXPECT_FALSE(has_columns(Answer({20, 701, 25}).get(), planned));
  EXPECT_FALSE(has_columns(Answer({20, 701, 25, 1700, 1700}).get(), planned));
  for (std::size_t i = 0; i < types.size(); ++i)
    for (const unsigned other : {20U, 23U, 25U, 700U, 701U, 1114U, 1700U}) {
      std::vector<unsigned> changed = types;
      changed[i] = other;
      EXPECT_EQ(has_columns(Answer(changed).get(), planned), other == types[i])
          << i << " " << other;
    }
}

}  // namespace
}  // namespace discreet::engine::postgres
