// Plans of questions about one table t(who, g, n, x) that has no rows: `about` is what the policy
// says of it beside its key and the types, and of further tables with the same columns.
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

namespace discreet::plan::testing {

class Planned : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("discreet-planned-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "t.csv") << "who,g,n,x\n";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Result<Plan> plan(const std::string& about, const std::string& query, const char* delta = "0",
                    const Profile& known = {}) {
    auto policy = policy::Policy::parse(
        "[policy]\nname = \"p\"\nunit = \"u\"\nbudget = { epsilon = 1 }\n[tables.t]\nsource = "
        "\"t.csv\"\nkey = \"who\"\ncolumns.who = { type = \"integer\" }\ncolumns.g = { type = "
        "\"integer\", values = [0, 1, 2, 3, 4, 5] }\n" +
            about,
        "p.toml", folder_.string());
    if (!policy) return forward_error(policy);
    std::vector<policy::StoredColumn> columns(4);
    const char* names[] = {"who", "g", "n", "x"};
    for (std::size_t i = 0; i < columns.size(); ++i) {
      columns[i].name = names[i];
      columns[i].as_text = columns[i].same_type = true;
    }
    catalog_ = *policy::make_catalog(*policy, policy::Schemas(policy->tables.size(), columns));
    sql::Options options;
    options.epsilon = 1;
    options.delta = *parse_number(delta, Rounding::kDown);
    auto question = sql::check(*sql::parse(query), catalog_, tools(engine::duckdb::calculator()));
    if (!question) return forward_error(question);
    return make_plan(*question, catalog_, options, known);
  }

  std::filesystem::path folder_;
  policy::Catalog catalog_;  // of the last plan
};

// Both have bounds.
inline constexpr const char* kRanges =
    "columns.n = { type = \"integer\", range = [-3, 9] }\ncolumns.x = { type = \"number\", range = "
    "[0, 1] }\n";
// Neither has.
inline constexpr const char* kTypes =
    "columns.n = { type = \"integer\" }\ncolumns.x = { type = \"number\" }\n";

}  // namespace discreet::plan::testing
