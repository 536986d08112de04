// Where the answers of a verb of sample_aggregate.h come from when they aren't given: a
// program or a query, asked on blocks of the units of a file.
#pragma once

#include <memory>
#include <optional>

#include "discreet/cli/command.h"
#include "discreet/engine/duckdb/unit_blocks.h"
#include "discreet/engine/sample/answers.h"

namespace discreet::cli {

struct BlockOptions {
  std::string program, query, data, unit;
  std::string otherwise, seconds = "10", memory = "2048", jobs;
  bool has_otherwise = false, fixed_time = false;

  // Whether any of them says that blocks are to be asked.
  bool given() const { return !(program.empty() && query.empty() && data.empty() && unit.empty()); }
};

// The options must live as long as the parser does.
void add_block_options(CLI::App& verb, BlockOptions& options);

// Everything that can be wrong without a row being looked at is found when it is opened.
class BlockSource {
 public:
  // `otherwise` is the default where none was given; answers are numbers if `numbers`.
  static Result<BlockSource> open(const BlockOptions& options, bool numbers,
                                  const std::string& otherwise);

  // Splits the file into so many blocks and asks each, with a bar on the screen.
  Result<mechanism::Exact<mechanism::Value>> answers(std::uint64_t blocks) const;
  // Fields for JSON: what the program was kept from. Nothing for a query.
  std::string isolation_json() const;

 private:
  BlockSource(engine::duckdb::UnitTable table, engine::sample::Question question)
      : table_(std::move(table)), question_(std::move(question)) {}

  engine::duckdb::UnitTable table_;
  engine::sample::Question question_;
  std::shared_ptr<const engine::sample::Function> function_;
  std::optional<engine::sample::Isolation> isolation_;
};

}  // namespace discreet::cli
