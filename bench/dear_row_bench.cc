// The dearest row that a question may ask for: what each kind of expression costs at the limit
// (sql/row_cost.h) on the row that is worst for it. It is the difference that rows with such texts
// make over as many with empty ones, a row: 1,000 rows, or DISCREET_BENCH_DEAR_ROWS. The time is
// the processor's, of this process or of all of the server's: what else runs doesn't count.
#include <benchmark/benchmark.h>
#include <duckdb.h>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>

#include "discreet/engine/duckdb/calculator.h"
#include "discreet/engine/duckdb/duckdb.h"
#include "discreet/engine/postgres/postgres.h"
#include "discreet/service/service.h"

namespace {

namespace fs = std::filesystem;
using discreet::Rational;
using std::string;

string repeated(const string& text, int times, const char* between = "") {
  string out;
  for (int i = 0; i < times; ++i) out += (i > 0 ? between : "") + text;
  return out;
}

// # is another number each time: an engine calculates what is written twice once.
string each(const string& text, int times, const char* between = " OR ") {
  string out;
  for (int i = 0; i < times; ++i) {
    string one = text;
    for (std::size_t at = one.find('#'); at != string::npos; at = one.find('#'))
      one.replace(at, 1, std::to_string(10 + i));
    out += (i > 0 ? between : "") + one;
  }
  return out;
}

// Conditions that grow with n: the largest one that an engine's question may have is measured.
// Columns: a (aaa…), o (ΩΩΩ…), f (four bytes a letter), l (letters that become several), r (a and b
// at random), d (digits), h (a number next to half of the smallest), x (a number), z (a moment).
struct Growing {
  const char* name;
  string (*condition)(int n);
};
constexpr Growing kConditions[] = {
    {"like_long",
     [](int n) { return "a LIKE '%" + string(static_cast<unsigned>(n), 'a') + "b%'"; }},
    {"like_blanks", [](int n) { return each("a LIKE '%a__________b#%'", n); }},
    {"like_percents", [](int n) { return each("a LIKE '" + repeated("%aaaa", 19) + "%b#'", n); }},
    {"ilike", [](int n) { return each("o ILIKE '%x#%'", n); }},
    {"lower", [](int n) { return each("lower(left(f, 9#)) = 'x'", n); }},
    {"upper", [](int n) { return each("upper(left(l, 9#)) = 'x'", n); }},
    {"reverse", [](int n) { return each("reverse(left(f, 9#)) = 'x'", n); }},
    {"regex_few", [](int n) { return each("regexp_matches(r, '(a|b)*a[ab]{6}c#')", n); }},
    {"regex_wide", [](int n) { return each("regexp_matches(f, '𐐀.{8}c#')", n); }},
    {"regex_many", [](int n) { return fmt::format("regexp_matches(r, '[ab]*a[ab]{{{}}}c')", n); }},
    {"contains", [](int n) { return each("contains(f, left(f, 4#) || 'b')", n); }},
    {"replace", [](int n) { return each("replace(a, 'a#', 'b') = 'x'", n); }},
    {"split_part", [](int n) { return each("split_part(f, '𐐀', 9#) = 'x'", n); }},
    {"concat", [](int n) { return repeated("f", n + 1, " || ") + " = 'x'"; }},
    {"cast_double", [](int n) { return each("CAST(right(d, 9#) AS DOUBLE) = 1", n); }},
    {"cast_hard", [](int n) { return each("CAST(right(h, 9#) AS DOUBLE) = 1", n); }},
    {"cast_integer", [](int n) { return each("CAST(right(d, 9#) AS BIGINT) = 1", n); }},
    {"trim", [](int n) { return each("length(trim(left(f, 9#))) = 1", n); }},
    {"pad", [](int n) { return each("rpad(left(f, #), 1000, '𐐀') = 'x'", n); }},
    {"power", [](int n) { return each("power(x, 1.#)", n, " + ") + " = 7"; }},
    {"round", [](int n) { return each("round(x + #, 3) = 7", n); }},
    {"texts", [](int n) { return each("CAST(x + # AS VARCHAR) = '7'", n); }},
    {"moments", [](int n) { return each("strftime(z + INTERVAL # DAY, '%Y-%m-%d') = ''", n); }},
};

constexpr const char* kPolicy = R"(
[policy]
name = "dear"
unit = "person"
{}
budget = {{ epsilon = 1, delta = 1e-6 }}
[tables.dear]
source = "{}"
key = "uid"
rows_per_unit = 1
[tables.plain]
source = "{}"
key = "uid"
rows_per_unit = 1
)";

long rows() {
  const char* wanted = std::getenv("DISCREET_BENCH_DEAR_ROWS");
  return wanted ? std::atol(wanted) : 1'000;
}

// Every row's texts are its own: an engine calculates equal ones once.
string items(const char* letter) {
  return fmt::format(
      "i AS uid, repeat('a', 990) || i AS a, repeat('Ω', 990) || i AS o, repeat('𐐀', 990) || i AS "
      "f, repeat('ﬃ', 990) || i AS l, (SELECT string_agg(CASE WHEN {} < 0 THEN 'a' ELSE 'b' END, "
      "'') FROM generate_series(1, 1000) AS s(j)) AS r, repeat('1', 990) || i AS d, repeat('0', "
      "250) || '2.4703282292062327208' || repeat('0', 700) || i "
      "|| 'e-324' AS h, 1.5 + i AS x, "
      "TIMESTAMP '2020-02-29 12:34:56' AS z",
      letter);
}
constexpr const char* kEmpty =
    "i AS uid, '' AS a, '' AS o, '' AS f, '' AS l, '' AS r, '' AS d, '' AS h, CAST(NULL AS DOUBLE "
    "PRECISION) AS x, CAST(NULL AS TIMESTAMP) AS z";

class World {
 public:
  virtual ~World() = default;
  World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Nothing where it is refused.
  std::optional<discreet::plan::Plan> planned(const string& query) const {
    discreet::sql::Options options;
    options.epsilon = 1;
    options.delta = Rational("1/1000000");
    auto parsed = discreet::sql::parse(query);
    if (!parsed) return std::nullopt;
    auto question = discreet::sql::check(
        *parsed, catalog_, discreet::plan::tools(discreet::engine::duckdb::calculator()));
    if (!question) return std::nullopt;
    auto plan = discreet::plan::make_plan(*question, catalog_, options);
    if (!plan) return std::nullopt;
    for (const auto& part : plan->parts)
      if (!engine_->accepts(part, catalog_, {})) return std::nullopt;
    return std::move(*plan);
  }
  double seconds(const string& query) {
    const auto plan = planned(query);
    if (!plan) throw std::runtime_error("refused: " + query);
    const double before = processor();
    auto answer = discreet::service::run_plan(*engine_, catalog_, *plan, {});
    if (!answer) throw std::runtime_error(answer.error().text());
    return processor() - before;
  }

 protected:
  template <class Engine>
  void open(const string& policy_text, const string& folder, discreet::engine::Limits limits) {
    auto policy = discreet::policy::Policy::parse(policy_text, "dear.toml", folder);
    if (!policy) throw std::runtime_error(policy.error().text());
    auto engine = Engine::open(*policy, limits);
    if (!engine) throw std::runtime_error(engine.error().text());
    engine_ = std::move(*engine);
    catalog_ = *discreet::policy::make_catalog(*policy, *engine_->schemas());
  }
  virtual double processor() const = 0;  // seconds

 private:
  std::unique_ptr<discreet::engine::Engine> engine_;
  discreet::policy::Catalog catalog_;
};

class OnDuckdb final : public World {
 public:
  OnDuckdb() : folder_(fs::temp_directory_path() / fmt::format("discreet-dear-{}", ::getpid())) {
    fs::create_directories(folder_);
    duckdb_database database = nullptr;
    duckdb_connection connection = nullptr;
    duckdb_open(nullptr, &database);
    duckdb_connect(database, &connection);
    for (const auto& [name, list] :
         {std::pair<string, string>{"dear", items("CAST(hash(i * 1000 + j) % 2 AS INTEGER) - 1")},
          {"plain", kEmpty}})
      duckdb_query(connection,
                   fmt::format("COPY (SELECT {} FROM range({}) AS t(i)) TO '{}'", list, rows(),
                               (folder_ / (name + ".parquet")).string())
                       .c_str(),
                   nullptr);
    duckdb_disconnect(&connection);
    duckdb_close(&database);
    open<discreet::engine::duckdb::Duckdb>(
        fmt::format(kPolicy, "", "dear.parquet", "plain.parquet"), folder_.string(),
        {.threads = 1});
  }
  ~OnDuckdb() override { fs::remove_all(folder_); }

 private:
  double processor() const override {
    return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
  }
  fs::path folder_;
};

class OnPostgres final : public World {
 public:
  OnPostgres() {
    server_ =
        popen("tail --pid=$PPID -f /dev/null | " DISCREET_SOURCE "/tests/private-postgres", "r");
    char line[4096] = {};
    if (!server_ || !std::fgets(line, sizeof line, server_))
      throw std::runtime_error("PostgreSQL can't be started");
    string address = line;
    const string folder = address.substr(address.find("host=") + 5);
    std::ifstream(folder.substr(0, folder.find('\n')) + "/data/postmaster.pid") >> postmaster_;
    while (!address.empty() && address.back() == '\n') address.pop_back();
    const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(address.c_str()),
                                                                  &PQfinish);
    for (const auto& [name, list] :
         {std::pair<string, string>{"dear", items("hashint8(CAST(i * 1000 + j AS bigint))")},
          {"plain", kEmpty}})
      PQclear(PQexec(connection.get(),
                     fmt::format("CREATE TABLE {} AS SELECT {} FROM generate_series(1, {}) AS t(i)",
                                 name, list, rows())
                         .c_str()));
    open<discreet::engine::postgres::Postgres>(
        fmt::format(kPolicy, fmt::format("engine = \"postgres\"\ndsn = \"{}\"", address), "dear",
                    "plain"),
        "/", {});
  }

 private:
  // The server's processes are children of one, which keeps the time of those that have ended.
  double processor() const override {
    long ticks = 0;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      if (entry.path().filename().string().find_first_not_of("0123456789") != string::npos)
        continue;
      std::ifstream file(entry.path() / "stat");
      string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
      if (text.empty()) continue;
      const long process = std::atol(text.c_str());
      std::istringstream fields(text.substr(text.rfind(')') + 2));
      std::vector<string> all{std::istream_iterator<string>(fields), {}};
      if (all.size() < 15) continue;
      const auto at = [&](std::size_t i) { return std::atol(all[i].c_str()); };
      if (at(1) == postmaster_) ticks += at(11) + at(12);
      if (process == postmaster_) ticks += at(13) + at(14);
    }
    return static_cast<double>(ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }

  FILE* server_ = nullptr;  // ends with this process
  long postmaster_ = 0;
};

template <class Where>
void measure(benchmark::State& state, const Growing& growing) {
  try {
    static Where world;
    const auto accepted = [&](int n) {
      return world.planned("SELECT COUNT(*) FROM dear WHERE " + growing.condition(n)).has_value();
    };
    int most = 1;
    for (int step = 512; step > 0; step /= 2)
      if (accepted(most + step)) most += step;
    const string condition = growing.condition(most);
    state.counters["n"] = most;
    for (auto _ : state) {
      const double plain = world.seconds("SELECT COUNT(*) FROM plain WHERE " + condition),
                   dear = world.seconds("SELECT COUNT(*) FROM dear WHERE " + condition);
      state.SetIterationTime(std::max(1e-12, (dear - plain) / static_cast<double>(rows())));
    }
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

const bool kRegistered = [] {
  for (const Growing& one : kConditions) {
    for (const bool there : {false, true})
      benchmark::RegisterBenchmark(
          fmt::format("{}_dear_row/{}", there ? "postgres" : "sql", one.name).c_str(),
          [there, &one](benchmark::State& state) {
            there ? measure<OnPostgres>(state, one) : measure<OnDuckdb>(state, one);
          })
          ->UseManualTime()
          ->Iterations(1)
          ->Unit(benchmark::kMicrosecond);
  }
  return true;
}();

}  // namespace
