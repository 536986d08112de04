#include "discreet/engine/postgres/connection.h"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <future>
#include <limits>
#include <thread>

#include "discreet/base/try.h"
#include "discreet/engine/failure.h"
#include "discreet/engine/postgres/protection.h"
#include "discreet/engine/postgres/row.h"
#include "discreet/policy/server.h"

namespace discreet::engine::postgres {

using std::string;

namespace {

struct Clear {
  void operator()(PGresult* answer) const { PQclear(answer); }
};
using Answer = std::unique_ptr<PGresult, Clear>;

// Functions and types are PostgreSQL's own, whatever the database defines beside them; texts and
// moments are read in one way. Bounding sorts by unit: sorts that stay in a core's cache are
// quicker than one in much memory, and workers may send many rows. The last aggregation has one row
// a group and hashes; what PostgreSQL guesses of its size would make it sort. All of it is said in
// each transaction: a pooler gives every one to whatever backend is free. A statement is of one
// moment in any case; the looks at the catalogue before it must not be of an older one.
constexpr const char* kBegin = "BEGIN ISOLATION LEVEL READ COMMITTED, READ ONLY";
constexpr const char* kBeginAt = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";
constexpr const char* kSettings =
    "; SET LOCAL search_path = pg_catalog; "
    "SET LOCAL standard_conforming_strings = on; SET LOCAL client_encoding = 'UTF8'; "
    "SET LOCAL timezone = 'UTC'; SET LOCAL datestyle = 'ISO, YMD'; "
    "SET LOCAL intervalstyle = 'postgres'; SET LOCAL extra_float_digits = 1; "
    "SET LOCAL client_min_messages = error; SET LOCAL jit = off; SET LOCAL work_mem = '16MB'; "
    "SET LOCAL hash_mem_multiplier = 16; SET LOCAL parallel_tuple_cost = 0.001; "
    "SET LOCAL parallel_setup_cost = 100";

constexpr int kOldest = 140'000;  // 14: EXTRACT is exact from there on
constexpr auto kTick = std::chrono::milliseconds(50);
// How long a server that was told to end a query may take to say so.
constexpr auto kGrace = std::chrono::seconds(5);
// … and one that is asked about its catalogue, or whether it is there.
constexpr double kCatalogueSeconds = 20, kAliveSeconds = 10;

// libpq would print them, and they can hold values.
void ignore_notice(void* /*nothing*/, const PGresult* /*notice*/) {}

struct Finish {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
using Handle = std::unique_ptr<PGconn, Finish>;

Handle connected(const string& dsn) {
  // The address may say its own. A network that has gone silent is noticed within a minute.
  const char* keywords[] = {"connect_timeout",
                            "keepalives_idle",
                            "keepalives_interval",
                            "keepalives_count",
                            "tcp_user_timeout",
                            "fallback_application_name",
                            "dbname",
                            nullptr};
  const char* values[] = {"15", "30", "10", "3", "60000", "discreet", dsn.c_str(), nullptr};
  return Handle(PQconnectdbParams(keywords, values, 1));
}

// libpq can't be told to wait no longer, for a name's address or for a server: it waits on a thread
// of its own, which closes what it gets where nobody wants it any more.
Result<Handle> connect(const string& dsn, const Waiting& waiting) {
  if (!waiting.watch.stop && waiting.watch.timeout_seconds <= 0) return connected(dsn);
  std::promise<Handle> promise;
  auto opened = promise.get_future();
  try {
    std::thread([dsn, promise = std::move(promise)]() mutable {
      try {
        promise.set_value(connected(dsn));
      } catch (...) {  // whoever waits hears that it is broken
      }
    }).detach();
  } catch (...) {  // no thread is to be had
    return connected(dsn);
  }
  while (opened.wait_for(kTick) != std::future_status::ready) {
    if (waiting.stopped()) return was_interrupted(waiting.reserved);
    if (waiting.late()) return took_too_long(waiting.reserved);
  }
  try {
    return opened.get();
  } catch (...) {
    return Handle();
  }
}

}  // namespace

Result<std::unique_ptr<Connection>> Connection::open(const string& dsn, const Waiting& waiting,
                                                     const string& shown) {
  TRY(protected_on_its_way(dsn));
  std::unique_ptr<Connection> out(new Connection(TRY(connect(dsn, waiting)).release()));
  if (!out->sound())
    // libpq's words can show the address; whether it was the network or the password is the
    // owner's to find out.
    return fail(Code::kFailure,
                fmt::format("policy.dsn: the server{}{} can't be reached, or doesn't let us in{}",
                            shown.empty() ? "" : " ", shown, and_spent(waiting.reserved)),
                fmt::format("look with psql at the same address; a password is found in {}",
                            policy::kPasswordPlaces));
  // The address may have named a service, whose file says more.
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> options(
      PQconninfo(out->connection_), PQconninfoFree);
  const char* host = PQhost(out->connection_);
  for (const PQconninfoOption* one = options.get(); one && one->keyword; ++one)
    if (string(one->keyword) == "sslmode")
      TRY(protected_way(host ? host : "", one->val ? one->val : "", says_a_mode(dsn)));
  TRY(out->prepare(waiting));
  return out;
}

Connection::Connection(pg_conn* connection) : connection_(connection) {
  PQsetNoticeReceiver(connection_, ignore_notice, nullptr);
  PQsetnonblocking(connection_, 1);
  wait({}, kCatalogueSeconds);
}
Connection::~Connection() { PQfinish(connection_); }

bool Connection::sound() const {
  return !lost_ && !told_ && PQstatus(connection_) == CONNECTION_OK &&
         PQtransactionStatus(connection_) == PQTRANS_IDLE;
}

void Connection::wait(const Waiting& waiting, double patience) {
  waiting_ = waiting;
  since_ = Clock::now();
  patience_ = patience;
}

bool Connection::execute(const string& sql) {
  bool ok = PQsendQuery(connection_, sql.c_str()) == 1;
  if (!ok) lost_ = true;
  while (const Answer answer{next()}) {
    const ExecStatusType status = PQresultStatus(answer.get());
    ok = ok && (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK);
  }
  return ok && !lost_ && !told_;
}

bool Connection::begin_as(const string& how) {
  string sql = how + kSettings;
  constexpr double kNoEnd = std::numeric_limits<double>::infinity();
  const double allowed = waiting_.watch.timeout_seconds;
  const double left = std::min(allowed > 0 ? allowed - waiting_.passed() : kNoEnd,
                               patience_ > 0 ? patience_ : kNoEnd);
  if (left < kNoEnd)  // the server keeps to it too, should we be gone
    sql += fmt::format("; SET LOCAL statement_timeout = {}",
                       static_cast<std::int64_t>(std::clamp(left * 1000, 1.0, 2e9)) + 1000);
  return execute(sql);
}

bool Connection::begin(const Waiting& waiting) {
  wait(waiting, kCatalogueSeconds);
  return begin_as(kBegin);
}

bool Connection::finish(bool ok) {
  // One that isn't used again ends its transaction by ending itself.
  if (lost_ || told_ || PQstatus(connection_) != CONNECTION_OK) return false;
  return execute(ok ? "COMMIT" : "ROLLBACK") && ok;
}

tl::unexpected<Error> Connection::unanswered() const {
  if (stopped_) return was_interrupted(waiting_.reserved);
  if (late_) return took_too_long(waiting_.reserved);
  return does_not_answer(waiting_.reserved);
}

Result<bool> Connection::answers(const Waiting& waiting) {
  wait(waiting, kAliveSeconds);
  const bool ok = execute("SELECT 1");
  if (stopped_ || late_) return unanswered();
  return ok;
}

Status Connection::prepare(const Waiting& waiting) {
  const auto unusable = [](const string& what, const string& hint) {
    return fail(Code::kFailure, "the server can't be used: " + what, hint);
  };
  if (PQserverVersion(connection_) < kOldest)
    return unusable(fmt::format("it is PostgreSQL {}", PQserverVersion(connection_) / 10'000),
                    "accepted is 14 and later");
  const char* encoding = PQparameterStatus(connection_, "server_encoding");
  if (!encoding || string(encoding) != "UTF8")
    return unusable("its database is not in UTF-8", "CREATE DATABASE … ENCODING 'UTF8'");
  if (begin(waiting) && finish(true)) return {};
  if (stopped_ || late_) return unanswered();
  return unusable("it refuses our settings", "is it PostgreSQL?");
}

std::optional<Connection::Texts> Connection::texts(const string& sql,
                                                   const std::vector<string>& parameters) {
  std::vector<const char*> values;
  for (const string& one : parameters) values.push_back(one.c_str());
  bool ok = PQsendQueryParams(connection_, sql.c_str(), static_cast<int>(values.size()), nullptr,
                              values.data(), nullptr, nullptr, 0) == 1;
  if (!ok) lost_ = true;
  why_.clear();
  Texts out;
  while (const Answer answer{next()}) {
    ok = ok && PQresultStatus(answer.get()) == PGRES_TUPLES_OK;
    const char* why = PQresultErrorField(answer.get(), PG_DIAG_SQLSTATE);
    if (why) why_ = why;
    for (int row = 0; row < PQntuples(answer.get()); ++row) {
      out.emplace_back();
      for (int column = 0; column < PQnfields(answer.get()); ++column)
        out.back().emplace_back(PQgetvalue(answer.get(), row, column),
                                static_cast<std::size_t>(PQgetlength(answer.get(), row, column)));
    }
  }
  if (!ok || lost_ || told_) return std::nullopt;
  return out;
}

std::optional<std::int64_t> Connection::setting(const string& name, const Waiting& waiting) {
  const bool begun = begin(waiting);
  const auto found = begun ? texts("SELECT current_setting($1, true)", {name}) : std::nullopt;
  if (!finish(found.has_value()) || found->size() != 1 || found->front().size() != 1)
    return std::nullopt;
  const string& text = found->front().front();
  std::int64_t out = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return out;
}

// By a connection of its own, which may hang as ours does: nobody waits for it.
void Connection::cancel() {
  PGcancel* cancel = PQgetCancel(connection_);
  if (!cancel) return;
  const auto send = [cancel] {
    std::array<char, 256> ignored{};
    PQcancel(cancel, ignored.data(), static_cast<int>(ignored.size()));
    PQfreeCancel(cancel);
  };
  try {
    std::thread(send).detach();
  } catch (...) {  // no thread is to be had: closing the connection has to do
    PQfreeCancel(cancel);
  }
}

void Connection::look() {
  const auto now = Clock::now();
  if (waiting_.watch.progress) waiting_.watch.progress(-1);
  if (waiting_.stopped()) stopped_ = true;
  if (waiting_.late()) late_ = true;
  const std::chrono::duration<double> waited = now - since_;
  if (patience_ > 0 && waited.count() > patience_) tired_ = true;
  // Said once: the server answers with an end of the query, or is given up.
  if ((stopped_ || late_ || tired_) && !told_) {
    told_ = now;
    cancel();
  }
  if (told_ && now - *told_ > kGrace) lost_ = true;
}

pg_result* Connection::next() {
  while (!lost_) {
    const int unsent = PQflush(connection_);
    if (unsent < 0) break;
    if (unsent == 0 && PQisBusy(connection_) == 0) {
      pg_result* answer = PQgetResult(connection_);
      const ExecStatusType status = PQresultStatus(answer);
      if (status != PGRES_COPY_IN && status != PGRES_COPY_OUT && status != PGRES_COPY_BOTH)
        return answer;
      PQclear(answer);  // nobody asked for it, and it has no end
      break;
    }
    pollfd socket{PQsocket(connection_), POLLIN, 0};
    if (unsent != 0) socket.events = POLLIN | POLLOUT;
    const int ready = poll(&socket, 1, static_cast<int>(kTick.count()));
    if (ready > 0 && (socket.revents & ~POLLOUT) != 0 && PQconsumeInput(connection_) == 0) break;
    look();
  }
  lost_ = true;
  return nullptr;
}

bool Connection::send(const string& sql, const std::vector<std::int64_t>& parameters) {
  std::vector<string> texts;
  for (const std::int64_t one : parameters) texts.push_back(std::to_string(one));
  std::vector<const char*> values;
  for (const string& one : texts) values.push_back(one.c_str());
  // Their types are said: one that a statement has no use for has none.
  constexpr Oid kBigint = 20;
  const std::vector<Oid> types(values.size(), kBigint);
  constexpr int kBinary = 1;
  const bool sent = PQsendQueryParams(connection_, sql.c_str(), static_cast<int>(values.size()),
                                      types.data(), values.data(), nullptr, nullptr, kBinary) == 1;
  if (!sent) lost_ = true;
  return sent;
}

Result<bool> Connection::plans(const Query& query, const Waiting& waiting) {
  bool ok = begin(waiting) && send("EXPLAIN " + query.sql, query.parameters);
  while (const Answer answer{next()}) ok = ok && PQresultStatus(answer.get()) == PGRES_TUPLES_OK;
  finish(ok);
  if (lost_ || told_ || PQstatus(connection_) != CONNECTION_OK) return unanswered();
  return ok;
}

Result<bool> Connection::run(const Query& query, const Waiting& waiting,
                             const std::function<bool()>& ready, const EachRow& each) {
  wait(waiting);
  const bool ok = begin_as(kBegin) && ready() && !told_;
  return end(ok && statement(query, each));
}

bool Connection::begin_at(const string& moment, const string& table, const Waiting& waiting) {
  wait(waiting);
  string how = kBeginAt;
  if (!moment.empty()) how += "; SET TRANSACTION SNAPSHOT '" + moment + "'";
  // It does a share of the work already: what its own workers would send, row by row, it would have
  // to put in order again.
  if (!begin_as(how) || !execute("SET LOCAL max_parallel_workers_per_gather = 0")) return false;
  // A lock has no moment: that begins with the first look afterwards.
  return table.empty() || execute("LOCK TABLE " + table + " IN ACCESS SHARE MODE");
}

std::optional<string> Connection::moment() {
  const auto told = texts("SELECT pg_export_snapshot()");
  if (!told || told->size() != 1 || told->front().size() != 1) return std::nullopt;
  const string& out = told->front().front();
  if (out.empty() || out.find_first_not_of("0123456789ABCDEF-") != string::npos)
    return std::nullopt;
  return out;
}

bool Connection::statement(const Query& query, const EachRow& each) {
  bool ok = send(query.sql, query.parameters) && PQsetSingleRowMode(connection_) == 1;
  if (!ok) return false;
  while (const Answer answer{next()}) {
    const ExecStatusType status = PQresultStatus(answer.get());
    ok = ok && (status == PGRES_SINGLE_TUPLE || status == PGRES_TUPLES_OK) &&
         has_columns(answer.get(), query.expected);
    if (!ok || status != PGRES_SINGLE_TUPLE) continue;
    ok = has_values(answer.get(), query.expected) && each(BinaryRow(answer.get()));
    if (!ok && !told_) {  // what more it would send isn't wanted
      told_ = Clock::now();
      cancel();
    }
  }
  return ok && !lost_ && !told_;
}

Result<bool> Connection::end(bool ok) {
  ok = finish(ok && !lost_);
  if (stopped_ || late_) return unanswered();
  return ok;
}

}  // namespace discreet::engine::postgres
