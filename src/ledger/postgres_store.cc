#include "discreet/ledger/postgres_store.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <charconv>
#include <cstdlib>
#include <initializer_list>

#include "discreet/base/try.h"

namespace discreet::ledger {
namespace {

struct CloseConnection {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
struct ClearAnswer {
  void operator()(PGresult* answer) const { PQclear(answer); }
};
struct FreeOptions {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};
using Answer = std::unique_ptr<PGresult, ClearAnswer>;
using Options = std::unique_ptr<PQconninfoOption, FreeOptions>;

// The first halves of the advisory locks' keys; the second is the ledger's number, 0 while the
// schema is made. Clients wait in the queue. Whoever comes out of it is next: it reads what there
// is while the one before it is still writing, so that when its turn comes hardly anything is left
// to read.
constexpr const char* kTurn = "1146113095";
constexpr const char* kQueue = "1146113096";

constexpr const char* kSchema = R"(
CREATE SCHEMA IF NOT EXISTS discreet;
CREATE TABLE IF NOT EXISTS discreet.format(version integer PRIMARY KEY);
CREATE TABLE IF NOT EXISTS discreet.ledger(number serial PRIMARY KEY, name text UNIQUE NOT NULL);
CREATE TABLE IF NOT EXISTS discreet.record(ledger integer NOT NULL REFERENCES discreet.ledger, record bigint NOT NULL,
  body text NOT NULL, hash text NOT NULL, PRIMARY KEY (ledger, record));
CREATE TABLE IF NOT EXISTS discreet.result(ledger integer NOT NULL, record bigint NOT NULL, body text NOT NULL,
  PRIMARY KEY (ledger, record));
CREATE OR REPLACE FUNCTION discreet.append_only() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$;
CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON discreet.record
  EXECUTE FUNCTION discreet.append_only();
CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON discreet.result
  EXECUTE FUNCTION discreet.append_only();
)";

struct Statement {
  const char* name;
  const char* sql;
  int parameters;
};
constexpr Statement kLock{"dl_lock", "SELECT pg_advisory_lock($1::int, $2::int)", 2};
constexpr Statement kUnlock{"dl_unlock", "SELECT pg_advisory_unlock($1::int, $2::int)", 2};
constexpr Statement kBegin{"dl_begin", "BEGIN ISOLATION LEVEL SERIALIZABLE", 0};
// The records, after one line about the ledger itself: the server's clock and the name it goes by.
constexpr Statement kRows{
    "dl_rows",
    "SELECT 0::bigint, name, extract(epoch FROM clock_timestamp())::bigint::text FROM "
    "discreet.ledger "
    "WHERE number = $1::int UNION ALL (SELECT record, body, hash FROM discreet.record "
    "WHERE ledger = $1::int AND record > $2::bigint ORDER BY record)",
    2};
constexpr Statement kInsert{
    "dl_insert",
    "INSERT INTO discreet.record(ledger, record, body, hash) VALUES ($1::int, $2::bigint, $3, $4)",
    4};
constexpr Statement kKeep{
    "dl_keep", "INSERT INTO discreet.result(ledger, record, body) VALUES ($1::int, $2::bigint, $3)",
    3};
constexpr Statement kCommit{"dl_commit", "COMMIT", 0};
// Writes a word to the log and commits it synchronously: with it, everything before it in the log
// is on the disk.
constexpr Statement kFlush{"dl_flush",
                           "SELECT set_config('synchronous_commit', 'on', true), "
                           "pg_logical_emit_message(true, 'discreet', '')",
                           0};
constexpr Statement kRollback{"dl_rollback", "ROLLBACK", 0};
constexpr Statement kStatements[] = {kLock, kUnlock, kBegin, kRows,    kInsert,
                                     kKeep, kCommit, kFlush, kRollback};

struct Address {
  std::string connection;  // what libpq reads
  std::string name = "default";
};

Address split(const std::string& address) {
  const std::size_t hash = address.find('#');
  Address out{address.substr(0, hash)};
  if (hash != std::string::npos && hash + 1 < address.size()) out.name = address.substr(hash + 1);
  return out;
}

std::int64_t integer(const char* text) {
  std::int64_t value = 0;
  std::from_chars(text, text + std::char_traits<char>::length(text), value);
  return value;
}

class PostgresStore final : public Store {
 public:
  PostgresStore(Address address, std::string location, Clock clock)
      : address_(std::move(address)), location_(std::move(location)), clock_(std::move(clock)) {}

  Result<Snapshot> read(std::uint64_t known) override {
    TRY(connect());
    if (number_ == 0) return Snapshot{{}, now(nullptr)};
    send(kRows, {std::to_string(number_), std::to_string(known)});
    auto answers = TRY(collect(1));
    return snapshot(answers[0]);
  }

  Result<Snapshot> line_up(std::uint64_t known) override {
    TRY(connect());
    if (number_ == 0) {
      if (known > 0) return removed();
      TRY(create());
    }
    const std::string number = std::to_string(number_);
    send(kLock, {kQueue, number});
    PQpipelineSync(connection_.get());
    send(kRows, {number, std::to_string(known)});
    auto answers = collect(2);
    if (!answers) return let_go(answers.error());
    return current((*answers)[1]);
  }

  Result<Snapshot> begin(std::uint64_t known) override {
    // In one journey: wait for the turn, let the next one line up, and begin. The transaction's
    // snapshot is taken after the lock was given.
    const std::string number = std::to_string(number_);
    send(kLock, {kTurn, number});
    send(kUnlock, {kQueue, number});
    PQpipelineSync(connection_.get());
    send(kBegin, {});
    send(kRows, {number, std::to_string(known)});
    auto answers = collect(4);
    if (!answers) return let_go(answers.error());
    begun_ = true;
    return current((*answers)[3]);
  }

  // The turn ends before the disk has confirmed, so that waiting for the disk is shared by all who
  // wait for it. The log is written in order: a record that another client builds on ours can't
  // become durable before ours. And nobody relies on a record before a flush that came after it:
  // not this function's caller, nor the registry (settled()).
  Status finish(const std::vector<Row>& rows) override {
    if (!begun_) return give_up();
    begun_ = false;
    const std::string number = std::to_string(number_);
    std::size_t expected = 2;
    for (const Row& row : rows) {
      send(kInsert, {number, std::to_string(row.record), row.body, row.hash});
      if (row.result) send(kKeep, {number, std::to_string(row.record), *row.result});
      expected += row.result ? 2 : 1;
    }
    send(rows.empty() ? kRollback : kCommit, {});
    PQpipelineSync(connection_.get());
    send(kUnlock, {kTurn, number});
    if (!rows.empty()) {
      PQpipelineSync(connection_.get());
      send(kFlush, {});
    }
    auto answers = collect(expected + (rows.empty() ? 0 : 1));
    if (!answers) return let_go(answers.error());
    // COMMIT of a transaction that has failed says ROLLBACK, and no error.
    const Answer& end = (*answers)[expected - 2];
    if (!rows.empty() && std::string_view(PQcmdStatus(end.get())) != "COMMIT") {
      return fail(Code::kFailure, fmt::format("{}: the transaction was taken back", location_));
    }
    return {};
  }

  Result<Snapshot> settled(std::uint64_t known) override {
    TRY(connect());
    if (number_ == 0) return Snapshot{{}, now(nullptr)};
    send(kRows, {std::to_string(number_), std::to_string(known)});
    PQpipelineSync(connection_.get());
    send(kFlush, {});
    auto answers = TRY(collect(2));
    return snapshot(answers[0]);
  }

  Result<std::string> result(std::uint64_t record) override {
    TRY(connect());
    auto answer =
        query("SELECT body FROM discreet.result WHERE ledger = $1::int AND record = $2::bigint",
              {std::to_string(number_), std::to_string(record)});
    if (!answer) return forward_error(answer);
    if (PQntuples(answer->get()) == 1) return std::string(PQgetvalue(answer->get(), 0, 0));
    return fail(Code::kFailure,
                fmt::format("{}: the answer of record {} is missing", location_, record));
  }

  Status inspect() override { return {}; }

  Result<std::string> put_aside(const std::string& suffix) override {
    TRY(connect());
    const std::string aside = address_.name + suffix;
    if (number_ == 0) return aside;
    // Under the turn, so that no transaction is under way in it.
    const std::string number = std::to_string(number_);
    TRY(query(kLock.sql, {kTurn, number}));
    auto renamed =
        query("UPDATE discreet.ledger SET name = $2 WHERE number = $1::int", {number, aside});
    (void)query(kUnlock.sql, {kTurn, number});
    if (!renamed) return forward_error(renamed);
    number_ = 0;
    return aside;
  }

 private:
  using Texts = std::initializer_list<std::string>;

  tl::unexpected<Error> problem(const PGresult* answer) const {
    const char* primary =
        answer == nullptr ? nullptr : PQresultErrorField(answer, PG_DIAG_MESSAGE_PRIMARY);
    std::string said = primary != nullptr ? primary : PQerrorMessage(connection_.get());
    while (!said.empty() && said.back() == '\n') said.pop_back();
    for (char& c : said)
      if (c == '\n') c = ' ';
    return fail(Code::kFailure, fmt::format("{}: PostgreSQL said: {}", location_, said),
                "the ledger must be reachable and writable");
  }

  tl::unexpected<Error> removed() const {
    return fail(Code::kFailure,
                fmt::format("{}: the ledger has been removed or put aside", location_),
                "put it back");
  }

  // Ends whatever is open and gives the turn back, then passes the error on.
  tl::unexpected<Error> let_go(Error error) {
    // Closing does all of it: the server takes back the transaction and frees the lock of a
    // connection that ends.
    connection_.reset();
    begun_ = false;
    return tl::unexpected<Error>(std::move(error));
  }

  Status connect() {
    if (connection_ && PQstatus(connection_.get()) == CONNECTION_OK) {
      return number_ == 0 ? look_up() : Status{};
    }
    connection_.reset(PQconnectdb(address_.connection.c_str()));
    number_ = 0;
    prepared_ = false;
    if (PQstatus(connection_.get()) != CONNECTION_OK) return problem(nullptr);
    // Warnings go nowhere: the library prints nothing.
    PQsetNoticeProcessor(
        connection_.get(), [](void*, const char*) {}, nullptr);
    // Commits don't wait for the disk: finish() does, once its turn is over (it says why that is
    // safe). And always by the index: on a young table, of which the planner has no statistics yet,
    // it would read all of it for the last few records.
    for (const char* setting :
         {"SET synchronous_commit = off", "SET enable_seqscan = off", "SET enable_bitmapscan = off",
          "SET enable_sort = off", "SET plan_cache_mode = force_generic_plan"}) {
      TRY(query(setting, {}));
    }
    return look_up();
  }

  // Finds the ledger's number; 0 while there is none.
  Status look_up() {
    auto there = TRY(query("SELECT to_regclass('discreet.format') IS NOT NULL", {}));
    if (*PQgetvalue(there.get(), 0, 0) != 't') return {};
    auto version = TRY(query("SELECT coalesce(max(version), 0) FROM discreet.format", {}));
    if (const std::int64_t found = integer(PQgetvalue(version.get(), 0, 0));
        found > kSchemaVersion) {
      connection_.reset();
      return fail(
          Code::kFailure,
          fmt::format("{}: the ledger has format {}, and this program knows formats up to {}",
                      location_, found, kSchemaVersion),
          "use the newer Discreet that wrote it");
    }
    auto number = TRY(query("SELECT number FROM discreet.ledger WHERE name = $1", {address_.name}));
    if (PQntuples(number.get()) == 0) return {};
    for (const Statement& statement : kStatements) {
      if (prepared_) break;
      const Answer done(PQprepare(connection_.get(), statement.name, statement.sql,
                                  statement.parameters, nullptr));
      if (PQresultStatus(done.get()) != PGRES_COMMAND_OK) return problem(done.get());
    }
    prepared_ = true;
    number_ = integer(PQgetvalue(number.get(), 0, 0));
    return {};
  }

  Status create() {
    TRY(query(kLock.sql, {kTurn, "0"}));
    const Answer made(
        PQexec(connection_.get(),
               fmt::format("BEGIN; {} INSERT INTO discreet.format VALUES ({}) ON CONFLICT DO "
                           "NOTHING; COMMIT",
                           kSchema, kSchemaVersion)
                   .c_str()));
    if (PQresultStatus(made.get()) != PGRES_COMMAND_OK) return let_go(problem(made.get()).value());
    auto named = TRY(query("INSERT INTO discreet.ledger(name) VALUES ($1) ON CONFLICT DO NOTHING",
                           {address_.name}));
    TRY(query(kUnlock.sql, {kTurn, "0"}));
    return look_up();
  }

  // One statement by itself, outside the pipeline.
  Result<Answer> query(const char* sql, Texts parameters) {
    if (!alone()) return problem(nullptr);
    std::vector<const char*> values;
    for (const std::string& text : parameters) values.push_back(text.c_str());
    Answer answer(PQexecParams(connection_.get(), sql, static_cast<int>(values.size()), nullptr,
                               values.data(), nullptr, nullptr, 0));
    const ExecStatusType status = PQresultStatus(answer.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) return problem(answer.get());
    return answer;
  }

  // Statements travel one by one, or several in one journey.
  bool alone() {
    return PQpipelineStatus(connection_.get()) == PQ_PIPELINE_OFF ||
           PQexitPipelineMode(connection_.get()) == 1;
  }

  void send(const Statement& statement, Texts parameters) {
    PQenterPipelineMode(connection_.get());
    std::vector<const char*> values;
    for (const std::string& text : parameters) values.push_back(text.c_str());
    // A failure here shows when the answers are collected.
    PQsendQueryPrepared(connection_.get(), statement.name, static_cast<int>(values.size()),
                        values.data(), nullptr, nullptr, 0);
  }

  // Ends the journey and waits for the answers of this many statements, in order; the first error
  // otherwise.
  Result<std::vector<Answer>> collect(std::size_t expected) {
    if (PQpipelineSync(connection_.get()) != 1) return problem(nullptr);
    std::vector<Answer> answers;
    int silences = 0;
    while (answers.size() < expected) {
      Answer answer(PQgetResult(connection_.get()));
      if (!answer) {
        // One silence ends each statement; two in a row mean that the connection has nothing more
        // to say.
        if (++silences > 1 && PQstatus(connection_.get()) != CONNECTION_OK) return problem(nullptr);
        if (silences > 4) return problem(nullptr);
        continue;
      }
      silences = 0;
      const ExecStatusType status = PQresultStatus(answer.get());
      if (status == PGRES_PIPELINE_SYNC) continue;
      if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) return problem(answer.get());
      answers.push_back(std::move(answer));
    }
    // The silence after the last statement, and the mark of the last sync.
    for (int i = 0; i < 4; ++i) {
      const Answer rest(PQgetResult(connection_.get()));
      if (rest && PQresultStatus(rest.get()) == PGRES_PIPELINE_SYNC) return answers;
    }
    return problem(nullptr);
  }

  // Of the clock that was given, or else the server's; where that has said nothing, the machine's.
  std::int64_t now(const char* said) const {
    if (clock_) return clock_();
    return said != nullptr ? integer(said) : machine_time();
  }

  Snapshot snapshot(const Answer& rows) const {
    Snapshot out;
    out.now = now(PQntuples(rows.get()) > 0 ? PQgetvalue(rows.get(), 0, 2) : nullptr);
    for (int i = 1; i < PQntuples(rows.get()); ++i) {
      out.rows.push_back({static_cast<std::uint64_t>(integer(PQgetvalue(rows.get(), i, 0))),
                          PQgetvalue(rows.get(), i, 1), PQgetvalue(rows.get(), i, 2),
                          std::nullopt});
    }
    return out;
  }

  // The same, of a ledger that still goes by its name: one that was put aside meanwhile no longer
  // does.
  Result<Snapshot> current(const Answer& rows) {
    if (PQntuples(rows.get()) > 0 && PQgetvalue(rows.get(), 0, 1) == address_.name)
      return snapshot(rows);
    return let_go(removed().value());
  }

  Status give_up() {
    connection_.reset();
    return {};
  }

  Address address_;
  std::string location_;
  Clock clock_;
  std::unique_ptr<PGconn, CloseConnection> connection_;
  std::int64_t number_ = 0;
  bool prepared_ = false, begun_ = false;
};

}  // namespace

Result<std::string> postgres_location(const std::string& address) {
  const Address parts = split(address);
  char* raw = nullptr;
  const Options options(PQconninfoParse(parts.connection.c_str(), &raw));
  PQfreemem(raw);  // it quotes what it doesn't understand, which may be a password
  if (!options) {
    return fail(Code::kUsage, "ledger: the PostgreSQL address can't be read",
                "write postgresql://user@host/database#name");
  }
  const auto value = [&](const std::string& keyword, const char* variable, std::string fallback) {
    for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option)
      if (keyword == option->keyword && option->val != nullptr && *option->val != '\0')
        return std::string(option->val);
    if (const char* set = std::getenv(variable); set != nullptr && *set != '\0')
      return std::string(set);
    return fallback;
  };
  return fmt::format("postgresql://{}:{}/{}#{}", value("host", "PGHOST", "localhost"),
                     value("port", "PGPORT", "5432"),
                     value("dbname", "PGDATABASE", value("user", "PGUSER", "")), parts.name);
}

Result<std::unique_ptr<Store>> make_postgres_store(const std::string& address, Clock clock) {
  auto location = TRY(postgres_location(address));
  return std::make_unique<PostgresStore>(split(address), std::move(location), std::move(clock));
}

}  // namespace discreet::ledger
