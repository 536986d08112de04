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

#include "discreet/base/try.h"
#include "discreet/bound/bounder.h"
#include "discreet/engine/dialect.h"
#include "discreet/engine/feed.h"
#include "discreet/engine/parquet_footer.h"
#include "discreet/engine/plan_shape.h"
#include "discreet/engine/plan_sql.h"
#include "discreet/engine/result.h"
#include "discreet/engine/rows_function.h"
#include "discreet/engine/schema.h"
#include "discreet/engine/stored_type.h"
#include "discreet/sql/group_keys.h"
#include "discreet/sql/total.h"

namespace discreet::engine {

using std::string;

namespace {

using Clock = std::chrono::steady_clock;

// One text for every cause: DuckDB's own words can hold values from the rows, and which limit was
// met first can depend on them.
Error broken() {
  return {Code::kFailure,
          "the query could not be run",
          "nothing more is said, since it could tell about the data; the owner can run discreet "
          "policy check",
          {}};
}

}  // namespace

struct Duckdb::State {
  const sql::Policy policy;
  Limits limits;
  Reading reading;
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

  // DuckDB doesn't know how far our own readers are.
  double percentage() {
    const auto all = static_cast<double>(reading.all);
    if (all > 0) return 100 * std::min(1.0, static_cast<double>(reading.done) / all);
    return duckdb_query_progress(connection).percentage;
  }

  // Runs a query under a watcher thread that shows progress and can interrupt. The time that is
  // allowed began at `start`. False: DuckDB itself ended it; an error: it was stopped from outside.
  Result<bool> watched(const string& sql, const Watch& watch, duckdb_result& result,
                       Clock::time_point start = Clock::now()) {
    std::mutex mutex;
    std::condition_variable wake;
    bool done = false, stopped = false, late = false;
    reading.stop = false;
    reading.done = reading.all = 0;
    std::thread watcher([&] {
      std::unique_lock lock(mutex);
      while (!wake.wait_for(lock, std::chrono::milliseconds(50), [&] { return done; })) {
        if (watch.progress) watch.progress(percentage());
        const std::chrono::duration<double> passed = Clock::now() - start;
        if (watch.stop && watch.stop->load()) stopped = true;
        if (watch.timeout_seconds > 0 && passed.count() > watch.timeout_seconds) late = true;
        if (stopped || late) {
          reading.stop = true;
          duckdb_interrupt(connection);
        }
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
      for (std::size_t i = 0; i < table.stored.size(); ++i)
        // A key that is read through a function may be missing although the file has a value.
        if (table.columns[i].is_key && table.stored[i].same_type &&
            never_null(table.rule.files, table.stored[i].name))
          out.insert(relation.table);
    }
    for (const sql::RelationPtr& input : relation.inputs)
      out.merge(complete_tables(*input, catalog));
    return out;
  }

  Result<bound::Contributions> run_direct(const sql::PlanPart& part, const sql::Catalog& catalog,
                                          const bound::Secret& secret, const Watch& watch);
  Result<bound::Contributions> run_bounded(const sql::PlanPart& part, const sql::Catalog& catalog,
                                           const bound::Secret& secret, const Watch& watch);

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
  // What is known of a whole column must not choose among versions of a function: those for ASCII
  // and for Unicode texts differ (substr('A', -3, 2), ILIKE 'K' with the Kelvin sign), so that one
  // person's row would change what all others count for.
  ok = ok && state->execute("SET disabled_optimizers = 'statistics_propagation'");
  // Text is read by our own reader; Parquet and its own tables by DuckDB.
  std::set<string> texts, files, attached;
  for (const sql::TableRule& table : policy.tables) {
    const sql::Format format = format_of(table);
    const bool own = format == sql::Format::kParquet || format == sql::Format::kDuckdb;
    (own ? files : texts).insert(table.files.begin(), table.files.end());
    if (format == sql::Format::kDuckdb && attached.insert(table.files.front()).second && ok &&
        !state->execute(fmt::format("ATTACH {} AS {} (READ_ONLY)",
                                    sql::quote_text(table.files.front()),
                                    attached_name(table.files.front()))))
      return fail(Code::kFailure, fmt::format("the database '{}' can't be opened", table.source),
                  "is another program writing to it?");
  }
  ok = ok && add_rows_function(state->connection, std::move(texts), &state->reading) &&
       sql::add_total_functions(state->connection) && add_readers(state->connection);
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
        auto header = TRY(csv_header(table));
        for (const string& name : header) text_column(name);
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
        const string source = source_of(table, {});
        auto stored = TRY(format_of(table) == sql::Format::kParquet
                              ? parquet_columns(state_->connection, table, source)
                              : duckdb_columns(state_->connection, table, source,
                                               attached_name(table.files.front())));
        columns = std::move(stored);
      }
    }
    out.push_back(std::move(columns));
  }
  return out;
}

string Duckdb::sql_of(const sql::PlanPart& part, const sql::Catalog& catalog) {
  return rows_sql(part, DuckdbDialect(catalog), true);
}

Result<bound::Contributions> Duckdb::run(const sql::PlanPart& part, const sql::Catalog& catalog,
                                         const bound::Secret& secret, const Watch& watch) {
  try {
    return part.direct ? state_->run_direct(part, catalog, secret, watch)
                       : state_->run_bounded(part, catalog, secret, watch);
  } catch (...) {
    return tl::unexpected<Error>(broken());
  }
}

// One row a unit: DuckDB's own aggregation adds up what each brings.
Result<bound::Contributions> Duckdb::State::run_direct(const sql::PlanPart& part,
                                                       const sql::Catalog& catalog,
                                                       const bound::Secret& secret,
                                                       const Watch& watch) {
  const bound::Shape shape = shape_of(part);
  std::vector<bound::Grid> grids(shape.slots.begin(), shape.slots.end());
  std::vector<string> names;
  for (bound::Grid& grid : grids) {
    names.push_back(
        add_function("grid", grid_rows, &grid, {DUCKDB_TYPE_DOUBLE}, DUCKDB_TYPE_BIGINT, false));
    if (names.back().empty()) return tl::unexpected<Error>(broken());
  }
  const DuckdbDialect dialect(catalog, complete_tables(*part.select.input, catalog));
  ResultHolder holder;
  auto ran = TRY(watched(direct_sql(part, dialect, names), watch, holder.result));
  if (!ran) return tl::unexpected<Error>(broken());
  bound::Groups groups(secret);
  if (part.all_public && !close_groups(part, groups)) return tl::unexpected<Error>(broken());
  const std::size_t keys = part.select.keys.size();
  std::vector<duckdb_type> types = {DUCKDB_TYPE_BIGINT};
  for (const sql::Expr& key : part.select.keys) types.push_back(travels_as(key.type));
  types.resize(types.size() + part.statistics.size(), DUCKDB_TYPE_HUGEINT);
  if (!has_types(holder.result, types)) return tl::unexpected<Error>(broken());
  bound::Added added{{}, std::vector<std::vector<bound::Wide>>(part.statistics.size())};
  while (duckdb_data_chunk chunk = duckdb_fetch_chunk(holder.result)) {
    const auto column = [&](std::size_t i) { return duckdb_data_chunk_get_vector(chunk, i); };
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(chunk); ++row) {
      bound::KeyBytes key;
      for (std::size_t i = 0; i < keys; ++i)
        sql::write_key(key, read_value(column(i + 1), row, part.select.keys[i].type));
      const std::uint32_t group = groups.number(key.view());
      if (group == bound::kNoGroup) continue;
      // Several of DuckDB's groups can be one of ours: 0 and −0, say.
      added.units.resize(std::max<std::size_t>(added.units.size(), group + 1));
      added.units[group] += read_value(column(0), row, sql::Type::kInt).whole;
      for (std::size_t t = 0; t < added.totals.size(); ++t) {
        added.totals[t].resize(added.units.size());
        added.totals[t][group] += read_hugeint(column(keys + 1 + t), row);
      }
    }
    duckdb_destroy_data_chunk(&chunk);
  }
  return bound::sorted_contributions(groups, shape, std::move(added));
}

Result<bound::Contributions> Duckdb::State::run_bounded(const sql::PlanPart& part,
                                                        const sql::Catalog& catalog,
                                                        const bound::Secret& secret,
                                                        const Watch& watch) {
  const bound::Shape shape = shape_of(part);
  // Every thread fills a few megabytes of its own before anything can be dropped.
  constexpr std::size_t kEachThread = std::size_t{8} << 20;
  bound::Bounder bounder(shape, secret,
                         std::max(limits.memory / 2, kEachThread * (limits.threads + 1)));
  if (part.all_public && !close_groups(part, bounder.groups()))
    return tl::unexpected<Error>(broken());
  Feed feed{&bounder, shape.text_units, {}, part.select.keys.size(), {}};
  string arguments = "u";
  for (std::size_t i = 0; i < part.select.keys.size(); ++i) {
    feed.kinds.push_back(key_column(part.select.keys[i].type));
    arguments += fmt::format(", k{}", i);
  }
  for (std::size_t i = 0; i < part.slots.size(); ++i) {
    feed.kinds.push_back(slot_column(part.slots[i]));
    arguments += fmt::format(", s{}", i);
  }
  const string name = add_function("feed", feed_rows, &feed, {}, DUCKDB_TYPE_TINYINT, true);
  if (name.empty()) return tl::unexpected<Error>(broken());
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
      auto ran = watched(sql, part_of, holder.result, start);
      fits = bounder.fits();
      if (!ran) return forward_error(ran);
      if (feed.failed) return tl::unexpected<Error>(broken());
      if (!fits) break;
      if (!*ran) return tl::unexpected<Error>(broken());
      bounder.finish_pass(limits.threads);
    }
    if (fits) return bounder.finish();
    bounder.clear();
  }
  return tl::unexpected<Error>(broken());
}

Result<std::vector<std::vector<sql::Value>>> Duckdb::run_open(const sql::Relation& relation,
                                                              const sql::Catalog& catalog,
                                                              const Watch& watch) {
  string items;
  for (std::size_t i = 0; i < relation.columns.size(); ++i)
    items += fmt::format("{}{}", items.empty() ? "" : ", ",
                         travelling(fmt::format("c{}", i), relation.columns[i].type));
  ResultHolder holder;
  auto ran = TRY(state_->watched(
      fmt::format("SELECT {} FROM ({})", items, print(relation, DuckdbDialect(catalog))), watch,
      holder.result));
  if (!ran) return tl::unexpected<Error>(broken());
  std::vector<duckdb_type> types;
  for (const sql::Column& column : relation.columns) types.push_back(travels_as(column.type));
  if (!has_types(holder.result, types)) return tl::unexpected<Error>(broken());
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
