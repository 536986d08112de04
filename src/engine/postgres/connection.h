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
#include "discreet/engine/failure.h"
#include "discreet/engine/pushdown/contributions.h"

struct pg_conn;
struct pg_result;

namespace discreet::engine::postgres {

// How long somebody waits, since when, and whether it is paid for.
struct Waiting {
  Watch watch = {};
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  Reserved reserved = Reserved::kNothing;

  bool stopped() const { return watch.stop && watch.stop->load(); }
  double passed() const {  // seconds
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  bool late() const { return watch.timeout_seconds > 0 && passed() > watch.timeout_seconds; }
};

class Connection {
 public:
  // `shown` is what a message calls the server; it holds no secret, as `dsn` may.
  static Result<std::unique_ptr<Connection>> open(const std::string& dsn,
                                                  const Waiting& waiting = {},
                                                  const std::string& shown = {});
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  using Clock = std::chrono::steady_clock;
  using EachRow = std::function<bool(const pushdown::Row&)>;  // false: no more of them
  // One statement in a transaction of its own, read-only; parameters are whole
  // numbers. Each row is handed on as it comes, once its columns are what is `expected`. False: the
  // server ended it, or sent something else; an error: it was stopped from outside. `ready` may
  // look at what it reads, in the same transaction; false ends it.
  struct Query {
    std::string sql;
    std::vector<std::int64_t> parameters;
    std::vector<pushdown::Held> expected;
  };
  Result<bool> run(const Query& query, const Waiting& waiting, const std::function<bool()>& ready,
                   const EachRow& each);

  // The same in steps, for several connections whose statements are to be of one moment. The first
  // of them keeps the table's definition by locking it (quoted; empty: nothing) before its moment
  // begins, and tells the moment; the others begin at that. False as above; the end says why.
  bool begin_at(const std::string& moment, const std::string& table, const Waiting& waiting);
  std::optional<std::string> moment();
  bool statement(const Query& query, const EachRow& each);
  Result<bool> end(bool ok);

  // Whether the server can plan it, of which no row is read; an error: it doesn't answer.
  Result<bool> plans(const Query& query, const Waiting& waiting = {});

  // A transaction for small questions, its settings pinned: behind a pooler the next one may be on
  // another backend. False: the server doesn't let us, or doesn't answer (soon: that is waited for
  // some seconds, if so long); unanswered() says which.
  bool begin(const Waiting& waiting = {});
  bool finish(bool ok);
  tl::unexpected<Error> unanswered() const;

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
  std::optional<std::int64_t> setting(const std::string& name, const Waiting& waiting = {});

  // Whether the server still answers, and soon; an error: it was stopped from outside.
  Result<bool> answers(const Waiting& waiting);

  // Whether it can still be used.
  bool sound() const;

 private:
  explicit Connection(pg_conn* connection);
  Status prepare(const Waiting& waiting);
  // What is sent from here on is waited for as long as that allows, and our own patience (seconds;
  // 0: no end).
  void wait(const Waiting& waiting, double patience = 0);
  void look();
  void cancel();
  bool begin_as(const std::string& how);
  bool send(const std::string& sql, const std::vector<std::int64_t>& parameters);
  // The next answer; nothing at the end, or where the connection is lost.
  pg_result* next();

  pg_conn* connection_;
  Waiting waiting_;
  Clock::time_point since_;
  double patience_ = 0;
  bool stopped_ = false, late_ = false, tired_ = false;
  // When the server was told to end it. Such a connection isn't used again: what was told may reach
  // it late.
  std::optional<Clock::time_point> told_;
  bool lost_ = false;
  std::string why_;
};

}  // namespace discreet::engine::postgres
