// DuckDB, embedded and locked: it can read the policy's sources and nothing else, and loads no
// extension. Queries sit down one by one.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "discreet/base/temporary_folder.h"
#include "discreet/engine/duckdb/hardened.h"
#include "discreet/engine/duckdb/seat.h"

namespace discreet::engine::duckdb {

class Database {
 public:
  static Result<std::unique_ptr<Database>> open(const policy::Policy& policy, Limits limits);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Gives the seat back, empty, at the end of the query.
  class Taken {
   public:
    Taken(Database& database, std::unique_ptr<Seat> seat)
        : database_(&database), seat_(std::move(seat)) {}
    Taken(Taken&&) = default;
    ~Taken() {
      if (seat_) database_->give_back(std::move(seat_));
    }
    Seat* operator->() const { return seat_.get(); }
    Seat& operator*() const { return *seat_; }

   private:
    Database* database_;
    std::unique_ptr<Seat> seat_;
  };
  // Waits while as many queries run as may.
  Result<Taken> take(const Watch& watch, Reserved reserved = Reserved::kStays);

  const Limits& limits() const { return limits_; }

 private:
  explicit Database(Limits limits) : limits_(limits) {}
  Status lock(const policy::Policy& policy);
  void give_back(std::unique_ptr<Seat> seat);

  const Limits limits_;
  Hardened database_;
  TemporaryFolder temporary_;
  std::set<std::string> texts_;  // files that our own readers read
  std::mutex registering_, mutex_;
  std::condition_variable freed_;
  std::vector<std::unique_ptr<Seat>> free_;
  unsigned made_ = 0;
};

}  // namespace discreet::engine::duckdb
