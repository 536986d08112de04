// Sums of many 64-bit integers, by the name they have here.
#pragma once

#include "discreet/base/wide.h"

namespace discreet::bound {

using discreet::UnsignedWide;
using discreet::Wide;

}  // namespace discreet::bound
