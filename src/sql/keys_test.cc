// Which values a key can have: by the policy, the query's conditions and the calendar. Whole
// queries are in tests/sql/public_groups.test, random ones in src/service/questions_test.cc.
#include "discreet/sql/keys.h"

#include <gtest/gtest.h>

#include "discreet/engine/duckdb/calculator.h"
#include "discreet/sql/functions.h"
#include "discreet/sql/relation.h"

namespace discreet::sql {
namespace {

using engine::duckdb::calculator;

// c0: declared; c1: not; c2: a date within a week; c3: a timestamp within two days; c4: a date.
RelationPtr rows() {
  auto out = std::make_shared<Relation>();
  out->is_private = true;
  out->columns.resize(5);
  out->columns[0].domain = {Value::text("a"), Value::text("b"), Value::text("c")};
  const std::int64_t day = policy::days_from(2024, 2, 26);
  out->columns[2].type = out->columns[4].type = Type::kDate;
  out->columns[2].range = Interval{Rational(day), Rational(day + 6)};
  out->columns[3].type = Type::kTimestamp;
  out->columns[3].range = Interval{Rational(day) * 86'400 + 1, Rational(day + 1) * 86'400 + 5};
  return out;
}

Expr text(const char* value) { return literal(Value::text(value)); }
Expr date(const char* value) { return literal(*Value::date_of(value)); }
Expr made(const char* name, std::vector<Expr> args) {
  return *make_call(name, std::move(args), calculator());
}
Expr compared(Op op, Expr a, Expr b) { return call(op, Type::kBool, {std::move(a), std::move(b)}); }

// "a b", or "private".
std::string values(const Expr& key, const RelationPtr& relation) {
  const auto found = values_of(facts_of(key, relation), calculator());
  EXPECT_TRUE(found) << found.error().text();
  if (!found || !*found) return "private";
  std::string out;
  for (const Value& value : (*found)->values) out += (out.empty() ? "" : " ") + value.show();
  return out;
}

TEST(Keys, ConditionsOnTheKeyAloneExcludeValues) {
  const RelationPtr all = rows();
  const Expr key = expr_of(*all, 0), other = expr_of(*all, 1);
  EXPECT_EQ(values(key, all), "a b c");
  const RelationPtr some = filtered(all, compared(Op::kNotEqual, key, text("b")));
  EXPECT_EQ(values(key, some), "a c");
  EXPECT_EQ(values(made("upper", {key}), some), "A C");
  // What another column has a say in excludes nothing.
  const Expr either =
      call(Op::kOr, Type::kBool,
           {compared(Op::kEqual, key, text("a")), compared(Op::kEqual, other, text("x"))});
  EXPECT_EQ(values(key, filtered(all, either)), "a b c");
  const Expr both =
      call(Op::kAnd, Type::kBool,
           {compared(Op::kEqual, key, text("a")), compared(Op::kEqual, other, text("x"))});
  EXPECT_EQ(values(key, filtered(all, both)), "a");
  // NULL is not TRUE.
  const Expr null = compared(Op::kEqual, key, literal(Value::none(Type::kText)));
  EXPECT_EQ(values(key, filtered(all, null)), "");
}

TEST(Keys, ConditionsBelowCountWhereEveryRowPassedThem) {
  const RelationPtr all = rows();
  const Expr key = expr_of(*all, 0);
  const RelationPtr some = filtered(all, compared(Op::kEqual, key, text("b")));
  const RelationPtr named = projected(some, {made("upper", {key})}, {"w"});
  EXPECT_EQ(values(expr_of(*named, 0), named), "B");
  for (const auto& [kind, left, right] : {std::tuple{JoinKind::kInner, "b", "b"},
                                          {JoinKind::kLeft, "b", "a b c"},
                                          {JoinKind::kRight, "a b c", "b"},
                                          {JoinKind::kFull, "a b c", "a b c"}}) {
    auto join = std::make_shared<Relation>();
    join->kind = Relation::Kind::kJoin;
    join->join = kind;
    join->is_private = true;
    join->inputs = {some, some};
    join->columns = some->columns;
    join->columns.insert(join->columns.end(), some->columns.begin(), some->columns.end());
    EXPECT_EQ(values(expr_of(*join, 0), join), left);
    EXPECT_EQ(values(expr_of(*join, 5), join), right);
    // ON, too, only where a row without a match is no row.
    join->inputs = {all, all};
    join->condition = compared(Op::kEqual, expr_of(*join, 0), text("c"));
    EXPECT_EQ(values(expr_of(*join, 0), join), kind == JoinKind::kInner ? "c" : "a b c");
    join->columns.resize(5);
    join->join = JoinKind::kSemi;
    EXPECT_EQ(values(expr_of(*join, 0), join), "c");
    join->join = JoinKind::kAnti;
    EXPECT_EQ(values(expr_of(*join, 0), join), "a b c");
  }
}

// A private column has a public one's values only where each row has them equal.
TEST(Keys, OfAPublicSideWhereEveryRowHasThemEqual) {
  const RelationPtr all = rows();
  auto known = std::make_shared<Relation>();
  known->columns.resize(1);
  const auto is_public = [&](Op op, JoinKind kind) {
    auto join = std::make_shared<Relation>();
    join->kind = Relation::Kind::kJoin;
    join->join = kind;
    join->inputs = {all, known};
    join->is_private = true;
    join->columns = all->columns;
    join->columns.push_back(known->columns[0]);
    join->condition = compared(op, expr_of(*join, 1), expr_of(*join, 5));
    return facts_of(expr_of(*join, 1), join).relation == known;
  };
  EXPECT_TRUE(is_public(Op::kEqual, JoinKind::kInner));
  EXPECT_FALSE(is_public(Op::kEqual, JoinKind::kLeft));
  for (const Op op : {Op::kLess, Op::kLessEqual, Op::kNotEqual, Op::kGreater, Op::kGreaterEqual})
    EXPECT_FALSE(is_public(op, JoinKind::kInner));
}

TEST(Keys, DaysOfARangeAreKnown) {
  const RelationPtr all = rows();
  const Expr day = expr_of(*all, 2), free = expr_of(*all, 4);
  EXPECT_EQ(values(made("date_trunc", {text("month"), day}), all), "2024-02-01 2024-03-01");
  EXPECT_EQ(values(made("month", {day}), all), "2 3");
  EXPECT_EQ(
      values(made("dayname", {day}), filtered(all, compared(Op::kLess, day, date("2024-02-28")))),
      "Monday Tuesday");
  const RelationPtr some = filtered(all, compared(Op::kGreater, day, date("2024-02-29")));
  EXPECT_EQ(values(day, some), "2024-03-01 2024-03-02 2024-03-03");
  // The query's own ends do as well; one of them doesn't.
  EXPECT_EQ(values(free, all), "private");
  const RelationPtr from = filtered(all, compared(Op::kGreaterEqual, free, date("2024-02-28")));
  EXPECT_EQ(values(free, from), "private");
  EXPECT_EQ(values(free, filtered(from, compared(Op::kGreater, date("2024-03-01"), free))),
            "2024-02-28 2024-02-29");
  EXPECT_EQ(values(free, filtered(from, compared(Op::kLess, free, date("2024-01-01")))), "");
}

TEST(Keys, MomentsAreKnownAsFarAsTheyAreCut) {
  const RelationPtr all = rows();
  const Expr stamp = expr_of(*all, 3);
  EXPECT_EQ(values(stamp, all), "private");
  EXPECT_EQ(values(made("date_trunc", {text("day"), stamp}), all),
            "2024-02-26 00:00:00 2024-02-27 00:00:00");
  EXPECT_EQ(values(made("strftime", {stamp, text("%Y-%m-%d %H")}), all), "private");
  // A condition in the middle of a day excludes the day only if all of it is excluded: midnight,
  // which stands for the day, fails this one.
  const Expr noon = literal(*Value::timestamp_of("2024-02-27 00:00:03"));
  const RelationPtr late = filtered(all, compared(Op::kGreaterEqual, stamp, noon));
  EXPECT_EQ(values(made("date_trunc", {text("day"), stamp}), late), "2024-02-27 00:00:00");
  const RelationPtr early =
      filtered(all, compared(Op::kLess, stamp, literal(*Value::timestamp_of("2024-02-27"))));
  EXPECT_EQ(values(made("date_trunc", {text("day"), stamp}), early), "2024-02-26 00:00:00");
  // One on the hour says nothing of days.
  const RelationPtr hours =
      filtered(all, compared(Op::kEqual, made("hour", {stamp}), literal(Value::integer(7))));
  EXPECT_EQ(values(made("day", {stamp}), hours), "26 27");
}

TEST(Keys, ValuesThatTheQueryNamesAreKnown) {
  const RelationPtr all = rows();
  const Expr key = expr_of(*all, 1);
  EXPECT_EQ(values(key, all), "private");
  const RelationPtr some = filtered(
      all, call(Op::kIn, Type::kBool,
                {key, text("y"), text("x"), literal(Value::none(Type::kText)), text("y")}));
  EXPECT_EQ(values(key, some), "y x");
  EXPECT_EQ(values(made("upper", {key}), some), "X Y");
  EXPECT_EQ(values(key, filtered(all, call(Op::kNot, Type::kBool,
                                           {compared(Op::kEqual, key, text("x"))}))),
            "private");
  EXPECT_EQ(
      values(key, filtered(all, call(Op::kIn, Type::kBool, {key, text("x"), expr_of(*all, 0)}))),
      "private");
}

}  // namespace
}  // namespace discreet::sql
