// Populations to try protocols on: a law by name, and people drawn from it.
//
//   #include "discreet/random/generator.h"
//   std::vector<double> weights = *law_weights("zipf(1.5)", 100);
//   Population people = *draw_population(weights, 1000000, random::thread_generator());
//   double first = people.frequencies()[0];  // of the people, not of the law
//
// These are made-up people: nothing here protects anybody, and weights are doubles.
#pragma once

#include "discreet/local/protocol.h"

namespace discreet::local {

// How likely each of `domain` values is, up to a factor:
// - uniform;
// - zipf, zipf(s): (i + 1)^−s, s = 1 where none is given;
// - geometric, geometric(r): r^i, r = 9/10 where none is given;
// - bell: a normal density, a sixth of the domain wide.
Result<std::vector<double>> law_weights(const std::string& text, std::size_t domain);
inline constexpr std::string_view kLaws =
    "uniform, zipf, zipf(1.5), geometric, geometric(0.5) or bell";

struct Population {
  std::vector<Value> values;          // one a person, in no order
  std::vector<std::uint64_t> counts;  // how many hold each value
  std::vector<double> frequencies() const;
};

// Exactly `users` people, each drawn by the weights: finite, not negative, not all 0.
Result<Population> draw_population(std::span<const double> weights, std::uint64_t users,
                                   random::Source& source);

}  // namespace discreet::local
