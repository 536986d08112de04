// What one row costs: of all that is calculated, with texts as long as they can be.
#include "discreet/sql/row_cost.h"

#include <gtest/gtest.h>

#include "discreet/engine/duckdb/calculator.h"
#include "discreet/sql/functions.h"

namespace discreet::sql {
namespace {

using std::string;

Expr text() { return column(0, Type::kText); }
Expr word(const string& what) { return literal(Value::text(what)); }
Expr made(const string& function, std::vector<Expr> args) {
  return *make_call(function, std::move(args), engine::duckdb::calculator());
}
Expr like(Expr arg, const string& pattern, Op op = Op::kLike) {
  return call(op, Type::kBool, {std::move(arg), word(pattern)});
}
Expr first(int length) { return made("left", {text(), literal(Value::integer(length))}); }

TEST(RowCost, GrowsWithTheTextThatIsRead) {
  EXPECT_LT(row_steps(like(first(10), "%a%"), {}), row_steps(like(first(100), "%a%"), {}));
  EXPECT_LT(row_steps(like(first(100), "%a%"), {}), row_steps(like(text(), "%a%"), {}));
  // Nothing is read beyond the longest text …
  EXPECT_EQ(row_steps(like(text(), "%a%"), {{0, 1'000'000}}), row_steps(like(text(), "%a%"), {}));
  // … also of what was put together.
  const Expr twice = made("||", {text(), text()});
  EXPECT_EQ(row_steps(like(twice, "%a%"), {}) - row_steps(twice, {}),
            row_steps(like(text(), "%a%"), {}) - row_steps(text(), {}));
  // A filling makes a short text a long one.
  const Expr filled = made("lpad", {first(1), literal(Value::integer(1'000)), word("a")});
  EXPECT_GT(row_steps(made("upper", {filled}), {}), 100 * row_steps(made("upper", {first(1)}), {}));
}

TEST(RowCost, IsOfEveryOperation) {
  const Expr one = like(text(), "%a%");
  const Expr many = call(Op::kOr, Type::kBool, std::vector<Expr>(100, one));
  EXPECT_GE(row_steps(many, {}), 100 * row_steps(one, {}));
  // BETWEEN looks at what it compares twice.
  const Expr length = made("length", {made("upper", {text()})});
  const Expr between = call(Op::kBetween, Type::kBool,
                            {length, literal(Value::integer(1)), literal(Value::integer(2))});
  EXPECT_GE(row_steps(between, {}), 2 * row_steps(length, {}));
  // A column of a subquery is calculated wherever it is used.
  EXPECT_GE(row_steps(made("||", {text(), text()}), {{5'000, 10}}), 10'000);
  EXPECT_GT(row_steps(like(text(), "%a%", Op::kILike), {}), 2 * row_steps(one, {}));
}

// The dearest that one function may be is accepted, two such are not.
TEST(RowCost, HasRoomForOrdinaryFunctions) {
  for (const Expr& one :
       {made("upper", {text()}), made("lower", {text()}),
        made("contains", {text(), column(1, Type::kText)}),
        made("regexp_matches", {text(), word("^[^@]+@[^@]+\\.[a-z]{2,}$")}),
        like(text(), "%" + string(100, 'a') + "%"), call(Op::kCast, Type::kDouble, {text()})})
    EXPECT_LT(row_steps(one, {}), kMostRowSteps);
  EXPECT_GT(row_steps(made("regexp_matches", {text(), word("(a|b)*a(a|b){40}c")}), {}),
            kMostRowSteps);
  EXPECT_GT(row_steps(like(text(), "%" + string(200, 'a') + "%"), {}), kMostRowSteps);
}

TEST(RowCost, TellsWhatIsCut) {
  const Expr twice = made("||", {text(), text()});
  EXPECT_TRUE(may_be_long(text()));
  EXPECT_TRUE(may_be_long(twice));
  EXPECT_TRUE(may_be_long(call(Op::kCoalesce, Type::kText, {first(1), text()})));
  EXPECT_TRUE(may_be_long(made("nullif", {text(), word("a")})));
  EXPECT_FALSE(may_be_long(first(10)));
  EXPECT_FALSE(may_be_long(made("upper", {twice})));
  EXPECT_FALSE(may_be_long(word("a")));
  EXPECT_TRUE(reads_beginning(like(text(), "a%"), 0));
  EXPECT_FALSE(reads_beginning(like(text(), "a%"), 1));
  EXPECT_FALSE(reads_beginning(like(first(10), "a%"), 0));
  EXPECT_TRUE(reads_beginning(made("upper", {text()}), 0));
  EXPECT_TRUE(reads_beginning(made("left", {text(), literal(Value::integer(-3))}), 0));
  EXPECT_TRUE(reads_beginning(made("left", {text(), literal(Value::integer(2'000))}), 0));
  EXPECT_FALSE(reads_beginning(first(1'000), 0));
  EXPECT_FALSE(reads_beginning(made("nullif", {text(), word("a")}), 0));
  EXPECT_FALSE(reads_beginning(call(Op::kEqual, Type::kBool, {text(), word("a")}), 0));
  EXPECT_TRUE(reads_beginning(call(Op::kCast, Type::kDouble, {text()}), 0));
}

}  // namespace
}  // namespace discreet::sql
