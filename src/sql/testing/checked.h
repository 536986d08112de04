// Questions about four tables without rows: what is said of them, by the question alone.
//
//   people(id key, name hidden, age)    visits(id key, visit, cost, day)    doses(visit -> visits)
//   drugs(drug, class, price), public
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "discreet/engine/duckdb/calculator.h"
#include "discreet/plan/plan.h"
#include "discreet/policy/catalog.h"
#include "discreet/sql/check.h"

namespace discreet::sql::testing {

class Checked : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("discreet-checked-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    for (const char* name : {"people", "visits", "doses", "drugs"})
      std::ofstream(folder_ / (std::string(name) + ".csv")) << "x\n";
    auto policy = policy::Policy::parse(
        "[policy]\nname = \"p\"\nunit = \"patient\"\nbudget = { epsilon = 1 }\n"
        "[tables.people]\nsource = \"people.csv\"\nkey = \"id\"\ncolumns.id = { type = \"integer\" "
        "}\ncolumns.name = { hidden = true }\ncolumns.age = { type = \"integer\", range = [0, 120] "
        "}\n[tables.visits]\nsource = \"visits.csv\"\nkey = \"id\"\ncolumns.id = { type = "
        "\"integer\" }\ncolumns.visit = { type = \"integer\" }\ncolumns.cost = { range = [0, 100] "
        "}\ncolumns.day = { type = \"date\" }\n"
        "[tables.doses]\nsource = \"doses.csv\"\nlink = { column = \"visit\", to = "
        "\"visits.visit\" }\ncolumns.visit = { type = \"integer\" }\ncolumns.count = { type = "
        "\"integer\" }\n[tables.drugs]\nsource = \"drugs.csv\"\npublic = true\n",
        "p.toml", folder_.string());
    ASSERT_TRUE(policy) << policy.error().text();
    policy::Schemas schemas;  // in the order of the tables' names
    for (const std::vector<const char*>& names :
         std::vector<std::vector<const char*>>{{"visit", "count"},
                                               {"drug", "class", "price"},
                                               {"id", "name", "age", "x", "y"},
                                               {"id", "visit", "cost", "day"}}) {
      schemas.emplace_back();
      for (const char* name : names) {
        schemas.back().emplace_back();
        schemas.back().back().name = name;
        schemas.back().back().as_text = schemas.back().back().same_type = true;
      }
    }
    auto catalog = policy::make_catalog(*policy, schemas);
    ASSERT_TRUE(catalog) << catalog.error().text();
    catalog_ = std::move(*catalog);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Result<Question> question(const std::string& query) const {
    auto parsed = parse(query);
    if (!parsed) return forward_error(parsed);
    return check(*parsed, catalog_, plan::tools(engine::duckdb::calculator()));
  }
  // "" where it would be answered.
  std::string said(const std::string& query) const {
    const auto made = question(query);
    return made ? "" : made.error().message.text();
  }

  policy::Catalog catalog_;

 private:
  std::filesystem::path folder_;
};

}  // namespace discreet::sql::testing
