// What the bounding has to know of a plan: how a row looks, how much of it a unit may keep, what is
// added up. A plan's own slots and statistics (plan/plan.h) are these with what only the plan knows
// beside them: there is no second list of kinds to keep in step.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "discreet/bound/scale.h"

namespace discreet::bound {

// What a row brings in one place: a 64-bit integer, or kNothing.
inline constexpr std::int64_t kNothing = INT64_MIN;

struct Slot {
  enum class Kind {
    kNumber,  // rounded to integers times 2^exponent, clamped to [low, high]; NaN is nothing,
              // infinities clamp
    kFlag,    // 1 where there is a value
    kHash,    // a keyed hash of the value: for counting distinct ones
    kWord,    // the same, and the value is remembered: for telling one of them
    kLeaf,    // which of `leaves` equal pieces of [bottom, bottom + width] it is nearest to
    kChoice,  // the number, from 0 on, of one of `leaves` choices
    kScale,   // the bin, of `leaves`, of a doubling scale from 2^exponent on (scale.h)
    kReal,    // the bits of the number itself: of rows that are held (held.h)
  };
  Kind kind = Kind::kNumber;
  int exponent = 0;
  std::int64_t low = 0, high = 0;
  double bottom = 0, width = 1;
  std::int64_t leaves = 0;

  friend bool operator==(const Slot&, const Slot&) = default;
};

// How the values on a public grid of leaves are scored.
struct Scoring {
  // #below·below_weight against #above·above_weight; for MIN and MAX a target rank; for MODE the
  // count itself.
  enum class Kind { kQuantile, kMin, kMax, kMode } kind = Kind::kQuantile;
  std::int64_t leaves = 0;
  std::int64_t below_weight = 0, above_weight = 0, target = 0;

  friend bool operator==(const Scoring&, const Scoring&) = default;
};

// What is added up in a group.
struct Total {
  enum class Kind {
    kRows,        // kept rows
    kCount,       // kept rows whose slot holds something
    kSum,         // Σ (slot − center)
    kSquares,     // Σ (slot − center)² / 2^shift, each rounded
    kUnits,       // units with a kept row whose slot (if any) holds something
    kDistinct,    // distinct values of the slot in kept rows
    kGroupCount,  // Σ over units of their number of rows (with something in the slot), clamped to
                  // [low, high]
    kGroupSum,    // Σ over units of their sum, clamped
    kGroupMeans,  // units that have a mean
    kGroupMean,   // Σ over units of (their mean, rounded to a grid 2^shift times finer than the
                  // slot's and clamped, − center)
    kHistogram,   // a score for each leaf or choice
    kEach,        // every kept row's value, as it is
  };
  Kind kind = Kind::kRows;
  std::optional<std::size_t> slot = {};
  std::int64_t center = 0;
  int shift = 0;
  std::int64_t low = 0, high = 0;
  Scoring scoring = {};  // kHistogram

  // Adds up rows, so that it may add up rows with weights.
  bool is_linear() const {
    return kind == Kind::kRows || kind == Kind::kCount || kind == Kind::kSum ||
           kind == Kind::kSquares;
  }
  // The unit counts once in a group, however many rows it has there.
  bool counts_units() const { return kind == Kind::kUnits || folds_whole_groups(); }
  // Over all of the unit's rows in a group, kept or not.
  bool folds_whole_groups() const {
    return kind == Kind::kGroupCount || kind == Kind::kGroupSum || kind == Kind::kGroupMeans ||
           kind == Kind::kGroupMean;
  }
  friend bool operator==(const Total&, const Total&) = default;
};

// A histogram of units: each is in exactly one bin of a doubling scale (scale.h), or in none, so
// one unit more or less changes one bin by 1. Of values each of the c rows that have one brings
// ⌊2^weight_bits / c⌋ to the bin of its own: 2^weight_bits at most, in all bins together.
struct Tally {
  enum class Kind {
    kRows,     // by how many rows it has, kept or not
    kGroups,   // … how many groups (of those it keeps)
    kMost,     // … how many rows in the largest of them
    kCut,      // … whether it loses any: 0 or 1
    kLost,     // … how many rows it loses
    kClamped,  // … how many of its kept rows have a value that was clamped
    kValue,    // by the slot (a kScale) of its rows: a share of the unit for each (a survey's)
    kKept,     // no histogram: one sum, of the rows that are kept
  };
  Kind kind = Kind::kRows;
  std::optional<std::size_t> slot = {};  // kValue
  std::size_t bins = 0;
  unsigned weight_bits = 0;  // kValue

  friend bool operator==(const Tally&, const Tally&) = default;
};

inline constexpr std::uint32_t kNoLimit = UINT32_MAX;

struct Shape {
  bool text_units = false;
  std::size_t keys = 0;
  std::vector<Slot> slots;
  std::vector<Total> totals;
  std::vector<Tally> tallies;
  std::uint32_t max_groups = 1, max_rows = 1;  // of a unit: groups, rows in each
  std::uint32_t max_total = kNoLimit;          // … rows in all of them together
  // How rows are limited: all of them count with a weight (weights.h), in units of 2^-weight_bits;
  // or, where there is none, so many of them are drawn (choice.h).
  std::optional<unsigned> weight_bits = {};
  // Nothing is asked of groups: all there is are histograms of units, of all their rows.
  bool of_units_alone = false;

  // … and nothing is to be left out.
  bool is_survey() const {
    return of_units_alone && totals.empty() && max_groups == kNoLimit && max_rows == kNoLimit &&
           max_total == kNoLimit &&
           std::all_of(tallies.begin(), tallies.end(), [](const Tally& tally) {
             return tally.kind == Tally::Kind::kRows || tally.kind == Tally::Kind::kGroups ||
                    tally.kind == Tally::Kind::kMost || tally.kind == Tally::Kind::kValue;
           });
  }
};

// Does it matter whether a row's value was clamped?
inline bool marks_clamped(const Shape& shape) {
  return std::any_of(shape.tallies.begin(), shape.tallies.end(),
                     [](const Tally& tally) { return tally.kind == Tally::Kind::kClamped; });
}

// A number as a slot holds it: NaN is nothing, what is outside is clamped, what is between points
// of the grid goes to the nearest (halves to even). Made once for a column.
class Grid {
 public:
  explicit Grid(const Slot& slot)
      : slot_(slot),
        inverse_step_(std::ldexp(1.0, -slot.exponent)),
        low_(static_cast<double>(slot.low)),
        high_(static_cast<double>(slot.high)),
        scale_(slot.kind == Slot::Kind::kScale ? slot.exponent : 0) {
    small_ = std::max(std::abs(low_), std::abs(high_)) < 0x1p51;
  }

  std::int64_t operator()(double value) const {
    if (slot_.kind == Slot::Kind::kLeaf) return leaf(value);
    if (slot_.kind == Slot::Kind::kScale) return value != value ? kNothing : scale_.bin(value);
    return number(value);
  }
  // Is it counted as something else than it is? (Rounding to the grid is not meant.)
  bool clamps(double value) const {
    if (slot_.kind == Slot::Kind::kLeaf)
      return value < slot_.bottom || value > slot_.bottom + slot_.width;
    const double scaled = value * inverse_step_;
    return scaled < low_ - 0.5 || scaled > high_ + 0.5;
  }
  std::int64_t number(double value) const {
    const double scaled = value * inverse_step_;
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
  double inverse_step_, low_, high_;
  ValueScale scale_;
  bool small_;
};

}  // namespace discreet::bound
