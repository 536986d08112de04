// A fixture: a folder, and an engine for one private table t in it, whose key is u.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "discreet/engine/duckdb/calculator.h"
#include "discreet/engine/duckdb/duckdb.h"
#include "discreet/plan/plan.h"

namespace discreet::engine::testing {

class OneTable : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string folder =
        (std::filesystem::temp_directory_path() / "discreet-engine-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    place_ = folder;
  }
  void TearDown() override { std::filesystem::remove_all(place_); }

  // A policy for one private table t, from this source.
  std::unique_ptr<duckdb::Duckdb> open(
      const std::string& source, const Limits& limits,
      const std::string& promise = "max_groups = 2\nmax_rows_per_group = 2\n") {
    auto read = policy::Policy::parse(
        fmt::format(
            "[policy]\nname = \"engine\"\nunit = \"person\"\nbudget = {{ epsilon = 1 }}\n"
            "[tables.t]\nsource = '''{}'''\nkey = \"u\"\ncolumns.u = {{ type = \"integer\" }}\n"
            "columns.x = {{ type = \"integer\", range = [0, 1000] }}\n{}",
            source, promise),
        place_ + "/policy.toml", place_);
    EXPECT_TRUE(read) << read.error().text();
    if (!read) return nullptr;
    policy_ = *read;
    auto opened = duckdb::Duckdb::open(policy_, limits);
    EXPECT_TRUE(opened) << opened.error().text();
    if (!opened) return nullptr;
    auto schemas = (*opened)->schemas();
    EXPECT_TRUE(schemas) << schemas.error().text();
    if (!schemas) return nullptr;
    auto catalog = policy::make_catalog(policy_, *schemas);
    EXPECT_TRUE(catalog) << catalog.error().text();
    if (!catalog) return nullptr;
    catalog_ = *catalog;
    return std::move(*opened);
  }

  plan::Plan plan(const std::string& query) {
    sql::Options options;
    options.epsilon = 1;
    options.delta = Rational(1, 100);
    const auto question =
        sql::check(sql::parse(query).value(), catalog_, plan::tools(duckdb::calculator()));
    EXPECT_TRUE(question) << question.error().text();
    return plan::make_plan(question.value(), catalog_, options).value();
  }

  std::string place_;
  policy::Policy policy_;
  policy::Catalog catalog_;
};

}  // namespace discreet::engine::testing
