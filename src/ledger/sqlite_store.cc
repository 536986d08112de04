#include "discreet/ledger/sqlite_store.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "discreet/base/lock_file.h"
#include "discreet/base/try.h"

namespace discreet::ledger {
namespace {

// "DPLG" in the file's header says whose it is.
constexpr int kApplicationId = 0x44504C47;

constexpr const char* kSchema = R"(
CREATE TABLE record(record INTEGER PRIMARY KEY, body TEXT NOT NULL, hash TEXT NOT NULL);
CREATE TABLE result(record INTEGER PRIMARY KEY, body TEXT NOT NULL);
CREATE TRIGGER record_update BEFORE UPDATE ON record BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER record_delete BEFORE DELETE ON record BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER result_update BEFORE UPDATE ON result BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER result_delete BEFORE DELETE ON result BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
)";

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

class SqliteStore final : public Store {
 public:
  SqliteStore(std::string path, Clock clock)
      : path_(std::move(path)),
        turn_(path_ + "-lock"),
        clock_(clock ? std::move(clock) : machine_time) {}

  Result<Snapshot> read(std::uint64_t known) override {
    if (!present()) return Snapshot{{}, clock_()};
    TRY(connect(false));
    return rows_after(known);
  }

  // SQLite shows a transaction to others only after its log was synced.
  Result<Snapshot> settled(std::uint64_t known) override { return read(known); }

  // The kernel's queue for the turn is the whole line; reading before one's turn has not been worth
  // a second lock here.
  Result<Snapshot> line_up(std::uint64_t known) override {
    TRY(turn_.take());
    // Only a ledger that nobody has seen yet may be created: one that was there and isn't any more
    // must not start afresh.
    if (known > 0 && !present()) {
      turn_.release();
      return fail(Code::kFailure, fmt::format("{}: the ledger has been removed", path_),
                  "put it back");
    }
    if (auto ready = connect(known == 0); !ready) {
      turn_.release();
      return forward_error(ready);
    }
    return Snapshot{{}, clock_()};
  }

  Result<Snapshot> begin(std::uint64_t known) override {
    auto snapshot = begin_in_turn(known);
    if (!snapshot) turn_.release();
    return snapshot;
  }

  Status finish(const std::vector<Row>& rows) override {
    Status done = rows.empty() ? Status{} : append(rows);
    // A transaction that could not be completed is taken back whole; one that has been is no longer
    // there to take back.
    if (sqlite3_get_autocommit(database_.get()) == 0) (void)run("ROLLBACK");
    turn_.release();
    return done;
  }

  Result<std::string> result(std::uint64_t record) override {
    TRY(connect(false));
    auto statement = TRY(prepare("SELECT body FROM result WHERE record = ?"));
    sqlite3_bind_int64(statement.get(), 1, static_cast<sqlite3_int64>(record));
    const int code = sqlite3_step(statement.get());
    if (code == SQLITE_ROW) return column(statement, 0);
    if (code != SQLITE_DONE) return problem("reading");
    return fail(Code::kFailure,
                fmt::format("{}: the answer of record {} is missing", path_, record));
  }

  Status inspect() override {
    if (!present()) return {};
    TRY(connect(false));
    auto statement = TRY(prepare("PRAGMA integrity_check(1)"));
    if (sqlite3_step(statement.get()) != SQLITE_ROW) return problem("checking");
    const std::string verdict = column(statement, 0);
    if (verdict == "ok") return {};
    return fail(Code::kFailure, fmt::format("{}: the file is damaged: {}", path_, verdict));
  }

  Result<std::string> put_aside(const std::string& suffix) override {
    TRY(turn_.take());
    if (present()) {
      // Everything into the one file, so that it can be moved whole.
      if (connect(false)) (void)run("PRAGMA wal_checkpoint(TRUNCATE)");
      database_.reset();
    }
    const std::string aside = path_ + suffix;
    for (const char* part : {"", "-wal", "-shm"}) {
      if (std::rename((path_ + part).c_str(), (aside + part).c_str()) != 0 && errno != ENOENT) {
        auto error = system_error(path_ + part, "renaming", errno);
        turn_.release();
        return error;
      }
    }
    turn_.release();
    return aside;
  }

 private:
  // An empty file is one whose creation was cut off before anything was in it.
  bool present() const {
    struct stat about {};
    return stat(path_.c_str(), &about) == 0 && about.st_size > 0;
  }

  tl::unexpected<Error> problem(const std::string& doing) const {
    const int code = database_ ? sqlite3_extended_errcode(database_.get()) : SQLITE_NOMEM;
    const int os_error = database_ ? sqlite3_system_errno(database_.get()) : 0;
    // A file that can't be created because the disk is full says "can't open".
    if (os_error == ENOSPC || os_error == EDQUOT) return system_error(path_, doing, os_error);
    switch (code & 0xFF) {
      case SQLITE_FULL:
        return fail(Code::kFailure, fmt::format("{}: {} failed: the disk is full", path_, doing),
                    "free some space");
      case SQLITE_READONLY:
      case SQLITE_PERM:
      case SQLITE_CANTOPEN:
        return fail(Code::kFailure,
                    fmt::format("{}: {} failed: the file, or those beside it, can't be written",
                                path_, doing),
                    "the ledger and its folder must be writable for whoever asks questions, and "
                    "the disk not full");
      case SQLITE_CORRUPT:
      case SQLITE_NOTADB:
        return fail(Code::kFailure,
                    fmt::format("{}: the ledger is damaged ({})", path_, sqlite3_errstr(code)),
                    "restore it from a backup that is not older than its last record");
      case SQLITE_BUSY:
        return fail(Code::kFailure,
                    fmt::format("{}: another program has locked the ledger for over 10 s", path_));
      default:
        if (os_error != 0) return system_error(path_, doing, os_error);
        return fail(Code::kFailure,
                    fmt::format("{}: {} failed: {}", path_, doing, sqlite3_errstr(code)));
    }
  }

  Status run(const char* sql) {
    if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK)
      return problem("writing");
    return {};
  }

  Result<Statement> prepare(const char* sql) {
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(database_.get(), sql, -1, &raw, nullptr) != SQLITE_OK)
      return problem("reading");
    return Statement(raw);
  }

  static std::string column(const Statement& statement, int index) {
    const unsigned char* bytes = sqlite3_column_text(statement.get(), index);
    const int length = sqlite3_column_bytes(statement.get(), index);
    return bytes == nullptr ? std::string()
                            : std::string(reinterpret_cast<const char*>(bytes),
                                          static_cast<std::size_t>(length));
  }

  Result<int> pragma(const char* sql) {
    auto statement = TRY(prepare(sql));
    if (sqlite3_step(statement.get()) != SQLITE_ROW) return problem("reading");
    return sqlite3_column_int(statement.get(), 0);
  }

  Status connect(bool create) {
    // The file that is open must be the file that is there: one removed or replaced meanwhile is
    // looked at afresh.
    struct stat about {};
    const bool there = stat(path_.c_str(), &about) == 0;
    if (database_ && there && about.st_ino == inode_) return {};
    if (database_) database_.reset();

    sqlite3* raw = nullptr;
    const int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (create ? SQLITE_OPEN_CREATE : 0);
    const int code = sqlite3_open_v2(path_.c_str(), &raw, flags, nullptr);
    database_.reset(raw);
    if (code != SQLITE_OK) return drop(problem("opening"));
    sqlite3_extended_result_codes(database_.get(), 1);
    sqlite3_busy_timeout(database_.get(), 10'000);
    // The header as it is, before anything is written to a file that may not be ours; in one
    // transaction, so that a ledger which is just being created is seen before or after, not in
    // between.
    if (auto begun = run("BEGIN"); !begun) return drop(forward_error(begun));
    auto tables = pragma("SELECT count(*) FROM sqlite_master");
    if (!tables) return drop(forward_error(tables));
    auto application = pragma("PRAGMA application_id");
    if (!application) return drop(forward_error(application));
    auto version = pragma("PRAGMA user_version");
    if (!version) return drop(forward_error(version));
    if (auto ended = run("COMMIT"); !ended) return drop(forward_error(ended));
    if (*tables > 0 && *application != kApplicationId) {
      return drop(fail(Code::kFailure, fmt::format("{}: this is not a Discreet ledger", path_),
                       "name another file in the policy: ledger = \"…\""));
    }
    if (*version > kSchemaVersion) {
      return drop(
          fail(Code::kFailure,
               fmt::format("{}: the ledger has format {}, and this program knows formats up to {}",
                           path_, *version, kSchemaVersion),
               "use the newer Discreet that wrote it"));
    }
    if (auto done = run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"); !done)
      return drop(forward_error(done));
    if (stat(path_.c_str(), &about) == 0) inode_ = about.st_ino;
    return {};
  }

  tl::unexpected<Error> drop(tl::unexpected<Error> error) {
    database_.reset();
    return error;
  }

  Result<Snapshot> rows_after(std::uint64_t known) {
    Snapshot snapshot{{}, clock_()};
    auto tables = TRY(pragma("SELECT count(*) FROM sqlite_master WHERE name = 'record'"));
    if (tables == 0) return snapshot;
    auto statement =
        prepare("SELECT record, body, hash FROM record WHERE record > ? ORDER BY record");
    if (!statement) return forward_error(statement);
    sqlite3_bind_int64(statement->get(), 1, static_cast<sqlite3_int64>(known));
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(statement->get())) == SQLITE_ROW) {
      snapshot.rows.push_back(
          {static_cast<std::uint64_t>(sqlite3_column_int64(statement->get(), 0)),
           column(*statement, 1), column(*statement, 2), std::nullopt});
    }
    if (code != SQLITE_DONE) return problem("reading");
    return snapshot;
  }

  Result<Snapshot> begin_in_turn(std::uint64_t known) {
    TRY(run("BEGIN IMMEDIATE"));
    auto snapshot = rows_after(known);
    if (!snapshot) (void)run("ROLLBACK");
    return snapshot;
  }

  Status append(const std::vector<Row>& rows) {
    if (rows.front().record == 1) {
      TRY(run(kSchema));
      if (auto named = run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                       kApplicationId, kSchemaVersion)
                               .c_str());
          !named) {
        return named;
      }
    }
    for (const Row& row : rows) {
      TRY(insert("INSERT INTO record(record, body, hash) VALUES (?, ?, ?)", row.record, row.body,
                 &row.hash));
      if (!row.result) continue;
      TRY(insert("INSERT INTO result(record, body) VALUES (?, ?)", row.record, *row.result,
                 nullptr));
    }
    return run("COMMIT");
  }

  Status insert(const char* sql, std::uint64_t record, const std::string& body,
                const std::string* hash) {
    auto statement = TRY(prepare(sql));
    sqlite3_bind_int64(statement.get(), 1, static_cast<sqlite3_int64>(record));
    sqlite3_bind_text64(statement.get(), 2, body.data(), body.size(), SQLITE_STATIC, SQLITE_UTF8);
    if (hash != nullptr)
      sqlite3_bind_text64(statement.get(), 3, hash->data(), hash->size(), SQLITE_STATIC,
                          SQLITE_UTF8);
    if (sqlite3_step(statement.get()) != SQLITE_DONE) return problem("writing");
    return {};
  }

  std::string path_;
  LockFile turn_;
  Clock clock_;
  std::unique_ptr<sqlite3, CloseDatabase> database_;
  ino_t inode_ = 0;
};

}  // namespace

std::unique_ptr<Store> make_sqlite_store(const std::string& path, Clock clock) {
  return std::make_unique<SqliteStore>(path, std::move(clock));
}

}  // namespace discreet::ledger
