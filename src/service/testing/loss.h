// What samples of two distributions prove about the privacy loss between them.
#pragma once

#include <cstdint>
#include <span>

namespace discreet::service::testing {

// Clopper and Pearson (1934): the p below (above) which `hits` or more (or fewer) of `runs` would
// have happened with a probability of at most `doubt`.
double surely_above(std::int64_t hits, std::int64_t runs, double doubt);
double surely_below(std::int64_t hits, std::int64_t runs, double doubt);

// If both samples come from an (ε, δ)-private mechanism on neighbours, this is above ε with a
// probability of at most `doubt`. The first half of the samples chooses an event (at least, at
// most, or exactly some value), the second half says how likely it is on either side.
double least_epsilon(std::span<const double> one, std::span<const double> other, double delta,
                     double doubt);

}  // namespace discreet::service::testing
