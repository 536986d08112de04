// What PostgreSQL's planner is given stays small, however a question nests: counted in the text as
// it is printed.
#include "discreet/engine/pushdown/merged.h"

#include <gtest/gtest.h>

#include "discreet/engine/duckdb/calculator.h"
#include "discreet/engine/postgres/dialect.h"
#include "discreet/engine/pushdown/print.h"
#include "discreet/sql/functions.h"
#include "discreet/sql/relation.h"

namespace discreet::engine::pushdown {
namespace {

using policy::Type;
using sql::RelationPtr;

TEST(Merged, CountsColumnsWhereTheyStand) {
  EXPECT_EQ(merged_size("(c0 + 1)", {100}), 108);
  EXPECT_EQ(merged_size("(c0 * c0)", {100}), 209);
  EXPECT_EQ(merged_size("(l.c0 * r.c0)", {100}, {7}), 120);
  EXPECT_EQ(merged_size("c1", {100}), 2);
  // Neither in texts and names, nor the columns of an inner SELECT, nor other words.
  EXPECT_EQ(merged_size("'c0' || 'it''s c0' || \"c0\"", {100}), 26);
  EXPECT_EQ(merged_size("v.c0 + cos0 + c0x + xc0", {100}), 23);
  EXPECT_EQ(places_in("sum(a1) + count(a1) + a10", "a1"), 2);
  // A SELECT of its own.
  EXPECT_EQ(merged_size("(SELECT 1 OFFSET 0)", {}), 1019);
}

// SELECT f(a) AS a FROM (SELECT f(a) AS a FROM (…
RelationPtr levels(int count, int calls, const char* name) {
  auto one = std::make_shared<sql::Relation>();
  one->kind = sql::Relation::Kind::kOne;
  RelationPtr out = sql::projected(one, {sql::literal(policy::Value::number(2))}, {"a"});
  for (int i = 0; i < count; ++i) {
    sql::Expr a = sql::column(0, Type::kDouble);
    for (int k = 0; k < calls; ++k) a = *sql::make_call(name, {a}, duckdb::calculator());
    out = sql::projected(out, {a}, {"a"});
  }
  return out;
}

TEST(Merged, LevelsOfSubqueriesDontMultiply) {
  const policy::Catalog catalog;
  const postgres::Dialect dialect(catalog);
  for (const char* name : {"sqrt", "ln", "exp", "abs"}) {
    const auto once = print(*levels(1, 1, name), dialect);
    ASSERT_TRUE(once);
    for (const int count : {2, 4, 8, 16, 32}) {
      const auto made = print(*levels(count, 1, name), dialect);
      ASSERT_TRUE(made) << made.error().text();
      // Each level has its column, which is small, in so many places: they add up.
      EXPECT_LE(made->size, count * (once->size + places_in(once->text, "c0") * kLargestMerged))
          << name << " " << count;
      EXPECT_LE(made->columns[0], kLargestMerged) << name << " " << count;
    }
  }
}

TEST(Merged, WhatIsTooLargeAllInAllIsRefused) {
  const policy::Catalog catalog;
  const postgres::Dialect dialect(catalog);
  ASSERT_TRUE(print(*levels(1, 120, "sqrt"), dialect));
  const auto made = print(*levels(8, 120, "sqrt"), dialect);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Code::kRefused);
  EXPECT_EQ(made.error().message.text().substr(0, 26), "the question unfolds to mo");
}

TEST(Merged, AListOfValuesIsAList) {
  auto one = std::make_shared<sql::Relation>();
  one->kind = sql::Relation::Kind::kOne;
  auto list = std::make_shared<sql::Relation>();
  list->kind = sql::Relation::Kind::kUnion;
  for (int i = 0; i < 3; ++i)
    list->inputs.push_back(sql::projected(one, {sql::literal(policy::Value::integer(i))}, {"a"}));
  list->columns = list->inputs[0]->columns;
  const policy::Catalog catalog;
  EXPECT_EQ(print(*list, postgres::Dialect(catalog))->text,
            "SELECT * FROM (VALUES ('0'::bigint), ('1'::bigint), ('2'::bigint)) AS t(c0)");
}

}  // namespace
}  // namespace discreet::engine::pushdown
