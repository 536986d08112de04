// Values and intervals.
#include <gtest/gtest.h>

#include "discreet/policy/interval.h"
#include "discreet/policy/value.h"

namespace discreet::policy {
namespace {

TEST(Value, DatesGoThereAndBack) {
  for (const char* text : {"0001-01-01", "1600-02-29", "1969-12-31", "1970-01-01", "2000-02-29",
                           "2024-02-29", "9999-12-31"})
    EXPECT_EQ(Value::date_of(text)->show(), text);
  for (const char* text : {"", "2023-02-29", "1900-02-29", "2024-13-01", "2024-00-10", "2024-1-1",
                           "24-01-01", "2024-01-01x", "0000-01-01", "infinity"})
    EXPECT_FALSE(Value::date_of(text)) << text;
  EXPECT_EQ(Value::timestamp_of("1969-12-31T23:59:59.5")->show(), "1969-12-31 23:59:59.500000");
  EXPECT_EQ(Value::timestamp_of("2024-02-29")->show(), "2024-02-29 00:00:00");
  EXPECT_FALSE(Value::timestamp_of("2024-02-29 24:00:00"));
}

TEST(Value, Order) {
  EXPECT_LT(Value::none(Type::kInt), Value::integer(INT64_MIN));
  EXPECT_LT(Value::integer(2), Value::number(2.5));
  EXPECT_EQ(Value::integer(2), Value::number(2));
  EXPECT_LT(Value::text("a"), Value::text("b"));
}

TEST(Interval, Arithmetic) {
  const Interval a{-2, 3}, b{4, 5};
  EXPECT_EQ(a * b, (Interval{-10, 15}));
  EXPECT_EQ(a - b, (Interval{-7, -1}));
  EXPECT_EQ(a / b, (Interval{Rational(-1, 2), Rational(3, 4)}));
}

}  // namespace
}  // namespace discreet::policy
