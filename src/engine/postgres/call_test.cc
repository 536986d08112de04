// What the dialect makes of functions, at the ends of the doubles.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <sstream>

#include "discreet/engine/postgres/dialect.h"
#include "discreet/engine/postgres/stored_type.h"
#include "discreet/engine/pushdown/print.h"
#include "discreet/ledger/testing/places.h"

namespace discreet::engine::postgres {
namespace {

using std::string;

// The server's C library may round another way than ours: nothing that it calculates is so near to
// the ends of the doubles that a unit in the last place would be an error.
TEST(Call, NoPowerHangsOnALastPlace) {
  const ledger::testing::Postgres server;
  server.run(
      "CREATE SEQUENCE risky; CREATE FUNCTION calm(float8) RETURNS float8 LANGUAGE sql AS $$ "
      "SELECT "
      "CASE WHEN abs($1) > '1.7976931348623153e308' OR abs($1) <= '5e-324' THEN nextval('risky') * "
      "0 + $1 ELSE $1 END $$");
  constexpr double kMost = std::numeric_limits<double>::max(),
                   kLeast = std::numeric_limits<double>::denorm_min();
  // So many doubles on both sides.
  const auto around = [](const std::vector<double>& centers) {
    std::vector<double> out;
    for (const double center : centers) {
      double up = center, down = center;
      for (int i = 0; i < 60; ++i) {
        for (const double one : {up, down, -up, -down})
          if (std::isfinite(one)) out.push_back(one);
        up = std::nextafter(up, INFINITY);
        down = std::nextafter(down, 0);
      }
    }
    return out;
  };
  const policy::Catalog nothing;
  const auto check = [&](const sql::Expr& call, const std::string& name,
                         const std::vector<double>& at, const std::function<double(double)>& ours) {
    string sql = *Dialect(nothing).call(call, {"x"});
    const auto called = sql.find(" " + name + "(x");
    ASSERT_NE(called, string::npos) << sql;
    const auto end = sql.find(" END", called);
    sql.insert(end, ")");
    sql.insert(called + 1, "public.calm(");
    string values;
    for (std::size_t i = 0; i < at.size(); ++i)
      values += fmt::format("{}({}, '{}'::float8)", i ? ", " : "", i, at[i]);
    std::istringstream lines(server.run(fmt::format(
        "SELECT string_agg(CAST({} AS text), ' ' ORDER BY n) FROM (VALUES {}) AS v(n, x)", sql,
        values)));
    string line;
    for (const double one : at) {
      ASSERT_TRUE(lines >> line) << sql;
      const double theirs = std::strtod(line.c_str(), nullptr), wanted = ours(one);
      EXPECT_TRUE(theirs == wanted || (std::isnan(theirs) && std::isnan(wanted)))
          << name << " " << one << ": " << line << ", not " << wanted << " by " << sql;
    }
    EXPECT_EQ(server.run("SELECT is_called FROM risky"), "f") << sql;
  };
  sql::Expr call;
  call.function = sql::Function::kPower;
  call.args.resize(2);
  for (const double to :
       {2.0, 3.0, 7.0, 300.0, 1.5, 1.0625, 0.5, -0.5, -0.96, -1.0, -1.5, -2.0, -3.0, -300.0}) {
    call.args[1].literal = policy::Value::number(to);
    check(call, "power",
          around({std::pow(kMost, 1 / to), std::pow(kLeast, 1 / to), std::exp2(-1075 / to)}),
          [to](double x) { return std::pow(x, to); });
  }
  call.function = sql::Function::kExp;
  call.args.resize(1);
  check(call, "exp",
        around({709.782712893384, -745.1332191019411, -744.44, -744.1, -744.0346068132731}),
        [](double x) { return std::exp(x); });
}

// All letters of a text are raised at once: each becomes what it becomes by itself, whatever stands
// beside it. The control characters are those that stand between the letters then.
TEST(Call, UpperTakesEachLetterByItself) {
  const ledger::testing::Postgres server;
  // All that become several letters are among them. (service/letters_test.cc asks every letter.)
  server.run(
      "CREATE TABLE letters AS SELECT chr(n) AS c FROM generate_series(1, 64279) AS n WHERE n "
      "BETWEEN 1 AND 1500 OR n BETWEEN 7800 AND 8200 OR n > 64240");
  const policy::Catalog nothing;
  sql::Expr call;
  call.function = sql::Function::kUpper;
  const auto upper = [&](const string& text) { return *Dialect(nothing).call(call, {text}); };
  for (const char* text :
       {"chr(1) || c || chr(2) || chr(2) || c || 'ﬃ' || chr(1) || chr(1) || c || 'aß' || chr(2)",
        "c || c || 'ŉ'"}) {
    const string alone = fmt::format(
        "(SELECT string_agg({}, '' ORDER BY n) FROM unnest(string_to_array({}, NULL)) WITH "
        "ORDINALITY AS s(one, n))",
        upper("one"), text);
    EXPECT_EQ(server.run(fmt::format("SELECT count(*) FROM letters WHERE {} IS DISTINCT FROM {}",
                                     upper(text), alone)),
              "0")
        << text;
  }
  EXPECT_EQ(server.run("SELECT " + upper("'oﬃceßᾳ'")), "OﬃCEẞᾼ");
  EXPECT_EQ(server.run(fmt::format("SELECT {} IS NULL", upper("CAST(NULL AS text)"))), "t");
}

// What is dear to read is read once: PostgreSQL would put the reading wherever the column stands.
TEST(Scan, KeepsApartWhatIsDearToRead) {
  const auto scanned = [](int stored, policy::Type seen, policy::Type type, bool exact) {
    policy::Catalog catalog;
    catalog.tables.resize(1);
    policy::Table& table = catalog.tables[0];
    table.rule.name = "t";
    table.rule.from = policy::ServerTable{"", "public", "t"};
    policy::StoredColumn& column = table.stored.emplace_back();
    column.name = "x";
    column.type = type;
    column.stored = stored;
    column.seen = seen;
    column.exact = exact;
    table.columns.resize(1);
    sql::Relation relation;
    relation.table = "t";
    return *Dialect(catalog).scan(relation);
  };
  using policy::Type;
  constexpr int kText = 25, kDouble = 701, kNumeric = 1700;
  EXPECT_TRUE(scanned(kAnyNumeric, Type::kDouble, Type::kDouble, true).ends_with(" OFFSET 0"));
  EXPECT_TRUE(scanned(kNumeric, Type::kDouble, Type::kInt, true).ends_with(" OFFSET 0"));
  EXPECT_TRUE(scanned(kText, Type::kText, Type::kDouble, false).ends_with(" OFFSET 0"));
  EXPECT_FALSE(scanned(kDouble, Type::kDouble, Type::kDouble, false).ends_with(" OFFSET 0"));
  EXPECT_FALSE(scanned(kText, Type::kText, Type::kText, false).ends_with(" OFFSET 0"));
}

// A stored text may have a megabyte, and is fetched anew wherever an expression names it: beside
// literals it is cut to one letter more than they have.
TEST(Compared, TextsAreFetchedAsFarAsLiteralsReach) {
  using policy::Type, policy::Value, sql::Op;
  const policy::Catalog nothing;
  const auto printed = [&](Op op, std::vector<sql::Expr> args) {
    return *pushdown::print(sql::call(op, Type::kBool, std::move(args)), {"s", "t"},
                            Dialect(nothing));
  };
  const sql::Expr s = sql::column(0, Type::kText), t = sql::column(1, Type::kText);
  const auto word = [](const char* text) { return sql::literal(Value::text(text)); };
  const string cut = "left(s, 3)";
  EXPECT_NE(printed(Op::kLess, {s, word("äb")}).find(cut), string::npos);
  EXPECT_NE(printed(Op::kLessEqual, {word("ab"), s}).find(cut), string::npos);
  EXPECT_NE(printed(Op::kIn, {s, word("a"), word("ab"), word("")}).find(cut), string::npos);
  EXPECT_NE(printed(Op::kBetween, {s, word("a"), word("ab")}).find(cut), string::npos);
  // The length of an equal text is known without it, and two texts decide by all they have.
  EXPECT_EQ(printed(Op::kEqual, {s, word("ab")}).find("left("), string::npos);
  EXPECT_EQ(printed(Op::kLess, {s, t}).find("left("), string::npos);

  // Around the literal's length, the same as of the whole text.
  const ledger::testing::Postgres server;
  server.run(
      "CREATE TABLE words AS SELECT s COLLATE \"C\" AS s FROM (VALUES (''), ('a'), ('ab'), "
      "('abc'), "
      "('abcd'), ('ac'), ('b'), ('äb'), ('äbc'), ('aä'), ('aäb'), (repeat('ab', 500000)), (NULL)) "
      "AS "
      "v(s)");
  for (const char* literal : {"", "a", "ab", "abc", "äb", "aä"})
    for (const auto& [op, sign] : {std::pair{Op::kLess, "<"},
                                   {Op::kLessEqual, "<="},
                                   {Op::kGreater, ">"},
                                   {Op::kGreaterEqual, ">="}})
      EXPECT_EQ(server.run(fmt::format("SELECT count(*) FROM words WHERE {} IS DISTINCT FROM (s {} "
                                       "'{}')",
                                       printed(op, {s, word(literal)}), sign, literal)),
                "0")
          << sign << literal;
}

}  // namespace
}  // namespace discreet::engine::postgres
