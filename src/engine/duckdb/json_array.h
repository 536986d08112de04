// Rows of JSON files that are one array of objects: [{"who": 1, "x": 2}, …]. Each element becomes a
// line, and is then read as the lines of other files are (json.h).
//
//   ArrayBlocks blocks({"visits.json"}, {});
//   Block block;
//   while (blocks.next(block)) block.text();  // {"who": 1, "x": 2} on a line of its own
//
// The outermost objects are the elements, whatever stands around them. Their ends are found by
// quotes and brackets alone, so removing well-formed elements leaves the others as they were, and
// one whose brackets and quotes are in order costs itself, however malformed it is otherwise. What
// contradicts ends an element that isn't in order: a line break in a string, a bracket closed by
// another kind, an object where there can be none. Until then it takes along what follows; a list
// that is never closed is only contradicted by the end of the file. That is what a broken element
// can do: whoever needs each record to stand alone writes lines.
#pragma once

#include "discreet/engine/duckdb/blocks.h"

namespace discreet::engine::duckdb {

class ArrayBlocks final : public Blocks {
 public:
  ArrayBlocks(std::vector<std::string> files, const Cut& cut, Reading* reading = nullptr)
      : Blocks(std::move(files), cut, reading) {}

 private:
  bool take(Block& block) override;
};

}  // namespace discreet::engine::duckdb
