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

}  // namespace
}  // namespace discreet::engine::postgres
