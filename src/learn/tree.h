// DP-FTRL's noise (Kairouz et al. 2021, "Practical and private (deep) learning without sampling or
// shuffling"; trees by Dwork et al. 2010 and Chan, Shi and Song 2011): for those who can't draw
// lots at random, or don't want to rely on it.
//
//   Workers workers;
//   auto regime = *TreeAggregation::create(600, 60'000, Rational(7), workers);
//
// How. An epoch is S = ⌈N/L⌉ steps, and each example is in exactly one of them: which one is drawn
// for each by itself, so that an example that isn't there moves no other. Of the sums g_1, g_2, …
// of an epoch's steps every prefix gets the noise of a binary tree: node (level l, k) covers 2^l
// steps and has noise of its own, and the prefix of t steps is covered by one node for each bit of
// t. What a step adds to its sum is the difference of the prefixes' noises, N_t − N_{t−1}: sums
// over steps, which are what an optimiser follows, then have noise that grows with log t, not with
// t.
//
// What is proved. All a training shows is a function of the noisy nodes' sums: each prefix is the
// sum of its nodes, each with noise. An example is in one step of an epoch, so in one node of each
// of the H = ⌊log2 S⌋ + 1 levels, and changes each node's sum, part j of it, by at most Δ_j in ℓ2;
// each node has N(0, (σ_jΔ_j)²) noise. So an epoch is one Gaussian release with sensitivity √H and
// multiplier σ for any σ^-2 ≥ Σ σ_j^-2, adaptive as gradients are (Kairouz et al., Theorem 4.1).
// Every epoch starts a tree of its own, and epochs compose: gaussian(sigma=σ, sensitivity=√H)*E.
// (A node's steps have the same bounds: a schedule of them is refused within an epoch.)
// Nothing is sampled, and nothing is secret about when an example is used.
//
// Where a run was ended, neither the nodes' noise nor the lots of its epoch outlive it: whoever
// drew them again would use examples twice in one epoch. So what is left of the epoch is left out,
// and a training goes on with the next, whose tree is its own. What the ended run showed is part of
// an epoch's release, which is paid for: E epochs cost the same, however often they are ended.
#pragma once

#include <map>
#include <vector>

#include "discreet/learn/regime.h"
#include "discreet/learn/workers.h"
#include "discreet/random/gaussian.h"

namespace discreet::learn {

class TreeAggregation final : public Regime {
 public:
  // `sigma` is that of a node, over what one example changes.
  static Result<TreeAggregation> create(std::uint64_t lot, std::uint64_t count,
                                        const Rational& sigma, Workers& workers);

  std::uint64_t steps_an_epoch() const { return steps_; }
  std::uint64_t levels() const;  // H

  Result<std::vector<std::uint64_t>> lot(std::uint64_t step, std::uint64_t rows,
                                         random::Source& source) override;
  double expected_lot() const override { return static_cast<double>(lot_); }
  const Rational& sigma(std::uint64_t) const override { return sigma_; }
  Status add_noise(std::uint64_t step, std::span<const NoisyPart> parts,
                   std::span<std::int64_t> sum) override;
  std::uint64_t resume(std::uint64_t begun) override;
  Result<privacy::Event> spent(std::uint64_t steps) const override;

 private:
  TreeAggregation(std::uint64_t lot, std::uint64_t steps, Rational sigma, Workers& workers)
      : lot_(lot), steps_(steps), sigma_(std::move(sigma)), workers_(&workers) {}

  std::uint64_t lot_, steps_;
  Rational sigma_;
  Workers* workers_;
  std::uint64_t next_ = 0;                // the step that is due
  std::vector<std::uint32_t> drawn_;      // by row: its step in this epoch
  std::uint64_t drawn_for_ = UINT64_MAX;  // … which is this one
  std::vector<NoisyPart> parts_;          // of this epoch: a node's noise is for all of its steps
  std::vector<random::RoundedGaussian> noises_;  // … and what it is drawn by
  // By level: the noise of the node that ends the prefix at hand; empty: none.
  std::vector<std::vector<std::int64_t>> nodes_;
};

// What E epochs of S steps cost.
privacy::Event tree_event(std::uint64_t steps_an_epoch, const Rational& sigma,
                          std::uint64_t epochs);

}  // namespace discreet::learn
