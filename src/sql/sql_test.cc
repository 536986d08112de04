// The clause that is lifted out, and functions; what whole queries mean is in tests/sql/*.test.
#include <gtest/gtest.h>

#include <cmath>

#include "discreet/engine/duckdb/calculator.h"
#include "discreet/sql/clause.h"
#include "discreet/sql/functions.h"

namespace discreet::sql {
namespace {

using engine::duckdb::calculator;

TEST(Clause, IsLiftedAndPositionsHold) {
  std::string text =
      "SELECT WITH DIFFERENTIAL_PRIVACY\n OPTIONS(epsilon = ln(3), delta=1e-8, "
      "max_groups_contributed=3) ward FROM t";
  const std::string before = text;
  Options options;
  ASSERT_TRUE(lift_clause(text, options));
  EXPECT_EQ(text.size(), before.size());
  EXPECT_EQ(text.find("ward"), before.find("ward"));
  EXPECT_EQ(text.find("OPTIONS"), std::string::npos);
  EXPECT_EQ(options.max_groups, 3);
  EXPECT_EQ(*options.delta, *parse_number("1e-8", Rounding::kDown));
  EXPECT_NEAR(options.epsilon->get_d(), std::log(3), 1e-12);
}

TEST(Clause, IsNotSeenWhereItIsOnlyQuoted) {
  for (const char* text :
       {"SELECT 'SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=9)' FROM t",
        "SELECT \"SELECT WITH DIFFERENTIAL_PRIVACY\" FROM t",
        "SELECT 1 -- SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=9)\nFROM t",
        "SELECT /* /* SELECT WITH DIFFERENTIAL_PRIVACY */ OPTIONS(epsilon=9) */ 1 FROM t",
        "SELECT $$ SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=9) $$ FROM t"}) {
    std::string copy = text;
    Options options;
    EXPECT_TRUE(lift_clause(copy, options));
    EXPECT_EQ(copy, text);
    EXPECT_FALSE(options.epsilon);
  }
}

TEST(Clause, OnlyOnceAndOutermost) {
  for (const char* text :
       {"SELECT COUNT(*) FROM (SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1) 1)",
        "SELECT WITH DIFFERENTIAL_PRIVACY 1 UNION ALL SELECT WITH DIFFERENTIAL_PRIVACY 2",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1, epsilon=2) 1",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=-1) 1",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon) 1",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS epsilon=1"}) {
    std::string copy = text;
    Options options;
    EXPECT_FALSE(lift_clause(copy, options)) << text;
  }
}

TEST(Parse, WhatIsNestedTooDeeplyIsSaidInOurWords) {
  std::string text = "SELECT 1";
  for (int i = 0; i < 2000; ++i) text += "+1";
  const auto deep = parse(text);
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().text(), "the expression is nested too deeply");
}

TEST(Functions, LeastAndGreatestMakeBounds) {
  Expr free = column(0, Type::kDouble);
  auto inner = make_call("least", {free, literal(Value::integer(10))}, calculator());
  EXPECT_FALSE(inner->range);
  auto outer = make_call("greatest", {*inner, literal(Value::integer(-1))}, calculator());
  EXPECT_EQ(*outer->range, (Interval{-1, 10}));
  // Nested as deep as a question may be, it takes no time: nothing is looked at twice.
  Expr deep = free;
  for (int i = 0; i < 150; ++i) deep = *make_call("least", {deep, free}, calculator());
  EXPECT_FALSE(deep.range);
  deep = *make_call("least", {deep, literal(Value::integer(4))}, calculator());
  EXPECT_EQ(*make_call("greatest", {deep, literal(Value::integer(3))}, calculator())->range,
            (Interval{3, 4}));
  EXPECT_FALSE(make_call("getenv", {literal(Value::text("HOME"))}, calculator()));
}

}  // namespace
}  // namespace discreet::sql
