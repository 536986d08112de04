// How many units have each of endlessly many values, without a list of the values: only those that
// are there get noise, and only what then reaches a threshold is shown (deck 004).
//
//   auto histogram = *TruncatedHistogram::create({.epsilon = 1, .delta = Rational(1, 1000000)});
//   TruncatedHistogram::Bins words{{"tea", 120}, {"a secret", 1}};
//   auto shown = histogram.release(Exact<TruncatedHistogram::Bins>::from_private(words));
//   std::int64_t least = histogram.threshold();  // 15: nothing smaller is ever shown
//
// What is proved. A unit is in at most k bins; c bins change when it comes or goes (c = k) or is
// replaced (c = 2k). Noise is discrete Laplace, α = e^(−ε/c). Of the bins that change, those that
// are there both times lose ε/c each; those that are there once are shown with at most δ/c
// (cutoff.h), and are (0, δ/c)-DP. Basic composition over the c bins: (ε, δ). The idea is that of
// Korolova, Kenthapadi, Mishra and Ntoulas (WWW 2009). The deck's threshold ln(1/δ)/ε forgets that
// the unit itself counts 1, and fails for ε > ln 2.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "discreet/mechanism/door.h"
#include "discreet/mechanism/gap/cutoff.h"
#include "discreet/mechanism/released.h"
#include "discreet/privacy/event.h"
#include "discreet/random/generator.h"

namespace discreet::mechanism::gap {

struct TruncatedHistogramParameters {
  Rational epsilon, delta;
  std::int64_t bins_per_unit = 1;  // the caller sees to it that no unit is in more
  privacy::Relation relation = privacy::Relation::kAddRemove;
};

class TruncatedHistogram : private Door {
 public:
  using Bins = std::map<std::string, std::int64_t>;  // units in each; below 1 is not there

  static Result<TruncatedHistogram> create(const TruncatedHistogramParameters& parameters);

  privacy::Guarantee guarantee() const { return {p_.epsilon, p_.delta, p_.relation}; }
  privacy::Event event() const { return {privacy::Approximate{p_.epsilon, p_.delta}}; }
  std::int64_t threshold() const { return cutoff_.threshold(); }
  const Cutoff& cutoff() const { return cutoff_; }

  // The bins that are shown, with noise; in the order of their names. The margin is that of any one
  // bin that was named before: P[shown, and further off] ≤ 1/20.
  Result<Released<Bins>> release(const Exact<Bins>& bins,
                                 random::Source& source = random::thread_generator()) const;

  // The same of keys and the numbers of their units, side by side: where each stood, too.
  template <class Key>
  struct Shown {
    std::size_t place;
    Key key;
    std::int64_t units;  // with noise
  };
  template <class Key>
  Result<Released<std::vector<Shown<Key>>>> release(
      const Exact<std::vector<Key>>& keys, const Exact<std::vector<std::int64_t>>& units,
      random::Source& source = random::thread_generator()) const {
    const std::vector<Key>& all = open(keys);
    const std::vector<std::int64_t>& counts = open(units);
    const auto noisy = shown(std::span(counts).first(std::min(all.size(), counts.size())), source);
    if (!noisy) return tl::unexpected<Error>(noisy.error());
    std::vector<Shown<Key>> out;
    for (std::size_t i = 0; i < noisy->size(); ++i)
      if ((*noisy)[i]) out.push_back({i, all[i], *(*noisy)[i]});
    return Released<std::vector<Shown<Key>>>(std::move(out), guarantee());
  }

  // The least m with P[some of so many bins is shown, and further off than m] ≤ beta.
  Integer accuracy(const Rational& beta, std::uint64_t bins = 1) const;
  // Bins of so many units are all shown with probability 1 − ½e^(−t), of n bins:
  // threshold + (ln n + t)·c/ε. (The deck says t·ln(n)/ε, without the threshold.)
  double all_shown_from(double t, std::uint64_t bins) const;

 private:
  TruncatedHistogram(TruncatedHistogramParameters parameters, Cutoff cutoff)
      : p_(std::move(parameters)), cutoff_(std::move(cutoff)) {}
  // With noise, where that reaches the threshold. One draw a bin.
  Result<std::vector<std::optional<std::int64_t>>> shown(std::span<const std::int64_t> units,
                                                         random::Source& source) const;
  TruncatedHistogramParameters p_;
  Cutoff cutoff_;
};

}  // namespace discreet::mechanism::gap
