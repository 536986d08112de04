#include "discreet/engine/duckdb/matrix.h"

#include <duckdb.h>
#include <fmt/format.h>

#include <limits>
#include <unordered_map>

#include "discreet/base/quote.h"
#include "discreet/base/suggest.h"
#include "discreet/base/try.h"
#include "discreet/engine/duckdb/database.h"
#include "discreet/engine/duckdb/dialect.h"
#include "discreet/engine/duckdb/result.h"
#include "discreet/random/uniform.h"
#include "discreet/sql/rows_of.h"

namespace discreet::engine::duckdb {

using std::string;

namespace {

// A column's numbers: what isn't there, or isn't a number, is NULL.
string number_sql(const string& column, policy::Type type) {
  switch (type) {
    case policy::Type::kDouble:
      return column;
    case policy::Type::kBool:
      return fmt::format("CAST(CAST({} AS BIGINT) AS DOUBLE)", column);
    case policy::Type::kInt:
      return fmt::format("CAST({} AS DOUBLE)", column);
    case policy::Type::kDate:
      return fmt::format("CAST(date_diff('day', DATE '1970-01-01', {}) AS DOUBLE)", column);
    case policy::Type::kTimestamp:
      return fmt::format("CAST(epoch_us({}) AS DOUBLE) / 1000000", column);
    case policy::Type::kText:
      break;
  }
  return {};
}

string choice_sql(const string& column, const std::vector<policy::Value>& choices) {
  string list;
  for (const policy::Value& choice : choices) list += (list.empty() ? "" : ", ") + print(choice);
  return fmt::format("CAST(list_position([{}], {}) - 1 AS DOUBLE)", list, column);
}

Result<string> select_sql(const policy::Table& table, const MatrixRequest& request) {
  string items;
  for (const MatrixColumn& wanted : request.columns) {
    std::size_t place = 0;
    while (place < table.columns.size() && &table.columns[place] != table.column(wanted.name))
      ++place;
    if (place == table.columns.size()) {
      std::vector<string> names;
      for (const policy::Column& column : table.columns) names.push_back(column.name);
      return fail(Code::kUsage,
                  fmt::format("found the column {}; accepted is one of '{}'", quote(wanted.name),
                              table.rule.name),
                  did_you_mean(wanted.name, names));
    }
    const string column = fmt::format("c{}", place);
    const string sql = wanted.choices.empty() ? number_sql(column, table.columns[place].type)
                                              : choice_sql(column, wanted.choices);
    if (sql.empty())
      return fail(Code::kUsage,
                  fmt::format("the column {} holds texts; accepted are numbers, or texts whose "
                              "values are declared",
                              quote(wanted.name)));
    items += (items.empty() ? "" : ", ") + sql;
  }
  return items;
}

// One of the rows that a unit has: the n-th takes the place with probability 1/n, so that each has
// the same, and how it is drawn depends on this unit's rows alone.
class OneEach {
 public:
  explicit OneEach(random::Source& source) : source_(source) {}
  // The place of the unit's row, or none where the row is passed over.
  Result<std::optional<std::size_t>> place(string unit, std::size_t next) {
    auto [found, fresh] = units_.try_emplace(std::move(unit), Seen{next, 0});
    Seen& seen = found->second;
    ++seen.rows;
    if (fresh) return next;
    if (TRY(random::uniform_below(source_, seen.rows)) != 0) return std::nullopt;
    return seen.place;
  }

 private:
  struct Seen {
    std::size_t place;
    std::uint64_t rows;
  };
  random::Source& source_;
  std::unordered_map<string, Seen> units_;
};

string text_at(duckdb_vector vector, idx_t row) {
  const auto* texts = static_cast<duckdb_string_t*>(duckdb_vector_get_data(vector));
  duckdb_string_t text = texts[row];
  return {duckdb_string_t_data(&text), duckdb_string_t_length(text)};
}

bool is_null(duckdb_vector vector, idx_t row) {
  auto* validity = duckdb_vector_get_validity(vector);
  return validity != nullptr && !duckdb_validity_row_is_valid(validity, row);
}

Status take(duckdb_data_chunk chunk, std::size_t columns, OneEach* units, Matrix& out) {
  const idx_t rows = duckdb_data_chunk_get_size(chunk);
  std::vector<duckdb_vector> vectors;
  for (std::size_t i = 0; i < columns; ++i)
    vectors.push_back(duckdb_data_chunk_get_vector(chunk, i));
  const duckdb_vector owner = units ? duckdb_data_chunk_get_vector(chunk, columns) : nullptr;
  for (idx_t row = 0; row < rows; ++row) {
    std::size_t place = out.rows;
    if (units) {
      if (is_null(owner, row)) continue;
      const auto found = TRY(units->place(text_at(owner, row), out.rows));
      if (!found) continue;
      place = *found;
    }
    if (place == out.rows) {
      ++out.rows;
      for (auto& column : out.columns) column.push_back(0);
    }
    for (std::size_t i = 0; i < columns; ++i)
      out.columns[i][place] = is_null(vectors[i], row)
                                  ? std::numeric_limits<double>::quiet_NaN()
                                  : static_cast<double*>(duckdb_vector_get_data(vectors[i]))[row];
  }
  return {};
}

}  // namespace

Result<Matrix> read_matrix(const policy::Policy& policy, const policy::Catalog& catalog,
                           const MatrixRequest& request, const Limits& limits, const Watch& watch,
                           random::Source& source, Reserved reserved) {
  const policy::Table* table = catalog.table(request.table);
  if (table == nullptr)
    return fail(Code::kUsage, fmt::format("found the table {}; accepted is one of the policy's",
                                          quote(request.table)));
  string items = TRY(select_sql(*table, request));
  const sql::RelationPtr rows = sql::rows_of(catalog, *table);
  std::vector<duckdb_type> types(request.columns.size(), DUCKDB_TYPE_DOUBLE);
  if (rows->has_unit) {
    items += items.empty() ? "CAST(u AS VARCHAR)" : ", CAST(u AS VARCHAR)";
    types.push_back(DUCKDB_TYPE_VARCHAR);
  }
  const auto database = TRY(Database::open(policy, limits));
  const auto seat = TRY(database->take(watch, reserved));
  ResultHolder holder;
  const string text = fmt::format("SELECT {} FROM ({})", items,
                                  print(*rows, DuckdbDialect(catalog, seat->rows_function())));
  if (!TRY(seat->watched(text, watch, holder.result))) return seat->broken();
  if (!has_types(holder.result, types)) return seat->broken();
  Matrix out;
  out.columns.resize(request.columns.size());
  OneEach units(source);
  while (duckdb_data_chunk chunk = duckdb_fetch_chunk(holder.result)) {
    const Status taken =
        take(chunk, request.columns.size(), rows->has_unit ? &units : nullptr, out);
    duckdb_destroy_data_chunk(&chunk);
    if (!taken) return tl::unexpected<Error>(taken.error());
  }
  return out;
}

}  // namespace discreet::engine::duckdb
