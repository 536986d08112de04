// What would show a person, or a column that is hidden, is refused by the question alone. Whole
// questions with their answers are in tests/sql/*.test.
#include "discreet/sql/check.h"

#include <algorithm>

#include "discreet/sql/functions.h"
#include "discreet/sql/links.h"
#include "discreet/sql/relation.h"
#include "discreet/sql/rows_of.h"
#include "discreet/sql/testing/checked.h"

namespace discreet::sql {
namespace {

using testing::Checked;

constexpr const char* kShowsPeople = "would show single people";
constexpr const char* kHidden = "hidden by the policy";

bool has(const std::string& said, const std::string& piece) {
  return said.find(piece) != std::string::npos;
}

TEST_F(Checked, GroupsAreNotNamedByTheKeyOrAHiddenColumn) {
  EXPECT_EQ(said("SELECT age, COUNT(*) FROM people GROUP BY age"), "");
  for (const char* key : {"id", "id + 1", "CAST(id AS VARCHAR)", "id % 2 = 0"})
    EXPECT_TRUE(has(said(std::string("SELECT COUNT(*) FROM people GROUP BY ") + key), kShowsPeople))
        << key;
  for (const char* key : {"name", "lower(name)", "name = 'Ann'", "length(name)"})
    EXPECT_TRUE(has(said(std::string("SELECT COUNT(*) FROM people GROUP BY ") + key), kHidden))
        << key;
}

TEST_F(Checked, APublicRowTellsWhatItIsComparedWith) {
  const auto joined = [&](const char* condition, const char* key) {
    return said(std::string("SELECT ") + key + ", COUNT(*) FROM people p JOIN drugs d ON " +
                condition + " GROUP BY " + key);
  };
  EXPECT_EQ(joined("p.x = d.drug", "d.class"), "");
  EXPECT_EQ(joined("p.name = 'Ann'", "d.class"), "");
  EXPECT_TRUE(has(joined("p.name = d.drug", "d.class"), kHidden));
  EXPECT_TRUE(has(joined("p.name < d.drug", "d.class"), kHidden));
  EXPECT_TRUE(has(joined("CAST(p.id AS VARCHAR) = d.drug", "d.class"), kShowsPeople));
  EXPECT_EQ(joined("p.name = d.drug", "p.age"), "");
}

// How many public rows match tells the value: what an inner aggregate makes of them is marked.
TEST_F(Checked, HowManyPublicRowsMatchTellsTheValueToo) {
  const auto counted = [&](const char* condition) {
    return said(std::string("SELECT c, COUNT(*) FROM (SELECT id, COUNT(*) AS c FROM people JOIN "
                            "(VALUES (1, 'a'), (2, 'b')) v(k, n) ON ") +
                condition + " GROUP BY id) t GROUP BY c");
  };
  EXPECT_EQ(counted("v.k <= age"), "");
  EXPECT_TRUE(has(counted("v.k <= id"), kShowsPeople));
  EXPECT_TRUE(has(counted("v.n <= name"), kHidden));
}

// A hidden column, b, c and d are linked one after the other, whatever the order of the conditions.
TEST_F(Checked, PublicRelationsPassOnWhatTheyTell) {
  const char* const kLinks[] = {"p.name = b.drug", "b.class = c.drug", "c.class = e.drug"};
  int order[] = {0, 1, 2};
  do {
    std::string where;
    for (const int i : order) where += std::string(where.empty() ? "" : " AND ") + kLinks[i];
    const std::string from = "FROM people p, drugs b, drugs c, drugs e WHERE " + where;
    EXPECT_TRUE(has(said("SELECT e.class, COUNT(*) " + from + " GROUP BY e.class"), kHidden))
        << where;
    EXPECT_EQ(said("SELECT p.age, COUNT(*) " + from + " GROUP BY p.age"), "");
  } while (std::next_permutation(std::begin(order), std::end(order)));
  // … and where they were linked below, before the hidden column is compared.
  for (const char* links :
       {"b.class = c.drug AND c.class = e.drug", "c.class = e.drug AND b.class = c.drug"}) {
    const std::string below =
        std::string(
            "FROM (SELECT p.name AS n, b.drug AS x, e.class AS z FROM people p, drugs b, "
            "drugs c, drugs e WHERE ") +
        links + ") q WHERE q.n = q.x";
    EXPECT_TRUE(has(said("SELECT z, COUNT(*) " + below + " GROUP BY z"), kHidden)) << links;
  }
  EXPECT_EQ(said("SELECT e.class, COUNT(*) FROM people p, drugs b, drugs e WHERE p.name = b.drug "
                 "GROUP BY e.class"),
            "");
}

// What an aggregate looks at is a condition too, however it is written.
TEST_F(Checked, WhatIsCountedInAGroupIsNotListedByIt) {
  const auto counted = [&](const std::string& aggregate, const char* key = "v.a") {
    return said(std::string("SELECT ") + key + ", " + aggregate +
                " FROM people t JOIN (VALUES ('x', 1), ('y', 2)) v(a, i) ON TRUE GROUP BY " + key);
  };
  for (const char* hidden :
       {"COUNT(*) FILTER (WHERE v.a = t.name)", "COUNT(*) FILTER (WHERE t.name = v.a AND age > 3)",
        "COUNT(age) FILTER (WHERE v.a <= t.name)", "SUM(age) FILTER (WHERE v.a = t.name)",
        "AVG(age) FILTER (WHERE t.name LIKE 'x%' OR v.a = 'x')",
        "COUNT(CASE WHEN v.a = t.name THEN 1 END)",
        "COUNT(CASE WHEN v.a = 'x' THEN t.name WHEN v.a = 'y' THEN t.x END)",
        "COUNT(NULLIF(v.a, t.name))", "COUNT(NULLIF(t.name = v.a, FALSE))",
        "COUNT(DISTINCT CASE WHEN v.a = t.name THEN age END)",
        "COUNT(*) FILTER (WHERE t.name IN (v.a, 'z'))",
        "COUNT(*) FILTER (WHERE t.name BETWEEN v.a AND v.a)",
        "COUNT(*) FILTER (WHERE t.name IS NOT DISTINCT FROM v.a)",
        "COUNT(*) FILTER (WHERE starts_with(t.name, v.a))",
        "COUNT(*) FILTER (WHERE length(t.name) = v.i)",
        "COUNT(*) FILTER (WHERE coalesce(t.name, 'x') = v.a)",
        "COUNT(*) FILTER (WHERE CASE WHEN v.a = 'x' THEN t.name = 'x' ELSE t.name = 'y' END)",
        "COUNT(*) FILTER (WHERE (t.name = 'x' AND v.a = 'x') OR (t.name = 'y' AND v.a = 'y'))",
        "COUNT(*) FILTER (WHERE (t.name, 1) IN ((v.a, 1)))"}) {
    EXPECT_TRUE(has(counted(hidden), kHidden)) << hidden << ": " << counted(hidden);
    EXPECT_TRUE(has(counted(hidden, "v.i"), kHidden)) << hidden;
    EXPECT_TRUE(has(counted(hidden, "v.i + 1"), kHidden)) << hidden;
    EXPECT_EQ(counted(hidden, "t.age"), "") << hidden;
  }
  for (const char* key :
       {"COUNT(*) FILTER (WHERE v.i = t.id)", "COUNT(CASE WHEN t.id < v.i THEN 1 END)",
        "COUNT(NULLIF(t.id, v.i))", "SUM(age) FILTER (WHERE CAST(t.id AS VARCHAR) = v.a)"})
    EXPECT_TRUE(has(counted(key), kShowsPeople)) << key;
  // Neighbours: nothing hidden is compared with what names the group.
  for (const char* open :
       {"COUNT(*)", "COUNT(t.name)", "COUNT(DISTINCT t.name)", "COUNT(DISTINCT t.id)",
        "COUNT(*) FILTER (WHERE v.a = t.x)", "COUNT(*) FILTER (WHERE t.name = 'x')",
        "COUNT(*) FILTER (WHERE v.a = 'x' AND t.name = 'x')",
        "COUNT(t.name) FILTER (WHERE v.a = 'x')", "SUM(age) FILTER (WHERE t.id < 100)"})
    EXPECT_EQ(counted(open), "") << open;
}

// … nor where the aggregate stands in HAVING or ORDER BY, is made below, or by way of other rows.
TEST_F(Checked, WhereverItIsCounted) {
  const std::string from = " FROM people t JOIN (VALUES ('x', 1), ('y', 2)) v(a, i) ON TRUE ";
  for (const std::string& query :
       {"SELECT v.a" + from + "GROUP BY v.a HAVING COUNT(*) FILTER (WHERE v.a = t.name) > 1",
        "SELECT v.a, COUNT(*)" + from +
            "GROUP BY v.a ORDER BY COUNT(*) FILTER (WHERE v.a = t.name)",
        "SELECT a, COUNT(*) FILTER (WHERE m) FROM (SELECT v.a AS a, v.a = t.name AS m" + from +
            ") q GROUP BY a",
        "SELECT a, COUNT(m) FROM (SELECT v.a AS a, NULLIF(v.a, t.name) AS m" + from +
            ") q GROUP BY a",
        "SELECT a, COUNT(*) FILTER (WHERE c > 0) FROM (SELECT t.id, v.a, COUNT(*) FILTER "
        "(WHERE v.a = t.name) AS c" +
            from + "GROUP BY t.id, v.a) q GROUP BY a",
        "SELECT a, COUNT(*) FROM (SELECT t.id, v.a" + from +
            "GROUP BY t.id, v.a HAVING COUNT(*) FILTER (WHERE v.a = t.name) > 0) q GROUP BY a",
        "SELECT a, COUNT(*) FROM (SELECT t.id, v.a, MAX(CASE WHEN v.a = t.name THEN 1 END) AS "
        "c" +
            from + "GROUP BY t.id, v.a) q WHERE c = 1 GROUP BY a",
        "SELECT w.b, COUNT(*) FILTER (WHERE v.a = t.name)" + from +
            "JOIN (VALUES ('x'), ('y')) w(b) ON w.b = v.a GROUP BY w.b",
        "SELECT w.b, COUNT(*) FILTER (WHERE v.a = t.name AND w.b = v.a)" + from +
            "JOIN (VALUES ('x'), ('y')) w(b) ON TRUE GROUP BY w.b",
        "SELECT v.a, COUNT(*) FILTER (WHERE EXISTS (SELECT 1 FROM drugs d WHERE d.drug = t.name "
        "AND d.class = v.a))" +
            from + "GROUP BY v.a",
        "SELECT v.a, COUNT(*) FILTER (WHERE v.a = (SELECT d.class FROM drugs d WHERE d.drug = "
        "t.name))" +
            from + "GROUP BY v.a",
        "SELECT v.a, COUNT(*) FILTER (WHERE t.name || v.a IN (SELECT drug FROM drugs))" + from +
            "GROUP BY v.a",
        "SELECT COUNT(*) FILTER (WHERE v.a = t.name)" + from +
            "GROUP BY v.a UNION ALL SELECT COUNT(*) FROM people",
        "SELECT COUNT(*) FROM people UNION ALL SELECT COUNT(*) FILTER (WHERE v.a = t.name)" + from +
            "GROUP BY v.a"})
    EXPECT_TRUE(has(said(query), kHidden)) << query << "\n" << said(query);
}

// Which part of a UNION ALL a row is in tells what the part was chosen by, and so does a side of a
// join that is missing: neither a literal nor a count may list it.
TEST_F(Checked, AlternativesDontListWhatChoseThem) {
  const auto parts = [&](const std::string& a, const std::string& b, const char* key = "k") {
    return said(std::string("SELECT ") + key + ", COUNT(*) FROM (" + a + " UNION ALL " + b +
                ") q GROUP BY " + key);
  };
  const std::string ann = " FROM people WHERE name = 'Ann'",
                    bob = " FROM people WHERE name = 'Bob'", all = " FROM people";
  EXPECT_TRUE(has(parts("SELECT 'Ann' AS k" + ann, "SELECT 'Bob'" + bob), kHidden));
  EXPECT_TRUE(has(parts("SELECT 'Ann' AS k" + ann, "SELECT 'all'" + all), kHidden));
  EXPECT_TRUE(has(parts("SELECT 'all' AS k" + all, "SELECT 'Bob'" + bob), kHidden));
  EXPECT_TRUE(has(parts("SELECT age + 1000 AS k" + ann, "SELECT age" + bob), kHidden));
  EXPECT_TRUE(has(parts("SELECT k FROM (SELECT 1 AS k, name" + all + ") r WHERE name = 'Ann'",
                        "SELECT 2" + bob),
                  kHidden));
  EXPECT_TRUE(has(parts("SELECT d.drug AS k FROM people p, drugs d WHERE p.name = 'Ann' AND d.drug "
                        "= 'Ann'",
                        "SELECT x" + all),
                  kHidden));
  EXPECT_TRUE(has(parts("SELECT 'a' AS k FROM people p WHERE EXISTS (SELECT 1 FROM drugs d WHERE "
                        "d.drug = p.name)",
                        "SELECT 'b'" + all),
                  kHidden));
  EXPECT_TRUE(
      has(parts("SELECT 'a' AS k FROM visits v SEMI JOIN (SELECT id" + ann + ") p ON v.id = p.id",
                "SELECT 'b' FROM visits"),
          kHidden));
  EXPECT_TRUE(has(parts("SELECT 1 AS k FROM people WHERE id = 7", "SELECT 2" + all), kShowsPeople));
  // … by a number of rows
  EXPECT_TRUE(has(said("SELECT c, COUNT(*) FROM (SELECT id, COUNT(*) AS c FROM (SELECT id" + ann +
                       " UNION ALL SELECT id" + bob + " UNION ALL SELECT id" + bob +
                       ") q GROUP BY id) r GROUP BY c"),
                  kHidden));
  // … by what is missing
  const auto outer = [&](const std::string& side, const std::string& condition, const char* key,
                         const char* join = "LEFT") {
    return said(std::string("SELECT ") + key + " AS k, COUNT(*) FROM people p " + join +
                " JOIN (SELECT id, age, 'x' AS t FROM " + side + ") a ON " + condition +
                " GROUP BY " + key);
  };
  const std::string only_ann = "people WHERE name = 'Ann'";
  EXPECT_TRUE(has(outer(only_ann, "p.id = a.id", "a.t"), kHidden));
  EXPECT_TRUE(has(outer(only_ann, "p.id = a.id", "a.age IS NULL"), kHidden));
  EXPECT_TRUE(has(outer(only_ann, "p.id = a.id", "a.t", "FULL"), kHidden));
  EXPECT_TRUE(has(outer("people", "p.id = a.id AND p.name = 'Ann'", "a.t"), kHidden));
  EXPECT_TRUE(has(said("SELECT c, COUNT(*) FROM (SELECT p.id, COUNT(a.age) AS c FROM people p LEFT "
                       "JOIN (SELECT id, age" +
                       ann + ") a ON p.id = a.id GROUP BY p.id) r GROUP BY c"),
                  kHidden));
  EXPECT_TRUE(has(said("SELECT a.t, COUNT(*) FROM (SELECT id, 'x' AS t" + ann +
                       ") a RIGHT JOIN people p ON p.id = a.id GROUP BY a.t"),
                  kHidden));
  // Neighbours: rows may be chosen, and what is stored may be shown.
  EXPECT_EQ(parts("SELECT x AS k" + ann, "SELECT x" + bob), "");
  EXPECT_EQ(parts("SELECT 'a' AS k" + all, "SELECT 'b'" + all), "");
  EXPECT_EQ(parts("SELECT 'a' AS k FROM people WHERE age > 3", "SELECT 'b' FROM visits"), "");
  EXPECT_EQ(outer("people", "p.id = a.id", "a.t"), "");
  EXPECT_EQ(outer(only_ann, "p.id = a.id", "a.age", "INNER"), "");
  EXPECT_EQ(outer(only_ann, "p.id = a.id", "p.age"), "");
  EXPECT_EQ(said("SELECT v.cost > 3, COUNT(*) FROM visits v LEFT JOIN doses d ON v.visit = d.visit "
                 "GROUP BY v.cost > 3"),
            "");
  EXPECT_EQ(said("SELECT COUNT(*) FROM (SELECT 1 AS k" + ann + " UNION ALL SELECT 2" + bob + ") q"),
            "");
}

TEST_F(Checked, PublicRowsAreNotChosenByPrivateOnes) {
  for (const char* join : {"SEMI", "ANTI"}) {
    EXPECT_TRUE(has(said(std::string("SELECT COUNT(*) FROM drugs d ") + join +
                         " JOIN people p ON p.x = d.drug"),
                    "choose public rows by what people's rows hold"));
    EXPECT_EQ(said(std::string("SELECT COUNT(*) FROM people p ") + join +
                   " JOIN drugs d ON p.x = d.drug"),
              "");
  }
}

// Where a side may be missing its key is NULL in some rows: it neither says whose they are nor how
// many there are of a unit.
TEST_F(Checked, AKeyThatMayBeMissingIsNoKey) {
  const auto grouped = [&](const char* join, const char* key) {
    return said(std::string("SELECT SUM(c) FROM (SELECT ") + key +
                " AS k, LEAST(COUNT(*), 5) AS c FROM people p " + join +
                " JOIN visits v ON p.id = v.id AND p.age = v.visit GROUP BY " + key + ") q");
  };
  constexpr const char* kAddsUp = "adds up different people's rows";
  EXPECT_EQ(grouped("INNER", "p.id"), "");
  EXPECT_EQ(grouped("INNER", "v.id"), "");
  EXPECT_EQ(grouped("LEFT", "p.id"), "");
  EXPECT_TRUE(has(grouped("LEFT", "v.id"), kAddsUp));
  EXPECT_TRUE(has(grouped("RIGHT", "p.id"), kAddsUp));
  EXPECT_EQ(grouped("RIGHT", "v.id"), "");
  EXPECT_TRUE(has(grouped("FULL", "p.id"), kAddsUp));
  EXPECT_TRUE(has(grouped("FULL", "v.id"), kAddsUp));
}

// A link is followed where its own column is equal to its target, not by any other comparison.
TEST_F(Checked, ALinkIsFollowedByItsOwnColumn) {
  const RelationPtr visits = rows_of(catalog_, *catalog_.table("visits")),
                    doses = rows_of(catalog_, *catalog_.table("doses"));
  ASSERT_TRUE(doses->linked);
  const auto reads_owners = [&](std::size_t column_of_doses) {
    auto join = std::make_shared<Relation>();
    join->kind = Relation::Kind::kJoin;
    join->inputs = {visits, doses};
    join->columns = visits->columns;
    join->columns.insert(join->columns.end(), doses->columns.begin(), doses->columns.end());
    join->is_private = join->has_unit = true;
    const std::size_t there = visits->columns.size() + column_of_doses;
    join->condition =
        call(Op::kEqual, Type::kBool, {expr_of(*join, 1), expr_of(*join, there)});  // visits.visit
    return follow_links_once(join)->inputs[1]->has_unit;
  };
  EXPECT_FALSE(reads_owners(0));  // doses.visit
  EXPECT_TRUE(reads_owners(1));   // doses.count
}

// Owners that are told apart by numbers here and by texts there can't be the same ones.
TEST_F(Checked, TablesWithKeysOfOtherTypesDontMeet) {
  const auto told = [&] {
    std::vector<bool> out;
    for (const char* query :
         {"SELECT COUNT(*) FROM people p JOIN visits v ON p.id = v.id",
          "SELECT COUNT(*) FROM visits v JOIN people p ON p.id = v.id",
          "SELECT COUNT(*) FROM (SELECT age FROM people UNION ALL SELECT visit FROM visits) q",
          "SELECT COUNT(*) FROM (SELECT visit FROM visits UNION ALL SELECT age FROM people) q"})
      out.push_back(has(said(query), "keys are of different types"));
    return out;
  };
  EXPECT_EQ(told(), std::vector<bool>(4, false));
  for (policy::Table& table : catalog_.tables)
    if (table.rule.name == "visits") {
      ASSERT_TRUE(table.columns[0].is_key);
      table.columns[0].type = Type::kText;
    }
  EXPECT_EQ(told(), std::vector<bool>(4, true));
}

// A row whose link leads to several rows of one owner counts once: the owners are merged, unless
// the policy says that they don't repeat.
TEST_F(Checked, ALinkLeadsToAnOwnerOnce) {
  const auto owners = [&] {
    return rows_of(catalog_, *catalog_.table("doses"))->inputs[0]->inputs[1]->kind;
  };
  EXPECT_EQ(owners(), Relation::Kind::kFold);
  for (policy::Table& table : catalog_.tables)
    if (table.rule.name == "visits") table.columns[1].unique = true;
  EXPECT_EQ(owners(), Relation::Kind::kProject);
}

// Every difference lies within the range that is known of it, also where a border is crossed
// between two moments next to each other.
TEST(Ranges, DifferencesOfMoments) {
  const char* const kDays[] = {"2023-12-31", "2024-01-01", "2024-02-29", "2024-03-01", "2024-03-31",
                               "2024-04-01", "2025-01-01", "2028-01-01", "2020-06-15"};
  for (const char* unit : {"year", "quarter", "month", "week", "day", "hour", "minute", "second"})
    for (const char* from : kDays)
      for (const char* to : kDays) {
        const Value a = *Value::date_of(from), b = *Value::date_of(to);
        Expr first = column(0, Type::kDate), second = column(1, Type::kDate);
        first.range = Interval{a.whole, a.whole};
        second.range = Interval{b.whole, b.whole};
        const auto made = make_call("date_diff", {literal(Value::text(unit)), first, second},
                                    engine::duckdb::calculator());
        ASSERT_TRUE(made) << made.error().text();
        ASSERT_TRUE(made->range);
        const auto values = engine::duckdb::calculator().values(*made, {{a, b}});
        ASSERT_TRUE(values);
        const Rational difference((*values)[0].whole);
        EXPECT_LE(made->range->low, difference) << unit << " " << from << " " << to;
        EXPECT_GE(made->range->high, difference) << unit << " " << from << " " << to;
      }
}

}  // namespace
}  // namespace discreet::sql
