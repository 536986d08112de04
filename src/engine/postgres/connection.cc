#include "discreet/engine/postgres/connection.h"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>

#include "discreet/base/try.h"
#include "discreet/engine/failure.h"
#include "discreet/engine/postgres/row.h"

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
// a group and hashes; what PostgreSQL guesses of its size would make it sort.
constexpr const char* kSettings =
    "SET search_path = pg_catalog; SET standard_conforming_strings = on; "
    "SET client_encoding = 'UTF8'; SET timezone = 'UTC'; SET datestyle = 'ISO, YMD'; "
    "SET intervalstyle = 'postgres'; SET extra_float_digits = 1; SET client_min_messages = error; "
    "SET default_transaction_read_only = on; SET jit = off; SET work_mem = '16MB'; "
    "SET hash_mem_multiplier = 16; SET parallel_tuple_cost = 0.001; SET parallel_setup_cost = 100";

constexpr int kOldest = 140'000;  // 14: EXTRACT is exact from there on
constexpr auto kTick = std::chrono::milliseconds(50);

}  // namespace

Result<std::unique_ptr<Connection>> Connection::open(const string& dsn) {
  // The address may say its own timeout and name.
  const char* keywords[] = {"connect_timeout", "fallback_application_name", "dbname", nullptr};
  const char* values[] = {"15", "discreet", dsn.c_str(), nullptr};
  std::unique_ptr<Connection> out(new Connection(PQconnectdbParams(keywords, values, 1)));
  if (!out->sound())
    // libpq's words can show the address; whether it was the network or the password is the
    // owner's to find out.
    return fail(
        Code::kFailure, "the server can't be reached, or doesn't let us in",
        "look with psql at the same address; a password is found in ~/.pgpass, a service file or "
        "PGPASSWORD");
  TRY(out->prepare());
  return out;
}

Connection::~Connection() { PQfinish(connection_); }

bool Connection::sound() const {
  return PQstatus(connection_) == CONNECTION_OK && PQtransactionStatus(connection_) == PQTRANS_IDLE;
}

bool Connection::execute(const string& sql) {
  const Answer answer(PQexec(connection_, sql.c_str()));
  const ExecStatusType status = PQresultStatus(answer.get());
  return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

Status Connection::prepare() {
  const auto unusable = [](const string& what, const string& hint) {
    return fail(Code::kFailure, "the server can't be used: " + what, hint);
  };
  if (PQserverVersion(connection_) < kOldest)
    return unusable(fmt::format("it is PostgreSQL {}", PQserverVersion(connection_) / 10'000),
                    "accepted is 14 and later");
  const char* encoding = PQparameterStatus(connection_, "server_encoding");
  if (!encoding || string(encoding) != "UTF8")
    return unusable("its database is not in UTF-8", "CREATE DATABASE … ENCODING 'UTF8'");
  if (!execute(kSettings)) return unusable("it refuses our settings", "is it PostgreSQL?");
  return {};
}

std::optional<Connection::Texts> Connection::texts(const string& sql,
                                                   const std::vector<string>& parameters) {
  std::vector<const char*> values;
  for (const string& one : parameters) values.push_back(one.c_str());
  const Answer answer(PQexecParams(connection_, sql.c_str(), static_cast<int>(values.size()),
                                   nullptr, values.data(), nullptr, nullptr, 0));
  if (PQresultStatus(answer.get()) != PGRES_TUPLES_OK) return std::nullopt;
  Texts out(static_cast<std::size_t>(PQntuples(answer.get())));
  for (std::size_t row = 0; row < out.size(); ++row)
    for (int column = 0; column < PQnfields(answer.get()); ++column)
      out[row].emplace_back(
          PQgetvalue(answer.get(), static_cast<int>(row), column),
          static_cast<std::size_t>(PQgetlength(answer.get(), static_cast<int>(row), column)));
  return out;
}

void Connection::cancel() {
  PGcancel* cancel = PQgetCancel(connection_);
  std::array<char, 256> ignored{};
  if (cancel) PQcancel(cancel, ignored.data(), static_cast<int>(ignored.size()));
  PQfreeCancel(cancel);
}

Connection::Waited Connection::next(const Watch& watch, Clock::time_point start) {
  Waited out;
  bool told = false;
  while (PQisBusy(connection_) != 0) {
    pollfd socket{PQsocket(connection_), POLLIN, 0};
    const int ready = poll(&socket, 1, static_cast<int>(kTick.count()));
    if (ready > 0 && PQconsumeInput(connection_) == 0) {
      out.lost = true;
      break;
    }
    if (watch.progress) watch.progress(-1);
    const std::chrono::duration<double> passed = Clock::now() - start;
    if (watch.stop && watch.stop->load()) out.stopped = true;
    if (watch.timeout_seconds > 0 && passed.count() > watch.timeout_seconds) out.late = true;
    // Said once: the server answers with an end of the query.
    if ((out.stopped || out.late) && !told) {
      cancel();
      told = true;
    }
  }
  if (!out.lost) out.answer = PQgetResult(connection_);
  return out;
}

Result<bool> Connection::run(const Query& query, const Watch& watch, Clock::time_point start,
                             const std::function<bool()>& ready, const EachRow& each) {
  if (!execute("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")) return false;
  bool ok = ready(), stopped = false, late = false;
  if (watch.timeout_seconds > 0) {
    // The server keeps to it too, should we be gone.
    const std::chrono::duration<double> passed = Clock::now() - start;
    const double left = std::clamp((watch.timeout_seconds - passed.count()) * 1000, 1.0, 2e9);
    ok = ok && execute(fmt::format("SET LOCAL statement_timeout = {}",
                                   static_cast<std::int64_t>(left) + 1000));
  }
  std::vector<string> texts;
  for (const std::int64_t one : query.parameters) texts.push_back(std::to_string(one));
  std::vector<const char*> values;
  for (const string& one : texts) values.push_back(one.c_str());
  // Their types are said: one that a statement has no use for has none.
  constexpr Oid kBigint = 20;
  const std::vector<Oid> types(values.size(), kBigint);
  constexpr int kBinary = 1;
  ok = ok &&
       PQsendQueryParams(connection_, query.sql.c_str(), static_cast<int>(values.size()),
                         types.data(), values.data(), nullptr, nullptr, kBinary) == 1 &&
       PQsetSingleRowMode(connection_) == 1;
  for (bool more = ok; more;) {
    const Waited waited = next(watch, start);
    const Answer answer(waited.answer);
    stopped = stopped || waited.stopped;
    late = late || waited.late;
    if (waited.lost) ok = false;
    if (!answer) break;
    const ExecStatusType status = PQresultStatus(answer.get());
    ok = ok && (status == PGRES_SINGLE_TUPLE || status == PGRES_TUPLES_OK) &&
         has_columns(answer.get(), query.expected);
    if (ok && status == PGRES_SINGLE_TUPLE) each(BinaryRow(answer.get()));
  }
  if (PQstatus(connection_) == CONNECTION_OK) ok = execute(ok ? "COMMIT" : "ROLLBACK") && ok;
  if (stopped) return was_interrupted();
  if (late) return took_too_long();
  return ok;
}

}  // namespace discreet::engine::postgres
