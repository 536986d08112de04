// Parameters that the entries of truncated histograms and of partition selection share.
#pragma once

#include "discreet/mechanism/parameter.h"

namespace discreet::mechanism::gap {

inline constexpr Parameter kBinsPerUnit{.name = "bins-per-unit",
                                        .kind = ParameterKind::kWhole,
                                        .help = "in how many bins (groups) a unit is at most",
                                        .fallback = "1",
                                        .most = 1'000'000,
                                        .example = "1"};

}  // namespace discreet::mechanism::gap
