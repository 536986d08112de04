#include "discreet/bound/histograms.h"

#include <algorithm>

#include "discreet/bound/held.h"

namespace discreet::bound {

Histograms::Histograms(const Shape& shape, const std::optional<HeldAs>& held)
    : shape_(shape), layout_(held ? held->shape : shape) {
  for (std::size_t t = 0; t < shape.tallies.size(); ++t) {
    const Tally& tally = shape.tallies[t];
    tallies_.emplace_back(tally.bins);
    if (tally.kind == Tally::Kind::kGroups || tally.kind == Tally::Kind::kMost)
      asks_of_groups_ = true;
    if (tally.kind == Tally::Kind::kValue)
      values_.push_back({t, layout_.slots_at + (held ? held->places[*tally.slot] : *tally.slot),
                         held ? std::optional<Grid>(shape.slots[*tally.slot]) : std::nullopt});
  }
}

void Histograms::add(Record first, std::size_t count) {
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < count; ++i) rows += layout_.copies(first + i * layout_.stride);
  const InGroups in = asks_of_groups_ ? in_groups(first, count) : InGroups{};
  for (std::size_t t = 0; t < tallies_.size(); ++t) {
    const Tally::Kind kind = shape_.tallies[t].kind;
    if (kind == Tally::Kind::kValue) continue;
    const std::size_t bin = count_bin(kind == Tally::Kind::kRows     ? rows
                                      : kind == Tally::Kind::kGroups ? in.groups
                                                                     : in.most);
    if (bin < tallies_[t].size()) ++tallies_[t][bin];
  }
  for (const Values& values : values_) add_values(values, first, count);
}

// How many groups the unit has, and how many rows the largest of them. No branch depends on whether
// a group is new.
Histograms::InGroups Histograms::in_groups(Record first, std::size_t count) {
  constexpr std::uint32_t kFewGroups = 1U << 16;
  InGroups out;
  const std::size_t stride = layout_.stride;
  std::size_t done = 0;
  bool few = true;
  for (Record row = first; done < count && few; ++done, row += stride) {
    const std::uint32_t group = layout_.group(row);
    if (group >= rows_.size()) {
      few = group < kFewGroups;
      if (!few) break;
      rows_.resize(kFewGroups);
    }
    const std::uint64_t before = rows_[group], now = before + layout_.copies(row);
    rows_[group] = now;
    out.groups += before == 0 ? 1 : 0;
    out.most = std::max(out.most, now);
  }
  for (std::size_t i = 0; i < done; ++i) rows_[layout_.group(first + i * stride)] = 0;
  return few ? out : in_many_groups(first, count);
}

// … where there are more groups than a table would hold in a core's cache.
Histograms::InGroups Histograms::in_many_groups(Record first, std::size_t count) {
  sorted_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const Record row = first + i * layout_.stride;
    sorted_.push_back({layout_.group(row), layout_.copies(row)});
  }
  std::sort(sorted_.begin(), sorted_.end());
  InGroups out;
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_new = i == 0 || sorted_[i].first != sorted_[i - 1].first;
    out.groups += is_new ? 1 : 0;
    rows = (is_new ? 0 : rows) + sorted_[i].second;
    out.most = std::max(out.most, rows);
  }
  return out;
}

// The rows that have a value share the unit: ⌊2^bits / c⌋ each.
void Histograms::add_values(const Values& values, Record first, std::size_t count) {
  if (bins_.size() < count) bins_.resize(count + count / 2);
  std::uint64_t shared = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Record row = first + i * layout_.stride;
    const std::uint64_t word = row[values.at];
    bins_[i] = values.grid ? (*values.grid)(held_number(word)) : static_cast<std::int64_t>(word);
    shared += bins_[i] != kNothing ? layout_.copies(row) : 0;
  }
  if (shared == 0) return;
  const std::uint64_t share =
      (std::uint64_t{1} << shape_.tallies[values.tally].weight_bits) / shared;
  std::vector<std::int64_t>& tally = tallies_[values.tally];
  for (std::size_t i = 0; i < count; ++i)
    if (const auto bin = static_cast<std::uint64_t>(bins_[i]); bin < tally.size())
      tally[bin] += static_cast<std::int64_t>(share * layout_.copies(first + i * layout_.stride));
}

void Histograms::merge(const Adder& other) {
  const auto& others = static_cast<const Histograms&>(other).tallies_;
  for (std::size_t t = 0; t < tallies_.size(); ++t)
    for (std::size_t bin = 0; bin < tallies_[t].size(); ++bin) tallies_[t][bin] += others[t][bin];
}

Added Histograms::finish() {
  Added out;
  out.tallies = std::move(tallies_);
  return out;
}

}  // namespace discreet::bound
