// A CSV table's files as blocks that end where records do (csv.h says what a record is), and their
// header.
//
//   CsvBlocks blocks({"visits.csv"}, ',', {});
//   Block block;
//   while (blocks.next(block)) block.text();  // whole records, the header not among them
//
// Finding where a block ends is the only part that threads do one after the other. Without a
// quote it is the last line break; lines with quotes are walked.
#pragma once

#include <string>
#include <vector>

#include "discreet/base/error.h"
#include "discreet/engine/duckdb/blocks.h"

namespace discreet::engine::duckdb {

class CsvBlocks final : public Blocks {
 public:
  CsvBlocks(std::vector<std::string> files, char delimiter, const Cut& cut,
            Reading* reading = nullptr)
      : Blocks(std::move(files), cut, reading), delimiter_(delimiter) {}

 private:
  void begin() override;
  bool take(Block& block) override;
  std::size_t last_border(const Block& block, bool last);
  bool take_long(Block& block);
  // See csv.h: before this place no record in quotes goes over a line break.
  std::uint64_t doomed_ = 0;
  const char delimiter_;
};

// The names in the first record of a file.
Result<std::vector<std::string>> csv_names(const std::string& file, char delimiter);

}  // namespace discreet::engine::duckdb
