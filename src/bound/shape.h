// What the bounding has to know of a plan: how a row looks, how much of it a unit may keep, what is
// added up.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace discreet::bound {

// What a row brings in one place: a 64-bit integer, or kNothing.
inline constexpr std::int64_t kNothing = INT64_MIN;

struct Slot {
  enum class Kind { kNumber, kFlag, kHash, kLeaf };
  Kind kind = Kind::kNumber;
  double inverse_step = 1;  // kNumber: 2^-exponent
  std::int64_t low = 0, high = 0;
  double bottom = 0, width = 1;  // kLeaf: [bottom, bottom + width] in `leaves` pieces
  std::int64_t leaves = 0;
  bool whole_groups = false;  // also added up over all of the unit's rows in a group
};

struct Total {
  enum class Kind {
    kRows,
    kCount,
    kSum,
    kSquares,
    kUnits,
    kDistinct,
    kGroupCount,
    kGroupSum,
    kGroupMeans,
    kGroupMean,
    kHistogram
  };
  Kind kind = Kind::kRows;
  std::optional<std::size_t> slot = {};
  std::int64_t center = 0;
  int shift = 0;
  std::int64_t low = 0, high = 0;
};

struct Shape {
  bool text_units = false;
  std::size_t keys = 0;
  std::vector<Slot> slots;
  std::vector<Total> totals;
  std::uint32_t max_groups = 1, max_rows = 1;
  bool counts_whole_rows = false;  // some total counts all of the unit's rows in a group
};

// A number as a slot holds it: NaN is nothing, what is outside is clamped, what is between points
// of the grid goes to the nearest (halves to even). Made once for a column.
class Grid {
 public:
  explicit Grid(const Slot& slot)
      : slot_(slot), low_(static_cast<double>(slot.low)), high_(static_cast<double>(slot.high)) {
    small_ = std::max(std::abs(low_), std::abs(high_)) < 0x1p51;
  }

  std::int64_t operator()(double value) const {
    return slot_.kind == Slot::Kind::kLeaf ? leaf(value) : number(value);
  }
  std::int64_t number(double value) const {
    const double scaled = value * slot_.inverse_step;
    if (small_) {
      // Doubles around 1.5·2^52 are one apart: adding it rounds, and the sum's last bits are the
      // integer. No branch depends on the value.
      // A comparison with NaN is false: whatever comes, the result is between low and high.
      const double inside = scaled > low_ ? (scaled < high_ ? scaled : high_) : low_;
      const auto rounded = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(inside + kShift) -
                                                     std::bit_cast<std::uint64_t>(kShift));
      return value != value ? kNothing : rounded;
    }
    if (value != value) return kNothing;
    if (!(scaled > low_)) return slot_.low;
    if (!(scaled < high_)) return slot_.high;
    return std::clamp(static_cast<std::int64_t>(std::llrint(scaled)), slot_.low, slot_.high);
  }

 private:
  static constexpr double kShift = 0x1.8p52;
  std::int64_t leaf(double value) const {
    const double share = std::clamp((value - slot_.bottom) / slot_.width, 0.0, 1.0);
    return std::isnan(share) ? kNothing
                             : static_cast<std::int64_t>(
                                   std::llrint(share * static_cast<double>(slot_.leaves - 1)));
  }
  Slot slot_;
  double low_, high_;
  bool small_;
};

}  // namespace discreet::bound
