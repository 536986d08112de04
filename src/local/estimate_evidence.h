// What every estimate is made from, whether reports came from a protocol or through a channel.
#pragma once

#include "discreet/local/estimate.h"
#include "discreet/local/likelihood.h"

namespace discreet::local {

struct Evidence {
  std::uint64_t users = 0;
  // The inversion, which may be negative; an error where there is none.
  std::function<Result<std::vector<double>>()> invert = {};
  // One standard error of the inversion, or of what does as well, at these frequencies.
  std::function<std::vector<double>(std::span<const double>)> errors = {};
  // Of one value, with a chance to be wrong; none where it isn't known.
  std::function<Reach(double)> reach = {};
  std::function<Result<std::unique_ptr<Likelihood>>()> likelihood = {};
};

Result<Estimate> estimate_from(const Evidence& evidence, const EstimateOptions& options);

// Of reports that support a value with p where it is true and q where not:
//     f = (C/n − q)/(p − q).
std::vector<double> pure_inversion(std::span<const double> supports, double users, double p,
                                   double q);
// One standard error each: √(variance/n).
std::vector<double> standard_errors(std::vector<double> variances, double users);

}  // namespace discreet::local
