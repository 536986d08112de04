// Which arguments a function takes, and that its values are within the bounds that are known of
// them: sums are clamped to those, and what a unit changes is planned by them.
#include "discreet/sql/functions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "discreet/engine/duckdb/calculator.h"

namespace discreet::sql {
namespace {

using engine::duckdb::calculator;

Expr text(const char* value) { return literal(Value::text(value)); }
Expr whole(std::int64_t value) { return literal(Value::integer(value)); }
Expr words() { return column(0, Type::kText); }
Expr number() { return column(0, Type::kDouble); }
Expr moment() { return column(0, Type::kTimestamp); }

TEST(FunctionArguments, WhatIsNotTakenIsRefused) {
  const std::vector<std::pair<const char*, std::vector<Expr>>> refused = {
      {"sqrt", {}},
      {"sqrt", {words()}},
      {"sqrt", {number(), number()}},
      {"least", {number()}},
      {"power", {number(), number()}},
      {"power", {number(), literal(Value::none(Type::kDouble))}},
      {"round", {number(), whole(16)}},
      {"round", {number(), whole(-16)}},
      {"round", {number(), number()}},
      {"lower", {number()}},
      {"left", {words(), whole(1'000'000'000'000)}},
      {"left", {words(), column(1, Type::kInt)}},
      {"substr", {words(), whole(-1'000'000'000'000)}},
      {"lpad", {words(), whole(5), text("")}},
      {"lpad", {words(), whole(1'000'000'000'000), text("x")}},
      {"lpad", {words(), whole(5), words()}},
      {"replace", {words(), words(), text("x")}},
      {"split_part", {words(), text(","), column(1, Type::kInt)}},
      {"regexp_matches", {words(), text("(")}},
      {"regexp_matches", {words(), words()}},
      {"strftime", {moment(), text("%Q")}},
      {"strftime", {moment(), words()}},
      {"date_trunc", {text("century"), moment()}},
      {"date_trunc", {text("month"), words()}},
      {"date_diff", {text("microsecond"), moment(), moment()}},
      {"nullif", {words(), number()}},
      {"year", {number()}},
      {"date_part", {text("epoch"), moment()}},
      {"getenv", {text("HOME")}}};
  for (const auto& [name, args] : refused)
    EXPECT_FALSE(make_call(name, args, calculator())) << name << " with " << args.size();
  const std::vector<std::pair<const char*, std::vector<Expr>>> taken = {
      {"sqrt", {number()}},
      {"round", {number(), whole(15)}},
      {"power", {number(), whole(2)}},
      {"left", {words(), whole(10)}},
      {"lpad", {words(), whole(5), text("x")}},
      {"regexp_matches", {words(), text("a+b")}},
      {"strftime", {moment(), text("%Y-%m")}},
      {"date_trunc", {text("month"), moment()}},
      {"date_diff", {text("month"), moment(), moment()}},
      {"nullif", {number(), whole(3)}},
      {"date_part", {text("year"), moment()}}};
  for (const auto& [name, args] : taken)
    EXPECT_TRUE(make_call(name, args, calculator())) << name << " with " << args.size();
}

// Every value that the function has on these arguments lies within what is known of it.
void expect_within(const char* name, std::vector<Expr> args,
                   const std::vector<std::vector<Value>>& rows, bool bounded = true) {
  const auto call = make_call(name, std::move(args), calculator());
  ASSERT_TRUE(call) << call.error().text();
  ASSERT_EQ(call->range.has_value(), bounded) << name;
  if (!bounded) return;
  const auto values = calculator().values(*call, rows);
  ASSERT_TRUE(values) << values.error().text();
  for (const Value& value : *values) {
    if (value.null || std::isnan(value.as_number())) continue;
    double at = value.as_number();
    if (value.type == Type::kTimestamp) at = static_cast<double>(value.whole) / 1e6;
    if (value.type == Type::kDate) at = static_cast<double>(value.whole);
    EXPECT_GE(at, to_double(call->range->low)) << name << " " << value.show();
    EXPECT_LE(at, to_double(call->range->high)) << name << " " << value.show();
  }
}

TEST(FunctionBounds, OfNumbersHoldAllValues) {
  for (const auto& [low, high] :
       {std::pair{-3.0, 7.0}, {-7.0, 3.0}, {0.0, 2.0}, {0.25, 9.0}, {-9.0, -0.25}, {-0.6, 0.6}}) {
    std::vector<std::vector<Value>> rows;
    for (int i = 0; i <= 200; ++i) rows.push_back({Value::number(low + (high - low) * i / 200)});
    Expr x = number();
    x.range = Interval{*exactly(low), *exactly(high)};
    for (const char* name : {"abs", "trunc", "floor", "ceil", "round", "exp", "sign", "sin", "cos"})
      expect_within(name, {x}, rows);
    for (const char* name : {"ln", "log10", "log2"}) expect_within(name, {x}, rows, low > 0);
    expect_within("sqrt", {x}, rows, high >= 0);
    for (const int n : {1, 2, 3, 4, 5, 8}) expect_within("power", {x, whole(n)}, rows);
    expect_within("power", {x, literal(Value::number(0.5))}, rows, false);
    expect_within("round", {x, whole(1)}, rows);
    expect_within("nullif", {x, whole(1)}, rows);
    // NULL is passed over: only a literal holds the result.
    Expr other = column(1, Type::kDouble);
    other.range = Interval{-1, 1};
    std::vector<std::vector<Value>> pairs;
    for (auto row : rows) {
      row.push_back(Value::none(Type::kDouble));
      pairs.push_back(row);
    }
    for (const char* name : {"least", "greatest"}) {
      expect_within(name, {x, other}, pairs);
      expect_within(name, {x, whole(1)}, rows);
      expect_within(name, {other, x, whole(-1)}, pairs);
    }
  }
  Expr free = number();
  for (const char* name : {"abs", "exp", "sqrt"}) expect_within(name, {free}, {}, false);
  expect_within("sin", {free}, {{Value::number(1.5707963)}, {Value::number(-1.5707963)}});
}

// Every day of a leap year and the one after, and moments around midnight.
TEST(FunctionBounds, OfMomentsHoldAllValues) {
  const std::int64_t first = policy::days_from(2023, 12, 31), last = policy::days_from(2026, 1, 1);
  std::vector<std::vector<Value>> days, moments;
  for (std::int64_t day = first; day <= last; ++day) days.push_back({Value::date(day)});
  for (std::int64_t day = first; day < last; day += 9)
    for (const std::int64_t time : {0LL, 1LL, 43'200'000'000LL, 86'399'999'999LL})
      moments.push_back({Value::timestamp(day * 86'400'000'000LL + time)});
  Expr date = column(0, Type::kDate), stamp = moment();
  date.range = Interval{Rational(static_cast<long>(first)), Rational(static_cast<long>(last))};
  stamp.range = Interval{date.range->low * 86'400, date.range->high * 86'400};
  for (const char* part :
       {"year", "quarter", "month", "week", "day", "dayofweek", "isodow", "dayofyear"}) {
    expect_within(part, {date}, days);
    expect_within(part, {stamp}, moments);
  }
  for (const char* part : {"hour", "minute", "second"}) expect_within(part, {stamp}, moments);
  for (const char* unit : {"year", "quarter", "month", "week", "day", "hour"}) {
    expect_within("date_trunc", {text(unit), date}, days);
    expect_within("date_trunc", {text(unit), stamp}, moments);
  }
}

// A border may be crossed in an instant: from the last moment of a year to the first of the next is
// a year, a quarter, a month, a week at times, a day …
TEST(FunctionBounds, OfDifferencesCountBorders) {
  for (const char* unit : {"year", "quarter", "month", "week", "day", "hour", "minute", "second"})
    for (const auto& [from, to] : {std::pair{"2024-12-31 23:59:59.5", "2025-01-01 00:00:00"},
                                   {"2025-01-01 00:00:00", "2024-12-31 23:59:59.5"},
                                   {"2024-12-29 23:59:59.999999", "2024-12-30"},
                                   {"2024-01-31", "2024-02-01"},
                                   {"2024-01-01", "2026-12-31 23:59:59"},
                                   {"2024-02-29 12:00:00", "2024-02-29 12:00:00"}}) {
      const Value a = *Value::timestamp_of(from), b = *Value::timestamp_of(to);
      Expr first = moment(), second = column(1, Type::kTimestamp);
      first.range = Interval{Rational(static_cast<long>(a.whole)) / 1'000'000,
                             Rational(static_cast<long>(a.whole)) / 1'000'000};
      second.range = Interval{Rational(static_cast<long>(b.whole)) / 1'000'000,
                              Rational(static_cast<long>(b.whole)) / 1'000'000};
      expect_within("date_diff", {text(unit), first, second}, {{a, b}});
    }
}

}  // namespace
}  // namespace discreet::sql
