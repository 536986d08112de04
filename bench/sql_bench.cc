// The cost of privacy: the same question with and without it, on the same DuckDB, the same file, in
// the same run. Time is the wall clock's: DuckDB's main thread spins while others work, which
// processor time would count. DISCREET_BENCH_ROWS scales the synthetic tables down;
// DISCREET_BENCH_FOLDER keeps them there for the next run (to profile without making them anew).
#include <benchmark/benchmark.h>
#include <duckdb.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <tuple>

#include "bench/sql_questions.h"
#include "discreet/engine/duckdb/calculator.h"
#include "discreet/engine/duckdb/duckdb.h"
#include "discreet/service/service.h"

namespace {

namespace fs = std::filesystem;
using discreet::Rational;
using discreet::bench::kMany;
using discreet::bench::kQueries;

constexpr const char* kPolicy = R"(
[policy]
name = "bench"
unit = "person"
budget = { epsilon = 1, delta = 1e-6 }
[tables.many]
source = "many.parquet"
key = "uid"
columns.x = { range = [0, 1000] }
max_groups = 3
[tables.stored]
source = "bench.duckdb#many"
key = "uid"
columns.x = { range = [0, 1000] }
max_groups = 3
[tables.large]
source = "large.parquet"
key = "uid"
columns.x = { range = [0, 1000] }
max_groups = 3
[tables.one]
source = "one.parquet"
key = "uid"
columns.x = { range = [0, 1000] }
rows_per_unit = 1
[tables.plain_csv]
source = "plain.csv"
key = "uid"
columns.uid = { type = "integer" }
columns.x = { range = [0, 1000] }
max_groups = 3
[tables.quoted_csv]
source = "quoted.csv"
key = "uid"
columns.uid = { type = "integer" }
columns.x = { range = [0, 1000] }
max_groups = 3
[tables.json_lines]
source = "lines.jsonl"
key = "uid"
columns.uid = { type = "integer" }
columns.g = { type = "text" }
columns.x = { range = [0, 1000] }
max_groups = 3
[tables.customer]
source = "customer.parquet"
key = "c_custkey"
[tables.orders]
source = "orders.parquet"
key = "o_custkey"
columns.o_orderkey = { unique = true }
max_groups = 5
max_rows_per_group = 10
[tables.lineitem]
source = "lineitem.parquet"
link = { column = "l_orderkey", to = "orders.o_orderkey" }
columns.l_returnflag = { values = ["A", "N", "R"] }
columns.l_linestatus = { values = ["F", "O"] }
columns.l_quantity = { range = [0, 50] }
columns.l_extendedprice = { range = [0, 105000] }
columns.l_discount = { range = [0, 0.1] }
columns.l_tax = { range = [0, 0.08] }
max_groups = 6
max_rows_per_group = 20
[tables.part]
source = "part.parquet"
public = true
[tables.supplier]
source = "supplier.parquet"
public = true
[tables.nation]
source = "nation.parquet"
public = true
)";

class World {
 public:
  World() {
    const char* kept = std::getenv("DISCREET_BENCH_FOLDER");
    keep_ = kept != nullptr;
    folder_ = keep_ ? fs::path(kept)
                    : fs::temp_directory_path() / fmt::format("discreet-bench-{}", ::getpid());
    duckdb_open(nullptr, &database_);
    duckdb_connect(database_, &connection_);
    if (!fs::exists(folder_)) make_tables();
    open_tables();
  }
  ~World() {
    engine_.reset();
    duckdb_disconnect(&connection_);
    duckdb_close(&database_);
    if (!keep_) fs::remove_all(folder_);
  }

  void execute(const std::string& sql) {
    duckdb_result result{};
    const bool ok = duckdb_query(connection_, sql.c_str(), &result) == DuckDBSuccess;
    const std::string error = ok ? "" : duckdb_result_error(&result);
    duckdb_destroy_result(&result);
    if (!ok) throw std::runtime_error(error);
  }

  // The engine is opened anew with that much memory; 0: half of the machine's.
  void limit_memory(std::size_t bytes) {
    auto engine = discreet::engine::duckdb::Duckdb::open(policy_, {.memory = bytes});
    if (!engine) throw std::runtime_error(engine.error().text());
    engine_ = std::move(*engine);
  }

  void ask(const std::string& query) {
    discreet::sql::Options options;
    options.epsilon = 1;
    options.delta = Rational("1/1000000");
    auto parsed = discreet::sql::parse(query);
    auto question =
        parsed ? discreet::sql::check(*parsed, catalog_,
                                      discreet::plan::tools(discreet::engine::duckdb::calculator()))
               : tl::unexpected<discreet::Error>(parsed.error());
    auto plan = question ? discreet::plan::make_plan(*question, catalog_, options)
                         : tl::unexpected<discreet::Error>(question.error());
    auto answer = plan ? discreet::service::run_plan(*engine_, catalog_, *plan, {})
                       : tl::unexpected<discreet::Error>(plan.error());
    if (!answer) throw std::runtime_error(answer.error().text());
    benchmark::DoNotOptimize(answer->rows.size());
  }

 private:
  void make_tables() {
    fs::create_directories(folder_);
    const char* wanted = std::getenv("DISCREET_BENCH_ROWS");
    const long rows = wanted ? std::atol(wanted) : 10'000'000;
    const auto copy = [&](const std::string& name, const std::string& select) {
      execute(fmt::format("COPY ({}) TO '{}' (FORMAT parquet)", select,
                          (folder_ / (name + ".parquet")).string()));
    };
    const auto ten_rows_each = [](long count) {
      return fmt::format(
          "SELECT (hash(i) % {})::BIGINT AS uid, 'group_' || (hash(i * 7 + 1) % 100) AS g, (hash(i "
          "* 13 + 5) % 100000)::DOUBLE / 100 AS x FROM range({}) t(i)",
          std::max(1L, count / 10), count);
    };
    const std::string many = ten_rows_each(rows);
    copy("many", many);
    copy("large", ten_rows_each(10 * rows));
    copy("one", fmt::format("SELECT i::BIGINT AS uid, 'group_' || (hash(i * 7 + 1) % 100) AS g, "
                            "(hash(i * 13 + 5) % 100000)::DOUBLE / 100 AS x FROM range({}) t(i)",
                            rows));
    for (const auto& [file, form] : {std::pair{"plain.csv", "FORMAT csv, HEADER"},
                                     {"quoted.csv", "FORMAT csv, HEADER, FORCE_QUOTE *"},
                                     {"lines.jsonl", "FORMAT json"}})
      execute(fmt::format("COPY ({}) TO '{}' ({})", many, (folder_ / file).string(), form));
    execute(fmt::format("ATTACH '{}' AS stored", (folder_ / "bench.duckdb").string()));
    execute("CREATE TABLE stored.many AS " + many);
    execute("DETACH stored");
    // TPC-H's shape at scale 1 (our own generator): 6 million line items of 1.5 million orders of
    // 150,000 customers.
    const long orders = rows * 15 / 100;
    copy("customer", fmt::format("SELECT i::BIGINT AS c_custkey, (hash(i) % 25)::BIGINT AS "
                                 "c_nationkey FROM range({}) t(i)",
                                 orders / 10));
    copy("orders",
         fmt::format(
             "SELECT i::BIGINT AS o_orderkey, (hash(i * 3) % {})::BIGINT AS o_custkey, DATE "
             "'1992-01-01' + (hash(i * 5) % 2406)::INTEGER AS o_orderdate FROM range({}) t(i)",
             std::max(1L, orders / 10), orders));
    copy("lineitem",
         fmt::format(
             "SELECT (i / 4)::BIGINT AS l_orderkey, (hash(i * 3) % 200000)::BIGINT AS l_partkey, "
             "(hash(i * 11) % 10000)::BIGINT AS l_suppkey, 1 + (hash(i * 5) % 50)::DOUBLE AS "
             "l_quantity, "
             "900 + (hash(i * 7) % 10400000)::DOUBLE / 100 AS l_extendedprice, (hash(i * 13) % "
             "11)::DOUBLE / 100 AS l_discount, (hash(i * 17) % 9)::DOUBLE / 100 AS l_tax, "
             "CASE hash(i * 19) % 3 WHEN 0 THEN 'A' WHEN 1 THEN 'N' ELSE 'R' END AS l_returnflag, "
             "CASE hash(i * 23) % 2 WHEN 0 THEN 'F' ELSE 'O' END AS l_linestatus, "
             "DATE '1992-01-02' + (hash(i * 29) % 2525)::INTEGER AS l_shipdate, CASE hash(i * 31) "
             "% 7 WHEN 0 THEN 'AIR' WHEN 1 THEN 'AIR REG' ELSE 'SHIP' END AS l_shipmode FROM "
             "range({}) t(i)",
             4 * orders));
    copy("part",
         "SELECT i::BIGINT AS p_partkey, CASE hash(i) % 6 WHEN 0 THEN 'PROMO BRUSHED' ELSE "
         "'STANDARD' END AS p_type, 'Brand#' || (hash(i * 3) % 25) AS p_brand, 1 + (hash(i * 5) % "
         "50)::BIGINT AS p_size FROM range(200000) t(i)");
    copy("supplier",
         "SELECT i::BIGINT AS s_suppkey, (hash(i * 3) % 25)::BIGINT AS s_nationkey FROM "
         "range(10000) t(i)");
    copy("nation",
         "SELECT i::BIGINT AS n_nationkey, 'NATION ' || i AS n_name, i % 5 AS n_regionkey FROM "
         "range(25) t(i)");
  }

  void open_tables() {
    execute(fmt::format("ATTACH '{}' AS stored (READ_ONLY)", (folder_ / "bench.duckdb").string()));
    for (const char* name :
         {"many", "one", "customer", "orders", "lineitem", "part", "supplier", "nation"})
      execute(fmt::format("CREATE VIEW {} AS SELECT * FROM '{}'", name,
                          (folder_ / (std::string(name) + ".parquet")).string()));
    // DuckDB's own readers, told all there is to know.
    constexpr const char* kColumns = "{uid: 'BIGINT', g: 'VARCHAR', x: 'DOUBLE'}";
    for (const auto& [view, reader, file] :
         {std::tuple{"plain_csv",
                     "read_csv('{}', header = true, auto_detect = false, columns = {})",
                     "plain.csv"},
          {"quoted_csv", "read_csv('{}', header = true, auto_detect = false, columns = {})",
           "quoted.csv"},
          {"json_lines", "read_json('{}', format = 'newline_delimited', columns = {})",
           "lines.jsonl"}})
      execute(fmt::format("CREATE VIEW {} AS SELECT * FROM {}", view,
                          fmt::format(fmt::runtime(reader), (folder_ / file).string(), kColumns)));
    auto policy = discreet::policy::Policy::parse(kPolicy, "bench.toml", folder_.string());
    if (!policy) throw std::runtime_error(policy.error().text());
    policy_ = *policy;
    auto engine = discreet::engine::duckdb::Duckdb::open(policy_, {});
    if (!engine) throw std::runtime_error(engine.error().text());
    engine_ = std::move(*engine);
    catalog_ = *discreet::policy::make_catalog(policy_, *engine_->schemas());
  }

  fs::path folder_;
  bool keep_ = false;
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
  discreet::policy::Policy policy_;
  std::unique_ptr<discreet::engine::duckdb::Duckdb> engine_;
  discreet::policy::Catalog catalog_;
};

World& world() {
  static World one;
  return one;
}

void measure(benchmark::State& state, const std::string& query, bool is_private) {
  try {
    World& all = world();
    for (auto _ : state) is_private ? all.ask(query) : all.execute(query);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

void sql_parquet(benchmark::State& state) {
  measure(state, fmt::format(kMany, "many"), state.range(0) == 1);
}
void sql_plain_csv(benchmark::State& state) {
  measure(state, fmt::format(kMany, "plain_csv"), state.range(0) == 1);
}
void sql_quoted_csv(benchmark::State& state) {
  measure(state, fmt::format(kMany, "quoted_csv"), state.range(0) == 1);
}
void sql_json_lines(benchmark::State& state) {
  measure(state, fmt::format(kMany, "json_lines"), state.range(0) == 1);
}
void sql_stored(benchmark::State& state) {
  measure(state, fmt::format(kMany, state.range(0) == 1 ? "stored" : "stored.many"),
          state.range(0) == 1);
}
void sql_promised(benchmark::State& state) {
  measure(state, fmt::format(kMany, "one"), state.range(0) == 1);
}
void sql_tpch(benchmark::State& state) {
  measure(state, kQueries[state.range(1)], state.range(0) == 1);
}

// Ten times as many rows, of ten times as many people, in two gigabytes: rows of a part of the
// people at a time. The peak is of the whole process, which the plain queries have made no larger.
void sql_large(benchmark::State& state) {
  try {
    World& all = world();
    all.limit_memory(std::size_t{2} << 30);
    for (auto _ : state) all.ask(fmt::format(kMany, "large"));
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("VmHWM:")) state.counters["peak_kB"] = std::stod(line.substr(6));
    all.limit_memory(0);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

BENCHMARK(sql_large)->Iterations(1)->Repetitions(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(sql_parquet)->Arg(0)->Arg(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(sql_plain_csv)->Arg(0)->Arg(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(sql_quoted_csv)->Arg(0)->Arg(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(sql_json_lines)->Arg(0)->Arg(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(sql_stored)->Arg(0)->Arg(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(sql_promised)->Arg(0)->Arg(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(sql_tpch)
    ->ArgsProduct({{0, 1}, {0, 1, 2, 3, 4}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
