// From a collector's state to the shape of a distribution of numbers: frequencies of bins, and the
// mean.
//
//   #include "discreet/local/square_wave.h"
//   auto wave = *SquareWave::create({.epsilon = 1, .domain = 8});
//   State state(*wave);
//   std::fill(state.counters.begin(), state.counters.end(), 100);
//   state.users = 100 * state.counters.size();
//   Shape shape = *estimate_shape(*wave, state, shape_options());
//   double mean = shape.mean.value;
//
// The update is smoothed unless asked otherwise (EMS: Li et al. 2020): that of most likelihood fits
// the noise of neighbouring bins, which reports hardly tell apart. Smoothed are the parts of the
// bins, then added up; unsmoothed, numbers are taken to be uniform in their bin.
//
// Error bars are those of the fixed point θ = S·M(θ, f) that the rounds go to, where M is a round
// of the update, S the smoothing, f the shares of the reports: dθ = (I − S·∂M/∂θ)⁻¹·S·∂M/∂f·df, and
// the covariance of f is what the protocol's own randomness makes of these numbers. They tell how
// far noise moves the estimate, not what smoothing itself rounds off.
#pragma once

#include "discreet/local/estimate.h"

namespace discreet::local {

struct Shape {
  Estimate bins;
  Number mean;  // as a place from 0 to 1
};

EstimateOptions shape_options();  // the smoothed update

// Methods are ibu (smoothed if so asked) and mle. More bins (smoothed: parts) than kMostBars have
// no error bars: they are infinite.
inline constexpr std::size_t kMostBars = 512;
Result<Shape> estimate_shape(const ShapeProtocol& protocol, const State& state,
                             EstimateOptions options);

}  // namespace discreet::local
