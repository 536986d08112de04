// No value of any type makes a question fail: every type that files can hold, at its ends and with
// random bits, through every function and aggregate. Each is tried in a process of its own, so that
// a crash is seen too.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <set>

#include "discreet/engine/duckdb/calculator.h"
#include "discreet/engine/duckdb/duckdb.h"
#include "discreet/engine/duckdb/stored_type.h"
#include "discreet/service/testing/asked.h"
#include "discreet/service/testing/every_type.h"
#include "discreet/sql/functions.h"

namespace discreet::service {
namespace {

using std::string;
using testing::Stored;

// Calls of each function; {} is a number, a text or a moment.
const std::map<string, std::vector<const char*>> kCalls = {
    {"abs", {"abs({n})"}},
    {"ceil", {"ceil({n})"}},
    {"ceiling", {"ceiling({n})"}},
    {"floor", {"floor({n})"}},
    {"sign", {"sign({n})"}},
    {"sqrt", {"sqrt({n})", "sqrt(-{n})"}},
    {"ln", {"ln({n})"}},
    {"log10", {"log10({n})"}},
    {"log2", {"log2({n})"}},
    {"trunc", {"trunc({n})"}},
    {"sin", {"sin({n})"}},
    {"cos", {"cos({n})"}},
    {"exp", {"exp({n})", "exp(exp({n}))"}},
    {"least", {"least({n}, 1)"}},
    {"greatest", {"greatest({n}, 1)"}},
    {"round", {"round({n})", "round({n}, 15)", "round({n}, -15)"}},
    {"power", {"power({n}, 0.5)", "power({n}, -1)", "power({n}, 1e300)"}},
    {"pow", {"pow({n}, 8)"}},
    {"lower", {"lower({t})"}},
    {"upper", {"upper({t})"}},
    {"trim", {"trim({t})"}},
    {"ltrim", {"ltrim({t})"}},
    {"rtrim", {"rtrim({t})"}},
    {"reverse", {"reverse({t})"}},
    {"strpos", {"strpos({t}, {t})", "strpos('', {t})"}},
    {"regexp_matches", {"regexp_matches({t}, '^(a|b)*c?.{{0,5}}$')"}},
    {"regexp_full_match", {"regexp_full_match({t}, '\\pL*')"}},
    {"split_part", {"split_part({t}, '', 1)", "split_part({t}, 'a', -10000)"}},
    {"lpad", {"lpad({t}, 1000, 'ab')", "lpad({t}, -5, 'a')", "lpad({t}, 3, 'é')"}},
    {"rpad", {"rpad({t}, 1000, 'ab')", "rpad({t}, 0, 'a')"}},
    {"strftime", {"strftime({m}, '%Y-%m-%d %H:%M:%S.%f %j %U %W %G %V %a %B %p %-I %n %g')"}},
    {"dayname", {"dayname({m})"}},
    {"monthname", {"monthname({m})"}},
    {"length", {"length({t})"}},
    {"substr", {"substr({t}, -10000, 10000)", "substr({t}, 10000, -10000)", "substr({t}, 0)"}},
    {"substring", {"substring({t}, 2, 3)"}},
    {"left", {"left({t}, -10000)", "left({t}, 10000)"}},
    {"right", {"right({t}, -10000)", "right({t}, 3)"}},
    {"||", {"{t} || {t} || {t}"}},
    {"concat", {"concat({t}, {t})"}},
    {"contains", {"contains({t}, {t})"}},
    {"starts_with", {"starts_with({t}, 'a')"}},
    {"prefix", {"prefix({t}, {t})"}},
    {"suffix", {"suffix({t}, {t})"}},
    {"ends_with", {"ends_with({t}, '')"}},
    {"replace", {"replace({t}, 'aa', 'a')", "replace({t}, '9', '')"}},
    {"year", {"year({m})"}},
    {"quarter", {"quarter({m})"}},
    {"month", {"month({m})"}},
    {"week", {"week({m})"}},
    {"day", {"day({m})"}},
    {"dayofweek", {"dayofweek({m})"}},
    {"isodow", {"isodow({m})"}},
    {"second", {"second({m})"}},
    {"dayofyear", {"dayofyear({m})"}},
    {"hour", {"hour({m})"}},
    {"minute", {"minute({m})"}},
    {"date_trunc",
     {"date_trunc('year', {m})", "date_trunc('quarter', {m})", "date_trunc('week', {m})",
      "date_trunc('second', {m})"}},
    {"date_diff",
     {"date_diff('year', {m}, DATE '0001-01-01')", "date_diff('second', DATE '9999-12-31', {m})",
      "date_diff('week', {m}, {m})", "date_diff('quarter', {m}, DATE '9999-12-31')"}},
    {"nullif", {"nullif({n}, 1)", "nullif({n}, 1.5)", "nullif({t}, 'a')", "nullif({m}, {m})"}},
};
// What is written otherwise.
const std::vector<const char*> kOther = {"{n} + {n}",
                                         "{n} - 1e308",
                                         "{n} * {n}",
                                         "{n} / {n}",
                                         "1 / ({n} - 1)",
                                         "{n} % {n}",
                                         "{n} // 0",
                                         "-{n}",
                                         "CASE WHEN {n} > 1 THEN {n} END",
                                         "{n} BETWEEN -1 AND 1",
                                         "{n} IN (1, 2)",
                                         "COALESCE({n}, 0)",
                                         "CAST({n} AS BIGINT)",
                                         "CAST({n} AS BOOLEAN)",
                                         "CAST({n} AS VARCHAR)",
                                         "{t} LIKE '%a_'",
                                         "{t} ILIKE '%É%'",
                                         "{t} < 'b'",
                                         "{t} IN ('a', {t})",
                                         "CAST({t} AS BIGINT)",
                                         "CAST({t} AS DOUBLE)",
                                         "CAST({t} AS DATE)",
                                         "CAST({t} AS TIMESTAMP)",
                                         "CAST({t} AS BOOLEAN)",
                                         "{m} + INTERVAL 100000 DAY",
                                         "{m} - INTERVAL 100000 MONTH",
                                         "{m} + INTERVAL 1 MONTH",
                                         "{m} - INTERVAL 100000 HOUR",
                                         "CAST({m} AS DATE)",
                                         "CAST({m} AS TIMESTAMP)",
                                         "CAST({m} AS VARCHAR)",
                                         "{m} > DATE '2020-01-01'",
                                         "{m} - DATE '2020-01-01'",
                                         "EXTRACT(year FROM {m} + INTERVAL 1 YEAR)"};

string replaced(string text, const string& what, const string& by) {
  for (std::size_t at = text.find(what); at != string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

// Everything that can be made of a column, itself and its text, each in its place.
std::vector<string> expressions(const string& column, policy::Type type) {
  std::map<char, std::vector<string>> ways;
  const string text = fmt::format("CAST({} AS VARCHAR)", column);
  ways['t'] = {type == policy::Type::kText ? column : text};
  if (policy::is_time(type)) {
    ways['m'] = {column};
  } else if (type == policy::Type::kText) {
    ways['n'] = {fmt::format("CAST({} AS DOUBLE)", column)};
    ways['m'] = {fmt::format("CAST({} AS DATE)", column),
                 fmt::format("CAST({} AS TIMESTAMP)", column)};
  } else {
    ways['n'] = {type == policy::Type::kBool ? fmt::format("CAST({} AS BIGINT)", column) : column};
  }
  std::vector<const char*> calls = kOther;
  for (const auto& [name, list] : kCalls) calls.insert(calls.end(), list.begin(), list.end());
  std::vector<string> out;
  for (const char* call : calls)
    for (const auto& [letter, arguments] : ways)
      for (const string& argument : arguments) {
        const string place = fmt::format("{{{}}}", letter);
        if (string(call).find(place) != string::npos)
          out.push_back(replaced(replaced(call, place, argument), "{{", "{"));
      }
  for (string& one : out) one = replaced(one, "}}", "}");
  return out;
}

std::vector<string> questions(const string& table, const string& column, policy::Type type,
                              bool is_public) {
  std::vector<string> out;
  // (Functions mean the same there.)
  const auto all = is_public ? std::vector<string>() : expressions(column, type);
  // One row may take a millisecond: fewer functions of texts.
  const std::size_t kAtOnce = type == policy::Type::kText ? 8 : 40;
  for (std::size_t i = 0; i < all.size(); i += kAtOnce) {
    string items;
    for (std::size_t k = i; k < std::min(i + kAtOnce, all.size()); ++k)
      items += fmt::format("{}COUNT({})", items.empty() ? "" : ", ", all[k]);
    out.push_back(fmt::format("SELECT {} FROM {}", items, table));
  }
  const string number = type == policy::Type::kInt || type == policy::Type::kDouble
                            ? column
                            : fmt::format("CAST(CAST({} AS VARCHAR) AS DOUBLE)", column);
  const string bounded = fmt::format("LEAST(GREATEST({}, -5), 5)", number);
  out.push_back(
      fmt::format("SELECT COUNT(DISTINCT {0}), COUNT({0}) FROM {1} WHERE s >= 20", column, table));
  out.push_back(fmt::format(
      "SELECT SUM({0}), AVG({0}), VAR_POP({0}), STDDEV({0}), MEDIAN({0}), MIN({0}), MAX({0}) FROM "
      "{1}",
      is_public ? number : bounded, table));
  out.push_back(fmt::format("SELECT {}, COUNT(*) FROM {} GROUP BY 1", column, table));
  out.push_back(fmt::format(
      "SELECT SUM(LEAST(GREATEST(a, -5), 5)), SUM(LEAST(GREATEST(b, -5), 5)), "
      "SUM(LEAST(GREATEST(c, -5), 5)), SUM(LEAST(GREATEST(d, -5), 5)), "
      "SUM(LEAST(GREATEST(e, -5), 5)) FROM (SELECT u, SUM({0}) AS a, AVG({0}) AS b, MIN({0}) AS c, "
      "MAX({0}) AS d, MEDIAN({0}) AS e FROM {1} GROUP BY u)",
      number, table));
  out.push_back(
      fmt::format("SELECT COUNT(*) FROM {0} AS a JOIN {0} AS b ON a.u = b.u AND a.{1} = "
                  "b.{1}",
                  table, column));
  return out;
}

// How many are not answered; each is named on the error stream.
int ask_all(const string& place, const string& source_of, bool is_public) {
  string tables;
  for (const char* name : {"t", "n"})
    tables += fmt::format(
        "[tables.{}]\nsource = \"{}\"\n{}\n", name, fmt::format(fmt::runtime(source_of), name),
        is_public ? "public = true" : "key = \"u\"\nmax_groups = 3\nmax_rows_per_group = 2");
  const string policy_text = fmt::format(
      "[policy]\nname = \"types\"\nunit = \"person\"\nbudget = {{ epsilon = 1000000, delta = 0.5 "
      "}}\n{}",
      tables);
  auto policy = policy::Policy::parse(policy_text, place + "/policy.toml", place);
  if (!policy) return std::cerr << policy.error().text() << "\n", 1;
  auto engine = engine::duckdb::Duckdb::open(*policy, {.memory = 400'000'000, .threads = 2});
  if (!engine) return std::cerr << engine.error().text() << "\n", 1;
  auto schemas = (*engine)->schemas();
  if (!schemas) return std::cerr << schemas.error().text() << "\n", 1;
  auto catalog = policy::make_catalog(*policy, *schemas);
  if (!catalog) return std::cerr << catalog.error().text() << "\n", 1;
  random::testing::Seeded source(3);
  sql::Options options;
  if (!is_public) {
    options.epsilon = 10;
    options.delta = Rational(1, 100);
  }
  int failures = 0;
  for (const policy::Table& table : catalog->tables)
    for (const policy::Column& column : table.columns) {
      if (column.is_key || column.name == "s") continue;
      for (const string& query : questions(table.rule.name, column.name, column.type, is_public)) {
        const auto bad = [&](const Error& error) {
          std::cerr << query << "\n" << error.text() << "\n";
          ++failures;
        };
        auto parsed = sql::parse(query);
        if (!parsed) {
          bad(parsed.error());
          continue;
        }
        auto question = sql::check(*parsed, *catalog, plan::tools(engine::duckdb::calculator()));
        if (!question) {
          bad(question.error());
          continue;
        }
        auto plan = plan::make_plan(std::move(*question), *catalog, options);
        if (!plan) {
          bad(plan.error());
          continue;
        }
        if (plan->question.open) {
          auto rows = (*engine)->run_open(*plan->question.open, *catalog, {});
          if (!rows) bad(rows.error());
        } else {
          auto answer = run_plan(**engine, *catalog, *plan, {}, source);
          if (!answer) bad(answer.error());
        }
      }
    }
  return failures;
}

class Types : public testing::InAFolder {};
class TypesDeathTest : public testing::InAFolder {};

TEST_F(Types, EveryReaderIsTried) {
  std::set<int> read, tried;
  for (const engine::duckdb::StoredType& type : engine::duckdb::stored_types())
    read.insert(type.number);
  for (const Stored& type : testing::stored()) tried.insert(type.number);
  tried.insert(DUCKDB_TYPE_SQLNULL);  // of no table
  EXPECT_EQ(read, tried);
  for (const Stored& type : testing::refused())
    EXPECT_FALSE(engine::duckdb::stored_type(type.number)) << type.sql;
}

TEST_F(Types, EveryFunctionIsTried) {
  std::set<string> known(sql::function_names().begin(), sql::function_names().end()), tried;
  for (const auto& [name, calls] : kCalls) tried.insert(name);
  EXPECT_EQ(known, tried);
}

TEST_F(TypesDeathTest, NoStoredValueMakesAQuestionFail) {
  EXPECT_EXIT(
      {
        testing::write_every_duckdb(place() + "/all.duckdb");
        leave(HasFailure() ? 2 : ask_all(place(), "all.duckdb#{}", false) > 0);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(TypesDeathTest, NoValueInParquetMakesAQuestionFail) {
  EXPECT_EXIT(
      {
        testing::write_every_parquet(place());
        leave(ask_all(place(), "{}.parquet", false) > 0);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(TypesDeathTest, NorOneAboutPublicTables) {
  EXPECT_EXIT(
      {
        testing::write_every_duckdb(place() + "/all.duckdb");
        testing::write_every_parquet(place());
        const int failures =
            ask_all(place(), "all.duckdb#{}", true) + ask_all(place(), "{}.parquet", true);
        leave(failures > 0);
      },
      ::testing::ExitedWithCode(0), "");
}

// The same values do make DuckDB's own casts fail, or worse: the tests above can.
TEST_F(TypesDeathTest, DuckdbsOwnCastsDoFail) {
  for (const char* type : {"TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMPTZ", "TIME"}) {
    const auto which = std::find_if(testing::stored().begin(), testing::stored().end(),
                                    [&](const Stored& one) { return one.sql == type; });
    EXPECT_EXIT(
        {
          testing::write_every_duckdb(place() + "/all.duckdb");
          testing::Database plain(place() + "/all.duckdb");
          const bool ok = plain.run(fmt::format("SELECT count(TRY_CAST(v{} AS {})) FROM t",
                                                which - testing::stored().begin(),
                                                string(type) == "TIME" ? "VARCHAR" : "TIMESTAMP"));
          leave(ok ? 0 : 1);
        },
        [](int status) { return status != 0; }, "")
        << type;
  }
}

}  // namespace
}  // namespace discreet::service
