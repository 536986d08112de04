#include "discreet/sql/patterns.h"

#include <gtest/gtest.h>

namespace discreet::sql {
namespace {

using std::string;

string repeated(const string& text, std::size_t times) {
  string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

TEST(Patterns, OfLikeAreLimited) {
  for (const string& taken : {string(), string("%"), string("%%%%"), string("a_b%c"),
                              string("%____-__-__%"), repeated("%a", 20), repeated("_", 1000),
                              string("%") + repeated("_", 900), string("%a") + repeated("_", 10)})
    EXPECT_FALSE(like_problem(taken)) << taken << ": " << *like_problem(taken);
  EXPECT_TRUE(like_problem(repeated("%a", 21)));
  EXPECT_TRUE(like_problem(repeated("%a", 79'000)));
  EXPECT_TRUE(like_problem(string("%a") + repeated("_", 11)));
  EXPECT_TRUE(like_problem("%a_____%b______"));
  EXPECT_TRUE(like_problem(string(1001, 'a')));
}

// The cost is what a text of one character more adds where every place of it nearly matches.
TEST(Patterns, OfLikeCostTheirLongestPiece) {
  policy::Catalog on_a_server;
  on_a_server.tables.resize(1);
  on_a_server.tables[0].rule.from = policy::ServerTable{};
  for (const RowPrices& prices : {row_prices({}), row_prices(on_a_server)}) {
    EXPECT_EQ(like_steps("abcdefgh%", prices), like_steps("%", prices));
    EXPECT_GT(like_steps("%abcdefgh%", prices), like_steps("%ab%", prices));
    EXPECT_EQ(like_steps("%abc%abcde%ab", prices), like_steps("%abcde", prices));
    EXPECT_GT(like_steps("%a_____", prices), like_steps("%aaaaaa", prices));
  }
}

TEST(Patterns, OfRegularExpressionsCountWhatIsRepeated) {
  const std::pair<const char*, std::size_t> known[] = {
      {"abc", 3},
      {"a*b+c?", 3},
      {"a{3}", 3},
      {"a{2,5}", 5},
      {"a{2,}", 3},
      {"(ab){10}", 20},
      {"((ab){3}c){4}", 28},
      {"(?:a|b)", 3},
      {"[a-z]{4}", 4},
      {"[^a]", 4},
      {"[é]", 4},
      {".", 4},
      {"\\d\\w", 2},
      {"\\D", 4},
      {"\\pL", 20},
      {"[\\p{Greek}]", 20},
      {"[]a]", 1},
      {"(?i)ab", 6},
      {"(?P<name>ab)", 2},
      {"a{}{}", 5},
      {"a{,5}", 5},
      {"é", 1},
  };
  for (const auto& [pattern, pieces] : known) EXPECT_EQ(regex_pieces(pattern), pieces) << pattern;
  for (const char* pattern :
       {"((a|b){1,30}){1,30}c", "(a{100}){100}", "a{201}", "((((a{9}){9}){9}){9}){9}", ".{51}",
        "\\pL{11}", "(", ")", "a{99999999999999999999999}"})
    EXPECT_FALSE(regex_pieces(pattern)) << pattern;
}

TEST(Patterns, OfRegularExpressionsCostTheirPieces) {
  EXPECT_EQ(regex_steps("one|two|three|four|five|six|seven|eight"), regex_steps("a"));
  EXPECT_LT(regex_steps("^[A-Z]{2}[0-9]{6}$"), regex_steps("[A-Z]{20}"));
  EXPECT_LT(regex_steps("(a|b)*a(a|b){12}c"), regex_steps("(a|b)*a(a|b){40}c"));
  EXPECT_LT(regex_steps("^(a|b)*c?.{0,5}$"), regex_steps("a(\\pL){9}c"));
}

}  // namespace
}  // namespace discreet::sql
