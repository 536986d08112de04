// Where rows may be beside a DuckDB file: in a PostgreSQL, in a Trino.
#pragma once

#include <memory>
#include <string>

#include "discreet/bound/secret.h"
#include "discreet/engine/engine.h"
#include "discreet/ledger/testing/places.h"
#include "discreet/service/testing/plain_duckdb.h"

namespace discreet::service::testing {

// A kind of server, for as much as tests have to know of it.
class Elsewhere {
 public:
  virtual ~Elsewhere() = default;
  virtual std::string name() const = 0;
  virtual void run(const std::string& sql) const = 0;
  // A table's name for SQL, and for the policy.
  virtual std::string table(const std::string& schema, const std::string& table) const = 0;
  virtual std::string schema(const std::string& schema) const = 0;
  // As it calls one of DuckDB's types.
  virtual std::string type(const std::string& duckdb) const = 0;
  // A column's value as one that the server has too, and as a literal's text there: DuckDB's SQL.
  virtual std::string cell(const std::string& column, const std::string& duckdb) const = 0;
  virtual std::string literal(const std::string& column, const std::string& duckdb) const = 0;
  // How many rows one INSERT takes at most.
  virtual std::size_t rows_at_once() const { return 1; }
  // The policy's lines about it.
  virtual std::string head() const = 0;
  virtual std::unique_ptr<engine::Engine> open(const policy::Policy& policy,
                                               const engine::Limits& limits) const = 0;
  virtual const bound::Hashing& hashing() const = 0;
  // Whether doubles have DuckDB's texts there: by these, distinct ones are hashed.
  virtual bool writes_reals_alike() const { return true; }
  virtual std::string sql_of(const plan::PlanPart& part, const policy::Catalog& catalog) const = 0;
};

class InPostgres final : public Elsewhere {
 public:
  explicit InPostgres(const ledger::testing::Postgres& server) : server_(server) {}
  std::string name() const override { return "PostgreSQL"; }
  void run(const std::string& sql) const override { server_.run(sql); }
  std::string table(const std::string& schema, const std::string& table) const override {
    return schema + "." + table;
  }
  std::string schema(const std::string& schema) const override { return schema; }
  std::string type(const std::string& duckdb) const override;
  std::string cell(const std::string& column, const std::string& duckdb) const override;
  std::string literal(const std::string& column, const std::string& duckdb) const override;
  std::string head() const override;
  std::unique_ptr<engine::Engine> open(const policy::Policy& policy,
                                       const engine::Limits& limits) const override;
  const bound::Hashing& hashing() const override;
  std::string sql_of(const plan::PlanPart& part, const policy::Catalog& catalog) const override;

 private:
  const ledger::testing::Postgres& server_;
};

// In the connector that keeps tables in its workers' memory.
class InTrino final : public Elsewhere {
 public:
  std::string name() const override { return "Trino"; }
  void run(const std::string& sql) const override;
  std::string table(const std::string& schema, const std::string& table) const override {
    return "memory." + schema + "." + table;
  }
  std::string schema(const std::string& schema) const override { return "memory." + schema; }
  std::string type(const std::string& duckdb) const override;
  std::string cell(const std::string& column, const std::string& duckdb) const override;
  std::string literal(const std::string& column, const std::string& duckdb) const override;
  std::size_t rows_at_once() const override { return 200; }
  bool writes_reals_alike() const override { return false; }
  std::string head() const override;
  std::unique_ptr<engine::Engine> open(const policy::Policy& policy,
                                       const engine::Limits& limits) const override;
  const bound::Hashing& hashing() const override;
  std::string sql_of(const plan::PlanPart& part, const policy::Catalog& catalog) const override;
};

// Makes DuckDB's table `made` of `raw`, and `table` of it there: the same rows, as both can have
// them.
void copy(PlainDuckdb& duckdb, const std::string& raw, const std::string& made,
          const Elsewhere& elsewhere, const std::string& table);

}  // namespace discreet::service::testing
