// The rare second half of an exact alias table (alias.h): drawing from what the integer weights
// left over.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "discreet/base/ball.h"
#include "discreet/random/source.h"

namespace discreet::random {

// ⌊2^64·p⌋, or a little less where the enclosure at `bits` leaves it open: any integer below will
// do, the remainder holds the rest.
std::uint64_t weight_below(const Ball& p);

// A symbol drawn with probability (2^64·p_i − w_i)/R. `probabilities(bits)` encloses the p_i, w are
// the table's weights. Mass that the symbols 0 … w.size()−1 don't have (a tail) comes back as
// w.size().
Result<std::uint32_t> sample_remainder(
    Source& source, std::span<const std::uint64_t> weights,
    const std::function<std::vector<Ball>(long bits)>& probabilities);

}  // namespace discreet::random
