#include "discreet/engine/duckdb/storage_version.h"

#include <duckdb.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "discreet/engine/duckdb/database.h"

namespace discreet::engine::duckdb {
namespace {

using std::string;

class StorageVersion : public ::testing::Test {
 protected:
  void SetUp() override {
    place_ = (std::filesystem::temp_directory_path() / "storage-XXXXXX").string();
    ASSERT_NE(mkdtemp(place_.data()), nullptr);
    file_ = place_ + "/shop.duckdb";
  }
  void TearDown() override { std::filesystem::remove_all(place_); }

  // A file as the library writes it for a release of DuckDB.
  void write(const string& release) {
    std::filesystem::remove(file_);
    duckdb_database database = nullptr;
    duckdb_connection connection = nullptr;
    ASSERT_EQ(duckdb_open(nullptr, &database), DuckDBSuccess);
    ASSERT_EQ(duckdb_connect(database, &connection), DuckDBSuccess);
    for (const string& sql :
         {fmt::format("ATTACH '{}' AS shop (STORAGE_VERSION '{}')", file_, release),
          string("CREATE TABLE shop.orders AS SELECT 1 AS customer"), string("DETACH shop")})
      ASSERT_EQ(duckdb_query(connection, sql.c_str(), nullptr), DuckDBSuccess) << sql;
    duckdb_disconnect(&connection);
    duckdb_close(&database);
  }

  void doctor(std::uint64_t version) {
    std::fstream file(file_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(12);
    for (int i = 0; i < 8; ++i) file.put(static_cast<char>(version >> (8 * i)));
  }

  std::uint64_t found() {
    string head(100, '\0');
    std::ifstream(file_, std::ios::binary).read(head.data(), 100);
    return storage_version(head).value_or(0);
  }

  // What opening a policy over the file says: "" if it can be read.
  string said() {
    const auto policy = policy::Policy::parse(
        "[policy]\nname = \"shop\"\nunit = \"customer\"\nbudget = { epsilon = 1 }\n"
        "[tables.orders]\nsource = \"shop.duckdb#orders\"\nkey = \"customer\"\n",
        place_ + "/policy.toml", place_);
    EXPECT_TRUE(policy);
    if (!policy) return policy.error().text();
    const auto opened = Database::open(*policy, {.memory = 200'000'000, .threads = 1});
    if (opened) return "";
    EXPECT_EQ(opened.error().code, Code::kFailure);
    return opened.error().text();
  }

  string place_, file_;
};

// Fails when the library is replaced by one that reads other versions.
TEST_F(StorageVersion, TheLimitsAreTheLibrarys) {
  write("latest");
  EXPECT_EQ(found(), kNewestStorage);
  EXPECT_EQ(said(), "");
  write("v0.10.0");
  EXPECT_EQ(found(), kOldestStorage);
  EXPECT_EQ(said(), "");
}

TEST_F(StorageVersion, AFileThatIsTooNewOrTooOldIsSaidToBe) {
  write("latest");
  doctor(kNewestStorage + 1);
  EXPECT_EQ(said().find(file_ + "' was written by a newer DuckDB (storage version 69); this "
                                "Discreet reads up to storage version 68 (the DuckDB that"),
            1u)
      << said();
  doctor(999);
  EXPECT_EQ(said().find(file_ + "' was written by a newer DuckDB (2 or later); this "), 1u)
      << said();
  doctor(kOldestStorage - 1);
  EXPECT_EQ(said().find(file_ + "' was written by an older DuckDB (storage version 63); this "
                                "Discreet reads from version 64 (EXPORT"),
            1u)
      << said();
}

// Whatever else is wrong with a file isn't blamed on its version.
TEST_F(StorageVersion, OtherFilesThatCantBeOpened) {
  for (const string& bytes :
       {string(), string("DUCK"), string(20, '\0'), string("checksumduck\xff\0\0\0\0\0\0\0", 20),
        string("checksumDUCK\xff\0\0\0\0\0\0", 19)}) {
    std::ofstream(file_, std::ios::binary) << bytes;
    EXPECT_TRUE(readable_storage(file_)) << bytes;
  }
  write("latest");
  std::filesystem::resize_file(file_, 5000);
  EXPECT_NE(said().find("can't be opened"), string::npos);
  EXPECT_TRUE(readable_storage(place_ + "/none.duckdb"));
}

}  // namespace
}  // namespace discreet::engine::duckdb
