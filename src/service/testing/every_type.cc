#include "discreet/service/testing/every_type.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <random>

#include "discreet/bound/wide.h"

namespace discreet::service::testing {

using std::string;

namespace {

// An ordinary row comes first; the neighbours' tables are all rows and the first alone.
std::vector<string> patterns(std::size_t bytes) {
  static std::mt19937_64 random(11);
  std::vector<string> out;
  const auto put = [&](bound::Wide value) {
    string raw(16, value < 0 ? '\xff' : '\0');
    std::memcpy(raw.data(), &value, 16);
    out.push_back(raw.substr(0, bytes));
  };
  put(1);
  for (const unsigned bits : {7U, 8U, 15U, 16U, 31U, 32U, 53U, 62U, 63U, 64U, 126U, 127U})
    if (bits < bytes * 8)
      for (const int off : {-2, -1, 0, 1}) {
        // In numbers that wrap: the ends of 128 bits are among them.
        const bound::UnsignedWide power = bound::UnsignedWide{1} << bits;
        put(static_cast<bound::Wide>(power + static_cast<bound::UnsignedWide>(off)));
        put(static_cast<bound::Wide>(~power - static_cast<bound::UnsignedWide>(off)));
      }
  // The ends of days, seconds, milli-, micro- and nanoseconds; more digits than a decimal has.
  for (const std::int64_t end : {86'399LL,
                                 86'400LL,
                                 86'400'000LL,
                                 86'400'000'000LL,
                                 86'400'000'001LL,
                                 2'932'896LL,
                                 2'932'897LL,
                                 -719'162LL,
                                 -719'163LL,
                                 253'402'300'799LL,
                                 253'402'300'800LL,
                                 253'402'300'799'999'999LL,
                                 253'402'300'800'000'000LL,
                                 9'223'372'036'854LL,
                                 9'223'372'036'855LL,
                                 9'223'372'036'854'775LL,
                                 9'223'372'036'854'776LL,
                                 9'999LL,
                                 10'000LL,
                                 999'999'999LL,
                                 1'000'000'000LL,
                                 999'999'999'999'999'999LL})
    put(end);
  const std::size_t more = std::getenv("DISCREET_SLOW") ? 20'000 : 40;
  for (std::size_t i = 0; i < more; ++i) {
    string raw(16, '\0');
    for (char& c : raw) c = static_cast<char>(random());
    out.push_back(raw.substr(0, bytes));
  }
  return out;
}

std::vector<string> texts(bool utf8) {
  std::vector<string> out = {"a",
                             "",
                             "nan",
                             "inf",
                             "-inf",
                             "1e308",
                             "1e-320",
                             "1e999",
                             "-0",
                             "infinity",
                             "epoch",
                             "abc",
                             "true",
                             "2020-02-30",
                             "290308-12-22 (BC)",
                             "294247-01-10",
                             "5881580-07-11",
                             "9999-12-31 23:59:59.999999999",
                             "0001-01-01",
                             "2020-01-01 00:00:00 Europe/Paris",
                             "2020-01-01 00:00:00+99:99",
                             "99999999-99-99",
                             "2020-01-01T24:00:00Z",
                             string(70'000, '9'),
                             string("a\0b", 3),
                             "\u202e",
                             "e\u0301\u0302",
                             "\U0001F468\u200D\U0001F469",
                             "\u0130stanbul",
                             "stra\u00dfe",
                             "170141183460469231731687303715884105728"};
  if (!utf8)
    for (const char* raw : {"\xff\xfe", "\xc3\x28", "\xed\xa0\x80", "\xf8\x88\x80\x80\x80"})
      out.emplace_back(raw);
  return out;
}

}  // namespace

Database::Database(const string& file) {
  EXPECT_EQ(duckdb_open(file.empty() ? nullptr : file.c_str(), &database_), DuckDBSuccess);
  EXPECT_EQ(duckdb_connect(database_, &connection), DuckDBSuccess);
}

Database::~Database() {
  duckdb_disconnect(&connection);
  duckdb_close(&database_);
}

bool Database::run(const string& sql) {
  duckdb_result result{};
  const bool ok = duckdb_query(connection, sql.c_str(), &result) == DuckDBSuccess;
  if (!ok) std::cerr << sql.substr(0, 200) << "\n" << duckdb_result_error(&result) << "\n";
  duckdb_destroy_result(&result);
  return ok;
}

const std::vector<Stored>& stored() {
  static const std::vector<Stored> types = {
      {"BOOLEAN", DUCKDB_TYPE_BOOLEAN, 0},
      {"TINYINT", DUCKDB_TYPE_TINYINT, 1},
      {"SMALLINT", DUCKDB_TYPE_SMALLINT, 2},
      {"INTEGER", DUCKDB_TYPE_INTEGER, 4},
      {"BIGINT", DUCKDB_TYPE_BIGINT, 8},
      {"UTINYINT", DUCKDB_TYPE_UTINYINT, 1},
      {"USMALLINT", DUCKDB_TYPE_USMALLINT, 2},
      {"UINTEGER", DUCKDB_TYPE_UINTEGER, 4},
      {"UBIGINT", DUCKDB_TYPE_UBIGINT, 8},
      {"HUGEINT", DUCKDB_TYPE_HUGEINT, 16},
      {"UHUGEINT", DUCKDB_TYPE_UHUGEINT, 16},
      {"DECIMAL(4, 1)", DUCKDB_TYPE_DECIMAL, 2},
      {"DECIMAL(9, 9)", DUCKDB_TYPE_DECIMAL, 4},
      {"DECIMAL(18, 3)", DUCKDB_TYPE_DECIMAL, 8},
      {"DECIMAL(38, 0)", DUCKDB_TYPE_DECIMAL, 16},
      {"DECIMAL(38, 38)", DUCKDB_TYPE_DECIMAL, 16},
      {"FLOAT", DUCKDB_TYPE_FLOAT, 4},
      {"DOUBLE", DUCKDB_TYPE_DOUBLE, 8},
      {"VARCHAR", DUCKDB_TYPE_VARCHAR, 0},
      {"JSON", DUCKDB_TYPE_VARCHAR, 0},
      {"ENUM ('a', 'b')", DUCKDB_TYPE_ENUM, 0},
      {"UUID", DUCKDB_TYPE_UUID, 16},
      {"BLOB", DUCKDB_TYPE_BLOB, 0},
      {"DATE", DUCKDB_TYPE_DATE, 4},
      {"TIMESTAMP", DUCKDB_TYPE_TIMESTAMP, 8},
      {"TIMESTAMP_S", DUCKDB_TYPE_TIMESTAMP_S, 8},
      {"TIMESTAMP_MS", DUCKDB_TYPE_TIMESTAMP_MS, 8},
      {"TIMESTAMP_NS", DUCKDB_TYPE_TIMESTAMP_NS, 8},
      {"TIMESTAMPTZ", DUCKDB_TYPE_TIMESTAMP_TZ, 8},
      {"TIME", DUCKDB_TYPE_TIME, 8},
      {"TIME_NS", DUCKDB_TYPE_TIME_NS, 8},
      {"TIMETZ", DUCKDB_TYPE_TIME_TZ, 8},
  };
  return types;
}
const std::vector<Stored>& refused() {
  static const std::vector<Stored> types = {
      {"INTERVAL", DUCKDB_TYPE_INTERVAL, 0},
      {"BIT", DUCKDB_TYPE_BIT, 0},
      {"BIGNUM", DUCKDB_TYPE_BIGNUM, 0},
      {"BIGINT[]", DUCKDB_TYPE_LIST, 0},
      {"BIGINT[3]", DUCKDB_TYPE_ARRAY, 0},
      {"STRUCT(a BIGINT)", DUCKDB_TYPE_STRUCT, 0},
      {"MAP(VARCHAR, BIGINT)", DUCKDB_TYPE_MAP, 0},
      {"UNION(a BIGINT, b VARCHAR)", DUCKDB_TYPE_UNION, 0},
      {"GEOMETRY", 40, 0},  // the header, of an older release, has no names for these
      {"VARIANT", 41, 0},
  };
  return types;
}

void write_every_duckdb(const string& file) {
  Database database(file);
  std::vector<std::vector<string>> columns;
  std::size_t rows = 0;
  string list;
  for (std::size_t i = 0; i < stored().size(); ++i) {
    const bool text =
        stored()[i].number == DUCKDB_TYPE_VARCHAR || stored()[i].number == DUCKDB_TYPE_BLOB;
    columns.push_back(stored()[i].bytes ? patterns(stored()[i].bytes)
                      : text            ? texts(stored()[i].number == DUCKDB_TYPE_VARCHAR)
                                        : std::vector<string>{string(1, '\0'), string(1, '\1')});
    rows = std::max(rows, columns.back().size());
    list += fmt::format(", v{} {}", i, stored()[i].sql);
  }
  ASSERT_TRUE(database.run("CREATE TABLE t (u BIGINT, s BIGINT" + list + ")"));
  duckdb_appender appender = nullptr;
  ASSERT_EQ(duckdb_appender_create(database.connection, nullptr, "t", &appender), DuckDBSuccess);
  std::vector<duckdb_logical_type> types;
  for (idx_t i = 0; i < duckdb_appender_column_count(appender); ++i)
    types.push_back(duckdb_appender_column_type(appender, i));
  for (std::size_t row = 0; row < rows; ++row) {
    duckdb_data_chunk chunk = duckdb_create_data_chunk(types.data(), types.size());
    for (int i = 0; i < 2; ++i)
      static_cast<std::int64_t*>(duckdb_vector_get_data(duckdb_data_chunk_get_vector(
          chunk, i)))[0] = static_cast<std::int64_t>(i ? row : row % 10);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, i + 2);
      const string& value = columns[i][row % columns[i].size()];
      if (stored()[i].number == DUCKDB_TYPE_VARCHAR || stored()[i].number == DUCKDB_TYPE_BLOB)
        duckdb_vector_assign_string_element_len(vector, 0, value.data(), value.size());
      else
        std::memcpy(duckdb_vector_get_data(vector), value.data(), value.size());
    }
    duckdb_data_chunk_set_size(chunk, 1);
    ASSERT_EQ(duckdb_append_data_chunk(appender, chunk), DuckDBSuccess)
        << duckdb_appender_error(appender);
    duckdb_destroy_data_chunk(&chunk);
  }
  ASSERT_EQ(duckdb_appender_destroy(&appender), DuckDBSuccess);
  for (duckdb_logical_type& type : types) duckdb_destroy_logical_type(&type);
  ASSERT_TRUE(database.run("CREATE TABLE n AS FROM t WHERE s = 0"));
}

const std::vector<RawStored>& raw_types() {
  constexpr int kInt32 = 1, kInt64 = 2, kBytes = 6, kFixed = 7;
  static const std::vector<RawStored> types = {
      {{kInt32, -1, -1, -1, -1, ""}, 4},
      {{kInt32, -1, 15, -1, -1, ""}, 4},  // INT_8
      {{kInt32, -1, 16, -1, -1, ""}, 4},  // INT_16
      {{kInt32, -1, 17, -1, -1, ""}, 4},  // INT_32
      {{kInt64, -1, 18, -1, -1, ""}, 8},  // INT_64
      {{kInt32, -1, 11, -1, -1, ""}, 4},  // UINT_8 … UINT_64
      {{kInt32, -1, 12, -1, -1, ""}, 4},
      {{kInt32, -1, 13, -1, -1, ""}, 4},
      {{kInt64, -1, 14, -1, -1, ""}, 8},
      {{3, -1, -1, -1, -1, ""}, 12},                    // INT96
      {{4, -1, -1, -1, -1, ""}, 4},                     // FLOAT
      {{5, -1, -1, -1, -1, ""}, 8},                     // DOUBLE
      {{kFixed, 2, -1, -1, -1, raw_logical(15)}, 2},    // FLOAT16
      {{kFixed, 16, -1, -1, -1, raw_logical(14)}, 16},  // UUID
      {{kFixed, 5, -1, -1, -1, ""}, 5},
      {{kInt32, -1, 6, -1, -1, ""}, 4},  // DATE
      {{kInt32, -1, 7, -1, -1, ""}, 4},  // TIME_MILLIS
      {{kInt64, -1, 8, -1, -1, ""}, 8},  // TIME_MICROS
      {{kInt64, -1, -1, -1, -1, raw_moment(7, false, 3)}, 8},
      {{kInt32, -1, -1, -1, -1, raw_moment(7, true, 1)}, 4},
      {{kInt64, -1, -1, -1, -1, raw_moment(7, true, 2)}, 8},
      {{kInt64, -1, -1, -1, -1, raw_moment(7, true, 3)}, 8},
      {{kInt64, -1, 10, -1, -1, ""}, 8},  // TIMESTAMP_MICROS
      {{kInt64, -1, -1, -1, -1, raw_moment(8, false, 2)}, 8},
      {{kInt64, -1, -1, -1, -1, raw_moment(8, true, 2)}, 8},
      {{kInt64, -1, -1, -1, -1, raw_moment(8, false, 3)}, 8},
      {{kInt64, -1, -1, -1, -1, raw_moment(8, true, 3)}, 8},
      {{kInt32, -1, 5, 1, 4, ""}, 4},  // DECIMAL
      {{kInt32, -1, 5, 2, 9, ""}, 4},
      {{kInt64, -1, 5, 3, 18, ""}, 8},
      {{kFixed, 2, 5, 1, 4, ""}, 2},
      {{kFixed, 9, 5, 3, 20, ""}, 9},
      {{kFixed, 16, 5, 10, 38, ""}, 16},
      {{kFixed, 20, 5, 10, 45, ""}, 20},
      {{kBytes, -1, 0, -1, -1, ""}, 0},  // UTF8
      {{kBytes, -1, 4, -1, -1, ""}, 0},  // ENUM
      {{kBytes, -1, -1, -1, -1, ""}, 0},
      // What DuckDB's reader can fail on is not read.
      {{kInt64, -1, 9, -1, -1, ""}, 8, false},  // TIMESTAMP_MILLIS
      {{kInt64, -1, -1, -1, -1, raw_moment(8, false, 1)}, 8, false},
      {{kInt64, -1, -1, -1, -1, raw_moment(8, true, 1)}, 8, false},
      {{kBytes, -1, 19, -1, -1, ""}, 0, false},   // JSON
      {{kBytes, -1, 5, 2, 9, ""}, 0, false},      // DECIMAL in a BYTE_ARRAY
      {{kFixed, 17, 5, 2, 38, ""}, 16, false},    // … in more bytes than it needs
      {{kFixed, 12, 21, -1, -1, ""}, 12, false},  // INTERVAL
  };
  return types;
}

void write_every_parquet(const string& place) {
  std::vector<RawColumn> all(2);
  all[0] = {"u", {}, {}};
  all[1] = {"s", {}, {}};
  std::size_t rows = 0;
  std::vector<std::vector<string>> values;
  for (const RawStored& one : raw_types()) {
    values.push_back(one.bytes ? patterns(one.bytes) : texts(one.type.converted >= 0));
    if (one.type.length > 0)
      for (string& value : values.back()) value.resize(static_cast<std::size_t>(one.type.length));
    rows = std::max(rows, values.back().size());
  }
  const auto whole = [](std::size_t value) {
    string out(8, '\0');
    std::memcpy(out.data(), &value, 8);
    return out;
  };
  for (std::size_t row = 0; row < rows; ++row) {
    all[0].values.push_back(whole(row % 10));
    all[1].values.push_back(whole(row));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    RawColumn column{fmt::format("v{}", i), raw_types()[i].type, {}};
    for (std::size_t row = 0; row < rows; ++row)
      column.values.push_back(values[i][row % values[i].size()]);
    all.push_back(std::move(column));
  }
  write_parquet(place + "/t.parquet", all);
  for (RawColumn& column : all) column.values.resize(1);
  write_parquet(place + "/n.parquet", all);
}

}  // namespace discreet::service::testing
