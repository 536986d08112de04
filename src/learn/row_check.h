// Is an example's result its own? The privacy of training rests on it that a row's numbers don't
// depend on its place in a tile or on the other rows (learn/sensitivity.h). Products here are made
// so; before every training this looks, with the very network, tile and processor that are used,
// and training doesn't begin where it isn't true.
#pragma once

#include "discreet/learn/tile.h"

namespace discreet::learn {

// Random examples in several orders and tiles of several sizes: every value, slope, norm and loss
// of a row must be the same, to the bit.
Status check_rows(const Network& network, const StepWeights& weights, std::size_t tile_rows,
                  std::size_t classes, random::Source& source);

}  // namespace discreet::learn
