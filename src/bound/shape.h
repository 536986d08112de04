// What the bounding has to know of a plan: how a row looks, how much of it a unit may keep, what is
// added up.
#pragma once

#include <algorithm>
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
// of the grid goes to the nearest (halves to even).
inline std::int64_t to_grid(const Slot& slot, double value) {
  if (std::isnan(value)) return kNothing;
  if (slot.kind == Slot::Kind::kLeaf) {
    const double share = std::clamp((value - slot.bottom) / slot.width, 0.0, 1.0);
    return std::isnan(share) ? kNothing
                             : static_cast<std::int64_t>(
                                   std::llrint(share * static_cast<double>(slot.leaves - 1)));
  }
  const double scaled = value * slot.inverse_step;
  if (!(scaled > static_cast<double>(slot.low))) return slot.low;
  if (!(scaled < static_cast<double>(slot.high))) return slot.high;
  return std::clamp(static_cast<std::int64_t>(std::llrint(scaled)), slot.low, slot.high);
}

}  // namespace discreet::bound
