// The mode and its gap: how many units have to come, go or change before another value leads.
//
//   const std::int64_t counts[] = {120, 90, 3};
//   Mode mode = mode_of(counts, Domain::kOpen);
//   std::int64_t ahead = mode.distance;  // 31: 30 make it a tie, which the first still wins
//
// With rows of one unit at most: D = min_j (c_w − c_j + [w beats j in a tie]) under add/remove. In
// an open domain there is always a value that nobody has, and it may win ties: D ≤ c_w as well. A
// unit with up to R rows changes D by at most R: ⌈D/R⌉. To substitute a unit changes two rows for
// each of its own: ⌈D/2R⌉. (A smaller D than the true one, that changes by at most 1, only
// withholds more.)
#pragma once

#include <cstdint>
#include <span>

#include "discreet/privacy/guarantee.h"

namespace discreet::mechanism::gap {

enum class Domain {
  kListed,  // the counts are of all values there are
  kOpen,    // there are others, which nobody has
};

struct Mode {
  std::size_t winner = 0;  // of several with the same count the first
  std::int64_t distance = 0;
};

// In the order of ties: an order of the values themselves, not of who came first. Without counts,
// or with none above 0 in an open domain, the distance is 0, and there is no winner to tell.
Mode mode_of(std::span<const std::int64_t> counts, Domain domain,
             privacy::Relation relation = privacy::Relation::kAddRemove,
             std::int64_t rows_per_unit = 1);

}  // namespace discreet::mechanism::gap
