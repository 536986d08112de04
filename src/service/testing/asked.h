// A policy for one table, and answers to questions about it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "discreet/engine/duckdb/calculator.h"
#include "discreet/engine/duckdb/duckdb.h"
#include "discreet/ledger/testing/places.h"
#include "discreet/random/testing/sources.h"
#include "discreet/service/service.h"

namespace discreet::service::testing {

using std::string;

// `about` is what the policy says of tables.t.
class Asked {
 public:
  Asked(const string& place, const string& about, unsigned threads = 2) {
    auto policy = policy::Policy::parse(
        "[policy]\nname = \"types\"\nunit = \"person\"\nbudget = { epsilon = 1000, delta = 0.5 }\n"
        "[tables.t]\n" +
            about,
        place + "/policy.toml", place);
    if (!policy) {
      error = policy.error().text();
      return;
    }
    auto engine =
        engine::duckdb::Duckdb::open(*policy, {.memory = 400'000'000, .threads = threads});
    if (!engine) {
      error = engine.error().text();
      return;
    }
    auto schemas = (*engine)->schemas();
    if (!schemas) {
      error = schemas.error().text();
      return;
    }
    auto catalog = policy::make_catalog(*policy, *schemas);
    if (!catalog) {
      error = catalog.error().text();
      return;
    }
    engine_ = std::move(*engine);
    catalog_ = std::move(*catalog);
  }

  // "" where it is answered, else what is said.
  string ask(const string& query) {
    if (!engine_) return error;
    auto parsed = sql::parse(query);
    if (!parsed) return parsed.error().text();
    auto question = sql::check(*parsed, catalog_, plan::tools(engine::duckdb::calculator()));
    if (!question) return question.error().text();
    sql::Options options;
    options.epsilon = 1;
    auto plan = plan::make_plan(std::move(*question), catalog_, options);
    if (!plan) return plan.error().text();
    random::testing::Seeded source(3);
    auto answer = run_plan(*engine_, catalog_, *plan, {}, source);
    return answer ? "" : answer.error().text();
  }

  // A question about a public table: the first row.
  string look_up(const string& query) {
    auto question =
        sql::check(*sql::parse(query), catalog_, plan::tools(engine::duckdb::calculator()));
    EXPECT_TRUE(question) << question.error().text();
    auto rows = engine_->run_open(*question->open, catalog_, {});
    EXPECT_TRUE(rows) << rows.error().text();
    string out;
    for (const policy::Value& value : (*rows)[0]) out += value.show() + " ";
    return out;
  }

  string error;

 private:
  std::unique_ptr<engine::duckdb::Duckdb> engine_;
  policy::Catalog catalog_;
};

// A folder for files; also in a process of its own, which EXPECT_EXIT starts.
class InAFolder : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  string place() const {
    std::filesystem::create_directories(folder_ / "data");
    return folder_ / "data";
  }
  // Of such a process; its folder goes with it.
  [[noreturn]] void leave(int code) const {
    std::filesystem::remove_all(std::filesystem::path(place()).parent_path());
    std::exit(code);
  }

 private:
  ledger::testing::Folder folder_;
};

}  // namespace discreet::service::testing
