// The library is newer than its header (setup/npm.txt): what is used of the header is what the
// library means by it. That every function exists is shown by linking.
#include <duckdb.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <new>

#include "discreet/engine/duckdb/hardened.h"
#include "discreet/engine/duckdb/result.h"

namespace discreet::engine::duckdb {
namespace {

using std::string;

TEST(Library, IsThePinnedOne) { EXPECT_STREQ(duckdb_library_version(), "v1.5.6"); }

TEST(Library, TypesHaveTheHeadersNumbers) {
  const Hardened database = Hardened::empty();
  for (const auto& [text, type] : {std::pair{"BOOLEAN", DUCKDB_TYPE_BOOLEAN},
                                   {"TINYINT", DUCKDB_TYPE_TINYINT},
                                   {"SMALLINT", DUCKDB_TYPE_SMALLINT},
                                   {"INTEGER", DUCKDB_TYPE_INTEGER},
                                   {"BIGINT", DUCKDB_TYPE_BIGINT},
                                   {"UTINYINT", DUCKDB_TYPE_UTINYINT},
                                   {"USMALLINT", DUCKDB_TYPE_USMALLINT},
                                   {"UINTEGER", DUCKDB_TYPE_UINTEGER},
                                   {"UBIGINT", DUCKDB_TYPE_UBIGINT},
                                   {"FLOAT", DUCKDB_TYPE_FLOAT},
                                   {"DOUBLE", DUCKDB_TYPE_DOUBLE},
                                   {"TIMESTAMP", DUCKDB_TYPE_TIMESTAMP},
                                   {"DATE", DUCKDB_TYPE_DATE},
                                   {"TIME", DUCKDB_TYPE_TIME},
                                   {"INTERVAL", DUCKDB_TYPE_INTERVAL},
                                   {"HUGEINT", DUCKDB_TYPE_HUGEINT},
                                   {"UHUGEINT", DUCKDB_TYPE_UHUGEINT},
                                   {"VARCHAR", DUCKDB_TYPE_VARCHAR},
                                   {"BLOB", DUCKDB_TYPE_BLOB},
                                   {"DECIMAL(9, 2)", DUCKDB_TYPE_DECIMAL},
                                   {"TIMESTAMP_S", DUCKDB_TYPE_TIMESTAMP_S},
                                   {"TIMESTAMP_MS", DUCKDB_TYPE_TIMESTAMP_MS},
                                   {"TIMESTAMP_NS", DUCKDB_TYPE_TIMESTAMP_NS},
                                   {"ENUM ('a')", DUCKDB_TYPE_ENUM},
                                   {"INTEGER[]", DUCKDB_TYPE_LIST},
                                   {"STRUCT(a INTEGER)", DUCKDB_TYPE_STRUCT},
                                   {"MAP(INTEGER, INTEGER)", DUCKDB_TYPE_MAP},
                                   {"INTEGER[3]", DUCKDB_TYPE_ARRAY},
                                   {"UUID", DUCKDB_TYPE_UUID},
                                   {"UNION(a INTEGER)", DUCKDB_TYPE_UNION},
                                   {"BIT", DUCKDB_TYPE_BIT},
                                   {"TIMETZ", DUCKDB_TYPE_TIME_TZ},
                                   {"TIMESTAMPTZ", DUCKDB_TYPE_TIMESTAMP_TZ},
                                   {"BIGNUM", DUCKDB_TYPE_BIGNUM},
                                   {"TIME_NS", DUCKDB_TYPE_TIME_NS}}) {
    ResultHolder holder;
    ASSERT_EQ(duckdb_query(database.connection(), fmt::format("SELECT NULL::{}", text).c_str(),
                           &holder.result),
              DuckDBSuccess)
        << text;
    EXPECT_EQ(duckdb_column_type(&holder.result, 0), type) << text;
  }
  ResultHolder null;
  ASSERT_EQ(duckdb_query(database.connection(), "SELECT NULL", &null.result), DuckDBSuccess);
  const duckdb_type type = duckdb_column_type(&null.result, 0);
  EXPECT_TRUE(type == DUCKDB_TYPE_SQLNULL || type == DUCKDB_TYPE_INTEGER);
}

TEST(Library, StatementsHaveTheHeadersNumbers) {
  const Hardened database = Hardened::empty();
  for (const auto& [text, type] : {std::pair{"SELECT 1", DUCKDB_STATEMENT_TYPE_SELECT},
                                   {"CREATE TABLE t (a INTEGER)", DUCKDB_STATEMENT_TYPE_CREATE}}) {
    duckdb_prepared_statement statement = nullptr;
    ASSERT_EQ(duckdb_prepare(database.connection(), text, &statement), DuckDBSuccess);
    EXPECT_EQ(duckdb_prepared_statement_type(statement), type) << text;
    duckdb_destroy_prepare(&statement);
  }
}

// What we have room for and the library fills: it writes nothing behind it.
template <class T>
struct Guarded {
  alignas(T) std::array<unsigned char, sizeof(T)> place{};
  std::array<unsigned char, 256> after;
  Guarded() { after.fill(0xA5); }
  bool whole() const {
    for (const unsigned char one : after)
      if (one != 0xA5) return false;
    return true;
  }
};

TEST(Library, StructsHaveTheHeadersSizes) {
  const Hardened database = Hardened::empty();
  Guarded<duckdb_result> result;
  auto* const made = new (result.place.data()) duckdb_result{};
  ASSERT_EQ(duckdb_query(database.connection(), "SELECT 1, 'two'", made), DuckDBSuccess);
  EXPECT_EQ(duckdb_column_count(made), 2u);
  while (duckdb_data_chunk chunk = duckdb_fetch_chunk(*made)) duckdb_destroy_data_chunk(&chunk);
  duckdb_destroy_result(made);
  EXPECT_TRUE(result.whole());
  Guarded<duckdb_query_progress_type> progress;
  new (progress.place.data())
      duckdb_query_progress_type(duckdb_query_progress(database.connection()));
  EXPECT_TRUE(progress.whole());
  // The twin.
  Guarded<duckdb_query_progress_type> broken;
  std::memset(broken.place.data(), 0, sizeof(duckdb_query_progress_type));
  broken.after[0] = 0;
  EXPECT_FALSE(broken.whole());
}

TEST(Library, VectorsHaveTheHeadersLayout) {
  const Hardened database = Hardened::empty();
  ResultHolder holder;
  ASSERT_EQ(duckdb_query(database.connection(),
                         "SELECT * FROM (VALUES "
                         "('twelve bytes', (-2)::HUGEINT, 18446744073709551623::UHUGEINT), "
                         "('thirteen byte', 36893488147419103233::HUGEINT, 3::UHUGEINT), "
                         "(NULL, 5::HUGEINT, NULL)) t(a, b, c)",
                         &holder.result),
            DuckDBSuccess);
  duckdb_data_chunk chunk = duckdb_fetch_chunk(holder.result);
  ASSERT_NE(chunk, nullptr);
  ASSERT_EQ(duckdb_data_chunk_get_size(chunk), 3u);
  const auto data = [&](idx_t column) {
    return duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk, column));
  };
  auto* const texts = static_cast<duckdb_string_t*>(data(0));
  EXPECT_EQ(string(duckdb_string_t_data(&texts[0]), duckdb_string_t_length(texts[0])),
            "twelve bytes");
  EXPECT_EQ(string(duckdb_string_t_data(&texts[1]), duckdb_string_t_length(texts[1])),
            "thirteen byte");
  const auto* const huge = static_cast<duckdb_hugeint*>(data(1));
  EXPECT_EQ(huge[0].lower, ~std::uint64_t{1});
  EXPECT_EQ(huge[0].upper, -1);
  EXPECT_EQ(huge[1].lower, 1u);
  EXPECT_EQ(huge[1].upper, 2);
  const auto* const unsigned_huge = static_cast<duckdb_uhugeint*>(data(2));
  EXPECT_EQ(unsigned_huge[0].lower, 7u);
  EXPECT_EQ(unsigned_huge[0].upper, 1u);
  std::uint64_t* const valid = duckdb_vector_get_validity(duckdb_data_chunk_get_vector(chunk, 0));
  ASSERT_NE(valid, nullptr);
  EXPECT_TRUE(duckdb_validity_row_is_valid(valid, 1));
  EXPECT_FALSE(duckdb_validity_row_is_valid(valid, 2));
  duckdb_destroy_data_chunk(&chunk);
}

}  // namespace
}  // namespace discreet::engine::duckdb
