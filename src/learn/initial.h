// Weights to begin with.
#pragma once

#include <span>

#include "discreet/base/error.h"
#include "discreet/random/source.h"

namespace discreet::learn {

// Uniform on (−a, a) with variance 2/inputs (He et al. 2015): a = √(6/inputs). They are no secret
// and hide nothing; any distribution will do.
Status fill_initial(random::Source& source, std::size_t inputs, std::span<float> weights);

}  // namespace discreet::learn
