// Every DuckDB that is opened is as closed as it should be, or isn't opened.
#include "discreet/engine/duckdb/hardened.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string_view>

#include "discreet/engine/duckdb/database.h"
#include "discreet/engine/duckdb/result.h"

namespace {
std::string_view refused_setting;  // by the function below
}

// Takes the place of DuckDB's own, to refuse one setting.
extern "C" duckdb_state duckdb_set_config(duckdb_config config, const char* name,
                                          const char* option) {
  if (refused_setting == name) return DuckDBError;
  using Real = duckdb_state (*)(duckdb_config, const char*, const char*);
  static const Real real = reinterpret_cast<Real>(dlsym(RTLD_NEXT, "duckdb_set_config"));
  return real(config, name, option);
}

namespace discreet::engine::duckdb {
namespace {

namespace fs = std::filesystem;
using std::string;

std::optional<string> first(duckdb_connection connection, const string& sql) {
  ResultHolder holder;
  if (duckdb_query(connection, sql.c_str(), &holder.result) != DuckDBSuccess) return {};
  char* const value = duckdb_value_varchar(&holder.result, 0, 0);
  string out = value == nullptr ? "NULL" : value;
  duckdb_free(value);
  return out;
}

class HardenedTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / fmt::format("hardened-{}", getpid());
    fs::create_directories(folder_);
    std::ofstream(folder_ / "others.csv") << "a\n1\n";
    std::ofstream(folder_ / "own.csv") << "a\n1\n";
  }
  void TearDown() override { fs::remove_all(folder_); }
  string file(const char* name) const { return (folder_ / name).string(); }

  // What is wrong with it; empty: nothing. One that would really install something isn't asked to.
  std::vector<string> holes(duckdb_connection connection, bool install = true) const {
    std::vector<string> out;
    for (const auto& [name, value] : {std::pair{"autoload_known_extensions", "false"},
                                      {"autoinstall_known_extensions", "false"},
                                      {"allow_community_extensions", "false"},
                                      {"allow_unsigned_extensions", "false"},
                                      {"enable_external_access", "false"},
                                      {"lock_configuration", "true"}})
      if (first(connection, fmt::format("SELECT current_setting('{}')", name)) != value)
        out.push_back(name);
    for (const string& sql :
         {fmt::format("SELECT COUNT(*) FROM read_csv('{}')", file("others.csv")),
          fmt::format("SELECT COUNT(*) FROM read_text('{}')", file("others.csv")),
          fmt::format("COPY (SELECT 1) TO '{}'", file("new.csv")),
          fmt::format("ATTACH '{}'", file("new.duckdb")),
          fmt::format("EXPORT DATABASE '{}'", file("exported")), string("INSTALL httpfs"),
          string("LOAD httpfs"), string("SET GLOBAL threads = 3"),
          string("SET GLOBAL enable_external_access = true"),
          string("SET GLOBAL lock_configuration = false"),
          fmt::format("SET temp_directory = '{}'", folder_.string())})
      if ((install || (!sql.starts_with("INSTALL") && !sql.starts_with("LOAD"))) &&
          first(connection, sql))
        out.push_back(sql);
    return out;
  }

  fs::path folder_;
};

TEST_F(HardenedTest, AnEmptyOneReachesNothing) {
  for (const std::size_t memory : {std::size_t{0}, std::size_t{64} << 20}) {
    const Hardened database = Hardened::empty(memory);
    ASSERT_NE(database.connection(), nullptr);
    EXPECT_EQ(holes(database.connection()), std::vector<string>{});
    EXPECT_EQ(database.first("SELECT current_setting('temp_directory')"), "");
    EXPECT_EQ(database.first("SELECT current_setting('threads')"), "1");
    if (memory > 0) {
      EXPECT_EQ(database.first("SELECT current_setting('memory_limit')"), "64.0 MiB");
    }
  }
}

TEST_F(HardenedTest, ASealedOneReachesWhatItWasGiven) {
  Hardened database = Hardened::unsealed();
  ASSERT_TRUE(database.seal({file("own.csv")}));
  EXPECT_EQ(holes(database.connection()), std::vector<string>{});
  EXPECT_EQ(database.first(fmt::format("SELECT COUNT(*) FROM read_csv('{}')", file("own.csv"))),
            "1");
}

TEST_F(HardenedTest, SoDoesTheEngines) {
  std::ofstream(folder_ / "policy.toml") << fmt::format(
      "[policy]\nname = \"p\"\nunit = \"person\"\nbudget = {{ epsilon = 1 }}\n[tables.t]\nsource = "
      "\"own.csv\"\nkey = \"a\"\n");
  const auto policy = policy::Policy::read(file("policy.toml"));
  ASSERT_TRUE(policy) << policy.error().text();
  auto database = Database::open(*policy, {.memory = 0, .threads = 2, .queries = 2});
  ASSERT_TRUE(database) << database.error().text();
  auto one = (*database)->take({}), two = (*database)->take({});
  ASSERT_TRUE(one && two);
  EXPECT_EQ(holes((*one)->connection()), std::vector<string>{});
  EXPECT_EQ(holes((*two)->connection()), std::vector<string>{});
  EXPECT_EQ(first((*one)->connection(), "SELECT current_setting('threads')"), "2");
}

// The twin: one that is opened as DuckDB would, and one that was forgotten to be sealed.
TEST_F(HardenedTest, HolesAreSeen) {
  duckdb_database database = nullptr;
  duckdb_connection connection = nullptr;
  ASSERT_EQ(duckdb_open(nullptr, &database), DuckDBSuccess);
  ASSERT_EQ(duckdb_connect(database, &connection), DuckDBSuccess);
  EXPECT_GE(holes(connection, false).size(), 8u);
  duckdb_disconnect(&connection);
  duckdb_close(&database);
  EXPECT_GE(holes(Hardened::unsealed().connection(), false).size(), 6u);
}

TEST_F(HardenedTest, WhatCannotBeSetIsNotOpened) {
  for (const char* name :
       {"threads", "autoload_known_extensions", "autoinstall_known_extensions",
        "allow_community_extensions", "allow_unsigned_extensions", "temp_directory",
        "enable_external_access", "lock_configuration", "memory_limit"}) {
    refused_setting = name;
    const Hardened database = Hardened::empty(std::size_t{64} << 20);
    refused_setting = {};
    EXPECT_EQ(database.connection(), nullptr) << name;
    EXPECT_FALSE(database.execute("SELECT 1"));
  }
  Hardened locked = Hardened::empty();
  EXPECT_FALSE(locked.seal({}));  // can't be set any more
  EXPECT_EQ(locked.connection(), nullptr);
}

}  // namespace
}  // namespace discreet::engine::duckdb
