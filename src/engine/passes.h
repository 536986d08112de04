// Reading the rows in several passes, for a part of the units each time, where what they leave
// doesn't fit into memory at once.
#pragma once

#include <functional>

#include "discreet/bound/bounder.h"
#include "discreet/engine/engine.h"

namespace discreet::engine {

// Reads all rows once into the bounder. False: the engine ended it, which is right only where the
// bounder is full.
using ReadAll = std::function<Result<bool>(const Watch& watch)>;

// Everything the bounder was fed, or nothing where it ended in vain. Doubles the number of passes
// until each fits.
Result<std::optional<bound::Contributions>> in_passes(bound::Bounder& bounder, unsigned threads,
                                                      const Watch& watch, const ReadAll& read);

}  // namespace discreet::engine
