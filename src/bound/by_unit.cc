#include "discreet/bound/by_unit.h"

namespace discreet::bound {

// Sorts the rows by unit: numbers the units with a table, counts, and places.
void ByUnit::gather(std::span<const Chunk> chunks) {
  std::size_t count = 0;
  for (const Chunk& chunk : chunks) count += chunk.records;
  // Partitions are alike: a table for as many units as the last one had.
  std::size_t size = 256;
  while (size < 4 * ends_.size()) size *= 2;
  table_.assign(size, {});
  unit_of_.resize(count);
  ends_.clear();
  first_.clear();
  const std::size_t stride = layout_.stride;
  const bool wide = layout_.unit_words == 2;
  std::size_t row = 0;
  for (const Chunk& chunk : chunks) {
    const std::uint64_t* record = chunk.words;
    for (std::uint32_t i = 0; i < chunk.records; ++i, record += stride) {
      // A partition's units share their first bits, so the place comes from the last.
      std::size_t at = record[0] & (table_.size() - 1);
      while (table_[at].unit != kFree &&
             (table_[at].word != record[0] || (wide && first_[table_[at].unit][1] != record[1])))
        at = (at + 1) & (table_.size() - 1);
      std::uint32_t unit = table_[at].unit;
      if (unit == kFree) {
        unit = static_cast<std::uint32_t>(ends_.size());
        table_[at] = {record[0], unit};
        ends_.push_back(0);
        first_.push_back(record);
        if (4 * ends_.size() > table_.size()) grow_table();
      }
      ++ends_[unit];
      unit_of_[row++] = unit;
    }
  }
  std::uint32_t begin = 0;
  for (std::uint32_t& end : ends_) {
    const std::uint32_t size_of = end;
    end = begin;
    begin += size_of;
  }
  sorted_.resize(count);
  row = 0;
  for (const Chunk& chunk : chunks) {
    const std::uint64_t* record = chunk.words;
    for (std::uint32_t i = 0; i < chunk.records; ++i, record += stride)
      sorted_[ends_[unit_of_[row++]]++] = record;
  }
}

void ByUnit::grow_table() {
  std::vector<Entry> old(2 * table_.size());
  old.swap(table_);
  for (const Entry& one : old) {
    if (one.unit == kFree) continue;
    std::size_t at = one.word & (table_.size() - 1);
    while (table_[at].unit != kFree) at = (at + 1) & (table_.size() - 1);
    table_[at] = one;
  }
}

}  // namespace discreet::bound
