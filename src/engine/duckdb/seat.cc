#include "discreet/engine/duckdb/seat.h"

#include <fmt/format.h>

#include <condition_variable>
#include <thread>

#include "discreet/engine/duckdb/result.h"
#include "discreet/engine/duckdb/rows_function.h"

namespace discreet::engine::duckdb {

using std::string;

std::unique_ptr<Seat> Seat::make(duckdb_database database, unsigned number,
                                 const std::set<string>& files, std::mutex& registering) {
  std::unique_ptr<Seat> seat(new Seat(number, registering));
  if (duckdb_connect(database, &seat->connection_) != DuckDBSuccess) return nullptr;
  const std::lock_guard lock(registering);
  const bool ok =
      add_rows_function(seat->connection_, seat->rows_function(), files, &seat->reading_);
  return ok ? std::move(seat) : nullptr;
}

Seat::~Seat() {
  if (connection_) duckdb_disconnect(&connection_);
}

bool Seat::execute(const string& sql) {
  ResultHolder holder;
  return duckdb_query(connection_, sql.c_str(), &holder.result) == DuckDBSuccess;
}

string Seat::rows_function() const { return fmt::format("{}_{}", kRowsFunction, number_); }

string Seat::feed_function(Feed& feed) {
  string name = fmt::format("discreet_feed_{}", number_);
  if (!feed_) {
    auto place = std::make_unique<FeedPlace>();
    const std::lock_guard lock(registering_);
    if (!add_feed_function(connection_, name, place.get())) return {};
    feed_ = std::move(place);
  }
  feed_->feed = &feed;
  return name;
}

std::vector<string> Seat::grid_functions(const std::vector<bound::Grid>& grids) {
  std::vector<string> out;
  for (std::size_t i = 0; i < grids.size(); ++i) {
    string name = fmt::format("discreet_slot_{}_{}", number_, i);
    if (i == grids_.size()) {
      auto place = std::make_unique<GridPlace>();
      const std::lock_guard lock(registering_);
      if (!add_grid_function(connection_, name, place.get())) return out;
      grids_.push_back(std::move(place));
    }
    grids_[i]->grid = grids[i];
    out.push_back(std::move(name));
  }
  return out;
}

void Seat::clear() {
  if (feed_) feed_->feed = nullptr;
  for (const auto& place : grids_) place->grid.reset();
}

// DuckDB doesn't know how far our own readers are.
double Seat::percentage() {
  const auto all = static_cast<double>(reading_.all);
  if (all > 0) return 100 * std::min(1.0, static_cast<double>(reading_.done) / all);
  return duckdb_query_progress(connection_).percentage;
}

Result<bool> Seat::watched(const string& sql, const Watch& watch, duckdb_result& result,
                           Clock::time_point start) {
  std::mutex mutex;
  std::condition_variable wake;
  bool done = false, stopped = false, late = false;
  reading_.stop = false;
  reading_.done = reading_.all = 0;
  std::thread watcher([&] {
    std::unique_lock lock(mutex);
    while (!wake.wait_for(lock, std::chrono::milliseconds(50), [&] { return done; })) {
      if (watch.progress) watch.progress(percentage());
      const std::chrono::duration<double> passed = Clock::now() - start;
      if (watch.stop && watch.stop->load()) stopped = true;
      if (watch.timeout_seconds > 0 && passed.count() > watch.timeout_seconds) late = true;
      if (stopped || late) {
        reading_.stop = true;
        duckdb_interrupt(connection_);
      }
    }
  });
  const bool ok = duckdb_query(connection_, sql.c_str(), &result) == DuckDBSuccess;
  {
    const std::lock_guard lock(mutex);
    done = true;
  }
  wake.notify_all();
  watcher.join();
  if (stopped) return was_interrupted(reserved_);
  if (late) return took_too_long(reserved_, "the query");
  return ok;
}

}  // namespace discreet::engine::duckdb
