// Lines of JSON: what is a row, what its texts are, and that each line stands alone.
#include "discreet/engine/duckdb/json.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "discreet/engine/duckdb/blocks.h"

namespace discreet::engine::duckdb {
namespace {

using std::string;
using Rows = std::vector<string>;

// The rows' fields u and x as "u:x", NULL as "-".
Rows rows_of(JsonRecords& records) {
  Rows out;
  const auto text = [](const Field& field) { return field.data ? string(field.text()) : "-"; };
  while (const Fields* fields = records.next())
    out.push_back(text((*fields)[0]) + ":" + text((*fields)[1]));
  return out;
}

Rows rows(string text) {
  text.append(kPadding, '"');
  JsonRecords records({{"u", "x"}});
  records.begin(std::string_view(text).substr(0, text.size() - kPadding));
  return rows_of(records);
}

TEST(Json, TextsOfValues) {
  for (const auto& [line, row] : std::vector<std::pair<string, string>>{
           {R"({"u":1,"x":2})", "1:2"},
           {"  { \"u\" :\t1 , \"x\" : 2 } \r", "1:2"},
           {R"({"u":1,"x":2},)", "1:2"},
           {R"({})", "-:-"},
           {R"({"x":null,"y":5})", "-:-"},
           {R"({"U":1,"X":2})", "-:-"},
           {R"({"u":"","x":" a "})", ": a "},
           {R"({"u":true,"x":false})", "true:false"},
           // No digit is lost.
           {R"({"u":9007199254740993,"x":-0.10})", "9007199254740993:-0.10"},
           {R"({"u":123456789012345678901234567890,"x":1E+5})",
            "123456789012345678901234567890:1E+5"},
           {R"({"u":1e999,"x":0.1234567890123456789012345})", "1e999:0.1234567890123456789012345"},
           {R"({"u":NaN,"x":-Infinity})", "NaN:-Infinity"},
           {R"({"u":"\"\\\/\b\f\n\r\t","x":"\u00e9\u65E5\ud83d\ude00"})",
            "\"\\/\b\f\n\r\t:\u00e9\u65e5\U0001f600"},
           {R"({"u":"a\u0000b","x":1})", string("a\0b:1", 5)},
           {"{\"u\":\"\u00e9\x7f\",\"x\":1}", "\u00e9\x7f:1"},
           {R"({"u": [ 1, 2.50 , "a  \"b" ], "x": { "b" : {} , "a":[ ] } })",
            R"([1,2.50,"a  \"b"]:{"b":{},"a":[]})"},
           // The first of several.
           {R"({"u":1,"u":2,"x":null,"x":3})", "1:-"},
           {R"({"\u0075":1,"\u0078":"\u0078"})", "1:x"},
       }) {
    SCOPED_TRACE(line);
    EXPECT_EQ(rows(line), Rows{row});
    EXPECT_EQ(rows("{\"u\":7}\n" + line + "\n{\"u\":8}"), (Rows{"7:-", row, "8:-"}));
  }
}

// Between two rows; the twin of this test is DuckDB's reader, in neighbours_test.cc.
TEST(Json, WhatIsMalformedCostsItself) {
  const string deep(JsonRecords::kDeepest, '['), closed(JsonRecords::kDeepest, ']');
  for (const string& line : std::vector<string>{"",
                                                "  ",
                                                "[",
                                                "[[[[",
                                                R"([{"u":5000},)",
                                                R"([{"u":5000}])",
                                                "{",
                                                "}",
                                                "]",
                                                "\"",
                                                "7",
                                                "null",
                                                R"("text")",
                                                R"({"u":2)",
                                                R"({"u":2,)",
                                                R"({"u":2,})",
                                                R"({"u":)",
                                                R"({"u")",
                                                R"({"u":"never closed)",
                                                R"({"u":"\)",
                                                R"({"u":"\"})",
                                                R"({"u":2} {"u":3})",
                                                R"({"u":2}{"u":3})",
                                                R"({"u":2},,)",
                                                R"({"u":2}})",
                                                R"({"u":2,"x":[1,2})",
                                                R"({"u":2,"x":[1,])",
                                                R"({"u":2,"x":[1,]})",
                                                R"({"u":2,"x":[,1]})",
                                                R"({"u":2,"x":{"a"}})",
                                                R"({"u":2,"x":{"a":}})",
                                                R"({"u":2,"x":{1:2}})",
                                                R"({"u":01})",
                                                R"({"u":.5})",
                                                R"({"u":5.})",
                                                R"({"u":+5})",
                                                R"({"u":-})",
                                                R"({"u":1e})",
                                                R"({"u":tru})",
                                                R"({"u":Nan})",
                                                R"({"u":Inf})",
                                                R"({u:2})",
                                                R"({'u':2})",
                                                R"({"u":2 "x":3})",
                                                R"({"u" 2})",
                                                R"({"u":"\q"})",
                                                R"({"u":"\u12"})",
                                                R"({"u":"\u12g4"})",
                                                R"({"u":"\ud800"})",
                                                R"({"u":"\ud800\u0041"})",
                                                R"({"u":"\udc00"})",
                                                "{\"u\":\"\t\"}",
                                                "{\"u\":\"\x01\"}",
                                                string("{\"u\":\"\0\"}", 9),
                                                string("{\"u\":2}\0", 8),
                                                "{\"u\":\"\xff\"}",
                                                "{\"u\":2,\"y\":\"\xed\xa0\x80\"}",
                                                "\xef\xbb\xbf{\"u\":2}",
                                                "// comment",
                                                "{\"u\":2} // comment",
                                                "{\"u\":2,\"y\":" + deep + closed + "}",
                                                "{\"u\":2,\"y\":" + deep}) {
    SCOPED_TRACE(line);
    EXPECT_EQ(rows("{\"u\":1}\n" + line + "\n{\"u\":3}\n"), (Rows{"1:-", "3:-"}));
    EXPECT_EQ(rows(line), Rows{});
  }
}

TEST(Json, NestedAsDeepAsItGets) {
  const std::size_t most = JsonRecords::kDeepest - 1;  // and the object itself
  EXPECT_EQ(rows("{\"u\":2,\"y\":" + string(most, '[') + string(most, ']') + "}"), Rows{"2:-"});
}

// Against a parser that others wrote: the same lines are objects, with the same strings.
TEST(Json, AsAnotherParser) {
  const std::vector<string> pieces = {
      "{", "}",  "[",   "]",      ",",    ":",        "\"",   "\"u\":",
      "1", "-0", "2.5", "true",   "null", "\"a\"",    "\\n",  "\\u0041",
      " ", "\\", "e5",  "\u00e9", "\xff", "\"x\":{}", "[[]]", "\"\\ud83d\\ude00\""};
  std::mt19937 draw(11);
  int objects = 0;
  for (int i = 0; i < 60'000; ++i) {
    string line = R"({"u":"a\n","x":[1,{"b":null}],"y":-2.5e3})";
    if (i % 2) line = R"({"x":{"a":[true,"]"]},"u":"\u00e9"})";
    for (auto n = draw() % 3; n > 0; --n)
      line.replace(draw() % line.size(), draw() % 3, pieces[draw() % pieces.size()]);
    if (line.ends_with(',')) continue;  // ours may have one
    const auto parsed = nlohmann::json::parse(line, nullptr, false);
    ASSERT_EQ(rows(line).size(), parsed.is_object() ? 1u : 0u) << line;
    objects += parsed.is_object();
    if (!parsed.is_object() || !parsed.contains("u") || !parsed["u"].is_string()) continue;
    std::size_t names = 0;  // of several the first is ours, and the last theirs
    for (std::size_t at = 0; (at = line.find("u", at)) != line.npos; ++at) ++names;
    if (names > (i % 2 ? 3 : 1)) continue;
    ASSERT_TRUE(rows(line)[0].starts_with(parsed["u"].get<string>() + ":")) << line;
  }
  EXPECT_GT(objects, 10'000);
}

// Blocks of every size; lines that are too long are passed over.
TEST(Json, Blocks) {
  string folder = (std::filesystem::temp_directory_path() / "discreet-json-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const string one = "{\"u\":1}\n", two = "{\"u\":\"" + string(30, 'a') + "\"}\r\n",
               three = "{\"u\":3}";
  const string path = folder + "/a.jsonl";
  std::ofstream(path, std::ios::binary) << "\xef\xbb\xbf" + one + "\n[\n" + two + one + three;
  for (std::size_t block = 1; block < 90; ++block)
    for (const bool fits : {false, true}) {
      if (!fits && block >= two.size()) continue;
      LineBlocks blocks({path, path}, {.block = block, .longest = two.size() - (fits ? 0 : 1)});
      JsonRecords records({{"u", "x"}});
      Rows found;
      for (Block taken; blocks.next(taken);) {
        records.begin(taken.text());
        for (const string& row : rows_of(records)) found.push_back(row);
      }
      EXPECT_FALSE(blocks.failed());
      Rows once = {"1:-", "1:-", "3:-"};
      if (fits) once.insert(once.begin() + 1, string(30, 'a') + ":-");
      Rows expected = once;
      expected.insert(expected.end(), once.begin(), once.end());
      EXPECT_EQ(found, expected) << block;
    }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace discreet::engine::duckdb
