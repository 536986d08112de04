// The utility and best remap of structured channels in a few sweeps over the inputs: time and
// memory grow with the size, not with its square.
//
//   const TruncatedGeometric count{1'000'001, Ratio::exactly(2)};
//   const auto prior = uniform_doubles(count.size);
//   Swept use = *sweep_utility(count, prior, *Gain::identity(count.size));
//   double low = use.lower, high = use.upper;  // the truth between them
//
// Truncated geometric, P(z|y) = c_z·α^|z−y|:
// - identity gain: the best guess for z maximises π(y)·α^|z−y|, and the maximum over y ≤ z is
// either
//   π(z) or α times that for z−1.
// - distance gain: the best guess is a median of π(y)·α^|z−y|, which never moves back as z moves on
//   (the likelihood ratio of z+1 to z grows with y). Prefix sums Σ_{y≤w} π(y)·α^(w−y) and their
//   first moments follow from those of w−1, likewise from the right, and give the mass up to any w
//   and the mean distance to it in constant time.
// Flat: every other input weighs the same, so the two largest π(y), or prefix sums of π, do.
//
// Outputs with less chance than a double can hold (2^-1000 and below: a binomial's far ends) have
// no bearing on the utility and take their neighbours' guess.
//
// Arithmetic is in 64-bit mantissas. A recurrence of n steps over nonnegative terms is off by at
// most 4n·2^-64 of their sum, the prior by 2^-52; the interval is that wide, relative to the sum of
// the sizes of all terms.
#pragma once

#include <cstdint>
#include <vector>

#include "discreet/channel/gain.h"
#include "discreet/channel/structured.h"

namespace discreet::channel {

struct Swept {
  double lower, upper;               // the utility
  std::vector<std::uint32_t> remap;  // reaches at least `lower`

  double value() const { return lower + (upper - lower) / 2; }
};

// Identity and distance gains over the inputs in their order.
Result<Swept> sweep_utility(const TruncatedGeometric& channel, const std::vector<double>& prior,
                            const Gain& gain);
Result<Swept> sweep_utility(const Flat& channel, const std::vector<double>& prior,
                            const Gain& gain);

}  // namespace discreet::channel
