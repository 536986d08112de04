// Random problems of estimation, the same on every run.
#pragma once

#include <vector>

#include "discreet/channel/channel.h"
#include "discreet/random/testing/sources.h"

namespace discreet::local::testing {

// Uniform in [0, 1), to 53 bits.
double uniform(random::Source& source);

// Weights with a long tail, divided by their sum.
std::vector<double> random_distribution(random::Source& source, std::size_t size);

// Every entry is positive; no two rows are alike.
channel::Channel random_channel(random::Source& source, std::size_t rows, std::size_t columns);

// How often each output of the channel is seen if that many people draw their values from θ.
std::vector<std::uint64_t> random_counts(random::Source& source, const channel::Channel& channel,
                                         const std::vector<double>& theta, std::size_t users);

}  // namespace discreet::local::testing
