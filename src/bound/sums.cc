#include "discreet/bound/sums.h"

#include <algorithm>

namespace discreet::bound {
namespace {

// The nearest whole number to a/b, b > 0; halves up.
Wide rounded_quotient(Wide a, std::int64_t b) {
  const Wide twice = 2 * a + b, by = 2 * static_cast<Wide>(b);
  return twice / by - (twice % by < 0 ? 1 : 0);
}

}  // namespace

Wide nearest_mean(Wide sum, std::int64_t count, int shift) {
  const Wide rest = (sum % count + count) % count, whole = (sum - rest) / count;
  return (whole << shift) + rounded_quotient(rest << shift, count);
}

Sums::Sums(const Shape& shape, const Layout& layout)
    : shape_(shape),
      layout_(layout),
      weights_(shape),
      totals_(shape.totals.size()),
      pairs_(shape.totals.size()) {
  for (const Tally& tally : shape.tallies) tallies_.emplace_back(tally.bins);
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
      case Total::Kind::kEach:
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

void Sums::add(const Chosen& unit) {
  for (const Chosen::Run& run : unit.runs)
    add_group(unit.rows.subspan(run.begin, run.end - run.begin), run.weight);
  for (std::size_t t = 0; t < tallies_.size(); ++t) {
    const Tally& tally = shape_.tallies[t];
    if (const std::size_t bin = bin_of(tally, unit); bin < tallies_[t].size())
      tallies_[t][bin] +=
          tally.kind == Tally::Kind::kKept ? static_cast<std::int64_t>(unit.kept) : 1;
  }
}

// A unit's rows in one of its groups. Where no row stays the unit isn't in the group: it counts in
// no more groups than it keeps rows.
void Sums::add_group(std::span<const Kept> rows, std::uint64_t weight) {
  std::uint64_t kept = 0;
  for (const Kept& one : rows) kept += one.kept;
  if (kept == 0) return;
  const std::uint32_t group = layout_.group(rows[0].row);
  if (group >= units_.size()) widen(group);
  ++units_[group];
  rows_[group] += static_cast<std::int64_t>(kept * weight);
  Cell* cells = cells_.data() + group * layout_.slots;
  for (const Kept& one : rows) {
    const auto worth = static_cast<std::int64_t>(one.kept * weight);
    for (std::size_t s = 0; s < layout_.slots; ++s) {
      const std::int64_t value = layout_.slot(one.row, s);
      const std::int64_t times = value != kNothing ? worth : 0;
      cells[s].count += times;
      cells[s].sum += static_cast<Wide>(times != 0 ? value : 0) * times;
    }
  }
  for (const std::size_t t : special_) totals_[t][group] += special(shape_.totals[t], rows, weight);
  for (const std::size_t t : paired_)
    for (const Kept& one : rows)
      if (const std::int64_t value = layout_.slot(one.row, *shape_.totals[t].slot);
          value != kNothing)
        pairs_[t].insert(pairs_[t].end(), one.kept, {group, value});
}

Wide Sums::special(const Total& total, std::span<const Kept> rows, std::uint64_t weight) const {
  // Over all of the group's rows, kept or not.
  const auto count_of = [&] {
    std::int64_t n = 0;
    for (const Kept& one : rows)
      if (!total.slot || layout_.slot(one.row, *total.slot) != kNothing) n += one.copies;
    return n;
  };
  const auto sum_of = [&] {
    Wide sum = 0;
    for (const Kept& one : rows)
      if (const std::int64_t value = layout_.slot(one.row, *total.slot); value != kNothing)
        sum += static_cast<Wide>(value) * one.copies;
    return sum;
  };
  const auto clamped = [&](Wide value) { return std::clamp<Wide>(value, total.low, total.high); };
  Wide sum = 0;
  switch (total.kind) {
    case Total::Kind::kSquares:
      for (const Kept& one : rows)
        if (const std::int64_t value = layout_.slot(one.row, *total.slot); value != kNothing) {
          const Wide off = static_cast<Wide>(value) - total.center;
          sum +=
              ((off * off + (total.shift > 0 ? Wide{1} << (total.shift - 1) : 0)) >> total.shift) *
              one.kept;
        }
      sum *= weight;
      break;
    case Total::Kind::kUnits:
      for (const Kept& one : rows)
        if (one.kept > 0 && layout_.slot(one.row, *total.slot) != kNothing) sum = 1;
      break;
    case Total::Kind::kGroupCount:
      if (const std::int64_t n = count_of(); n > 0) sum = clamped(n);
      break;
    case Total::Kind::kGroupSum:
      if (count_of() > 0) sum = clamped(sum_of());
      break;
    case Total::Kind::kGroupMeans:
      sum = count_of() > 0;
      break;
    case Total::Kind::kGroupMean:
      if (const std::int64_t n = count_of(); n > 0)
        sum = clamped(nearest_mean(sum_of(), n, total.shift)) - total.center;
      break;
    case Total::Kind::kRows:
    case Total::Kind::kCount:
    case Total::Kind::kSum:
    case Total::Kind::kDistinct:
    case Total::Kind::kHistogram:
    case Total::Kind::kEach:
      break;  // made of cells or pairs
  }
  return sum;
}

std::size_t Sums::bin_of(const Tally& tally, const Chosen& unit) const {
  switch (tally.kind) {
    case Tally::Kind::kRows:
      return count_bin(unit.had);
    case Tally::Kind::kGroups:
      return count_bin(unit.runs.size());
    case Tally::Kind::kMost:
      return count_bin(unit.most);
    case Tally::Kind::kCut:
      return unit.kept < unit.had ? 1 : 0;
    case Tally::Kind::kKept:
      return 0;
    case Tally::Kind::kLost:
      return count_bin(unit.had - unit.kept);
    case Tally::Kind::kClamped: {
      std::uint64_t clamped = 0;
      for (const Chosen::Run& run : unit.runs)
        for (const Kept& one : unit.rows.subspan(run.begin, run.end - run.begin))
          if (layout_.clamped(one.row)) clamped += one.kept * run.weight;
      return count_bin(shape_.weight_bits ? weights_.rows_of(clamped) : clamped);
    }
    case Tally::Kind::kValue:
      break;  // a survey's
  }
  return tally.bins;
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
  for (std::size_t t = 0; t < tallies_.size(); ++t)
    for (std::size_t bin = 0; bin < tallies_[t].size(); ++bin)
      tallies_[t][bin] += other.tallies_[t][bin];
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
    case Total::Kind::kEach:
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
  out.tallies = std::move(tallies_);
  return out;
}

}  // namespace discreet::bound
