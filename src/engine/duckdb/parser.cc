#include "discreet/engine/duckdb/parser.h"

#include <mutex>

#include "discreet/engine/duckdb/hardened.h"
#include "discreet/engine/duckdb/result.h"

namespace discreet::engine::duckdb {
namespace {

using std::string;

class Parser final : public sql::Parser {
 public:
  // The text is a bound parameter.
  Result<string> serialize(const string& text) const override {
    const std::lock_guard lock(mutex_);
    if (database_.connection() == nullptr)
      return fail(Code::kFailure, "DuckDB's parser could not be started");
    duckdb_prepared_statement statement = nullptr;
    ResultHolder holder;
    string out;
    bool ok = duckdb_prepare(database_.connection(), "SELECT json_serialize_sql($1::VARCHAR)",
                             &statement) == DuckDBSuccess &&
              duckdb_bind_varchar_length(statement, 1, text.data(), text.size()) == DuckDBSuccess &&
              duckdb_execute_prepared(statement, &holder.result) == DuckDBSuccess;
    if (ok) {
      char* value = duckdb_value_varchar(&holder.result, 0, 0);
      ok = value != nullptr;
      if (ok) out = value;
      duckdb_free(value);
    }
    duckdb_destroy_prepare(&statement);
    if (!ok) return fail(Code::kUsage, "the query could not be parsed", "write a SELECT statement");
    return out;
  }

 private:
  const Hardened database_ = Hardened::empty();
  mutable std::mutex mutex_;
};

}  // namespace

// Never closed: what DuckDB keeps by thread, and needs to close, is gone when static objects are
// destroyed.
const sql::Parser& parser() {
  static const Parser& one = *new Parser;
  return one;
}

}  // namespace discreet::engine::duckdb

// For everybody who has no other parser than that of the engine that is always there.
namespace discreet::sql {

Result<Parsed> parse(const std::string& text) { return parse(text, engine::duckdb::parser()); }
Result<std::string> serialize(const std::string& text) {
  return engine::duckdb::parser().serialize(text);
}

}  // namespace discreet::sql
