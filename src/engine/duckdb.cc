#include "discreet/engine/duckdb.h"

#include <duckdb.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <thread>

#include "discreet/bound/bounder.h"
#include "discreet/engine/dialect.h"
#include "discreet/engine/json_function.h"

namespace discreet::engine {

using std::string;

namespace {

using Clock = std::chrono::steady_clock;

// DuckDB's own words are never shown: they can hold values from the rows.
Error broken(const char* what) {
  return {Code::kFailure,
          fmt::format("the query could not be run ({})", what),
          "nothing more is said, since it could tell about the data; the owner can run discreet "
          "policy check",
          {}};
}

class ResultHolder {
 public:
  ~ResultHolder() { duckdb_destroy_result(&result); }
  duckdb_result result{};
};

int leading_int(sql::Type type) {
  return type == sql::Type::kText ? 2 : type == sql::Type::kDouble ? 1 : 0;
}

// How a key travels: whole numbers for all but reals and texts.
string travelling(const string& expr, sql::Type type) {
  switch (type) {
    case sql::Type::kBool:
      return fmt::format("CAST({} AS BIGINT)", expr);
    case sql::Type::kDate:
      return fmt::format("CAST(date_diff('day', DATE '1970-01-01', {}) AS BIGINT)", expr);
    case sql::Type::kTimestamp:
      return fmt::format("epoch_us({})", expr);
    default:
      return expr;
  }
}

string slot_sql(const sql::Slot& slot, const std::vector<string>& places) {
  const string value = print(slot.value, places);
  switch (slot.kind) {
    case sql::Slot::Kind::kFlag:
      return slot.value.type == sql::Type::kDouble
                 ? fmt::format("CASE WHEN NOT isnan({}) THEN CAST(1 AS BIGINT) END", value)
                 : fmt::format("CASE WHEN {} IS NOT NULL THEN CAST(1 AS BIGINT) END", value);
    case sql::Slot::Kind::kHash:
      return slot.value.type == sql::Type::kDouble
                 ? fmt::format("CASE WHEN NOT isnan({0}) THEN CAST({0} + 0 AS VARCHAR) END", value)
                 : fmt::format("CAST({} AS VARCHAR)", value);
    case sql::Slot::Kind::kChoice: {
      string out = "CASE";
      for (std::size_t i = 0; i < slot.choices.size(); ++i)
        out += fmt::format(" WHEN {} IS NOT DISTINCT FROM {} THEN CAST({} AS BIGINT)", value,
                           sql::print(slot.choices[i]), i);
      return out + " END";
    }
    default:
      if (slot.value.type == sql::Type::kDate)
        return fmt::format("CAST(date_diff('day', DATE '1970-01-01', {}) AS DOUBLE)", value);
      if (slot.value.type == sql::Type::kTimestamp)
        return fmt::format("CAST(epoch_us({}) AS DOUBLE) / 1000000", value);
      return slot.value.type == sql::Type::kDouble ? value
                                                   : fmt::format("CAST({} AS DOUBLE)", value);
  }
}

bound::Column::Kind slot_column(const sql::Slot& slot) {
  if (slot.kind == sql::Slot::Kind::kFlag || slot.kind == sql::Slot::Kind::kChoice)
    return bound::Column::Kind::kWhole;
  return slot.kind == sql::Slot::Kind::kHash ? bound::Column::Kind::kText
                                             : bound::Column::Kind::kReal;
}

bound::Shape shape_of(const sql::PlanPart& part) {
  using T = bound::Total::Kind;
  using S = sql::Statistic::Kind;
  bound::Shape out;
  out.text_units = part.select.input->unit_type == sql::Type::kText;
  out.keys = part.select.keys.size();
  out.max_groups = static_cast<std::uint32_t>(part.max_groups);
  out.max_rows = static_cast<std::uint32_t>(part.rows_per_group);
  for (const sql::Slot& slot : part.slots) {
    bound::Slot one;
    one.low = slot.low;
    one.high = slot.high;
    one.leaves = slot.leaves;
    one.inverse_step = std::ldexp(1.0, -slot.exponent);
    switch (slot.kind) {
      case sql::Slot::Kind::kNumber:
        one.kind = bound::Slot::Kind::kNumber;
        break;
      case sql::Slot::Kind::kFlag:
        one.kind = bound::Slot::Kind::kFlag;
        break;
      case sql::Slot::Kind::kHash:
        one.kind = bound::Slot::Kind::kHash;
        break;
      case sql::Slot::Kind::kLeaf:
        one.bottom = to_double(slot.bounds.low);
        one.width = std::max(to_double(Rational(slot.bounds.high - slot.bounds.low)), 1e-300);
        [[fallthrough]];
      case sql::Slot::Kind::kChoice:
        one.kind = bound::Slot::Kind::kLeaf;
        break;
    }
    out.slots.push_back(one);
  }
  for (const sql::Statistic& statistic : part.statistics) {
    bound::Total one;
    one.slot = statistic.slot;
    one.center = statistic.center;
    one.shift = statistic.shift;
    one.low = statistic.low;
    one.high = statistic.high;
    constexpr T kKinds[] = {T::kRows,       T::kCount,     T::kSum,        T::kSquares,
                            T::kUnits,      T::kDistinct,  T::kGroupCount, T::kGroupSum,
                            T::kGroupMeans, T::kGroupMean, T::kHistogram};
    one.kind = kKinds[static_cast<std::size_t>(statistic.kind)];
    const bool whole = statistic.kind == S::kGroupCount || statistic.kind == S::kGroupSum ||
                       statistic.kind == S::kGroupMeans || statistic.kind == S::kGroupMean;
    if (whole && one.slot) out.slots[*one.slot].whole_groups = true;
    if (whole && !one.slot) out.counts_whole_rows = true;
    out.totals.push_back(one);
  }
  return out;
}

// The rows of a plan: u, k0, k1, …, s0, s1, …
string rows_sql(const sql::PlanPart& part, const DuckdbDialect& dialect, bool with_unit) {
  std::vector<string> places;
  for (std::size_t i = 0; i < part.select.input->columns.size(); ++i)
    places.push_back(fmt::format("c{}", i));
  string items = with_unit ? "u" : "";
  for (std::size_t i = 0; i < part.select.keys.size(); ++i)
    items +=
        fmt::format("{}{} AS k{}", items.empty() ? "" : ", ",
                    travelling(print(part.select.keys[i], places), part.select.keys[i].type), i);
  for (std::size_t i = 0; i < part.slots.size(); ++i)
    items +=
        fmt::format("{}{} AS s{}", items.empty() ? "" : ", ", slot_sql(part.slots[i], places), i);
  if (items.empty()) items = "1 AS one";
  string from = fmt::format("({})", print(*part.select.input, dialect));
  // Public keys among private ones: other values form no group. (Where all are public the table of
  // groups is closed instead.)
  string where;
  if (!part.all_public)
    for (std::size_t i = 0; i < part.select.keys.size(); ++i) {
      if (!part.select.domains[i]) continue;
      string list, null;
      for (const sql::Value& value : *part.select.domains[i]) {
        if (value.null) {
          null = fmt::format(" OR {} IS NULL", print(part.select.keys[i], places));
        } else {
          list += fmt::format("{}{}", list.empty() ? "" : ", ", sql::print(value));
        }
      }
      where += fmt::format("{}({} IN ({}){})", where.empty() ? " WHERE " : " AND ",
                           print(part.select.keys[i], places), list.empty() ? "NULL" : list, null);
    }
  return fmt::format("SELECT {} FROM {}{}", items, from, where);
}

void key_bytes(bound::KeyBytes& out, const sql::Value& value) {
  if (value.null) {
    out.null();
  } else if (value.type == sql::Type::kText) {
    out.text(value.string);
  } else if (value.type == sql::Type::kDouble) {
    out.real(value.real);
  } else {
    out.whole(value.whole);
  }
}

// Every combination of public keys.
void close_groups(const sql::PlanPart& part, bound::Groups& groups) {
  const auto& domains = part.select.domains;
  std::vector<std::size_t> at(domains.size());
  for (;;) {
    bound::KeyBytes key;
    for (std::size_t i = 0; i < domains.size(); ++i) {
      sql::Value value = (*domains[i])[at[i]];
      if (!value.null && part.select.keys[i].type == sql::Type::kDouble)
        value = sql::Value::number(value.as_number());
      key_bytes(key, value);
    }
    groups.number(key.view());
    std::size_t i = domains.size();
    while (i > 0 && ++at[i - 1] == domains[i - 1]->size()) at[--i] = 0;
    if (i == 0) break;
  }
  groups.close();
}

// What the feeding function needs to know; one for each query.
struct Feed {
  bound::Bounder* bounder;
  bool text_unit;
  std::vector<bound::Column::Kind> kinds;  // of keys, then slots
  std::size_t keys;
  std::atomic<bool> failed{false};
};

// A text is handed over as it lies.
static_assert(sizeof(bound::Text) == sizeof(duckdb_string_t) &&
              offsetof(bound::Text, begin) == offsetof(duckdb_string_t, value.inlined.inlined) &&
              offsetof(bound::Text, outside) == offsetof(duckdb_string_t, value.pointer.ptr));

bound::Column column_of(duckdb_vector vector, bound::Column::Kind kind) {
  bound::Column out;
  out.kind = kind;
  out.validity = duckdb_vector_get_validity(vector);
  void* data = duckdb_vector_get_data(vector);
  if (kind == bound::Column::Kind::kWhole) out.whole = static_cast<const std::int64_t*>(data);
  if (kind == bound::Column::Kind::kReal) out.real = static_cast<const double*>(data);
  if (kind == bound::Column::Kind::kText) out.text = static_cast<const bound::Text*>(data);
  return out;
}

// Called by DuckDB's threads with a vector of rows at a time.
void feed_rows(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  auto* feed = static_cast<Feed*>(duckdb_scalar_function_get_extra_info(info));
  const idx_t rows = duckdb_data_chunk_get_size(input);
  auto* out = static_cast<std::int8_t*>(duckdb_vector_get_data(output));
  std::fill(out, out + rows, std::int8_t{0});
  try {
    bound::Batch batch;
    batch.rows = rows;
    batch.unit =
        column_of(duckdb_data_chunk_get_vector(input, 0),
                  feed->text_unit ? bound::Column::Kind::kText : bound::Column::Kind::kWhole);
    for (std::size_t i = 0; i < feed->kinds.size(); ++i)
      (i < feed->keys ? batch.keys : batch.slots)
          .push_back(column_of(duckdb_data_chunk_get_vector(input, i + 1), feed->kinds[i]));
    feed->bounder->add(batch);
    if (!feed->bounder->fits()) duckdb_scalar_function_set_error(info, "full");
  } catch (...) {
    feed->failed = true;
    duckdb_scalar_function_set_error(info, "failed");
  }
}

// A column's numbers on their grid, for the direct way.
void grid_rows(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const auto& grid = *static_cast<const bound::Grid*>(duckdb_scalar_function_get_extra_info(info));
  const idx_t rows = duckdb_data_chunk_get_size(input);
  duckdb_vector values = duckdb_data_chunk_get_vector(input, 0);
  const auto* in = static_cast<const double*>(duckdb_vector_get_data(values));
  const std::uint64_t* validity = duckdb_vector_get_validity(values);
  auto* out = static_cast<std::int64_t*>(duckdb_vector_get_data(output));
  const auto there = [&](idx_t i) { return !validity || (validity[i / 64] >> (i % 64) & 1) != 0; };
  bool all = !validity;
  for (idx_t i = 0; i < rows; ++i) {
    out[i] = grid.number(in[i]);
    all = all && out[i] != bound::kNothing;
  }
  if (all) return;
  duckdb_vector_ensure_validity_writable(output);
  std::uint64_t* valid = duckdb_vector_get_validity(output);
  for (idx_t i = 0; i < rows; ++i)
    if (!there(i) || out[i] == bound::kNothing) valid[i / 64] &= ~(std::uint64_t{1} << (i % 64));
}

}  // namespace

struct Duckdb::State {
  const sql::Policy policy;
  Limits limits;
  duckdb_database database = nullptr;
  duckdb_connection connection = nullptr;
  string temporary;
  std::atomic<int> functions{0};

  explicit State(const sql::Policy& p) : policy(p) {}
  ~State() {
    if (connection) duckdb_disconnect(&connection);
    if (database) duckdb_close(&database);
    std::error_code ignored;
    if (!temporary.empty()) std::filesystem::remove_all(temporary, ignored);
  }

  bool execute(const string& sql) {
    ResultHolder holder;
    return duckdb_query(connection, sql.c_str(), &holder.result) == DuckDBSuccess;
  }

  // Runs a query under a watcher thread that shows progress and can interrupt. The time that is
  // allowed began at `start`. False: DuckDB itself ended it; an error: it was stopped from outside.
  Result<bool> watched(const string& sql, const Watch& watch, duckdb_result& result,
                       Clock::time_point start = Clock::now()) {
    std::mutex mutex;
    std::condition_variable wake;
    bool done = false, stopped = false, late = false;
    std::thread watcher([&] {
      std::unique_lock lock(mutex);
      while (!wake.wait_for(lock, std::chrono::milliseconds(50), [&] { return done; })) {
        if (watch.progress) watch.progress(duckdb_query_progress(connection).percentage);
        const std::chrono::duration<double> passed = Clock::now() - start;
        if (watch.stop && watch.stop->load()) stopped = true;
        if (watch.timeout_seconds > 0 && passed.count() > watch.timeout_seconds) late = true;
        if (stopped || late) duckdb_interrupt(connection);
      }
    });
    const bool ok = duckdb_query(connection, sql.c_str(), &result) == DuckDBSuccess;
    {
      const std::lock_guard lock(mutex);
      done = true;
    }
    wake.notify_all();
    watcher.join();
    if (stopped)
      return fail(Code::kInterrupted, "interrupted; what was reserved for this query stays spent");
    if (late)
      return fail(Code::kFailure,
                  "the query took longer than allowed; what was reserved for it stays spent");
    return ok;
  }

  // The tables of a relation whose key column, as their Parquet files' footers say, is never NULL:
  // a plan that needs no unit then need not read it.
  std::set<string> complete_tables(const sql::Relation& relation, const sql::Catalog& catalog) {
    std::set<string> out;
    if (relation.kind == sql::Relation::Kind::kScan && relation.has_unit) {
      const sql::Table& table = *catalog.table(relation.table);
      if (format_of(table.rule) != sql::Format::kParquet) return out;
      ResultHolder holder;
      if (duckdb_query(connection, no_nulls_sql(table).c_str(), &holder.result) != DuckDBSuccess)
        return out;
      if (duckdb_value_boolean(&holder.result, 0, 0)) out.insert(relation.table);
    }
    for (const sql::RelationPtr& input : relation.inputs)
      out.merge(complete_tables(*input, catalog));
    return out;
  }

  template <class Info>
  string add_function(const char* prefix, duckdb_scalar_function_t function, Info* info,
                      std::initializer_list<duckdb_type> arguments, duckdb_type out,
                      bool is_volatile) {
    const string name = fmt::format("discreet_{}_{}", prefix, functions++);
    duckdb_scalar_function made = duckdb_create_scalar_function();
    duckdb_scalar_function_set_name(made, name.c_str());
    for (const duckdb_type argument : arguments) {
      duckdb_logical_type type = duckdb_create_logical_type(argument);
      duckdb_scalar_function_add_parameter(made, type);
      duckdb_destroy_logical_type(&type);
    }
    if (is_volatile) {
      duckdb_logical_type any = duckdb_create_logical_type(DUCKDB_TYPE_ANY);
      duckdb_scalar_function_set_varargs(made, any);
      duckdb_destroy_logical_type(&any);
      duckdb_scalar_function_set_volatile(made);
    }
    duckdb_scalar_function_set_special_handling(made);
    duckdb_logical_type type = duckdb_create_logical_type(out);
    duckdb_scalar_function_set_return_type(made, type);
    duckdb_destroy_logical_type(&type);
    duckdb_scalar_function_set_extra_info(made, info, nullptr);
    duckdb_scalar_function_set_function(made, function);
    const bool ok = duckdb_register_scalar_function(connection, made) == DuckDBSuccess;
    duckdb_destroy_scalar_function(&made);
    return ok ? name : "";
  }
};

Duckdb::Duckdb(std::unique_ptr<State> state) : state_(std::move(state)) {}
Duckdb::~Duckdb() = default;

Result<std::unique_ptr<Duckdb>> Duckdb::open(const sql::Policy& policy, const Limits& limits) {
  auto state = std::make_unique<State>(policy);
  state->limits = limits;
  if (state->limits.threads == 0)
    state->limits.threads = std::max(1u, std::thread::hardware_concurrency());
  if (state->limits.memory == 0)
    state->limits.memory = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                           static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE)) / 2;
  duckdb_config config = nullptr;
  bool ok = duckdb_create_config(&config) == DuckDBSuccess;
  for (auto [name, value] : {std::pair{"autoload_known_extensions", "false"},
                             {"autoinstall_known_extensions", "false"},
                             {"allow_community_extensions", "false"},
                             {"allow_unsigned_extensions", "false"},
                             {"enable_object_cache", "false"}})
    ok = ok && duckdb_set_config(config, name, value) == DuckDBSuccess;
  ok = ok && duckdb_open_ext(nullptr, &state->database, config, nullptr) == DuckDBSuccess &&
       duckdb_connect(state->database, &state->connection) == DuckDBSuccess;
  duckdb_destroy_config(&config);
  // Spilled rows stay in a folder of this user's own that goes away with the session.
  string folder = (std::filesystem::temp_directory_path() / "discreet-XXXXXX").string();
  if (mkdtemp(folder.data())) state->temporary = folder;
  ok = ok && !state->temporary.empty() &&
       state->execute(fmt::format("SET temp_directory = {}", sql::quote_text(state->temporary)));
  ok = ok &&
       state->execute(fmt::format("SET memory_limit = '{}MB'",
                                  std::max<std::size_t>(64, state->limits.memory / 2 / 1'000'000)));
  ok = ok && state->execute(fmt::format("SET threads = {}", state->limits.threads));
  ok = ok && state->execute("SET TimeZone = 'UTC'") &&
       state->execute("SET preserve_insertion_order = false");
  std::set<string> files, attached, arrays;
  for (const sql::TableRule& table : policy.tables) {
    for (const string& file : table.files) {
      files.insert(file);
      if (format_of(table) == sql::Format::kJsonArray) arrays.insert(file);
    }
    if (format_of(table) == sql::Format::kDuckdb && attached.insert(table.files.front()).second &&
        ok &&
        !state->execute(fmt::format("ATTACH {} AS {} (READ_ONLY)",
                                    sql::quote_text(table.files.front()),
                                    attached_name(table.files.front()))))
      return fail(Code::kFailure, fmt::format("the database '{}' can't be opened", table.source),
                  "is another program writing to it?");
  }
  ok = ok && add_json_array(state->connection, std::move(arrays));
  string allowed;
  for (const string& file : files) allowed += (allowed.empty() ? "" : ", ") + sql::quote_text(file);
  ok = ok && state->execute(fmt::format("SET allowed_paths = [{}]", allowed)) &&
       state->execute("SET enable_external_access = false") &&
       state->execute("SET lock_configuration = true");
  if (!ok) return fail(Code::kFailure, "DuckDB could not be started and locked");
  return std::unique_ptr<Duckdb>(new Duckdb(std::move(state)));
}

Result<std::vector<std::vector<sql::StoredColumn>>> Duckdb::schemas() {
  std::vector<std::vector<sql::StoredColumn>> out;
  for (const sql::TableRule& table : state_->policy.tables) {
    std::vector<sql::StoredColumn> columns;
    const auto text_column = [&](const string& name) {
      sql::StoredColumn column;
      column.name = name;
      column.as_text = column.same_type = true;
      columns.push_back(std::move(column));
    };
    switch (format_of(table)) {
      case sql::Format::kCsv: {
        auto header = csv_header(table);
        if (!header) return forward_error(header);
        for (const string& name : *header) text_column(name);
        break;
      }
      case sql::Format::kJson:
      case sql::Format::kJsonArray: {  // the names are the policy's: finding them would mean
                                       // reading
                                       // rows
        std::set<string> names;
        if (!table.key.empty()) names.insert(table.key);
        if (table.link) names.insert(table.link->column);
        for (const auto& [name, rule] : table.columns) names.insert(name);
        for (const sql::TableRule& other : state_->policy.tables)
          if (other.link && other.link->table == table.name) names.insert(other.link->target);
        for (const string& name : names) text_column(name);
        break;
      }
      case sql::Format::kParquet:
      case sql::Format::kDuckdb: {
        ResultHolder holder;
        if (duckdb_query(state_->connection,
                         fmt::format("DESCRIBE SELECT * FROM {}", source_of(table, {})).c_str(),
                         &holder.result) != DuckDBSuccess)
          return fail(
              Code::kFailure,
              fmt::format("tables.{}: the schema of '{}' can't be read", table.name, table.source),
              "is it what its name says?");
        for (idx_t row = 0; row < duckdb_row_count(&holder.result); ++row) {
          char* name = duckdb_value_varchar(&holder.result, 0, row);
          char* type = duckdb_value_varchar(&holder.result, 1, row);
          columns.push_back(stored_column(name, type));
          duckdb_free(name);
          duckdb_free(type);
        }
      }
    }
    out.push_back(std::move(columns));
  }
  return out;
}

string Duckdb::sql_of(const sql::PlanPart& part, const sql::Catalog& catalog) {
  return rows_sql(part, DuckdbDialect(catalog), true);
}

namespace {

// The direct way: one row a unit is promised, so the engine's own aggregation adds up what each row
// brings.
string direct_sql(const sql::PlanPart& part, const DuckdbDialect& dialect,
                  const std::vector<string>& grids) {
  using S = sql::Statistic::Kind;
  string items = "count(*)", groups;
  for (std::size_t i = 0; i < part.select.keys.size(); ++i) {
    groups += fmt::format("{}k{}", groups.empty() ? "" : ", ", i);
    items += fmt::format(", k{}", i);
  }
  for (const sql::Statistic& one : part.statistics) {
    const string slot = one.slot ? fmt::format("g{}", *one.slot) : "";
    switch (one.kind) {
      case S::kRows:
        items += ", CAST(count(*) AS HUGEINT)";
        break;
      case S::kCount:
      case S::kUnits:
        items += one.slot ? fmt::format(", CAST(count({}) AS HUGEINT)", slot)
                          : ", CAST(count(*) AS HUGEINT)";
        break;
      case S::kSum:
        items +=
            one.center == 0
                ? fmt::format(", CAST(coalesce(sum({}), 0) AS HUGEINT)", slot)
                : fmt::format(
                      ", CAST(coalesce(sum({}), 0) - count({}) * CAST({} AS HUGEINT) AS HUGEINT)",
                      slot, slot, one.center);
        break;
      default: {  // kSquares: rounded to its own grid
        const bound::Wide half = one.shift > 0 ? bound::Wide{1} << (one.shift - 1) : 0;
        const bound::Wide unit = bound::Wide{1} << one.shift;
        items += fmt::format(
            ", CAST(coalesce(sum(((CAST({0} AS HUGEINT) - {1}) * (CAST({0} AS HUGEINT) - {1}) + "
            "{2}) // {3}), 0) AS HUGEINT)",
            slot, one.center, static_cast<std::int64_t>(half), static_cast<std::int64_t>(unit));
      }
    }
  }
  string rows;
  for (std::size_t i = 0; i < part.select.keys.size(); ++i)
    rows += fmt::format("{}k{}", rows.empty() ? "" : ", ", i);
  for (std::size_t i = 0; i < part.slots.size(); ++i)
    rows += part.slots[i].kind == sql::Slot::Kind::kFlag
                ? fmt::format("{}s{} AS g{}", rows.empty() ? "" : ", ", i, i)
                : fmt::format("{}{}(s{}) AS g{}", rows.empty() ? "" : ", ", grids[i], i, i);
  if (rows.empty()) rows = "1 AS one";
  return fmt::format("SELECT {} FROM (SELECT {} FROM ({})){}", items, rows,
                     rows_sql(part, dialect, false), groups.empty() ? "" : " GROUP BY " + groups);
}

sql::Value read_value(duckdb_vector vector, idx_t row, sql::Type type) {
  const std::uint64_t* validity = duckdb_vector_get_validity(vector);
  if (validity && (validity[row / 64] >> (row % 64) & 1) == 0) return sql::Value::none(type);
  void* data = duckdb_vector_get_data(vector);
  switch (type) {
    case sql::Type::kText: {
      const duckdb_string_t& text = static_cast<const duckdb_string_t*>(data)[row];
      const std::uint32_t length = text.value.inlined.length;
      return sql::Value::text(
          string(length <= 12 ? text.value.inlined.inlined : text.value.pointer.ptr, length));
    }
    case sql::Type::kDouble:
      return sql::Value::number(static_cast<const double*>(data)[row]);
    default: {
      sql::Value out = sql::Value::integer(static_cast<const std::int64_t*>(data)[row]);
      out.type = type;
      return out;
    }
  }
}

bound::Wide read_hugeint(duckdb_vector vector, idx_t row) {
  const duckdb_hugeint& value =
      static_cast<const duckdb_hugeint*>(duckdb_vector_get_data(vector))[row];
  return (static_cast<bound::Wide>(value.upper) << 64) |
         static_cast<bound::UnsignedWide>(value.lower);
}

}  // namespace

Result<bound::Contributions> Duckdb::run(const sql::PlanPart& part, const sql::Catalog& catalog,
                                         const bound::Secret& secret, const Watch& watch) {
  bound::Shape shape = shape_of(part);
  try {
    if (part.direct) {
      std::vector<bound::Grid> grids(shape.slots.begin(), shape.slots.end());
      std::vector<string> names;
      for (bound::Grid& grid : grids) {
        names.push_back(state_->add_function("grid", grid_rows, &grid, {DUCKDB_TYPE_DOUBLE},
                                             DUCKDB_TYPE_BIGINT, false));
        if (names.back().empty()) return tl::unexpected<Error>(broken("no grid"));
      }
      const DuckdbDialect dialect(catalog, state_->complete_tables(*part.select.input, catalog));
      ResultHolder holder;
      auto ran = state_->watched(direct_sql(part, dialect, names), watch, holder.result);
      if (!ran) return forward_error(ran);
      if (!*ran) return tl::unexpected<Error>(broken("the engine stopped"));
      bound::Groups groups(secret);
      if (part.all_public) close_groups(part, groups);
      const std::size_t keys = part.select.keys.size(), totals = part.statistics.size();
      std::vector<std::int64_t> units(groups.size());
      std::vector<std::vector<std::int64_t>> sums(totals, std::vector<std::int64_t>(groups.size()));
      constexpr bound::Wide kMost = bound::Wide{1} << 62;
      while (duckdb_data_chunk chunk = duckdb_fetch_chunk(holder.result)) {
        for (idx_t row = 0; row < duckdb_data_chunk_get_size(chunk); ++row) {
          bound::KeyBytes key;
          for (std::size_t i = 0; i < keys; ++i)
            key_bytes(key, read_value(duckdb_data_chunk_get_vector(chunk, i + 1), row,
                                      part.select.keys[i].type));
          const std::uint32_t group = groups.number(key.view());
          if (group == bound::kNoGroup) continue;
          if (group >= units.size()) {
            units.resize(group + 1);
            for (auto& sum : sums) sum.resize(group + 1);
          }
          units[group] +=
              read_value(duckdb_data_chunk_get_vector(chunk, 0), row, sql::Type::kInt).whole;
          for (std::size_t t = 0; t < totals; ++t) {
            const bound::Wide value =
                read_hugeint(duckdb_data_chunk_get_vector(chunk, keys + 1 + t), row);
            sums[t][group] += static_cast<std::int64_t>(std::clamp(value, -kMost, kMost));
          }
        }
        duckdb_destroy_data_chunk(&chunk);
      }
      return bound::sorted_contributions(groups, std::move(units), std::move(sums));
    }

    // Every thread fills a few megabytes of its own before anything can be dropped.
    constexpr std::size_t kEachThread = std::size_t{8} << 20;
    bound::Bounder bounder(
        shape, secret,
        std::max(state_->limits.memory / 2, kEachThread * (state_->limits.threads + 1)));
    if (part.all_public) close_groups(part, bounder.groups());
    Feed feed{&bounder, shape.text_units, {}, part.select.keys.size(), {}};
    string arguments = "u";
    for (std::size_t i = 0; i < part.select.keys.size(); ++i) {
      feed.kinds.push_back(static_cast<bound::Column::Kind>(leading_int(part.select.keys[i].type)));
      arguments += fmt::format(", k{}", i);
    }
    for (std::size_t i = 0; i < part.slots.size(); ++i) {
      feed.kinds.push_back(slot_column(part.slots[i]));
      arguments += fmt::format(", s{}", i);
    }
    const string name =
        state_->add_function("feed", feed_rows, &feed, {}, DUCKDB_TYPE_TINYINT, true);
    if (name.empty()) return tl::unexpected<Error>(broken("no feed"));
    const string sql = fmt::format("SELECT max({}({})) FROM ({})", name, arguments,
                                   rows_sql(part, DuckdbDialect(catalog), true));
    constexpr std::uint32_t kMostPasses = 4096;
    const Clock::time_point start = Clock::now();
    for (std::uint32_t passes = 1; passes <= kMostPasses; passes *= 2) {
      bool fits = true;
      for (std::uint32_t pass = 0; pass < passes && fits; ++pass) {
        bounder.start_pass(pass, passes);
        if (watch.pass) watch.pass(pass, passes);
        Watch part_of = watch;
        if (watch.progress)
          part_of.progress = [&](double percent) {
            watch.progress((100 * pass + std::max(0.0, percent)) / passes);
          };
        ResultHolder holder;
        auto ran = state_->watched(sql, part_of, holder.result, start);
        fits = bounder.fits();
        if (!ran) return forward_error(ran);
        if (feed.failed) return tl::unexpected<Error>(broken("out of memory"));
        if (!fits) break;
        if (!*ran) return tl::unexpected<Error>(broken("the engine stopped"));
        bounder.finish_pass(state_->limits.threads);
      }
      if (fits) return bounder.finish();
      bounder.clear();
    }
    return tl::unexpected<Error>(broken("out of memory"));
  } catch (const std::bad_alloc&) {
    return tl::unexpected<Error>(broken("out of memory"));
  } catch (...) {
    return tl::unexpected<Error>(broken("the engine stopped"));
  }
}

Result<std::vector<std::vector<sql::Value>>> Duckdb::run_open(const sql::Relation& relation,
                                                              const sql::Catalog& catalog,
                                                              const Watch& watch) {
  string items;
  for (std::size_t i = 0; i < relation.columns.size(); ++i)
    items += fmt::format("{}{}", items.empty() ? "" : ", ",
                         travelling(fmt::format("c{}", i), relation.columns[i].type));
  ResultHolder holder;
  auto ran = state_->watched(
      fmt::format("SELECT {} FROM ({})", items, print(relation, DuckdbDialect(catalog))), watch,
      holder.result);
  if (!ran) return forward_error(ran);
  if (!*ran) return tl::unexpected<Error>(broken("the engine stopped"));
  std::vector<std::vector<sql::Value>> out;
  while (duckdb_data_chunk chunk = duckdb_fetch_chunk(holder.result)) {
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(chunk); ++row) {
      out.emplace_back();
      for (std::size_t i = 0; i < relation.columns.size(); ++i)
        out.back().push_back(
            read_value(duckdb_data_chunk_get_vector(chunk, i), row, relation.columns[i].type));
    }
    duckdb_destroy_data_chunk(&chunk);
  }
  return out;
}

}  // namespace discreet::engine
