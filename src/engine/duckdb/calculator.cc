#include "discreet/engine/duckdb/calculator.h"

#include <duckdb.h>
#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "discreet/base/try.h"
#include "discreet/engine/duckdb/hardened.h"
#include "discreet/engine/duckdb/plan_sql.h"
#include "discreet/engine/duckdb/print.h"
#include "discreet/engine/duckdb/result.h"
#include "discreet/engine/duckdb/total.h"

namespace discreet::engine::duckdb {
namespace {

using policy::Value;
using Row = std::vector<Value>;

class Empty final : public sql::Calculator {
 public:
  Empty() {
    if (!add_total_functions(database_.connection())) database_.close();
  }

  Result<std::vector<Value>> values(const sql::Expr& expr,
                                    const std::vector<Row>& rows) const override {
    constexpr std::size_t kAtOnce = 1000;
    std::vector<Value> out;
    out.reserve(rows.size());
    for (std::size_t from = 0; from < rows.size(); from += kAtOnce)
      TRY(some(expr, rows, from, std::min(from + kAtOnce, rows.size()), out));
    return out;
  }

 private:
  Status some(const sql::Expr& expr, const std::vector<Row>& rows, std::size_t from, std::size_t to,
              std::vector<Value>& out) const {
    std::string list, names = "i";
    std::vector<std::string> places;
    for (std::size_t i = 0; i < rows[from].size(); ++i) {
      places.push_back(fmt::format("c{}", i));
      names += ", " + places.back();
    }
    for (std::size_t i = from; i < to; ++i) {
      list += fmt::format("{}({}", i == from ? "" : ", ", i);
      for (const Value& value : rows[i]) list += ", " + print(value);
      list += ")";
    }
    const std::string text = fmt::format("SELECT {} FROM (VALUES {}) AS t({}) ORDER BY i",
                                         travelling(print(expr, places), expr.type), list, names);
    const std::lock_guard lock(mutex_);
    ResultHolder holder;
    const auto failed = [] {
      return fail(Code::kFailure, "an expression over public values could not be calculated");
    };
    if (database_.connection() == nullptr ||
        duckdb_query(database_.connection(), text.c_str(), &holder.result) != DuckDBSuccess ||
        !has_types(holder.result, {travels_as(expr.type)}))
      return failed();
    while (duckdb_data_chunk chunk = duckdb_fetch_chunk(holder.result)) {
      for (idx_t row = 0; row < duckdb_data_chunk_get_size(chunk); ++row)
        out.push_back(read_value(duckdb_data_chunk_get_vector(chunk, 0), row, expr.type));
      duckdb_destroy_data_chunk(&chunk);
    }
    if (out.size() != to) return failed();
    return {};
  }

  Hardened database_ = Hardened::empty();
  mutable std::mutex mutex_;
};

}  // namespace

// Never closed: what DuckDB keeps by thread, and needs to close, is gone when static objects are
// destroyed.
const sql::Calculator& calculator() {
  static const Empty& one = *new Empty;
  return one;
}

}  // namespace discreet::engine::duckdb
