// Makers of channels, from mechanisms and from other channels.
//
//   Channel coin = *from_coins(Rational(1, 2), Rational(1, 2));  // 3/4, 1/4 and 1/4, 3/4
//   Channel twice = *after(coin, coin);      // the answer randomized again: ε falls to ln(5/3)
//   Channel both = *same_input(coin, coin);  // asked twice: ε adds up to 2·ln 3
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "discreet/channel/channel.h"
#include "discreet/channel/graph.h"
#include "discreet/channel/ratio.h"

namespace discreet::channel {

// Geometric noise on the inputs 0 … size−1, seen through a window: outputs low … high, and whatever
// falls outside is moved to the nearer end. With the window 0 … size−1 it is the truncated
// geometric mechanism. α = 1/ratio.lower; P(z|y) = (1−α)/(1+α)·α^|z−y| inside, the rest of each
// tail at its end.
Result<Channel> geometric_window(std::size_t size, std::int64_t low, std::int64_t high,
                                 const Ratio& ratio);

// Randomized response from coins (Warner 1965; deck 003): tell the truth with chance `truth`, else
// say yes with chance `yes`. Rows and columns are yes, no.
Result<Channel> from_coins(const Rational& truth, const Rational& yes);

// The exponential mechanism, one row of scores for each input and one column for each output:
// P(z|y) ∝ e^(ε·score/(2Δ)), or e^(ε·score/Δ) if `monotone` (mechanism::Exponential), rounded to
// thirty decimals such that rows sum to 1 and neighbours stay within ε, exactly. Δ is the most a
// score changes between neighbours; a stated one may be larger. Refuses `monotone` where scores of
// two neighbours move both ways.
struct ExponentialParameters {
  std::size_t inputs, outputs;
  std::vector<Rational> scores;
  Rational epsilon;  // rounded down
  Ratio ratio;       // of the same ε
  std::optional<Rational> sensitivity = {};
  bool monotone = false;
};
Result<Channel> exponential(const ExponentialParameters& parameters, const Graph& graph);

// Two mechanisms on two inputs of their own: row (a, b) is a·rows(second) + b, columns alike.
Result<Channel> product(const Channel& first, const Channel& second);
// Two mechanisms on the same input; columns (z, z').
Result<Channel> same_input(const Channel& first, const Channel& second);
// Post-processing: the first one's output goes into the second. The matrix product.
Result<Channel> after(const Channel& first, const Channel& second);
// H∘f: row x is the row f(x) of H.
Result<Channel> oblivious(const Channel& noise, const std::vector<std::size_t>& answers);

}  // namespace discreet::channel
