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
Expr many(std::size_t times, const Expr& one) {
  return call(Op::kOr, Type::kBool, std::vector<Expr>(times, one));
}
Expr is_x(Expr arg) { return call(Op::kEqual, Type::kBool, {std::move(arg), word("x")}); }

const RowPrices& in_files() { return row_prices({}); }
const RowPrices& on_a_server() {
  policy::Catalog catalog;
  catalog.tables.resize(2);
  catalog.tables[1].rule.from = policy::ServerTable{};
  return row_prices(catalog);
}

// What holds by any prices.
class RowCost : public ::testing::TestWithParam<bool> {
 protected:
  static double steps(const Expr& expr, const std::vector<ColumnCost>& columns = {}) {
    return row_steps(expr, columns, GetParam() ? in_files() : on_a_server());
  }
};
INSTANTIATE_TEST_SUITE_P(Prices, RowCost, ::testing::Bool());

TEST_P(RowCost, GrowsWithTheTextThatIsRead) {
  EXPECT_LT(steps(like(first(10), "%a%")), steps(like(first(100), "%a%")));
  EXPECT_LT(steps(like(first(100), "%a%")), steps(like(text(), "%a%")));
  // Nothing is read beyond the longest text …
  EXPECT_EQ(steps(like(text(), "%a%"), {{0, 1'000'000}}), steps(like(text(), "%a%")));
  // … also of what was put together.
  const Expr twice = made("||", {text(), text()});
  EXPECT_EQ(steps(like(twice, "%a%")) - steps(twice), steps(like(text(), "%a%")) - steps(text()));
  // A filling makes a short text a long one.
  const Expr filled = made("lpad", {first(1), literal(Value::integer(1'000)), word("a")});
  EXPECT_GT(steps(made("upper", {filled})), 100 * steps(made("upper", {first(1)})));
}

TEST_P(RowCost, IsOfEveryOperation) {
  const Expr one = like(text(), "%a%");
  EXPECT_GE(steps(many(100, one)), 100 * steps(one));
  // BETWEEN looks at what it compares twice.
  const Expr length = made("length", {made("upper", {text()})});
  const Expr between = call(Op::kBetween, Type::kBool,
                            {length, literal(Value::integer(1)), literal(Value::integer(2))});
  EXPECT_GE(steps(between), 2 * steps(length));
  // A column of a subquery is calculated wherever it is used.
  EXPECT_GE(steps(made("||", {text(), text()}), {{5'000, 10}}), 10'000);
  EXPECT_GT(steps(like(text(), "%a%", Op::kILike)), 2 * steps(one));
}

// The dearest that one function may be is accepted.
TEST_P(RowCost, HasRoomForOrdinaryFunctions) {
  for (const Expr& one :
       {made("upper", {text()}), made("lower", {text()}),
        made("contains", {text(), column(1, Type::kText)}),
        made("regexp_matches", {text(), word("^[^@]+@[^@]+\\.[a-z]{2,}$")}),
        like(text(), "%" + string(100, 'a') + "%"), call(Op::kCast, Type::kDouble, {text()})})
    EXPECT_LT(steps(one), kMostRowSteps);
}

TEST_P(RowCost, HasNoneForAttacks) {
  Expr nested = text();
  for (int i = 0; i < 150; ++i) nested = made("lower", {nested});
  for (const Expr& one : {made("regexp_matches", {text(), word("(a|b)*a(a|b){40}c")}), is_x(nested),
                          many(5'000, like(text(), "%a%")), many(20, is_x(made("lower", {text()}))),
                          many(20, call(Op::kCast, Type::kDouble, {text()})),
                          many(20, like(text(), "%a_", Op::kILike)),
                          many(20, made("contains", {text(), column(1, Type::kText)})),
                          many(2, like(text(), "%" + string(980, 'a') + "_%"))})
    EXPECT_GT(steps(one), kMostRowSteps);
}

// DuckDB calculates texts in a fraction of the time.
TEST(RowPrices, OfFilesLeaveRoomForTenFunctionsOfTexts) {
  const Expr lower = many(10, is_x(made("lower", {text()}))),
             upper = many(10, is_x(made("upper", {text()}))),
             any_case = many(10, like(text(), "%york%", Op::kILike)),
             casts = many(6, call(Op::kCast, Type::kDouble, {text()}));
  for (const Expr& one : {lower, upper, any_case, casts}) {
    EXPECT_LT(row_steps(one, {}, in_files()), kMostRowSteps);
    EXPECT_GT(row_steps(one, {}, on_a_server()), kMostRowSteps);
  }
  const Expr long_pattern = like(text(), "%" + string(200, 'a') + "%");
  EXPECT_LT(row_steps(long_pattern, {}, in_files()), kMostRowSteps);
  EXPECT_GT(row_steps(long_pattern, {}, on_a_server()), kMostRowSteps);
}

// The dearest row that was found for each operation (microseconds of 1,000 letters, by the bench),
// with half as much again.
TEST(RowPrices, AreAboveWhatWasMeasured) {
  const auto costs = [](const Expr& one, const RowPrices& prices, double measured) {
    EXPECT_GE(row_steps(one, {}, prices), 1.5 * 1'000 * measured);
  };
  const Expr other = column(1, Type::kText);
  costs(made("lower", {text()}), in_files(), 34);
  costs(made("upper", {text()}), in_files(), 34);
  costs(made("reverse", {text()}), in_files(), 45);
  costs(made("trim", {text()}), in_files(), 11);
  costs(made("right", {text(), literal(Value::integer(999))}), in_files(), 7);
  costs(made("contains", {text(), other}), in_files(), 24);
  costs(made("split_part", {text(), word("a"), literal(Value::integer(90))}), in_files(), 48);
  costs(made("rpad", {text(), literal(Value::integer(1'000)), word("a")}), in_files(), 17);
  costs(call(Op::kCast, Type::kDouble, {text()}), in_files(), 38);
  costs(call(Op::kCast, Type::kDouble, {first(26)}), in_files(), 10);
  costs(like(text(), "%a_a_a_a_a_a_a_a_a_a_b%"), in_files(), 86);
  costs(like(text(), "%" + string(910, 'a') + "_b%"), in_files(), 228);
  costs(made("upper", {text()}), on_a_server(), 630);
}

// On a server two texts of a megabyte are fetched anew for each comparison.
TEST(RowPrices, OfTwoWholeTexts) {
  const Expr two = call(Op::kLess, Type::kBool, {text(), column(1, Type::kText)});
  EXPECT_GT(11 * row_steps(two, {}, on_a_server()), kMostRowSteps);
  EXPECT_LT(9 * row_steps(two, {}, on_a_server()), kMostRowSteps);
  EXPECT_LT(90 * row_steps(two, {}, in_files()), kMostRowSteps);
  const auto beside = [](const string& letters) {
    return call(Op::kLess, Type::kBool, {text(), word(letters)});
  };
  EXPECT_LT(1'000 * row_steps(beside("ab"), {}, on_a_server()), kMostRowSteps);
  EXPECT_GT(100 * row_steps(beside(string(1'000, 'a')), {}, on_a_server()), kMostRowSteps);
  // A set is looked through as far as its longest text.
  std::vector<Expr> set(5'000, word("eight of"));
  set.insert(set.begin(), text());
  EXPECT_LT(10 * row_steps(call(Op::kIn, Type::kBool, set), {}, on_a_server()), kMostRowSteps);
}

// Beside a literal one end of BETWEEN is cheap, beside a text the other isn't.
TEST(RowPrices, OfBothEndsOfBetween) {
  const auto between = [](const Expr& value, const Expr& low, const Expr& high) {
    return row_steps(call(Op::kBetween, Type::kBool, {value, low, high}), {}, on_a_server());
  };
  const Expr other = column(1, Type::kText);
  EXPECT_LT(100 * between(text(), word("a"), word("b")), kMostRowSteps);
  EXPECT_GT(11 * between(text(), word("a"), other), kMostRowSteps);
  EXPECT_GT(6 * between(text(), other, other), kMostRowSteps);
}

// PostgreSQL compiles a regular expression when the first row gets there, whatever it reads of it.
TEST(RowPrices, OfCompilingAPattern) {
  const auto matches = [](const string& pattern, const RowPrices& prices) {
    return row_steps(made("regexp_matches", {first(0), word(pattern)}), {}, prices);
  };
  EXPECT_GT(matches("(a?b?c?d?){48}z", on_a_server()), kMostRowSteps);
  EXPECT_LT(matches("(a?b?c?d?){48}z", in_files()), kMostRowSteps);
  EXPECT_LT(2 * matches("(a?b?c?d?){8}z", on_a_server()), kMostRowSteps);
  // No more than the 32 that it keeps.
  EXPECT_GT(33 * matches("broken|flat", on_a_server()), kMostRowSteps);
  EXPECT_LT(20 * matches("broken|flat|chain|crash|refund", on_a_server()), kMostRowSteps);
}

TEST(RowCosts, TellWhatIsCut) {
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
