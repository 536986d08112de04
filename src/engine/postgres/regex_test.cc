// Which regular expressions are let through, and as what.
#include <gtest/gtest.h>

#include "discreet/engine/postgres/dialect.h"

namespace discreet::engine::postgres {
namespace {

TEST(Regex, MeansTheSameOrIsRefused) {
  const auto is = [](std::string_view pattern) {
    return translated(pattern, false).value_or("refused");
  };
  EXPECT_EQ(is("^[a-z]+$"), "(?:^[a-z]+$)");
  EXPECT_EQ(is("a.c"), "(?:a[^\\n]c)");  // RE2's point is no newline
  EXPECT_EQ(is("\\d{2,3}-\\w*?"), "(?:[0-9]{2,3}-[0-9A-Za-z_]*)");
  EXPECT_EQ(is("(a|b)(?:日本)?"), "(?:(?:a|b)(?:日本)?)");
  EXPECT_EQ(is("[^\\s-]"), "(?:[^\\t\\n\\f\\r \\-])");
  EXPECT_EQ(is("\\."), "(?:\\.)");
  EXPECT_EQ(*translated("ab", true), "^(?:ab)$");
  EXPECT_EQ(*translated("", true), "^$");
  for (const char* pattern : {"(?i)a", "\\bword",  "[[:alpha:]]", "a|",      "(|b)", "a**",  "^*",
                              "\\pL",  "(?P<n>a)", "a{1000}",     "\\1",     "[",    "(",    "a)",
                              "\\",    "[]a]",     "x{,3}",       "\\Qa\\E", "(a",   "***=a"})
    EXPECT_EQ(is(pattern), "refused") << pattern;
}

// PostgreSQL compiles one when the first row gets there: what it can't is refused before.
TEST(Regex, LargeOnesAreRefused) {
  for (const char* pattern :
       {"(a?b?c?d?e?f?g?h?i?j?k?l?m?n?o?p?q?r?s?t?){200}", "(a?b?c?d?e?){200}", "((a{20}){20}){20}",
        "(a{100}|b{101})", "(a{2,}){80}", "a{0,200}"})
    EXPECT_FALSE(translated(pattern, false)) << pattern;
  EXPECT_FALSE(translated(std::string(201, 'a'), false));
  EXPECT_TRUE(translated(std::string(200, 'a'), false));
  for (const char* pattern : {"(a?b?c?d?e?){30}", "[a-z]{1,64}@[a-z]{1,64}", "((a{3}){3}){3}"})
    EXPECT_TRUE(translated(pattern, false)) << pattern;
}

}  // namespace
}  // namespace discreet::engine::postgres
