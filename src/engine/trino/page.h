// One page of Trino's answer to a statement: a JSON object that is read as it comes, in types that
// were expected, with everything in it distrusted. What is not needed is passed over, up to a
// depth; what is needed must be as the protocol says, or there is no page.
//
//   Reader reader({CellType::kWhole});
//   auto page = reader.read(R"({"id":"q1","columns":[{"name":"n","type":"bigint"}],
//                               "data":[[41],[1]],"stats":{"state":"FINISHED"}})");
//   std::size_t rows = page->cells.size() / reader.expected().size();  // 2
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "discreet/engine/trino/cell.h"

namespace discreet::engine::trino {

struct Page {
  std::string id;        // of the query
  std::string next_uri;  // empty: there is no more
  std::string state;     // QUEUED, RUNNING, FINISHED, FAILED, …
  double percent = -1;   // of what is planned is done; negative: nobody knows yet
  // Where the statement has failed: Trino's name for why (TABLE_NOT_FOUND). Its message, which can
  // show rows, is not even kept.
  std::optional<std::string> error;
  bool has_columns = false;
  std::vector<Cell> cells;  // row by row
};

// Reads the pages of one statement.
class Reader {
 public:
  explicit Reader(std::vector<CellType> expected) : expected_(std::move(expected)) {}
  const std::vector<CellType>& expected() const { return expected_; }

  // Nothing: the text is no page, or its columns aren't the expected ones.
  std::optional<Page> read(std::string_view json) const;

 private:
  std::vector<CellType> expected_;
};

}  // namespace discreet::engine::trino
