// A connection to a server, for one query at a time: read-only, its settings pinned, its texts in
// UTF-8. What the server says of a failure never comes out.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "discreet/engine/engine.h"
#include "discreet/engine/pushdown/contributions.h"

struct pg_conn;
struct pg_result;

namespace discreet::engine::postgres {

class Connection {
 public:
  static Result<std::unique_ptr<Connection>> open(const std::string& dsn);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  using Clock = std::chrono::steady_clock;
  using EachRow = std::function<bool(const pushdown::Row&)>;  // false: no more of them
  // One statement in a transaction of its own, read-only; parameters are whole
  // numbers. Each row is handed on as it comes, once its columns are what is `expected`. False: the
  // server ended it, or sent something else; an error: it was stopped from outside. The time that
  // is allowed began at `start`. `ready` may look at what it reads, in the same transaction; false
  // ends it.
  struct Query {
    std::string sql;
    std::vector<std::int64_t> parameters;
    std::vector<pushdown::Held> expected;
  };
  Result<bool> run(const Query& query, const Watch& watch, Clock::time_point start,
                   const std::function<bool()>& ready, const EachRow& each);

  // The same in steps, for several connections whose statements are to be of one moment. The first
  // of them keeps the table's definition by locking it (quoted; empty: nothing) before its moment
  // begins, and tells the moment; the others begin at that. False as above; the end says why.
  bool begin_at(const std::string& moment, const std::string& table, const Watch& watch,
                Clock::time_point start);
  std::optional<std::string> moment();
  bool statement(const Query& query, const EachRow& each);
  Result<bool> end(bool ok);

  // Whether the server can plan it, of which no row is read; an error: it doesn't answer.
  Result<bool> plans(const Query& query);

  // A transaction for small questions, its settings pinned: behind a pooler the next one may be on
  // another backend. False: the server doesn't let us, or doesn't answer.
  bool begin();
  bool finish(bool ok);

  // A small question about the catalogue, all of it as texts (NULL is empty); nothing where it
  // fails.
  using Texts = std::vector<std::vector<std::string>>;
  // Of an answer that failed the server's code for why is kept.
  const std::string& why() const { return why_; }
  std::optional<Texts> texts(const std::string& sql,
                             const std::vector<std::string>& parameters = {});

  // Whether it went well.
  bool execute(const std::string& sql);

  // A setting of the server that is a whole number; nothing where it isn't told.
  std::optional<std::int64_t> setting(const std::string& name);

  // Whether the server still answers, and soon; an error: it was stopped from outside.
  Result<bool> answers(const Watch& watch, Clock::time_point start);

  // Whether it can still be used.
  bool sound() const;

 private:
  explicit Connection(pg_conn* connection);
  Status prepare();
  // What is sent from here on is waited for as long as the watch allows.
  void watch(const Watch& watch, Clock::time_point start);
  void look();
  void cancel();
  bool begin(const std::string& how, double timeout_seconds);
  bool send(const std::string& sql, const std::vector<std::int64_t>& parameters);
  // The next answer; nothing at the end, or where the connection is lost.
  pg_result* next();

  pg_conn* connection_;
  Watch watch_;
  Clock::time_point start_;
  bool stopped_ = false, late_ = false;
  // When the server was told to end it. Such a connection isn't used again: what was told may reach
  // it late.
  std::optional<Clock::time_point> told_;
  bool lost_ = false;
  std::string why_;
};

}  // namespace discreet::engine::postgres
