// δ(ε) of a channel, and the whole trade-off between false alarms and misses.
//
//   Channel coin = *Channel::create(2, 2, {Rational(1, 2), Rational(1, 2), Rational(1, 3),
//                                          Rational(2, 3)});
//   Delta at_zero = *delta_of(coin, *Graph::complete(2), Ratio::exactly(1));
//   double delta = at_zero.value.middle();  // 1/6: the coin of the errata
//
//     δ(ε) = max over neighbours y ~ y', both ways, of Σ_z max(0, C[y][z] − e^ε·C[y'][z])
#pragma once

#include <optional>
#include <vector>

#include "discreet/base/ball.h"
#include "discreet/channel/channel.h"
#include "discreet/channel/graph.h"
#include "discreet/channel/ratio.h"

namespace discreet::channel {

struct Delta {
  Ball value;                     // contains the truth
  std::optional<Rational> exact;  // where e^ε is rational
  std::size_t from = 0, to = 0;   // the neighbours that reach it
};

// Doubles with a proved error find the pairs that could be worst; fractions (or balls) decide.
Result<Delta> delta_of(const Channel& channel, const Graph& graph, const Ratio& ratio);

struct Point {
  Rational false_alarm, miss;
  friend bool operator==(const Point&, const Point&) = default;
};

// The corners of the largest convex curve that no test between two neighbours goes below, from (0,
// 1) side to (1, 0): with false alarms a, misses are at least its height at a. For one pair of
// neighbours it is the exact curve of the best tests (Neyman and Pearson: outputs in the order of
// their likelihood ratio); for many it is the convex hull of theirs, which says the same as δ(ε)
// for all ε (Wasserman and Zhou 2010; Dong, Roth and Su 2022).
Result<std::vector<Point>> tradeoff_of(const Channel& channel, const Graph& graph);

// The height of such a curve at 0 ≤ a ≤ 1.
Rational miss_at(const std::vector<Point>& curve, const Rational& false_alarm);

}  // namespace discreet::channel
