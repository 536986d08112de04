#include "discreet/engine/duckdb/block_query.h"

#include <duckdb.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <set>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/engine/duckdb/csv.h"
#include "discreet/engine/duckdb/hardened.h"
#include "discreet/engine/duckdb/print.h"
#include "discreet/engine/duckdb/scan.h"
#include "discreet/engine/sample/process.h"

namespace discreet::engine::duckdb {
namespace {

using std::string;

string list_of(const std::vector<string>& names, const string& form) {
  string out;
  for (const string& name : names)
    out += (out.empty() ? "" : ", ") +
           fmt::format(fmt::runtime(form), fmt::arg("name", quote_name(name)));
  return out;
}

bool load(const Hardened& database, const std::vector<string>& names, std::string_view rows) {
  if (!database.execute(fmt::format("CREATE TABLE raw ({})", list_of(names, "{name} VARCHAR"))))
    return false;
  duckdb_appender appender = nullptr;
  if (duckdb_appender_create(database.connection(), nullptr, "raw", &appender) != DuckDBSuccess)
    return false;
  std::vector<std::size_t> all(names.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  CsvRecords records({',', names.size(), all});
  string padded(rows);
  padded.append(kPadding, ' ');
  records.begin({padded.data(), rows.size()});
  bool ok = true;
  while (const Fields* fields = ok ? records.next() : nullptr) {
    for (const Field& field : *fields)
      ok = ok && (field.data == nullptr ? duckdb_append_null(appender)
                                        : duckdb_append_varchar_length(
                                              appender, field.data, field.size)) == DuckDBSuccess;
    ok = ok && duckdb_appender_end_row(appender) == DuckDBSuccess;
  }
  return duckdb_appender_destroy(&appender) == DuckDBSuccess && ok;
}

// The block's rows as `data`, with types that all of its values have.
bool give_types(const Hardened& database, const std::vector<string>& names) {
  string columns;
  for (const string& name : names) {
    const string column = quote_name(name);
    const auto all_are = [&](const string& condition) {
      return database.first(fmt::format("SELECT coalesce(bool_and({}), false) FROM raw WHERE {} "
                                        "IS NOT NULL",
                                        condition, column)) == "true";
    };
    string type = "VARCHAR";
    if (all_are(fmt::format("regexp_full_match({}, '-?(0|[1-9][0-9]{{0,17}})')", column)))
      type = "BIGINT";
    else if (all_are(fmt::format("TRY_CAST({0} AS DOUBLE) IS NOT NULL AND NOT "
                                 "regexp_matches({0}, '^-?0[0-9]')",
                                 column)))
      type = "DOUBLE";
    columns += (columns.empty() ? "" : ", ") + fmt::format("CAST({0} AS {1}) AS {0}", column, type);
  }
  return database.execute(fmt::format("CREATE TABLE data AS SELECT {} FROM raw", columns)) &&
         database.execute("DROP TABLE raw");
}

tl::unexpected<Error> bad_query(const string& what) {
  return bad_parameter("query",
                       fmt::format("found {}; accepted is one SELECT over the table data", what));
}

// What is wrong with a query whatever the rows are; empty: nothing that is sure. That a function
// doesn't take a type isn't: the types are those of the block's values.
string surely_wrong(const char* words) {
  const std::string_view text = words == nullptr ? "" : words;
  const bool sure = text.starts_with("Parser Error") || text.starts_with("Catalog Error") ||
                    text.starts_with("Permission Error") ||
                    text.find("not found in FROM clause") != std::string_view::npos;
  return sure ? string(text.substr(0, text.find('\n'))) : "";
}

// What is wrong with it on no rows; empty: nothing that is sure.
string wrong_with(const Hardened& database, const string& text) {
  duckdb_extracted_statements statements = nullptr;
  const idx_t count = duckdb_extract_statements(database.connection(), text.c_str(), &statements);
  string wrong;
  if (count == 0) {
    wrong = surely_wrong(duckdb_extract_statements_error(statements));
    if (wrong.empty()) wrong = "no statement";
  } else if (count > 1) {
    wrong = "several statements";
  } else {
    duckdb_prepared_statement statement = nullptr;
    if (duckdb_prepare_extracted_statement(database.connection(), statements, 0, &statement) !=
        DuckDBSuccess)
      wrong = surely_wrong(duckdb_prepare_error(statement));
    else if (duckdb_prepared_statement_type(statement) != DUCKDB_STATEMENT_TYPE_SELECT)
      wrong = "another statement";
    duckdb_destroy_prepare(&statement);
  }
  duckdb_destroy_extracted(&statements);
  return wrong;
}

// How the trial on no rows went, as its process tells it in the first byte of its output.
constexpr char kNoTable = 't', kTried = 'q';

string trial(const BlockQueryOptions& options) {
  const Hardened database = Hardened::empty(options.memory);
  if (!load(database, options.names, "") ||
      !database.execute("CREATE TABLE data AS SELECT * FROM raw") ||
      !database.execute("DROP TABLE raw"))
    return {kNoTable};
  return kTried + wrong_with(database, options.text);
}

// DuckDB itself takes addresses, and its limit is kept by what it has in buffers alone: scalar
// functions neither ask for memory nor look whether they are to stop. A process of its own is
// limited from outside, whatever is computed in it.
constexpr std::size_t kOwnAddresses = std::size_t{256} << 20;
constexpr double kShortestTrial = 2;  // seconds; short limits of blocks are no reason to skip it

struct Outcome {
  bool started = false;
  std::optional<string> output = {};
};
Outcome in_a_process(const BlockQueryOptions& options, double seconds,
                     const std::function<std::optional<string>()>& work) {
  using sample::Process;
  const auto deadline =
      Process::Clock::now() +
      std::chrono::duration_cast<Process::Clock::duration>(std::chrono::duration<double>(seconds));
  auto process =
      Process::copy({.seconds = seconds, .memory = options.memory + kOwnAddresses}, work);
  if (!process) return {};
  return {true, process->output(deadline, options.stop)};
}

}  // namespace

Result<BlockQuery> BlockQuery::open(BlockQueryOptions options) {
  if (options.text.find('\0') != string::npos) return bad_query("a NUL byte");
  const std::set<string> names(options.names.begin(), options.names.end());
  if (names.size() != options.names.size())
    return fail(Code::kUsage, "the header has two columns of the same name; accepted is one each");
  const Outcome tried = in_a_process(options, std::max(options.seconds, kShortestTrial),
                                     [&options] { return trial(options); });
  if (!tried.started) return fail(Code::kFailure, "no process could be started");
  // One that is stopped at a limit even on no rows is not wrong for sure: blocks will tell.
  const string said = tried.output.value_or(string{kTried});
  if (!said.starts_with(kTried))
    return fail(Code::kFailure, "DuckDB could not make a table of the file's columns",
                "names that differ in case alone are the same to it");
  if (said.size() > 1) return bad_query(printable(said.substr(1)));
  return BlockQuery(std::move(options));
}

std::optional<string> BlockQuery::answer(std::string_view rows) const {
  const auto ask = [&]() -> std::optional<string> {
    const Hardened database = Hardened::empty(options_.memory);
    if (database.connection() == nullptr || !load(database, options_.names, rows) ||
        !give_types(database, options_.names))
      return {};
    const auto out = database.first(options_.text);
    return out ? sample::answer_in(*out) : std::nullopt;
  };
  return in_a_process(options_, options_.seconds, ask).output;
}

}  // namespace discreet::engine::duckdb
