// A SQL query as the function of a block (engine/sample/function.h): the block's rows are the table
// `data` of a database of their own, and the first column of the first row is the answer.
//
//   auto query = BlockQuery::open(
//       {.text = "SELECT mode(colour) FROM data", .names = {"id", "colour"}});
//   if (!query) return forward_error(query);
//   auto answer = query->answer("1,red\n2,blue\n3,red\n");  // red
//
// The database is empty but for the block, locked, and gone after the answer: it reads no file,
// loads no extension and spills nothing to the disk. A column is of whole numbers (BIGINT) if all
// of the block's values are, else of numbers (DOUBLE) if they are, else of text; 007 is text.
// Whatever fails, or takes too long or too much memory, gives no answer, and DuckDB's words stay
// here: they can hold values. Each block is asked in a process of its own, a copy of this one that
// is ended at the limits: no thread of this process may be using DuckDB meanwhile.
#pragma once

#include <atomic>
#include <vector>

#include "discreet/base/error.h"
#include "discreet/engine/sample/function.h"

namespace discreet::engine::duckdb {

struct BlockQueryOptions {
  std::string text;
  std::vector<std::string> names;  // the columns
  double seconds = 10;
  std::size_t memory = std::size_t{2} << 30;  // bytes, on top of what DuckDB has
  const std::atomic<bool>* stop = nullptr;
};

class BlockQuery final : public sample::Function {
 public:
  // Tries it on no rows: what no block could answer, such as a column that isn't there, is an error
  // now.
  static Result<BlockQuery> open(BlockQueryOptions options);

  std::optional<std::string> answer(std::string_view rows) const override;

 private:
  explicit BlockQuery(BlockQueryOptions options) : options_(std::move(options)) {}
  BlockQueryOptions options_;
};

}  // namespace discreet::engine::duckdb
