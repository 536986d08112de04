// Smooth quantiles as a Mechanism: what the entries of the median and of any quantile share.
#pragma once

#include "discreet/mechanism/gap/smooth_quantile.h"
#include "discreet/mechanism/gap/values.h"
#include "discreet/mechanism/mechanism.h"

namespace discreet::mechanism::gap {

inline constexpr Parameter kOptimised{
    .name = "optimised",
    .kind = ParameterKind::kFlag,
    .help = "as much smoothness as δ allows, in place of the textbook's"};
inline constexpr Parameter kPureWithout{.name = "delta",
                                        .kind = ParameterKind::kProbability,
                                        .help = "the δ of (ε, δ), above 0 and below 1",
                                        .fallback = "none: pure, by Cauchy noise",
                                        .example = "1e-6"};

Result<MechanismPointer> smooth_mechanism(const Parameters& parameters, const Rational& quantile);

// Data sets on a small grid at their worst: nobody, all alike, half at either end, all over it.
std::vector<Value> small_values();

}  // namespace discreet::mechanism::gap
