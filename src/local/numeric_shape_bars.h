// Error bars of an estimated shape: see numeric_shape.h for the formula.
#pragma once

#include "discreet/local/numeric_shape.h"

namespace discreet::local {

struct ShapeBars {
  std::vector<double> bins;
  double mean = 0;
};
// Of θ over bins, or over all their parts: whichever was estimated.
ShapeBars shape_bars(const ShapeProtocol& protocol, const State& state,
                     std::span<const double> theta, bool smooth);

}  // namespace discreet::local
