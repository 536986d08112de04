// What a user believes before the answer comes: a distribution over the inputs.
//
//   Prior even = *uniform_prior(6);               // a sixth each
//   Prior coins = *binomial_prior(6, Rational(1, 2));  // 1/32, 5/32, 10/32, …
#pragma once

#include <vector>

#include "discreet/base/number.h"

namespace discreet::channel {

using Prior = std::vector<Rational>;

Result<Prior> uniform_prior(std::size_t size);
// How many of size−1 people have a property that each has with this chance. Exact, for up to 2000
// inputs; their fractions would fill the memory beyond.
Result<Prior> binomial_prior(std::size_t size, const Rational& chance);
// Probabilities that sum to 1.
Status check_prior(const Prior& prior, std::size_t size);

// The same as doubles, each within 2^-52 of itself (relatively): for channels of a million inputs.
std::vector<double> in_doubles(const Prior& prior);
std::vector<double> uniform_doubles(std::size_t size);
std::vector<double> binomial_doubles(std::size_t size, const Rational& chance);

}  // namespace discreet::channel
