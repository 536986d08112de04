// A server of the test's own: its hash is ours, its catalogue is read, and no row makes a statement
// fail.
#include "discreet/engine/postgres/postgres.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "discreet/engine/postgres/dialect.h"
#include "discreet/engine/postgres/schema.h"
#include "discreet/engine/pushdown/bounding.h"
#include "discreet/engine/pushdown/contributions.h"
#include "discreet/engine/testing/on_postgres.h"
#include "discreet/engine/testing/told.h"

namespace discreet::engine::postgres {
namespace {

using engine::testing::kCouldNot;
using engine::testing::Server;
using std::string;

TEST_F(Server, HashesAsWeDo) {
  const bound::Lookup3 ours;
  const auto theirs = [&](const string& call) {
    return static_cast<std::uint64_t>(std::stoll(server_->run("SELECT " + call)));
  };
  for (const std::int64_t key :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{-77}, INT64_MIN, INT64_MAX}) {
    const auto seed = static_cast<std::uint64_t>(key);
    for (const char* text :
         {"", "a", "ab", "abc", "abcd", "abcdefg", "abcdefgh", "abcdefghijk", "abcdefghijkl",
          "abcdefghijklm", "Ωmega 日本", "a much longer text than two blocks of twelve bytes"})
      EXPECT_EQ(ours.text(text, seed),
                theirs(fmt::format("hashtextextended('{}', '{}')", text, key)))
          << text;
    for (const std::int64_t value : {std::int64_t{0}, std::int64_t{7}, std::int64_t{-7}, INT64_MAX,
                                     INT64_MIN, std::int64_t{9007199254740993}})
      EXPECT_EQ(ours.whole(value, seed),
                theirs(fmt::format("hashfloat8extended('{}'::bigint, '{}')", value, key)));
    for (const char* value : {"0", "-0", "1.5", "NaN", "Infinity", "5e-324"})
      EXPECT_EQ(ours.real(std::strtod(value, nullptr), seed),
                theirs(fmt::format("hashfloat8extended('{}', '{}')", value, key)))
          << value;
  }
  // The check can fail: another seed, another letter.
  EXPECT_NE(ours.text("a", 1), theirs("hashtextextended('a', 2)"));
  EXPECT_NE(ours.text("b", 1), theirs("hashtextextended('a', 1)"));
}

TEST_F(Server, CatalogueSaysWhatCanBeAsked) {
  auto engine = *Postgres::open(policy("visits"), {});
  const auto schemas = *engine->schemas();
  std::map<string, string> seen;
  for (const auto& column : schemas[0])
    seen[column.name] =
        column.unreadable.empty() ? string(name_of(column.type)) : column.unreadable;
  const std::map<string, string> expected = {
      {"patient", "integer"}, {"ward", "text"},
      {"cost", "double"},     {"big", "double"},
      {"any_size", "double"}, {"born", "date"},
      {"seen", "timestamp"},  {"id", "text"},
      {"short", "double"},    {"thing", "of type json, which is not read"},
      {"pad", "text"}};
  EXPECT_EQ(seen, expected);
}

TEST_F(Server, OnlyTablesAreRead) {
  EXPECT_EQ(wrong_with("visits"), "");
  EXPECT_EQ(wrong_with("public.kept"), "");
  EXPECT_NE(wrong_with("seen_by").find("is no table"), string::npos);
  EXPECT_NE(wrong_with("guarded").find("has policies of rows"), string::npos);
  EXPECT_NE(wrong_with("nowhere").find("is not in the server's database"), string::npos);
  EXPECT_NE(wrong_with("pg_catalog.pg_stat_activity").find("is no table"), string::npos);
}

TEST_F(Server, ForeignTablesTakeTheOwnersWord) {
  server_->run(
      "CREATE EXTENSION postgres_fdw; CREATE SERVER elsewhere FOREIGN DATA WRAPPER postgres_fdw; "
      "CREATE FOREIGN TABLE far(patient bigint, cost integer) SERVER elsewhere; CREATE TABLE "
      "parts(patient bigint, cost integer) PARTITION BY HASH (patient); CREATE FOREIGN TABLE part "
      "PARTITION OF parts FOR VALUES WITH (MODULUS 1, REMAINDER 0) SERVER elsewhere");
  for (const char* table : {"far", "parts"}) {
    EXPECT_NE(wrong_with(table).find("is on another server"), string::npos) << table;
    EXPECT_EQ(wrong_with(table, "foreign = \"trusted\"\n"), "") << table;
  }
}

TEST(Column, ThatIsCalculatedWhenReadIsNotRead) {
  const auto stored = column_of({"v", "23", "b", "-1", "integer", "s", "f", "", ""});
  EXPECT_EQ(stored.unreadable, "");
  const auto calculated = column_of({"v", "23", "b", "-1", "integer", "v", "f", "", ""});
  EXPECT_NE(calculated.unreadable.find("calculated when it is read"), string::npos);
}

TEST_F(Server, WhoMayNotReadIsToldSo) {
  auto engine = *Postgres::open(policy("visits", "", as("guest")), {});
  const auto schemas = engine->schemas();
  ASSERT_FALSE(schemas);
  EXPECT_NE(schemas.error().text().find("may not be read by this user"), string::npos)
      << schemas.error().text();
}

TEST_F(Server, AnAddressIsNeverShown) {
  const auto engine =
      Postgres::open(policy("visits", "", "postgresql://nobody:@/secret-place?host=/nowhere"), {});
  ASSERT_FALSE(engine);
  EXPECT_NE(engine.error().text().find("can't be reached"), string::npos);
  EXPECT_EQ(engine.error().text().find("secret-place"), string::npos);
  const auto wrong = policy::Policy::parse(
      "[policy]\nname = \"p\"\nunit = \"u\"\nengine = \"postgres\"\ndsn = "
      "\"postgresql://ana:hunter2@db/clinic\"\nbudget "
      "= { epsilon = 1 }\n[tables.t]\nsource = \"t\"\nkey = \"k\"\n",
      "p.toml", "/");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().text().find("there is a password in the policy"), string::npos);
  EXPECT_EQ(wrong.error().text().find("hunter2"), string::npos);
}

TEST_F(Server, NothingIsWritten) {
  auto one = asked("SELECT COUNT(*) FROM t");
  ASSERT_TRUE(run(one));
  // The session itself can't.
  const auto sql = Postgres::sql_of(one.plan->parts[0], one.catalog);
  ASSERT_TRUE(sql);
  EXPECT_EQ(sql->find("INSERT"), string::npos);
  EXPECT_EQ(server_->run("SELECT count(*) FROM pg_stat_activity WHERE application_name = "
                         "'discreet' AND state = 'idle "
                         "in transaction'"),
            "0");
}

// --- rows that would make a statement fail

TEST_F(Server, ALongTextIsNothing) {
  server_->run(
      "CREATE TABLE longs AS SELECT i AS patient, 'b' || i AS ward FROM generate_series(1, 300) i");
  const auto rows = [](const string& condition) {
    auto one = asked("SELECT COUNT(*) FROM t WHERE " + condition, "longs");
    const auto found = run(one);
    EXPECT_TRUE(found) << condition << ": " << found.error().text();
    return found ? engine::testing::told(*found, one.plan->parts[0]) : std::vector<string>{};
  };
  const std::vector<string> conditions = {
      "regexp_matches(ward, '^b')", "lower(ward) = 'b1'",       "upper(ward) = 'B1'",
      "trim(ward) = 'b1'",          "CAST(ward AS DOUBLE) > 1", "CAST(ward AS BIGINT) > 1",
      "ward ILIKE 'B1%'",           "ward || 'x' = 'b1x'",      "length(ward) > 2"};
  std::vector<std::vector<string>> before;
  for (const string& one : conditions) before.push_back(rows(one));
  server_->run("INSERT INTO longs VALUES (301, repeat('b', 280000000))");
  for (std::size_t i = 0; i < conditions.size(); ++i)
    EXPECT_EQ(rows(conditions[i]), before[i]) << conditions[i];
  // As much as is read can be calculated with.
  server_->run("INSERT INTO longs VALUES (302, repeat('ß', 524288))");
  for (const string& one : conditions) rows(one);
  EXPECT_NE(rows("length(ward) > 2"), before.back());
  server_->run("DROP TABLE longs");
}

// Around the ends of the doubles: PostgreSQL raises an error for what is rounded to 0 or infinite.
TEST_F(Server, TextsAtTheEndsOfTheDoublesAreNumbers) {
  const string least = "2.470328229206232720", beyond = "1.79769313486231580";
  const std::vector<string> zeros = {least + "8e-324", least + "85e-324", least + "882843e-324"};
  const std::vector<string> small = {least + "8829e-324", least + "9e-324", "4.9e-324"};
  const std::vector<string> large = {"1e294", "1.7976931348623157e308", beyond + "79e308"};
  const std::vector<string> infinite = {beyond + "794e308", beyond + "8e308", "1e309"};
  string values;
  for (const auto* list : {&zeros, &small, &large, &infinite})
    for (const string& one : *list)
      values += fmt::format("{}({}, '{}')", values.empty() ? "" : ", ", values.size(), one);
  server_->run("CREATE TABLE ends(patient bigint, ward text); INSERT INTO ends VALUES " + values);
  for (const char* condition :
       {"{0} = 0", "{0} > 0 AND {0} < 1", "{0} > 1 AND {0} <= {1}", "{0} > {1}"}) {
    auto one = asked("SELECT COUNT(*) FROM t WHERE " +
                         fmt::format(fmt::runtime(condition), "CAST(ward AS DOUBLE)",
                                     "CAST('1.7976931348623157e308' AS DOUBLE)"),
                     "ends");
    const auto found = run(one);
    ASSERT_TRUE(found) << condition << ": " << found.error().text();
    const auto lines = engine::testing::told(*found, one.plan->parts[0]);
    ASSERT_FALSE(lines.empty()) << condition;
    EXPECT_EQ(lines[0], ":, 3") << condition;
  }
}

TEST_F(Server, NumericsOfManyDigitsAreNumbers) {
  server_->run(
      "CREATE TABLE huge(patient bigint, size numeric); INSERT INTO huge VALUES (1, repeat('9', "
      "131000)::numeric), (2, -repeat('9', 131000)::numeric), (3, ('0.' || repeat('0', 16000) || "
      "'1')::numeric), (4, 'NaN'), (5, 'Infinity'), (6, '1e308'), (7, '1.8e308'), (8, '1e-330'), "
      "(9, 9223372036854775808), (10, 9223372036854774784)");
  const auto rows = [](const string& condition) {
    auto one = asked("SELECT COUNT(*) FROM t WHERE " + condition, "huge");
    const auto found = run(one);
    EXPECT_TRUE(found) << condition << ": " << found.error().text();
    const auto lines =
        found ? engine::testing::told(*found, one.plan->parts[0]) : std::vector<string>{};
    return lines.empty() ? "" : lines[0];
  };
  EXPECT_EQ(rows("size > 1e307"), ":, 5");
  EXPECT_EQ(rows("size < -1e307"), ":, 1");
  EXPECT_EQ(rows("size = 0"), ":, 2");
  // 2^63 is the first that is too large.
  EXPECT_EQ(rows("CAST(size AS BIGINT) > 0"), ":, 1");
  for (const char* condition :
       {"CAST(size AS VARCHAR) LIKE '9%'", "size * size > 1", "round(size, 2) > 1",
        "sqrt(size) > 1", "exp(size) > 1", "power(size, 3) > 1"})
    rows(condition);
}

// 50 patients of ten rows each, row i at a cost of i.
TEST_F(Server, WhatAUnitHasInAGroupIsClamped) {
  const auto sum = [](const string& query) {
    auto one = asked(query);
    const auto found = run(one);
    EXPECT_TRUE(found) << query << ": " << found.error().text();
    const auto lines =
        found ? engine::testing::told(*found, one.plan->parts[0]) : std::vector<string>{};
    const plan::Statistic& first = one.plan->parts[0].statistics[0];
    const auto at = lines.empty() ? string::npos : lines[0].rfind(' ');
    return at == string::npos ? -1 : std::ldexp(std::stod(lines[0].substr(at)), first.exponent);
  };
  // A patient p's costs are 10·p + 2250, and 2750 of patient 0's.
  const double all = 500.0 * 501 / 2;
  const auto counted = [&](const char* bounds) {
    return sum(fmt::format("SELECT COUNT(*, contribution_bounds_per_group => {}) FROM t", bounds));
  };
  EXPECT_EQ(counted("(0, 40)"), 500);
  EXPECT_EQ(counted("(0, 4)"), 50 * 4);
  EXPECT_EQ(counted("(12, 40)"), 50 * 12);
  const auto summed = [&](const char* bounds) {
    return sum(fmt::format("SELECT SUM(cost, contribution_bounds_per_group => {}) FROM t", bounds));
  };
  EXPECT_EQ(summed("(0, 4000)"), all);
  EXPECT_EQ(summed("(0, 2048)"), 50 * 2048);
  EXPECT_EQ(summed("(4096, 8000)"), 50 * 4096);
}

// Where one row a unit is promised nothing is chosen by units, and this row must not come so far.
TEST_F(Server, ARowWithoutAKeyIsNobodys) {
  server_->run(
      "CREATE TABLE keyless(patient bigint, ward text); INSERT INTO keyless SELECT CASE WHEN i % "
      "10 "
      "> 0 THEN i END, 'ward ' || i % 3 FROM generate_series(1, 300) i");
  for (const char* promise : {"", "rows_per_unit = 1\n"}) {
    auto one = asked("SELECT COUNT(*) FROM t", "keyless", "", promise);
    EXPECT_EQ(one.plan->parts[0].direct, *promise != '\0');
    const auto found = run(one);
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ(engine::testing::told(*found, one.plan->parts[0])[0],
              *promise ? ": 270 units, 270" : ":, 270");
  }
}

TEST_F(Server, CastsThatAFunctionMakesAreNotUsed) {
  server_->run(
      "CREATE TYPE mood AS ENUM ('fine', 'ill'); CREATE TABLE felt(patient bigint, how mood); "
      "INSERT INTO felt SELECT i, 'fine' FROM generate_series(1, 300) i; CREATE DOMAIN moody AS "
      "mood; CREATE TABLE felt_too(patient bigint, how moody)");
  const auto why_not = [](const string& table) {
    auto engine = Postgres::open(policy(table), {});
    const auto schemas = (*engine)->schemas();
    for (const policy::StoredColumn& column : schemas->front())
      if (column.name == "how") return column.unreadable;
    return string("missing");
  };
  EXPECT_EQ(why_not("felt"), "");
  auto before = asked("SELECT COUNT(*) FROM t WHERE how = 'fine'", "felt");
  EXPECT_TRUE(run(before));
  server_->run(
      "CREATE FUNCTION tell(mood) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT CASE WHEN $1 = "
      "'ill' THEN (1 / length(left('x', 0)))::text ELSE 'fine' END $$; CREATE CAST (mood AS text) "
      "WITH FUNCTION tell(mood) AS IMPLICIT");
  for (const char* table : {"felt", "felt_too"})
    EXPECT_NE(why_not(table).find("a function of the database's own"), string::npos) << table;
  // … also where it is made after the table was looked at.
  const auto found = run(before);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message.text(), kCouldNot);
  server_->run("DROP CAST (mood AS text); DROP FUNCTION tell");
  EXPECT_TRUE(run(before));
}

// --- a server that says what can't be

// What isn't said is 0; what every row of its kind need not have (keys, a value) is NULL then.
class Said final : public pushdown::Row {
 public:
  Said(std::map<std::size_t, bound::Wide> cells, std::size_t numbers_from, std::size_t missing)
      : cells_(std::move(cells)), numbers_from_(numbers_from), missing_(missing) {}
  bool is_null(std::size_t column) const override {
    return column == missing_ || (column < numbers_from_ && !cells_.contains(column));
  }
  std::int64_t whole(std::size_t column) const override {
    return static_cast<std::int64_t>(wide(column));
  }
  double real(std::size_t column) const override { return static_cast<double>(wide(column)); }
  std::string_view text(std::size_t /*column*/) const override { return ""; }
  bound::Wide wide(std::size_t column) const override {
    const auto found = cells_.find(column);
    return found == cells_.end() ? 0 : found->second;
  }

 private:
  const std::map<std::size_t, bound::Wide> cells_;
  const std::size_t numbers_from_, missing_;
};

TEST_F(Server, CountsThatCannotBeAreNotBelieved) {
  random::testing::Seeded source(1);
  const bound::Secret secret = *bound::Secret::draw(source);
  const auto believed = [&](const plan::PlanPart& part, const pushdown::Statement& statement,
                            const std::map<std::size_t, bound::Wide>& cells,
                            std::size_t missing = SIZE_MAX) {
    pushdown::Collector collector(part, statement, secret);
    for (int again = 0; again < 3; ++again)
      collector.add(Said(cells, statement.text_at() + 1, missing));
    if (!collector.good()) return false;
    collector.finish();
    return true;
  };
  const auto sum = asked("SELECT COUNT(*), SUM(cost) FROM t", "visits", "",
                         "columns.cost = { range = [0, 100] }\n");
  const plan::PlanPart& part = sum.plan->parts[0];
  const auto statement = *pushdown::bounded(part, Dialect(sum.catalog));
  const bound::Wide huge = bound::Wide{1} << 100;
  EXPECT_TRUE(believed(part, statement, {{0, 0}, {statement.units_at(), 5}}));
  for (const bound::Wide wrong : {bound::Wide{-1}, huge, -huge})
    EXPECT_FALSE(believed(part, statement, {{0, 0}, {statement.units_at(), wrong}}));
  // A sum may be any number, and stays one; a count may not.
  EXPECT_TRUE(believed(part, statement,
                       {{0, 0}, {statement.units_at(), 5}, {statement.cells_at() + 1, huge}}));
  EXPECT_FALSE(
      believed(part, statement, {{0, 0}, {statement.units_at(), 5}, {statement.cells_at(), huge}}));
  // None of these numbers is ever NULL.
  for (const std::size_t missing :
       {statement.units_at(), statement.rows_at(), statement.cells_at(), statement.cells_at() + 1})
    EXPECT_FALSE(believed(part, statement, {{0, 0}, {statement.units_at(), 5}}, missing))
        << missing;

  const auto median =
      asked("SELECT MEDIAN(cost) FROM t", "visits", "", "columns.cost = { range = [0, 100] }\n");
  const plan::PlanPart& values = median.plan->parts[0];
  const auto listed = *pushdown::bounded(values, Dialect(median.catalog));
  ASSERT_FALSE(listed.paired.empty());
  const auto which = pushdown::Statement::kPairs + static_cast<std::int64_t>(listed.paired[0]);
  const auto with = [&](bound::Wide count) {
    return believed(values, listed,
                    {{0, which}, {listed.whole_at(), 3}, {listed.units_at(), count}});
  };
  // Many rows of one value take no more room than one.
  EXPECT_TRUE(with(4'000'000'000'000));
  EXPECT_FALSE(with(-1));
  EXPECT_FALSE(with(bound::Wide{1} << 62));
  EXPECT_FALSE(with(huge));
}

}  // namespace
}  // namespace discreet::engine::postgres
