// Reading the rows in several passes, for a part of the units each time, where what they leave
// doesn't fit into memory at once.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "discreet/bound/bounder.h"
#include "discreet/engine/engine.h"

namespace discreet::engine {

// Reads all rows once into the bounder. False: the engine ended it, which is right only where the
// bounder is full.
using ReadAll = std::function<Result<bool>(const Watch& watch)>;

// How a pass ended.
struct Pass {
  enum class End { kWhole, kFull, kFailed } end = End::kFailed;
  double times = 2;  // where it was full: as much memory all of it would take, as far as is known
};
Result<Pass> read_pass(bound::Bounder& bounder, std::uint32_t pass, std::uint32_t passes,
                       const Watch& watch, const ReadAll& read);
// How many passes to try after one that was full; nothing where there are too many.
std::optional<std::uint32_t> more_passes(std::uint32_t passes, const Pass& full);

// Everything the bounder was fed, in as many passes as it takes, or nothing where it ended in vain.
Result<std::optional<bound::Contributions>> in_passes(bound::Bounder& bounder, unsigned threads,
                                                      const Watch& watch, const ReadAll& read);

}  // namespace discreet::engine
