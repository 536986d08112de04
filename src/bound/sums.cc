#include "discreet/bound/sums.h"

#include <algorithm>

namespace discreet::bound {

Sums::Sums(const Shape& shape, const Layout& layout)
    : shape_(shape), layout_(layout), totals_(shape.totals.size()), pairs_(shape.totals.size()) {
  for (std::size_t t = 0; t < shape.totals.size(); ++t) {
    const Total& total = shape.totals[t];
    switch (total.kind) {
      case Total::Kind::kRows:
      case Total::Kind::kCount:
      case Total::Kind::kSum:
        break;
      case Total::Kind::kUnits:
        if (total.slot) special_.push_back(t);
        break;
      case Total::Kind::kDistinct:
      case Total::Kind::kHistogram:
        paired_.push_back(t);
        break;
      case Total::Kind::kSquares:
      case Total::Kind::kGroupCount:
      case Total::Kind::kGroupSum:
      case Total::Kind::kGroupMeans:
      case Total::Kind::kGroupMean:
        special_.push_back(t);
        break;
    }
  }
}

void Sums::widen(std::size_t group) {
  const std::size_t size = std::max<std::size_t>(group + 1, 2 * units_.size());
  units_.resize(size);
  rows_.resize(size);
  cells_.resize(size * layout_.slots);
  for (const std::size_t t : special_) totals_[t].resize(size);
}

void Sums::add(std::span<const Record> rows, std::size_t kept) {
  const std::uint32_t group = layout_.group(rows[0]);
  if (group >= units_.size()) widen(group);
  ++units_[group];
  rows_[group] += static_cast<std::int64_t>(kept);
  Cell* cells = cells_.data() + group * layout_.slots;
  for (std::size_t i = 0; i < kept; ++i)
    for (std::size_t s = 0; s < layout_.slots; ++s) {
      const std::int64_t value = layout_.slot(rows[i], s);
      const bool there = value != kNothing;
      cells[s].count += there;
      cells[s].sum += there ? value : 0;
    }
  for (const std::size_t t : special_) totals_[t][group] += special(shape_.totals[t], rows, kept);
  for (const std::size_t t : paired_)
    for (std::size_t i = 0; i < kept; ++i)
      if (const std::int64_t value = layout_.slot(rows[i], *shape_.totals[t].slot);
          value != kNothing)
        pairs_[t].push_back({group, value});
}

Wide Sums::special(const Total& total, std::span<const Record> rows, std::size_t kept) const {
  // What the group's rows, kept or not, carry in their folds; modulo 2^64.
  const auto folded = [&](std::size_t word) {
    std::uint64_t out = 0;
    for (const Record row : rows) out += row[word];
    return static_cast<std::int64_t>(out);
  };
  const auto count_of = [&] {
    return folded(total.slot ? layout_.fold_of[*total.slot] : layout_.rows_at);
  };
  const auto sum_of = [&] { return folded(layout_.fold_of[*total.slot] + 1); };
  Wide sum = 0;
  switch (total.kind) {
    case Total::Kind::kSquares:
      for (std::size_t i = 0; i < kept; ++i)
        if (const std::int64_t value = layout_.slot(rows[i], *total.slot); value != kNothing) {
          const Wide off = static_cast<Wide>(value) - total.center;
          sum += (off * off + (total.shift > 0 ? Wide{1} << (total.shift - 1) : 0)) >> total.shift;
        }
      break;
    case Total::Kind::kUnits:
      for (std::size_t i = 0; i < kept && sum == 0; ++i)
        sum = layout_.slot(rows[i], *total.slot) != kNothing;
      break;
    case Total::Kind::kGroupCount:
      if (const std::int64_t n = count_of(); n > 0) sum = std::clamp(n, total.low, total.high);
      break;
    case Total::Kind::kGroupSum:
      if (count_of() > 0) sum = std::clamp(sum_of(), total.low, total.high);
      break;
    case Total::Kind::kGroupMeans:
      sum = count_of() > 0;
      break;
    case Total::Kind::kGroupMean:
      if (const std::int64_t n = count_of(); n > 0)
        sum = static_cast<Wide>(std::clamp(sum_of() / n, total.low, total.high)) - total.center;
      break;
    case Total::Kind::kRows:
    case Total::Kind::kCount:
    case Total::Kind::kSum:
    case Total::Kind::kDistinct:
    case Total::Kind::kHistogram:
      break;  // made of cells or pairs
  }
  return sum;
}

void Sums::merge(const Sums& other) {
  if (other.units_.size() > units_.size()) widen(other.units_.size() - 1);
  for (std::size_t g = 0; g < other.units_.size(); ++g) {
    units_[g] += other.units_[g];
    rows_[g] += other.rows_[g];
    for (const std::size_t t : special_) totals_[t][g] += other.totals_[t][g];
  }
  for (std::size_t i = 0; i < other.cells_.size(); ++i) {
    cells_[i].count += other.cells_[i].count;
    cells_[i].sum += other.cells_[i].sum;
  }
  for (const std::size_t t : paired_)
    pairs_[t].insert(pairs_[t].end(), other.pairs_[t].begin(), other.pairs_[t].end());
}

Wide Sums::total(std::size_t which, std::size_t group) const {
  const Total& total = shape_.totals[which];
  const auto cell = [&] { return cells_[group * layout_.slots + *total.slot]; };
  switch (total.kind) {
    case Total::Kind::kRows:
      return rows_[group];
    case Total::Kind::kCount:
      return cell().count;
    case Total::Kind::kSum:
      return cell().sum - static_cast<Wide>(cell().count) * total.center;
    case Total::Kind::kDistinct:
    case Total::Kind::kHistogram:
      return 0;  // made of pairs
    case Total::Kind::kUnits:
      return total.slot ? totals_[which][group] : units_[group];
    case Total::Kind::kSquares:
    case Total::Kind::kGroupCount:
    case Total::Kind::kGroupSum:
    case Total::Kind::kGroupMeans:
    case Total::Kind::kGroupMean:
      return totals_[which][group];
  }
  return 0;
}

Added Sums::finish() {
  Added out;
  for (std::size_t t = 0; t < shape_.totals.size(); ++t) {
    auto& totals = out.totals.emplace_back(units_.size());
    if (shape_.totals[t].kind == Total::Kind::kDistinct) {
      // A value counts once in a group, whoever brought it.
      auto& pairs = pairs_[t];
      std::sort(pairs.begin(), pairs.end());
      pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
      for (const auto& pair : pairs) ++totals[pair.first];
    } else {
      for (std::size_t g = 0; g < totals.size(); ++g) totals[g] = total(t, g);
    }
  }
  out.units = std::move(units_);
  out.pairs = std::move(pairs_);
  return out;
}

}  // namespace discreet::bound
