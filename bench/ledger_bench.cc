// How many reservations a second a ledger takes from 16 clients at once, and how long the
// unluckiest of them waits. Each client has a connection, a lock file descriptor and a book of its
// own, as a process has; every reservation is durable on return. PostgreSQL is compared with
// pgbench in the same run: 16 clients that lock one row, insert one and commit.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "discreet/ledger/ledger.h"

namespace {

namespace ledger = discreet::ledger;
using Clock = std::chrono::steady_clock;

constexpr int kClients = 16;

struct Outcome {
  std::uint64_t reservations = 0;
  double seconds = 0, longest_wait = 0;
};

ledger::Terms terms_at(const std::string& location) {
  ledger::Terms terms;
  terms.policy = "bench";
  terms.epsilon = 1'000'000;
  terms.location = location;
  terms.sources = {location};
  return terms;
}

// All clients reserve as fast as they can for `seconds`.
Outcome hammer(const std::string& location, double seconds) {
  std::vector<Outcome> outcomes(kClients);
  std::vector<std::thread> threads;
  const auto start = Clock::now();
  for (int client = 0; client < kClients; ++client) {
    threads.emplace_back([&, client] {
      auto opened = ledger::Ledger::open(terms_at(location));
      if (!opened) return;
      ledger::Request request;
      request.analyst = fmt::format("analyst{}", client);
      request.query = "SELECT ward, count(*) FROM visits GROUP BY ward";
      request.plan = "plan";
      request.epsilon = discreet::Rational(1, 1000);
      request.events = {{"laplace(scale=1000)", request.epsilon, 0, {}}};
      Outcome& mine = outcomes[static_cast<std::size_t>(client)];
      for (auto now = Clock::now(); std::chrono::duration<double>(now - start).count() < seconds;) {
        if (!(*opened)->reserve(request)) return;
        const auto after = Clock::now();
        mine.longest_wait =
            std::max(mine.longest_wait, std::chrono::duration<double>(after - now).count());
        ++mine.reservations;
        now = after;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Outcome all;
  all.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  for (const Outcome& one : outcomes) {
    all.reservations += one.reservations;
    all.longest_wait = std::max(all.longest_wait, one.longest_wait);
  }
  return all;
}

class Folder {
 public:
  Folder() {
    std::string path = std::filesystem::temp_directory_path() / "discreet-bench.XXXXXX";
    path_ = mkdtemp(path.data());
    setenv("XDG_STATE_HOME", (path_ + "/state").c_str(), 1);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

void report(benchmark::State& state, const Outcome& outcome) {
  state.SetIterationTime(outcome.seconds);
  state.counters["reservations/s"] = static_cast<double>(outcome.reservations) / outcome.seconds;
  state.counters["longest_wait_ms"] = 1000 * outcome.longest_wait;
}

void BM_LedgerSqlite16Clients(benchmark::State& state) {
  for (auto _ : state) {
    Folder folder;
    report(state, hammer(folder / "bench.ledger", 4));
  }
}
BENCHMARK(BM_LedgerSqlite16Clients)->Iterations(1)->UseManualTime()->Unit(benchmark::kSecond);

// What a query pays that opens a ledger with this many releases in it.
void BM_LedgerOpen(benchmark::State& state) {
  Folder folder;
  const std::string location = folder / "bench.ledger";
  ledger::Request request;
  request.analyst = "ana";
  request.query = "SELECT ward, count(*) FROM visits GROUP BY ward";
  request.epsilon = discreet::Rational(1, 1000);
  auto opened = ledger::Ledger::open(terms_at(location));
  for (std::int64_t i = 0; opened && i < state.range(0); ++i)
    if (auto reservation = (*opened)->reserve(request))
      (void)(*opened)->commit(*reservation, R"({"rows":[[1]]})");
  for (auto _ : state) benchmark::DoNotOptimize(ledger::Ledger::open(terms_at(location)));
}
BENCHMARK(BM_LedgerOpen)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

std::string first_line_of(const std::string& command, const std::string& having) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  std::string found;
  char line[4096];
  while (fgets(line, sizeof line, pipe) != nullptr)
    if (found.empty() && std::string(line).find(having) != std::string::npos) found = line;
  pclose(pipe);
  return found;
}

// tests/private-postgres with fsync on, for as long as the object lives.
class Postgres {
 public:
  Postgres() {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) return;
    process_ = fork();
    if (process_ == 0) {
      dup2(to[0], 0);
      dup2(from[1], 1);
      execl(DISCREET_SOURCE "/tests/private-postgres", "private-postgres", "durable", nullptr);
      _exit(127);
    }
    close(to[0]);
    close(from[1]);
    in_ = to[1];
    out_ = from[0];
    for (char c = 0; read(out_, &c, 1) == 1 && c != '\n';) address += c;
  }
  ~Postgres() {
    close(in_);
    close(out_);
    waitpid(process_, nullptr, 0);
  }
  Postgres(const Postgres&) = delete;
  Postgres& operator=(const Postgres&) = delete;

  std::string address;

 private:
  pid_t process_ = -1;
  int in_ = -1, out_ = -1;
};

double pgbench(const Postgres& server, const Folder& folder, const std::string& script,
               int seconds) {
  std::ofstream(folder / "script.sql") << script;
  const std::string bin = "$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)";
  const std::string found =
      first_line_of(fmt::format("{}/pgbench -n -M prepared -c {} -j 2 -T {} -f {} '{}' 2>/dev/null",
                                bin, kClients, seconds, folder / "script.sql", server.address),
                    "tps = ");
  return found.empty() ? 0 : std::strtod(found.c_str() + found.find('=') + 1, nullptr);
}

void BM_LedgerPostgres16Clients(benchmark::State& state) {
  Postgres server;
  Folder folder;
  const std::string psql = fmt::format(
      "psql -q '{}' -c 'CREATE TABLE lock_row(id int PRIMARY KEY, n bigint); INSERT INTO lock_row "
      "VALUES (1, 0); "
      "CREATE TABLE appended(n bigserial PRIMARY KEY, body text)' 2>&1",
      server.address);
  if (server.address.empty() || std::system(psql.c_str()) != 0) {
    state.SkipWithError("PostgreSQL could not be started");
    return;
  }
  const std::string body(400, 'x');
  for (auto _ : state) {
    const double bare =
        pgbench(server, folder,
                fmt::format("BEGIN;\nSELECT n FROM lock_row WHERE id = 1 FOR UPDATE;\nINSERT INTO "
                            "appended(body) VALUES ('{}');\n"
                            "UPDATE lock_row SET n = n + 1 WHERE id = 1;\nCOMMIT;\n",
                            body),
                4);
    const double barest =
        pgbench(server, folder, "UPDATE lock_row SET n = n + 1 WHERE id = 1;\n", 4);
    const Outcome ours = hammer(server.address + "#bench", 4);
    report(state, ours);
    const double rate = static_cast<double>(ours.reservations) / ours.seconds;
    state.counters["pgbench_lock_insert/s"] = bare;
    state.counters["ratio"] = rate / bare;
    state.counters["pgbench_one_update/s"] = barest;
    state.counters["ratio_one_update"] = rate / barest;
  }
}
BENCHMARK(BM_LedgerPostgres16Clients)->Iterations(1)->UseManualTime()->Unit(benchmark::kSecond);

}  // namespace
