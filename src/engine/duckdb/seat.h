// A seat for one query at a time: a connection of its own to the database, and the functions that
// the query's SQL calls. DuckDB can't forget a function, so they stay with the seat, under names
// that hold its number, and a query puts what they need into them while it runs. When it leaves the
// seat they are empty, and fail whoever calls them.
#pragma once

#include <duckdb.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "discreet/engine/duckdb/blocks.h"
#include "discreet/engine/duckdb/feed.h"
#include "discreet/engine/engine.h"
#include "discreet/engine/failure.h"

namespace discreet::engine::duckdb {

class Seat {
 public:
  // `files` are those that the text readers may read; `registering` keeps seats from adding
  // functions at the same time. Nothing where DuckDB refuses.
  static std::unique_ptr<Seat> make(duckdb_database database, unsigned number,
                                    const std::set<std::string>& files, std::mutex& registering);
  ~Seat();
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;

  // Whether what is asked here is paid for: what is said where it doesn't end well.
  void ask_for(Reserved reserved) { reserved_ = reserved; }
  // One text for every cause: DuckDB's own words can hold values from the rows, and which limit was
  // met first can depend on them.
  tl::unexpected<Error> broken() const { return could_not_run(reserved_); }

  duckdb_connection connection() const { return connection_; }
  bool execute(const std::string& sql);
  std::string rows_function() const;  // the text readers, rows_function.h

  // The function that hands rows to this feed until clear(); empty where DuckDB refuses.
  std::string feed_function(Feed& feed);
  // One for each grid: puts a column's numbers on it. Fewer where DuckDB refuses.
  std::vector<std::string> grid_functions(const std::vector<bound::Grid>& grids);
  void clear();

  using Clock = std::chrono::steady_clock;
  // Runs a query under a watcher thread that shows progress and can interrupt. The time that is
  // allowed began at `start`. False: DuckDB itself ended it; an error: it was stopped from outside.
  Result<bool> watched(const std::string& sql, const Watch& watch, duckdb_result& result,
                       Clock::time_point start = Clock::now());

 private:
  Seat(unsigned number, std::mutex& registering) : number_(number), registering_(registering) {}
  double percentage();

  const unsigned number_;
  std::mutex& registering_;
  Reserved reserved_ = Reserved::kStays;
  duckdb_connection connection_ = nullptr;
  Reading reading_;
  std::unique_ptr<FeedPlace> feed_;
  std::vector<std::unique_ptr<GridPlace>> grids_;
};

}  // namespace discreet::engine::duckdb
