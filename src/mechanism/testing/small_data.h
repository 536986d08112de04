// All small data sets, and their neighbours: what proofs about ranks are tried on.
#pragma once

#include <cstdint>
#include <vector>

#include "discreet/mechanism/gap/unit.h"

namespace discreet::mechanism::testing {

using SmallData = std::vector<std::int64_t>;  // ascending

// All multisets of the points 0 … highest with at most `most` rows.
std::vector<SmallData> all_data(std::int64_t highest, std::size_t most);
// All others that one unit can make of it, on the same points.
std::vector<SmallData> all_neighbours(const SmallData& rows, std::int64_t highest,
                                      const gap::Unit& unit);

}  // namespace discreet::mechanism::testing
