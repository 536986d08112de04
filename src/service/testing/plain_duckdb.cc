#include "discreet/service/testing/plain_duckdb.h"

#include <duckdb.h>
#include <gtest/gtest.h>

namespace discreet::service::testing {

struct PlainDuckdb::State {
  duckdb_database database = nullptr;
  duckdb_connection connection = nullptr;
};

PlainDuckdb::PlainDuckdb() : state_(std::make_unique<State>()) {
  duckdb_open(nullptr, &state_->database);
  duckdb_connect(state_->database, &state_->connection);
  run("SET TimeZone = 'UTC'");
  run("SET threads = 1");
}

PlainDuckdb::~PlainDuckdb() {
  duckdb_disconnect(&state_->connection);
  duckdb_close(&state_->database);
}

std::vector<std::vector<std::string>> PlainDuckdb::run(const std::string& sql) {
  duckdb_result result;
  std::vector<std::vector<std::string>> out;
  if (duckdb_query(state_->connection, sql.c_str(), &result) != DuckDBSuccess)
    ADD_FAILURE() << duckdb_result_error(&result) << "\n" << sql;
  for (idx_t row = 0; row < duckdb_row_count(&result); ++row) {
    out.emplace_back();
    for (idx_t column = 0; column < duckdb_column_count(&result); ++column) {
      char* text = duckdb_value_varchar(&result, column, row);
      out.back().push_back(text ? text : kNull);
      duckdb_free(text);
    }
  }
  duckdb_destroy_result(&result);
  return out;
}

}  // namespace discreet::service::testing
