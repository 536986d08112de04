#include "discreet/present/table.h"

#include <gtest/gtest.h>

namespace discreet::present {
namespace {

TEST(Table, AlignsColumns) {
  Table table({{"mechanism"}, {"ε", Align::kRight}});
  table.add({"laplace", "0.5"});
  table.add({"geometric", "12"});
  EXPECT_EQ(table.text(),
            "mechanism    ε\n"
            "─────────  ───\n"
            "laplace    0.5\n"
            "geometric   12\n");
}

TEST(Table, CountsColumnsOfTheScreenNotBytes) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("ε≤δ"), 3u);
  EXPECT_EQ(display_width("日本"), 4u);
  EXPECT_EQ(display_width("e\u0301"), 1u);  // e and a combining accent
  EXPECT_EQ(display_width("\U0001F600"), 2u);
  EXPECT_EQ(display_width("\xff\xfe"), 2u);  // each malformed byte shows as one replacement
  EXPECT_EQ(display_width("\xe6\x97"), 2u);  // cut off in the middle
  EXPECT_EQ(display_width("\xc0\xaf"), 2u);  // overlong
  Table table({{"名"}, {"n", Align::kRight}});
  table.add({"日本", "1"});
  table.add({"ä", "22"});
  EXPECT_EQ(table.text(), "名     n\n────  ──\n日本   1\nä     22\n");
}

TEST(Table, CellsCannotDriveTheTerminal) {
  EXPECT_EQ(printable("a\x1b[31mb\nc\u202Ed"), "a�[31mb\\nc�d");
  EXPECT_EQ(printable("a\tb\r"), "a\\tb\\r");
  EXPECT_EQ(printable("häuser 日本 😀"), "häuser 日本 😀");
  Table table({{"x"}});
  table.add({"\x1b[2J"});
  EXPECT_EQ(table.text().find('\x1b'), std::string::npos);
}

TEST(Table, MissingAndSurplusCells) {
  Table table({{"a"}, {"b"}});
  table.add({"1"});
  table.add({"1", "2", "3"});
  EXPECT_EQ(table.text(), "a  b\n─  ─\n1\n1  2\n");
  EXPECT_EQ(table.rows(), 2u);
  EXPECT_EQ(Table({}).text(), "\n\n");
}

}  // namespace
}  // namespace discreet::present
