#include "discreet/engine/duckdb/database.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "discreet/base/try.h"
#include "discreet/engine/duckdb/dialect.h"
#include "discreet/engine/duckdb/print.h"
#include "discreet/engine/duckdb/storage_version.h"
#include "discreet/engine/duckdb/stored_type.h"
#include "discreet/engine/duckdb/total.h"
#include "discreet/engine/failure.h"

namespace discreet::engine::duckdb {

using std::string;

namespace {

Limits completed(Limits limits) {
  if (limits.threads == 0) limits.threads = std::max(1u, std::thread::hardware_concurrency());
  if (limits.memory == 0)
    limits.memory = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                    static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE)) / 2;
  limits.queries = std::max(1u, limits.queries);
  return limits;
}

tl::unexpected<Error> not_started() {
  return fail(Code::kFailure, "DuckDB could not be started and locked");
}

}  // namespace

Result<std::unique_ptr<Database>> Database::open(const policy::Policy& policy, Limits limits) {
  std::unique_ptr<Database> out(new Database(completed(limits)));
  out->database_ = Hardened::unsealed();
  // Spilled rows stay in a folder of this user's own that goes away with the database.
  out->temporary_ = TRY(TemporaryFolder::make());
  if (out->database_.connection() == nullptr) return not_started();
  TRY(out->lock(policy));
  return out;
}

Status Database::lock(const policy::Policy& policy) {
  std::set<string> files, attached;
  for (const policy::TableRule& table : policy.tables) {
    const auto* stored = std::get_if<policy::DuckdbTable>(&table.from);
    if (stored) attached.insert(stored->file);
    // Text is read by our own reader; Parquet and its own tables by DuckDB.
    const bool own = stored || std::get<policy::Files>(table.from).form == policy::Form::kParquet;
    const std::vector<string> names = identities(table.from);
    (own ? files : texts_).insert(names.begin(), names.end());
  }
  for (const string& setting :
       {fmt::format("temp_directory = {}", quote_text(temporary_.path())),
        fmt::format(
            "memory_limit = '{}MB'",
            std::max<std::size_t>(64, limits_.memory / 8 * (8 - kEighthsForRows) / 1'000'000)),
        fmt::format("threads = {}", limits_.threads), string("TimeZone = 'UTC'"),
        string("preserve_insertion_order = false"),
        // What is known of a whole column must not choose among versions of a function: those for
        // ASCII and for Unicode texts differ (substr('A', -3, 2), ILIKE 'K' with the Kelvin sign),
        // so that one person's row would change what all others count for. Nor may it choose which
        // rows are read at all: the smallest and largest values of a row group leave NaN out.
        string("disabled_optimizers = 'statistics_propagation,row_group_pruner'")})
    if (!database_.execute("SET GLOBAL " + setting)) return not_started();
  for (const string& file : attached) {
    if (database_.execute(
            fmt::format("ATTACH {} AS {} (READ_ONLY)", quote_text(file), attached_name(file))))
      continue;
    TRY(readable_storage(file));
    return fail(Code::kFailure, fmt::format("the database '{}' can't be opened", file),
                "is another program writing to it?");
  }
  auto seat = Seat::make(database_.database(), made_++, texts_, registering_);
  // How far a reading is shows in the progress bar, and in how many passes rows are tried for. A
  // connection that is opened later can't be told any more, and does without.
  if (seat)
    for (const char* setting : {"enable_progress_bar = true", "enable_progress_bar_print = false",
                                "progress_bar_time = 0"})
      if (!seat->execute(string("SET ") + setting)) return not_started();
  if (!seat || !add_total_functions(seat->connection()) || !add_readers(seat->connection()) ||
      !database_.seal({files.begin(), files.end()}))
    return not_started();
  free_.push_back(std::move(seat));
  return {};
}

Database::~Database() {
  // On a thread of its own: closing reaches for what DuckDB keeps by thread, and of the thread that
  // ends the process that is gone before static objects (a program's Service, say) are destroyed.
  const auto close = [this] {
    free_.clear();
    database_.close();
  };
  try {
    std::thread(close).join();
  } catch (const std::system_error&) {  // no more threads
    close();
  }
  temporary_.remove();
}

Result<Database::Taken> Database::take(const Watch& watch, Reserved reserved) {
  const auto start = Seat::Clock::now();
  std::unique_lock lock(mutex_);
  while (free_.empty() && made_ >= limits_.queries) {
    freed_.wait_for(lock, std::chrono::milliseconds(50));
    if (watch.stop && watch.stop->load()) return was_interrupted(reserved);
    const std::chrono::duration<double> passed = Seat::Clock::now() - start;
    if (watch.timeout_seconds > 0 && passed.count() > watch.timeout_seconds)
      return took_too_long(reserved, "the query");
  }
  if (free_.empty()) {
    auto seat = Seat::make(database_.database(), made_, texts_, registering_);
    if (!seat) return could_not_run(reserved);
    ++made_;
    seat->ask_for(reserved);
    return Taken(*this, std::move(seat));
  }
  Taken out(*this, std::move(free_.back()));
  free_.pop_back();
  out->ask_for(reserved);
  return out;
}

void Database::give_back(std::unique_ptr<Seat> seat) {
  seat->clear();
  {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(seat));
  }
  freed_.notify_one();
}

}  // namespace discreet::engine::duckdb
