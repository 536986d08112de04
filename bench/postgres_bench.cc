// The cost of privacy on a server: the same question with and without it, on the same PostgreSQL,
// the same tables, in the same run. The server is one of its own (tests/private-postgres), and ends
// when this process does. DISCREET_BENCH_ROWS scales the tables down.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "bench/sql_questions.h"
#include "discreet/engine/duckdb/calculator.h"
#include "discreet/engine/postgres/postgres.h"
#include "discreet/service/service.h"

namespace {

using discreet::Rational;
using discreet::bench::kMany;
using discreet::bench::kQueries;

constexpr const char* kPolicy = R"(
[policy]
name = "bench"
unit = "person"
engine = "postgres"
dsn = "{}"
budget = {{ epsilon = 1, delta = 1e-6 }}
[tables.many]
source = "many"
key = "uid"
columns.x = {{ range = [0, 1000] }}
max_groups = 3
max_rows_per_group = 2
[tables.measured]
source = "many"
key = "uid"
columns.x = {{ range = [0, 1000] }}
max_groups = 3
[tables.one]
source = "one"
key = "uid"
columns.x = {{ range = [0, 1000] }}
rows_per_unit = 1
[tables.customer]
source = "customer"
key = "c_custkey"
[tables.orders]
source = "orders"
key = "o_custkey"
columns.o_orderkey = {{ unique = true }}
max_groups = 5
max_rows_per_group = 10
[tables.lineitem]
source = "lineitem"
link = {{ column = "l_orderkey", to = "orders.o_orderkey" }}
columns.l_returnflag = {{ values = ["A", "N", "R"] }}
columns.l_linestatus = {{ values = ["F", "O"] }}
columns.l_quantity = {{ range = [0, 50] }}
columns.l_extendedprice = {{ range = [0, 105000] }}
columns.l_discount = {{ range = [0, 0.1] }}
columns.l_tax = {{ range = [0, 0.08] }}
max_groups = 6
max_rows_per_group = 20
[tables.part]
source = "part"
public = true
[tables.supplier]
source = "supplier"
public = true
[tables.nation]
source = "nation"
public = true
)";

class World {
 public:
  World() {
    server_ = popen(
        "tail --pid=$PPID -f /dev/null | " DISCREET_SOURCE "/tests/private-postgres durable", "r");
    char line[4096] = {};
    if (!server_ || !std::fgets(line, sizeof line, server_))
      throw std::runtime_error("PostgreSQL can't be started");
    address_ = line;
    while (!address_.empty() && address_.back() == '\n') address_.pop_back();
    connection_.reset(PQconnectdb(address_.c_str()));
    make_tables();
    auto policy =
        discreet::policy::Policy::parse(fmt::format(kPolicy, address_), "bench.toml", "/");
    if (!policy) throw std::runtime_error(policy.error().text());
    auto engine = discreet::engine::postgres::Postgres::open(*policy, {});
    if (!engine) throw std::runtime_error(engine.error().text());
    engine_ = std::move(*engine);
    catalog_ = *discreet::policy::make_catalog(*policy, *engine_->schemas());
  }

  void execute(const std::string& sql) {
    PGresult* answer = PQexec(connection_.get(), sql.c_str());
    const ExecStatusType status = PQresultStatus(answer);
    PQclear(answer);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
      throw std::runtime_error(PQerrorMessage(connection_.get()));
  }

  void ask(const std::string& query) {
    discreet::sql::Options options;
    options.epsilon = 1;
    options.delta = Rational("1/1000000");
    auto question =
        discreet::sql::check(*discreet::sql::parse(query), catalog_,
                             discreet::plan::tools(discreet::engine::duckdb::calculator()));
    if (!question) throw std::runtime_error(question.error().text());
    auto plan = discreet::plan::make_plan(*question, catalog_, options);
    auto answer = plan ? discreet::service::run_plan(*engine_, catalog_, *plan, {})
                       : tl::unexpected<discreet::Error>(plan.error());
    if (!answer) throw std::runtime_error(answer.error().text());
    benchmark::DoNotOptimize(answer->rows.size());
  }

 private:
  // As sql_bench.cc makes them: ten rows a person in a hundred groups; TPC-H's shape.
  void make_tables() {
    const char* wanted = std::getenv("DISCREET_BENCH_ROWS");
    const long rows = wanted ? std::atol(wanted) : 10'000'000, orders = rows * 15 / 100;
    const auto draw = [](int salt, long below) {
      return fmt::format("((hashint8extended(i, {}) & 9223372036854775807) % {})", salt, below);
    };
    const auto make = [&](const char* name, const std::string& items, long count) {
      execute(fmt::format("CREATE UNLOGGED TABLE {} AS SELECT {} FROM generate_series(0, {}) t(i)",
                          name, items, count - 1));
      execute(fmt::format("VACUUM ANALYZE {}", name));
    };
    const std::string g =
        fmt::format("'group_' || {} AS g, {}::float8 / 100 AS x", draw(2, 100), draw(3, 100'000));
    make("many", fmt::format("{}::bigint AS uid, {}", draw(1, std::max(1L, rows / 10)), g), rows);
    make("one", "i::bigint AS uid, " + g, rows);
    make("customer", fmt::format("i::bigint AS c_custkey, {}::bigint AS c_nationkey", draw(4, 25)),
         orders / 10);
    make("orders",
         fmt::format("i::bigint AS o_orderkey, {}::bigint AS o_custkey, DATE '1992-01-01' + "
                     "{}::int AS o_orderdate",
                     draw(5, std::max(1L, orders / 10)), draw(6, 2406)),
         orders);
    make("lineitem",
         fmt::format("(i / 4)::bigint AS l_orderkey, {}::bigint AS l_partkey, {}::bigint AS "
                     "l_suppkey, 1 + {}::float8 AS l_quantity, "
                     "900 + {}::float8 / 100 AS l_extendedprice, {}::float8 / 100 AS l_discount, "
                     "{}::float8 / 100 AS l_tax, "
                     "(ARRAY['A', 'N', 'R'])[1 + {}] AS l_returnflag, (ARRAY['F', 'O'])[1 + {}] AS "
                     "l_linestatus, "
                     "DATE '1992-01-02' + {}::int AS l_shipdate, "
                     "(ARRAY['AIR', 'AIR REG', 'SHIP', 'SHIP', 'SHIP', 'SHIP', 'SHIP'])[1 + {}] AS "
                     "l_shipmode",
                     draw(7, 200'000), draw(8, 10'000), draw(9, 50), draw(10, 10'400'000),
                     draw(11, 11), draw(12, 9), draw(13, 3), draw(14, 2), draw(15, 2525),
                     draw(16, 7)),
         4 * orders);
    make("part",
         fmt::format(
             "i::bigint AS p_partkey, (ARRAY['PROMO BRUSHED', 'STANDARD', 'STANDARD', 'STANDARD', "
             "'STANDARD', "
             "'STANDARD'])[1 + {}] AS p_type, 'Brand#' || {} AS p_brand, 1 + {}::bigint AS p_size",
             draw(17, 6), draw(18, 25), draw(19, 50)),
         200'000);
    make("supplier", fmt::format("i::bigint AS s_suppkey, {}::bigint AS s_nationkey", draw(20, 25)),
         10'000);
    make("nation",
         "i::bigint AS n_nationkey, 'NATION ' || i AS n_name, (i % 5)::bigint AS n_regionkey", 25);
  }

  struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };
  FILE* server_ = nullptr;
  std::string address_;
  std::unique_ptr<PGconn, Finish> connection_;
  std::unique_ptr<discreet::engine::postgres::Postgres> engine_;
  discreet::policy::Catalog catalog_;
};

void measure(benchmark::State& state, const std::string& query, bool is_private) {
  try {
    static World world;
    for (auto _ : state) is_private ? world.ask(query) : world.execute(query);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

void postgres_many(benchmark::State& state) {
  measure(state, fmt::format(kMany, "many"), state.range(0) == 1);
}
// Its rows in a group are measured first: two statements.
void postgres_measured(benchmark::State& state) {
  measure(state, fmt::format(kMany, state.range(0) == 1 ? "measured" : "many"),
          state.range(0) == 1);
}
void postgres_promised(benchmark::State& state) {
  measure(state, fmt::format(kMany, "one"), state.range(0) == 1);
}
void postgres_tpch(benchmark::State& state) {
  measure(state, kQueries[state.range(1)], state.range(0) == 1);
}

BENCHMARK(postgres_many)->Arg(0)->Arg(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(postgres_measured)->Arg(0)->Arg(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(postgres_promised)->Arg(0)->Arg(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(postgres_tpch)
    ->ArgsProduct({{0, 1}, {1, 2, 3, 4}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
