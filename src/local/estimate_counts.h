// What estimates through channels share.
#pragma once

#include "discreet/channel/ratio.h"
#include "discreet/local/estimate.h"

namespace discreet::local {

// How many reports there are in all; an error where there isn't a count for each output.
Result<std::uint64_t> reports_in(std::span<const std::uint64_t> counts, std::size_t outputs);

// Two inputs at least, and an ε above 0: what is left says something.
Status check_telling(std::size_t inputs, const channel::Ratio& ratio);

// Of each output.
std::vector<double> frequencies(std::span<const std::uint64_t> counts, double users);

// One standard error of an inversion, given the people's values: √((Σ_z A_vz²·m_z − f_v)/n).
double error_of(double squares, double frequency, double users);

}  // namespace discreet::local
