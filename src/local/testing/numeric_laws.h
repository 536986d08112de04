// What tests ask of a protocol about numbers, from its exact probabilities on a grid that is small
// enough to go over every report.
#pragma once

#include <vector>

#include "discreet/local/protocol.h"
#include "discreet/random/testing/chi_square.h"
#include "discreet/random/testing/sources.h"

namespace discreet::local::testing {

inline constexpr long kBits = 256;

// The ends, the middle, places between that no grid has, and neighbours.
inline std::vector<Value> some_values() {
  return {0, 1, 12345678, kScale / 4, kScale / 3, kScale / 2, kScale / 2 + 1, kScale - 1, kScale};
}

inline Ball tiny() { return Ball(Rational(Integer(1), Integer(1) << 60), kBits); }

inline bool near_enough(const Ball& a, const Ball& b) {
  const Ball apart = sub(a, b, kBits);
  return surely_less(apart, tiny()) && surely_less(-apart, tiny());
}

inline Ball sum_of_probabilities(const Protocol& protocol, Value value) {
  Ball sum(0);
  const auto outcomes = *protocol.outcomes();
  for (const Word report : outcomes)
    sum = add(sum, protocol.probability(value, {&report, 1}, kBits), kBits);
  return sum;
}

// max P[r|v]/P[r|v'] over the values and all reports
inline Ball worst_ratio(const Protocol& protocol) {
  Ball worst(0);
  const auto outcomes = *protocol.outcomes();
  for (const Word report : outcomes) {
    Ball most(0), least(2);
    for (const Value value : some_values()) {
      const Ball p = protocol.probability(value, {&report, 1}, kBits);
      most = max(most, p, kBits);
      least = -max(-least, -p, kBits);
    }
    worst = max(worst, div(most, least, kBits), kBits);
  }
  return worst;
}

// The p-value of samples from one protocol under the probabilities of another.
inline double fit(const Protocol& sampler, const Protocol& claimed, Value value,
                  std::size_t samples) {
  random::testing::Seeded source(15);
  std::vector<Value> values(samples, value);
  std::vector<Word> reports(samples);
  if (!sampler.perturb(values, source, reports)) return 0;
  const auto outcomes = *claimed.outcomes();
  std::vector<double> counts(outcomes.size()), probabilities;
  for (const Word report : reports)
    for (std::size_t i = 0; i < outcomes.size(); ++i) counts[i] += report == outcomes[i];
  for (const Word report : outcomes)
    probabilities.push_back(claimed.probability(value, {&report, 1}, 64).middle());
  return random::testing::goodness_of_fit(counts, probabilities);
}

}  // namespace discreet::local::testing
