#include "discreet/sql/parse.h"

#include <duckdb.h>
#include <fmt/format.h>

#include <memory>
#include <mutex>

#include "discreet/base/try.h"
#include "discreet/sql/clause.h"
#include "discreet/sql/read_syntax.h"

namespace discreet::sql {
namespace {

using std::string;
constexpr std::size_t kLongestQuery = 1'000'000;
constexpr double kMostParsed = 1e6;

// An empty database in memory that can reach nothing: it only parses.
class Parser {
 public:
  Parser() {
    duckdb_config config = nullptr;
    if (duckdb_create_config(&config) != DuckDBSuccess) return;
    for (auto [name, value] : {std::pair{"threads", "1"},
                               {"enable_external_access", "false"},
                               {"autoload_known_extensions", "false"},
                               {"autoinstall_known_extensions", "false"},
                               {"lock_configuration", "true"}})
      duckdb_set_config(config, name, value);
    if (duckdb_open_ext(nullptr, &database_, config, nullptr) == DuckDBSuccess)
      duckdb_connect(database_, &connection_);
    duckdb_destroy_config(&config);
  }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  // json_serialize_sql with the text as a bound parameter.
  Result<string> serialize(const string& text) {
    const std::lock_guard lock(mutex_);
    if (!connection_) return fail(Code::kFailure, "DuckDB's parser could not be started");
    duckdb_prepared_statement statement = nullptr;
    duckdb_result result{};
    string out;
    bool ok = duckdb_prepare(connection_, "SELECT json_serialize_sql($1::VARCHAR)", &statement) ==
                  DuckDBSuccess &&
              duckdb_bind_varchar_length(statement, 1, text.data(), text.size()) == DuckDBSuccess &&
              duckdb_execute_prepared(statement, &result) == DuckDBSuccess;
    if (ok) {
      char* value = duckdb_value_varchar(&result, 0, 0);
      ok = value != nullptr;
      if (ok) out = value;
      duckdb_free(value);
    }
    duckdb_destroy_result(&result);
    duckdb_destroy_prepare(&statement);
    if (!ok) return fail(Code::kUsage, "the query could not be parsed", "write a SELECT statement");
    return out;
  }

 private:
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
  std::mutex mutex_;
};

// Never closed: what DuckDB keeps by thread, and needs to close, is gone when static objects are
// destroyed.
Parser& parser() {
  static Parser& one = *new Parser;
  return one;
}

}  // namespace

Result<string> serialize(const string& text) { return parser().serialize(text); }

Result<Parsed> parse(const string& text) {
  Parsed out;
  out.text = text;
  if (text.size() > kLongestQuery)
    return fail(Code::kRefused, "the query is longer than a million bytes");
  if (text.find('\0') != string::npos) return fail(Code::kRefused, "the query holds a NUL byte");
  if (parsed_size(text) > kMostParsed)
    return fail(Code::kRefused, "the query unfolds to more than a parser can take",
                "CASE x WHEN … copies x for each WHEN: nest fewer of them");
  string plain = text;
  TRY(lift_clause(plain, out.options));
  const string serialized = TRY(serialize(plain));
  out.query = TRY(read_syntax(serialized, text));
  return out;
}

Result<Options> merge(const Options& flags, const Options& query) {
  Options out = query;
  Status ok;
  const auto one = [&](auto& into, const auto& flag, const char* name, const char* option) {
    if (!flag) return;
    if (into && *into != *flag && ok)
      ok = fail(Code::kUsage, named(name) + fmt::format(" and the query's {} disagree", option),
                "say it once");
    into = flag;
  };
  one(out.epsilon, flags.epsilon, "epsilon", "epsilon");
  one(out.delta, flags.delta, "delta", "delta");
  one(out.max_groups, flags.max_groups, "max-groups", "max_groups_contributed");
  one(out.max_total, flags.max_total, "max-rows-total", "max_rows_contributed");
  one(out.min_units, flags.min_units, "min-units", "min_privacy_units_per_group");
  one(out.selection, flags.selection, "selection", "group_selection_strategy");
  one(out.unit_column, flags.unit_column, "unit-column", "privacy_unit_column");
  if (!ok) return forward_error(ok);
  // No clause of a query says these.
  if (flags.max_rows) out.max_rows = flags.max_rows;
  out.measure_bounds = flags.measure_bounds;
  out.assume_bounds = flags.assume_bounds;
  return out;
}

}  // namespace discreet::sql
