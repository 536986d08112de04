// A row as the bounding holds it, in 64-bit words: its unit, its group, the slots, the folds.
//
// The unit is one word (a permuted whole number) or two (the hash of a text). Folds carry what is
// added up over all of a unit's rows in a group, kept or not: for each such slot a count and a sum,
// then the number of rows.
#pragma once

#include <cstdint>
#include <vector>

#include "discreet/bound/shape.h"

namespace discreet::bound {

struct Layout {
  explicit Layout(const Shape& shape)
      : unit_words(shape.text_units ? 2 : 1), slots_at(unit_words + 1), slots(shape.slots.size()) {
    folds_at = slots_at + slots;
    std::vector<bool> whole(slots);
    for (const Total& total : shape.totals) {
      if (!total.folds_whole_groups()) continue;
      if (total.slot) whole[*total.slot] = true;
      counts_rows |= !total.slot;
    }
    for (std::size_t i = 0; i < slots; ++i) {
      fold_of.push_back(static_cast<std::uint32_t>(folds_at + 2 * folded.size()));
      if (whole[i]) folded.push_back(i);
    }
    rows_at = folds_at + 2 * folded.size();
    stride = rows_at + (counts_rows ? 1 : 0);
  }
  std::uint32_t group(const std::uint64_t* record) const {
    return static_cast<std::uint32_t>(record[unit_words]);
  }
  std::int64_t slot(const std::uint64_t* record, std::size_t s) const {
    return static_cast<std::int64_t>(record[slots_at + s]);
  }

  std::size_t unit_words, slots_at, slots;
  std::size_t folds_at = 0, rows_at = 0, stride = 0;
  bool counts_rows = false;            // some total counts all of the unit's rows in a group
  std::vector<std::size_t> folded;     // slots that are folded
  std::vector<std::uint32_t> fold_of;  // by slot: where its count is, the sum after it
};

}  // namespace discreet::bound
