#include "discreet/service/testing/questions/world.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>

#include "discreet/service/testing/questions/odd_values.h"

namespace discreet::service::testing::questions {
namespace {

using policy::Type;
using std::string;
using Strings = std::vector<string>;

Strings joined(Strings one, const Strings& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

Strings cast(const Strings& literals, const string& type) {
  Strings out;
  for (const string& literal : literals)
    out.push_back(fmt::format("CAST({} AS {})", literal, type));
  return out;
}

// A column with declared values: how the file stores it, what the policy says, what rows hold.
struct Declared {
  string stored, rule;
  Type type;
  Strings values, rows;
};

// A policy lists a value once; rows have others too, and the same ones written otherwise.
std::vector<Declared> declared_columns(bool typed) {
  return {
      {"DOUBLE",
       R"(type = "double", values = [0.0, 1.5, 9007199254740992.0, inf])",
       Type::kDouble,
       cast({"0", "1.5", "9007199254740992", "'inf'"}, "DOUBLE"),
       {"'-0.0'", "0", "1.5", "'nan'", "'inf'", "'-inf'", "9007199254740992", "NULL", "2"}},
      {"DOUBLE",
       R"(type = "double", values = [nan, -0.0, -1])",
       Type::kDouble,
       cast({"'nan'", "0", "-1"}, "DOUBLE"),
       {"'nan'", "'-nan'", "0", "'-0.0'", "-1", "NULL"}},
      {"BIGINT",
       R"(type = "integer", values = [0, -1, 9223372036854775807, 9007199254740993])",
       Type::kInt,
       cast({"0", "-1", "9223372036854775807", "9007199254740993"}, "BIGINT"),
       {"0", "-1", "9223372036854775807", "9007199254740992", "9007199254740993", "NULL", "7"}},
      {"BIGINT",
       "values = [1.0, 2.0, 30.0]",
       typed ? Type::kInt : Type::kDouble,
       cast({"1", "2", "30"}, typed ? "BIGINT" : "DOUBLE"),
       {"1", "2", "3", "NULL"}},
      {"DATE", R"(type = "date", values = ["2020-02-29", "0001-01-01", "9999-12-31"])", Type::kDate,
       cast({"'2020-02-29'", "'0001-01-01'", "'9999-12-31'"}, "DATE"), kOddDates},
      {"TIMESTAMP",
       R"(type = "timestamp", values = ["2020-02-29 23:59:59.5", "0001-01-01", "9999-12-31 23:59:59.999999"])",
       Type::kTimestamp,
       cast({"'2020-02-29 23:59:59.5'", "'0001-01-01 00:00:00'", "'9999-12-31 23:59:59.999999'"},
            "TIMESTAMP"),
       kOddTimes},
      {"VARCHAR",
       R"(values = ["a", "A", "Ωmega", "it's", "", "never"])",
       Type::kText,
       {"'a'", "'A'", "'Ωmega'", "'it''s'", "''", "'never'"},
       {"'a'", "'A'", "'Ωmega'", "'it''s'", "NULL", "'other'"}},
      {"BOOLEAN", "values = [true]", Type::kBool, {"TRUE"}, kTruths},
  };
}

struct Range {
  string toml;
  Strings rows;
};

// NaN lies in no range: LEAST(x, 30) of it is 30, which the bounds found for LEAST need not hold.
const std::vector<Range> kRealRanges = {
    {"[-50, 50]", {"-50", "50", "'-0.0'", "0", "NULL", "49.5", "'5e-324'", "0.1", "-7"}},
    {"[0, 100.25]", {"0", "'-0.0'", "100.25", "NULL", "1e-9", "33"}},
    {"[-1e6, 0.5]", {"-1e6", "0.5", "NULL", "-1", "0", "-999999.75"}},
    {"[7, 7]", {"7", "NULL"}}};
const std::vector<Range> kWholeRanges = {{"[-100, 100]", {"-100", "100", "0", "NULL", "1", "33"}},
                                         {"[0, 4095]", {"0", "4095", "NULL", "1", "4094"}},
                                         {"[7, 7]", {"7", "NULL"}}};
const std::vector<Range> kDateRanges = {
    {R"(["1969-07-20", "2024-01-01"])",
     {"'1969-07-20'", "'2024-01-01'", "'1970-01-01'", "'2020-02-29'", "NULL"}},
    {R"(["0001-01-01", "9999-12-31"])", kOddDates}};

const Strings kWholeUnits = {"1",
                             "-5",
                             "0",
                             "9007199254740992",
                             "9007199254740993",
                             "9223372036854775807",
                             "-9223372036854775808",
                             "7",
                             "8",
                             "9",
                             "10"};
const Strings kTextUnits = {"'person 1'",
                            "'Person 1'",
                            "'ä'",
                            "'日本'",
                            "'it''s'",
                            "'1'",
                            "'01'",
                            "' 1'",
                            "'-0'",
                            "'nan'",
                            "repeat('long name ', 30)"};

}  // namespace

World::World(std::uint64_t seed, const string& place) : place_(place) {
  Draw draw(seed * 7919 + 1);
  // Without it what a function says of a row depends on other rows (others_rows_test.cc).
  oracle_.run("SET disabled_optimizers = 'statistics_propagation'");
  format_ = draw.word({"csv", "tsv", "parquet", "json", "jsonarray", "duckdb"});
  text_unit_ = draw.one_in(2);
  units_ = text_unit_ ? kTextUnits : kWholeUnits;
  unit_type_ = text_unit_ ? "VARCHAR" : "BIGINT";
  fill(draw);
  view();
  write(place_, "TRUE");
  write(place_ + "/neighbour",
        fmt::format("u IS DISTINCT FROM CAST({} AS {})", draw.from(units_), unit_type_));
}

void World::fill(Draw& draw) {
  const bool typed = format_ == "parquet" || format_ == "duckdb";
  const Strings texts = typed ? joined(kOddTexts, kOddTextsOfTypedFiles) : kOddTexts;
  const Declared v = draw.from(declared_columns(typed));
  const Range x = draw.from(kRealRanges), i = draw.from(kWholeRanges), d = draw.from(kDateRanges);
  const bool dated = draw.one_in(2);
  const std::size_t rows = draw.from<std::size_t>({0, 1, 2, 12, 30, 30, 60});
  const std::size_t promise = draw.from<std::size_t>({0, 0, 1, 3});  // rows a unit; 0: none
  const bool skewed = draw.one_in(3), sequential = draw.one_in(3), bounds = draw.one_in(2);
  columns_ = {{"x", Type::kDouble}, {"y", Type::kDouble},    {"i", Type::kInt},  {"j", Type::kInt},
              {"m", Type::kDouble}, {"k", Type::kText},      {"w", Type::kText}, {"v", v.type},
              {"d", Type::kDate},   {"z", Type::kTimestamp}, {"b", Type::kBool}};
  declared_ = {{"t.w", {"'A'", "'B'", "'C'"}}, {"t.v", v.values}, {"t.b", {"FALSE", "TRUE"}}};

  oracle_.run(
      fmt::format("CREATE TABLE t_raw (id BIGINT, u {}, x DOUBLE, y DOUBLE, i {}, j BIGINT, "
                  "m DECIMAL(18, 4), k VARCHAR, w VARCHAR, v {}, d DATE, z TIMESTAMP, b "
                  "BOOLEAN, h VARCHAR)",
                  unit_type_, draw.word({"BIGINT", "INTEGER", "SMALLINT"}), v.stored));
  std::map<string, std::size_t> had;
  const auto unit = [&](bool promised) -> string {
    for (int tries = 0; tries < 40; ++tries) {
      if (draw.one_in(14)) break;
      const string who =
          skewed && draw.one_in(2) && !(promised && promise) ? units_[0] : draw.from(units_);
      if (promised && promise && had[who] >= promise) continue;
      ++had[who];
      return who;
    }
    return "NULL";
  };
  string values;
  for (std::size_t row = 0; row < rows; ++row) {
    const string id = sequential        ? fmt::format("{}", row)
                      : draw.one_in(10) ? "NULL"
                                        : fmt::format("{}", draw.below(30));
    const string day = dated ? draw.from(d.rows) : draw.from(joined(kOddDates, kDatesBeyond));
    values += fmt::format(
        "{}({}, CAST({} AS {}), CAST({} AS DOUBLE), CAST({} AS DOUBLE), {}, {}, {}, {}, {}, "
        "CAST({} "
        "AS {}), CAST({} AS DATE), CAST({} AS TIMESTAMP), {}, {})",
        row ? ", " : "", id, unit(true), unit_type_, draw.from(x.rows), draw.from(kOddReals),
        draw.from(i.rows), draw.from(kOddWholes),
        draw.one_in(5) ? "NULL" : fmt::format("{}.25", draw.below(90)), draw.from(texts),
        draw.word({"'A'", "'B'", "'C'", "NULL", "'other'", "'a'"}), draw.from(v.rows), v.stored,
        day, draw.from(joined(kOddTimes, kTimesBeyond)), draw.from(kTruths), draw.from(kOddTexts));
  }
  if (rows) oracle_.run("INSERT INTO t_raw VALUES " + values);
  oracle_.run(fmt::format("CREATE TABLE s_raw (u {}, y BIGINT)", unit_type_));
  for (std::size_t row = draw.from<std::size_t>({0, 1, 12}); row > 0; --row)
    oracle_.run(fmt::format("INSERT INTO s_raw VALUES ({}, {})", unit(false), draw.below(10)));
  oracle_.run("CREATE TABLE l_raw (tid BIGINT, n BIGINT)");
  for (std::size_t row = draw.from<std::size_t>({0, 1, 20}); row > 0; --row)
    oracle_.run(fmt::format("INSERT INTO l_raw VALUES ({}, {})",
                            draw.one_in(8) ? "NULL" : fmt::format("{}", draw.below(35)),
                            draw.below(10)));
  oracle_.run("CREATE TABLE p_raw (k VARCHAR, q BIGINT, r DOUBLE, e DATE)");
  for (std::size_t row = draw.from<std::size_t>({0, 1, 8}); row > 0; --row)
    oracle_.run(fmt::format("INSERT INTO p_raw VALUES ({}, {}, CAST({} AS DOUBLE), {})",
                            draw.from(kOddTexts), draw.from(kOddWholes), draw.from(kOddReals),
                            draw.from(kOddDates)));

  const auto source = [&](const char* name) {
    if (format_ == "duckdb") return fmt::format("source = \"all.duckdb#{}\"", name);
    if (format_ == "jsonarray")
      return fmt::format("source = \"{}.json\"\nformat = \"array\"", name);
    return format_ == "json" ? fmt::format("source = \"{}.jsonl\"", name)
                             : fmt::format("source = \"{}.{}\"", name, format_);
  };
  const char* who = text_unit_ ? "text" : "integer";
  const string limits = bounds ? "max_groups = 200\nmax_rows_per_group = 5000\n" : "";
  const string promised = promise ? fmt::format("rows_per_unit = {}\n", promise) : "";
  policy_text_ = fmt::format(
      R"([policy]
name = "questions"
unit = "person"
budget = {{ epsilon = 1000000, delta = 0.9 }}
[tables.t]
{source_t}
key = "u"
{limits}{promised}columns.id = {{ type = "integer"{unique} }}
columns.u = {{ type = "{who}" }}
columns.x = {{ type = "double", range = {x} }}
columns.y = {{ type = "double" }}
columns.i = {{ type = "integer", range = {i} }}
columns.j = {{ type = "integer" }}
columns.m = {{ type = "double" }}
columns.k = {{ type = "text" }}
columns.w = {{ values = ["A", "B", "C"] }}
columns.v = {{ {v} }}
columns.d = {{ type = "date"{d} }}
columns.z = {{ type = "timestamp" }}
columns.b = {{ type = "boolean" }}
columns.h = {{ type = "text", hidden = true }}
[tables.s]
{source_s}
key = "u"
{limits}columns.u = {{ type = "{who}" }}
columns.y = {{ type = "integer" }}
[tables.l]
{source_l}
link = {{ column = "tid", to = "t.id" }}
{limits}columns.tid = {{ type = "integer" }}
columns.n = {{ type = "integer" }}
[tables.p]
{source_p}
public = true
columns.k = {{ type = "text" }}
columns.q = {{ type = "integer" }}
columns.r = {{ type = "double" }}
columns.e = {{ type = "date" }}
)",
      fmt::arg("source_t", source("t")), fmt::arg("source_s", source("s")),
      fmt::arg("source_l", source("l")), fmt::arg("source_p", source("p")),
      fmt::arg("limits", limits), fmt::arg("promised", promised),
      fmt::arg("unique", sequential ? ", unique = true" : ""), fmt::arg("who", who),
      fmt::arg("x", x.toml), fmt::arg("i", i.toml), fmt::arg("v", v.rule),
      fmt::arg("d", dated ? ", range = " + d.toml : ""));
  bounds_declared_ = bounds;
  about_ =
      fmt::format("{}, {} rows, units of type {}, v {{ {} }}, x {}, i {}, d {}, {} rows a unit",
                  format_, rows, who, v.rule, x.toml, i.toml, dated ? d.toml : "free",
                  promise ? fmt::format("{}", promise) : "any");
}

// As docs/sql.md says that a query sees rows: those without a key are dropped, moments outside of
// the years 1 to 9999 are NULL, other numbers than integers are doubles, a linked row counts once
// for each of its owners.
void World::view() {
  const auto moment = [](const char* name) {
    return fmt::format(
        "CASE WHEN {0} BETWEEN '0001-01-01' AND '9999-12-31 23:59:59.999999'::TIMESTAMP THEN {0} "
        "END",
        name);
  };
  string v = "v";
  if (columns_["v"] == Type::kDouble) v = "CAST(v AS DOUBLE)";
  if (columns_["v"] == Type::kDate || columns_["v"] == Type::kTimestamp) v = moment("v");
  oracle_.run(
      fmt::format("CREATE VIEW t AS SELECT * REPLACE ({} AS d, {} AS z, {} AS v, CAST(m AS DOUBLE) "
                  "AS m, CAST(i "
                  "AS BIGINT) AS i) FROM t_raw WHERE u IS NOT NULL",
                  moment("d"), moment("z"), v));
  oracle_.run("CREATE VIEW s AS SELECT * FROM s_raw WHERE u IS NOT NULL");
  oracle_.run(
      "CREATE VIEW l AS SELECT l_raw.*, owner.u FROM l_raw JOIN (SELECT DISTINCT id, u FROM t) "
      "owner ON tid = id");
  oracle_.run("CREATE VIEW p AS SELECT * FROM p_raw");
}

// JSON has no NaN: there every field is written as its text. Only t and s name units.
void World::write(const string& place, const string& where) {
  std::filesystem::create_directories(place);
  std::ofstream(place + "/policy.toml") << policy_text_;
  if (format_ == "duckdb") oracle_.run(fmt::format("ATTACH '{}/all.duckdb' AS file", place));
  for (const string name : {"t", "s", "l", "p"}) {
    const bool private_rows = name == "t" || name == "s";
    const string rows =
        fmt::format("SELECT {} FROM {}_raw WHERE {}",
                    format_.starts_with("json") ? "CAST(COLUMNS(*) AS VARCHAR)" : "*", name,
                    private_rows ? where : "TRUE");
    const string base = place + "/" + name;
    if (format_ == "duckdb") oracle_.run(fmt::format("CREATE TABLE file.{} AS {}", name, rows));
    if (format_ == "parquet")
      oracle_.run(fmt::format("COPY ({}) TO '{}.parquet' (FORMAT parquet)", rows, base));
    if (format_ == "csv") oracle_.run(fmt::format("COPY ({}) TO '{}.csv' (HEADER)", rows, base));
    if (format_ == "tsv")
      oracle_.run(
          fmt::format("COPY ({}) TO '{}.tsv' (FORMAT csv, HEADER, DELIMITER '\t')", rows, base));
    if (format_ == "json")
      oracle_.run(fmt::format("COPY ({}) TO '{}.jsonl' (FORMAT json)", rows, base));
    if (format_ == "jsonarray")
      oracle_.run(fmt::format("COPY ({}) TO '{}.json' (FORMAT json, ARRAY true)", rows, base));
  }
  if (format_ == "duckdb") oracle_.run("DETACH file");
}

}  // namespace discreet::service::testing::questions
