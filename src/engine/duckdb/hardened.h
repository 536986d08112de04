// The one maker of DuckDB databases. Each is in memory, has one thread until told otherwise, and
// loads no extension; sealed, it reaches no file but those it was given, and no setting can be
// changed any more. What can't be set isn't opened: a database with less than all of it doesn't
// exist. (tests/house_test.py: nobody else opens one.)
//
//   Hardened empty = Hardened::empty();  // sealed, with no file
//   bool opened = empty.connection() != nullptr && empty.execute("SELECT 1");
#pragma once

#include <duckdb.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace discreet::engine::duckdb {

class Hardened {
 public:
  // Reaches nothing outside of itself, and spills nothing. `memory` in bytes, at least a mebibyte;
  // 0: as DuckDB would have it.
  static Hardened empty(std::size_t memory = 0);
  // Still to be given its sources and settings, by text of our own alone: then `seal`.
  static Hardened unsealed();

  Hardened() = default;  // none
  ~Hardened() { close(); }
  Hardened(Hardened&& other) noexcept { *this = std::move(other); }
  Hardened& operator=(Hardened&& other) noexcept {
    std::swap(database_, other.database_);
    std::swap(connection_, other.connection_);
    return *this;
  }

  duckdb_connection connection() const { return connection_; }  // null: it could not be opened
  duckdb_database database() const { return database_; }

  // False: DuckDB refuses, or there is no database.
  bool execute(const std::string& sql) const;
  // The first column of the first row; nothing where there is none, or it is NULL.
  std::optional<std::string> first(const std::string& sql) const;
  // From here on these files may be read and written, no others. Where this fails there is no
  // database any more.
  bool seal(const std::vector<std::string>& paths);
  void close();

 private:
  static Hardened open(const std::vector<std::pair<const char*, std::string>>& more);

  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
};

}  // namespace discreet::engine::duckdb
