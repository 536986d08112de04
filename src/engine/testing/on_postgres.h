// A PostgreSQL of the test's own with a few tables, and questions that are planned for it.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "discreet/engine/duckdb/calculator.h"
#include "discreet/engine/postgres/postgres.h"
#include "discreet/ledger/testing/places.h"
#include "discreet/random/testing/sources.h"

namespace discreet::engine::testing {

using std::string;

// What is said of every fault.
inline constexpr const char* kCouldNot =
    "the query could not be run; what was reserved for it stays spent";

class Server : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ = new ledger::testing::Postgres();
    server_->run(
        "CREATE TABLE visits(patient bigint, ward text, cost float8, big numeric(10, 2), any_size "
        "numeric, born "
        "date, seen timestamptz, id uuid, short real, thing json, pad character(5));"
        "INSERT INTO visits SELECT i % 50, 'ward ' || i % 3, i, i, i, '2020-01-01', now(), "
        "'00000000-0000-0000-0000-000000000000', i, '{}', 'x' FROM generate_series(1, 500) i;"
        "CREATE VIEW seen_by AS SELECT * FROM visits; CREATE MATERIALIZED VIEW kept AS SELECT "
        "patient, cost FROM "
        "visits; CREATE TABLE guarded(patient bigint); ALTER TABLE guarded ENABLE ROW LEVEL "
        "SECURITY;"
        "CREATE ROLE guest LOGIN; CREATE ROLE small LOGIN; ALTER ROLE small SET temp_file_limit = "
        "'100kB'; GRANT "
        "SELECT ON ALL TABLES IN SCHEMA public TO small; CREATE TABLE large AS SELECT i AS "
        "patient, repeat('x', 50) || "
        "i AS ward, i::float8 AS cost FROM generate_series(1, 300000) i; GRANT SELECT ON large TO "
        "small;");
  }
  static void TearDownTestSuite() {
    delete server_;
    server_ = nullptr;
  }

  static policy::Policy policy(const string& table, const string& more = "",
                               const string& address = "") {
    auto read = policy::Policy::parse(
        fmt::format("[policy]\nname = \"p\"\nunit = \"patient\"\nengine = \"postgres\"\ndsn = "
                    "\"{}\"\nbudget = {{ "
                    "epsilon = 10, delta = 1e-6 }}\n[tables.t]\nsource = \"{}\"\nkey = "
                    "\"patient\"\nmax_groups = "
                    "2\nmax_rows_per_group = 3\n{}",
                    address.empty() ? server_->address() : address, table, more),
        "p.toml", "/");
    EXPECT_TRUE(read) << read.error().text();
    return std::move(*read);
  }
  // What is wrong with the table; empty if nothing.
  static string wrong_with(const string& table, const string& more = "") {
    auto engine = postgres::Postgres::open(policy(table, more), {});
    if (!engine) return engine.error().text();
    const auto schemas = (*engine)->schemas();
    return schemas ? "" : schemas.error().text();
  }
  // As another user of the same server.
  static string as(const string& user) {
    string out = server_->address();
    return out.replace(out.find("discreet@"), string("discreet@").size(), user + "@");
  }

  struct Asked {
    policy::Policy policy;
    std::unique_ptr<postgres::Postgres> engine;
    policy::Catalog catalog;
    std::optional<plan::Plan> plan;
  };
  static Asked asked(const string& query, const string& table = "visits",
                     const string& address = "", const string& more = "",
                     const Limits& limits = {}) {
    Asked out{policy(table, more, address), nullptr, {}, {}};
    auto engine = postgres::Postgres::open(out.policy, limits);
    EXPECT_TRUE(engine) << engine.error().text();
    out.engine = std::move(*engine);
    auto catalog = policy::make_catalog(out.policy, *out.engine->schemas());
    EXPECT_TRUE(catalog) << catalog.error().text();
    out.catalog = std::move(*catalog);
    sql::Options options;
    options.epsilon = 1;
    options.delta = Rational(1, 1'000'000);
    auto question = sql::check(*sql::parse(query), out.catalog, plan::tools(duckdb::calculator()));
    EXPECT_TRUE(question) << question.error().text();
    out.plan.emplace(*plan::make_plan(*question, out.catalog, options));
    return out;
  }
  static Result<bound::Contributions> run(Asked& one, const Watch& watch = {}) {
    random::testing::Seeded source(1);
    return one.engine->run(one.plan->parts[0], one.catalog, *bound::Secret::draw(source), watch);
  }

  static inline ledger::testing::Postgres* server_ = nullptr;
};

}  // namespace discreet::engine::testing
