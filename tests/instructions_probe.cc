// instructions_probe make FOLDER | CASE FOLDER: the straight way in small, for callgrind to count.
// tests/instructions_test.py compares the counts with those in tests/instructions.txt. A case does
// its work once to warm up, on few rows, and once counted: on one thread, with fixed bits instead
// of secret ones. It prints how many rows, examples or calls the count is of.
#include <duckdb.h>
#include <fmt/format.h>
#include <valgrind/callgrind.h>

#include <map>
#include <stdexcept>
#include <string>

#include "discreet/engine/duckdb/calculator.h"
#include "discreet/engine/duckdb/duckdb.h"
#include "discreet/learn/initial.h"
#include "discreet/learn/subsampled.h"
#include "discreet/learn/trainer.h"
#include "discreet/privacy/accountant.h"
#include "discreet/privacy/expression.h"
#include "discreet/random/testing/sources.h"
#include "discreet/service/service.h"

namespace {

using namespace discreet;
using std::string;

constexpr int kRows = 100'000, kFew = 1'000;

// Ten rows a unit, a hundred groups, three of which may count.
constexpr const char* kTable = R"(
[tables.{0}_{1}]
source = "{1}.{2}"
key = "{3}"
columns.x = {{ range = [0, 1000] }}
{4}
)";

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text());
  return std::move(*result);
}

void make(const string& folder) {
  duckdb_database database = nullptr;
  duckdb_connection connection = nullptr;
  if (duckdb_open(nullptr, &database) != DuckDBSuccess ||
      duckdb_connect(database, &connection) != DuckDBSuccess)
    throw std::runtime_error("no DuckDB");
  const auto execute = [&](const string& sql) {
    duckdb_result result{};
    const bool ok = duckdb_query(connection, sql.c_str(), &result) == DuckDBSuccess;
    const string error = ok ? "" : duckdb_result_error(&result);
    duckdb_destroy_result(&result);
    if (!ok) throw std::runtime_error(error);
  };
  for (const auto& [name, rows] : {std::pair{"many", kRows}, {"few", kFew}}) {
    const string select = fmt::format(
        "SELECT (hash(i) % {0})::BIGINT AS id, (hash(i) % {0})::UBIGINT AS wide, 'person ' || "
        "(hash(i) % {0}) AS name, 'group_' || (hash(i * 7 + 1) % 100) AS g, (hash(i * 13 + 5) % "
        "100000)::DOUBLE / 100 AS x FROM range({1}) t(i)",
        rows / 10, rows);
    for (const auto& [end, form] : {std::pair{"parquet", "FORMAT parquet"}, {"csv", "FORMAT csv"}})
      execute(fmt::format("COPY ({}) TO '{}/{}.{}' ({})", select, folder, name, end, form));
  }
  duckdb_disconnect(&connection);
  duckdb_close(&database);
}

struct Asked {
  string kind, key, more;  // of the file, the column, what else the policy says of the table
};

const std::map<string, Asked, std::less<>>& questions() {
  static const string declared = "max_groups = 3\nmax_rows_per_group = 5";
  static const std::map<string, Asked, std::less<>> all = {
      {"parquet_bigint", {"parquet", "id", declared}},
      {"parquet_ubigint", {"parquet", "wide", declared}},
      {"parquet_text", {"parquet", "name", declared}},
      {"parquet_undeclared", {"parquet", "id", ""}},
      {"csv_bigint", {"csv", "id", declared + "\ncolumns.id = { type = \"integer\" }"}},
      {"csv_text", {"csv", "name", declared}},
  };
  return all;
}

int ask(const string& name, const Asked& asked, const string& folder) {
  string text =
      "[policy]\nname = \"work\"\nunit = \"person\"\nbudget = { epsilon = 9, delta = 1e-6 }\n";
  for (const char* table : {"many", "few"})
    text += fmt::format(kTable, name, table, asked.kind, asked.key, asked.more);
  const policy::Policy policy = must(policy::Policy::parse(text, "work.toml", folder));
  const auto engine = must(engine::duckdb::Duckdb::open(policy, {.threads = 1}));
  const policy::Catalog catalog = must(policy::make_catalog(policy, must(engine->schemas())));
  sql::Options options;
  options.epsilon = 1;
  options.delta = Rational("1/1000000");
  const auto plan = [&](const char* table) {
    const auto parsed = must(sql::parse(
        fmt::format("SELECT g, COUNT(*), SUM(x), AVG(x) FROM {}_{} GROUP BY g", name, table)));
    const auto tools = plan::tools(engine::duckdb::calculator());
    return must(plan::make_plan(must(sql::check(parsed, catalog, tools)), catalog, options));
  };
  random::testing::Seeded source(1);
  must(service::run_plan(*engine, catalog, plan("few"), {}, source));
  const plan::Plan many = plan("many");
  CALLGRIND_TOGGLE_COLLECT;
  const auto answer = service::run_plan(*engine, catalog, many, {}, source);
  CALLGRIND_TOGGLE_COLLECT;
  if (must(answer).rows.size() < 90) throw std::runtime_error("groups are missing");
  return kRows;
}

int sgd_step() {
  constexpr int kExamples = 2'000;
  learn::Examples examples{.shape = {.width = 60}, .count = kExamples, .classes = 10};
  examples.x.resize(kExamples * 60);
  random::testing::Seeded source(1);
  if (!learn::fill_initial(source, 6, examples.x)) throw std::runtime_error("no numbers");
  for (int i = 0; i < kExamples; ++i) examples.y.push_back(static_cast<float>(i % 10));
  const learn::Network network = must(learn::make_network("mlp:100", examples.shape, 10, {}));
  learn::Workers workers(1);
  // Every example, so that the lot is of one size.
  auto regime = must(
      learn::SubsampledGaussian::create(kExamples, kExamples, {{0, Rational(11, 10)}}, workers));
  learn::TrainerOptions options;
  options.steps = 10;
  const auto trainer = must(learn::Trainer::create(network, examples, regime, options, workers));
  must(trainer->step());
  CALLGRIND_TOGGLE_COLLECT;
  const auto step = trainer->step();
  CALLGRIND_TOGGLE_COLLECT;
  must(step);
  return kExamples;
}

int account() {
  const privacy::Event event =
      must(privacy::parse_event("poisson(0.01, gaussian(sigma=1.1))*1000"));
  const Rational delta(1, 100'000);
  must(privacy::account_epsilon(event, delta, {}));
  CALLGRIND_TOGGLE_COLLECT;
  const auto answer = privacy::account_epsilon(event, delta, {});
  CALLGRIND_TOGGLE_COLLECT;
  must(answer);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const string name = argv[1], folder = argv[2];
  try {
    if (name == "make") {
      make(folder);
      return 0;
    }
    int of = 0;
    if (const auto asked = questions().find(name); asked != questions().end())
      of = ask(name, asked->second, folder);
    else if (name == "sgd_step")
      of = sgd_step();
    else if (name == "account")
      of = account();
    else
      return 2;
    std::puts(std::to_string(of).c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
