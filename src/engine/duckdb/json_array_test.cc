// Arrays of objects, well formed or not: what is a row is read, what isn't costs nobody else's.
#include "discreet/engine/duckdb/json_array.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "discreet/engine/duckdb/json.h"

namespace discreet::engine::duckdb {
namespace {

using std::string;

class Array : public ::testing::Test {
 protected:
  void SetUp() override {
    string folder = (std::filesystem::temp_directory_path() / "discreet-array-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    place_ = folder;
  }
  void TearDown() override { std::filesystem::remove_all(place_); }

  // The rows' fields u and x as "u:x", NULL as "-".
  std::vector<string> rows(const string& text) {
    const string path = place_ + "/a.json";
    std::ofstream(path, std::ios::binary) << text;
    ArrayBlocks blocks({path}, cut_);
    JsonRecords records({{"u", "x"}});
    std::vector<string> out;
    const auto shown = [](const Field& field) { return field.data ? string(field.text()) : "-"; };
    for (Block block; blocks.next(block);) {
      records.begin(block.text());
      while (const Fields* fields = records.next())
        out.push_back(shown((*fields)[0]) + ":" + shown((*fields)[1]));
    }
    EXPECT_FALSE(blocks.failed());
    return out;
  }
  using Rows = std::vector<string>;

  string place_;
  Cut cut_;
};

TEST_F(Array, Rows) {
  EXPECT_EQ(rows(R"([{"u":1,"x":2},{"u":2,"x":"a"}])"), (Rows{"1:2", "2:a"}));
  EXPECT_EQ(rows("\xef\xbb\xbf [\n  {\n    \"u\": 1,\n    \"x\": 2.5\n  },\n  {\"x\": true}\n]\n"),
            (Rows{"1:2.5", "-:true"}));
  EXPECT_EQ(rows("[]"), Rows{});
  EXPECT_EQ(rows(""), Rows{});
  EXPECT_EQ(rows(" \n "), Rows{});
  EXPECT_EQ(rows(R"([{}, {"u":null}, {"other":1}])"), (Rows{"-:-", "-:-", "-:-"}));
  // Brackets, commas and quotes in strings, escapes, what is nested.
  EXPECT_EQ(rows(R"([{"u":"}],{[\"","x":"\\"},{"u":"\u00e9\n","x":{"a":[1,{"b":"]"}]}}])"),
            (Rows{"}],{[\":\\", "é\n:{\"a\":[1,{\"b\":\"]\"}]}"}));
  // Over the edges of blocks.
  string many = "[";
  for (int i = 0; i < 30'000; ++i) many += (i ? "," : "") + string("{\"u\":7,\"x\":8}");
  EXPECT_EQ(rows(many + "]"), Rows(30'000, "7:8"));
}

TEST_F(Array, WhatIsMalformedCostsItself) {
  const string one = R"({"u":1,"x":1})", three = R"({"u":3,"x":3})";
  for (const string broken : {"{broken}",
                              "{\"u\":2",
                              "{\"u\":2,\"x\":{\"a\":1}",
                              "{\"u\":2,\"x\":[1}",
                              "{\"u\":[2,3}}",
                              "7",
                              "[1, 2]",
                              "\"text {\"",
                              "null",
                              "",
                              ",,",
                              "}",
                              "]",
                              "]]}}",
                              "{\"u\":2,\"x\":\"\xff\xfe\"}",
                              "{\"u\":2,\"x\":01}",
                              "{\"u\":2 \"x\":2}",
                              "{u:2}",
                              "{'u':2}",
                              "{\"u\":2,}",
                              "{\"u\":2,\"x\":\"\x01\"}",
                              "// comment",
                              "{\"u\":\"\\ud800\"}",
                              "{\"u\":\"\\q\"}",
                              "{\"u\":2,\"x\":\"unterminated}",
                              "{\"u\":2,\"x\":\"two\nlines\"}",
                              "{\"u\":2,\"x\":\"escaped\\"}) {
    SCOPED_TRACE(broken);
    EXPECT_EQ(rows("[\n" + one + ",\n" + broken + ",\n" + three + "\n]"), (Rows{"1:1", "3:3"}));
  }
  EXPECT_EQ(rows("[" + one + one + "]"), (Rows{"1:1", "1:1"}));                   // no comma
  EXPECT_EQ(rows("[" + one + "] junk [" + three + "] }"), (Rows{"1:1", "3:3"}));  // two arrays
  EXPECT_EQ(rows("[" + one + "," + three.substr(0, 9)), Rows{"1:1"});             // cut off
  EXPECT_EQ(rows(one + "\n" + three + "\n"), (Rows{"1:1", "3:3"}));               // no array
  EXPECT_EQ(rows("[" + one + ",{\"u\":2,\"x\":[," + three + "]"), Rows{"1:1"});   // as documented
  EXPECT_EQ(rows(string("[{\"u\":2,\"x\":\"a\0b\"},", 20) + three + "]"), Rows{"3:3"});
}

TEST_F(Array, WhatIsTooLargeIsPassedOver) {
  const string row = R"({"u":1,"x":1})";
  const string deep(JsonRecords::kDeepest + 1, '['), closed(JsonRecords::kDeepest + 1, ']');
  EXPECT_EQ(rows("[" + row + ",{\"x\":" + deep + closed + "}," + row + "]"), (Rows{"1:1", "1:1"}));
  EXPECT_EQ(rows("[" + row + ",{\"x\":" + string(5'000'000, '[') + "," + row), Rows{"1:1"});
  const string wide(cut_.longest, 'a');
  EXPECT_EQ(rows("[{\"u\":\"" + wide + "\"}," + row + "]"), Rows{"1:1"});
}

// Whatever the bytes, there is an end and no row is lost to those after it.
TEST_F(Array, AnyBytes) {
  std::mt19937 draw(4);
  const std::vector<string> pieces = {"{",
                                      "}",
                                      "[",
                                      "]",
                                      "\"",
                                      ",",
                                      ":",
                                      "\\",
                                      "\n",
                                      " ",
                                      "1",
                                      "\xff",
                                      string(1, '\0'),
                                      "\"u\":",
                                      "{\"u\":1}",
                                      "null",
                                      "-",
                                      "e9"};
  for (int i = 0; i < 300; ++i) {
    string text = "[";
    for (int n = 0; n < 400; ++n) text += pieces[draw() % pieces.size()];
    const std::size_t found = rows(text).size();
    // Nothing that comes later takes a row away.
    EXPECT_GE(rows(text + "\n\"\n{\"u\":2}").size(), found);
  }
}

TEST_F(Array, NoFile) {
  ArrayBlocks blocks({place_ + "/none.json"}, {});
  Block block;
  EXPECT_FALSE(blocks.next(block));
  EXPECT_TRUE(blocks.failed());
}

}  // namespace
}  // namespace discreet::engine::duckdb
