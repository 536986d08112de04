// The least ε for which a channel is ε-private, exactly.
//
//   Channel coin = *Channel::create(2, 2, {Rational(3, 4), Rational(1, 4), Rational(1, 4),
//                                          Rational(3, 4)});
//   Loss loss = epsilon_of(coin, *Graph::complete(2));
//   double epsilon = loss.epsilon();  // ln 3, from the exact ratio 3
//
// A channel is ε-private over a graph iff C[y][z] ≤ e^ε·C[y'][z] for all neighbours y ~ y' and all
// z. Over a connected graph that is the same as C[y][z] ≤ e^(ε·d(y,y'))·C[y'][z] for all pairs, d
// the distance in the graph (deck 003, exercise 3): multiply along a shortest way; and neighbours
// are at distance 1. metric_epsilon asks the second question for any metric.
#pragma once

#include <optional>
#include <vector>

#include "discreet/channel/channel.h"
#include "discreet/channel/graph.h"
#include "discreet/channel/ratio.h"

namespace discreet::channel {

struct Loss {
  Rational ratio = 1;  // e^ε = ratio^power
  unsigned long power = 1;
  bool infinite = false;  // an outcome is possible from one input and not from its neighbour
  // Where it is reached, unless the channel is one of a formula.
  std::size_t from = 0, to = 0, output = 0;

  double epsilon() const;  // the nearest double
  // Exactly: is ratio^power ≤ e^ε? None only where `bound` is too coarse to tell (a coincidence to
  // 2^-60).
  std::optional<bool> within(const Ratio& bound) const;
};

// Over a graph of another size nothing is promised: infinite.
Loss epsilon_of(const Channel& channel, const Graph& graph);

// Whether neighbours differ by at most `ratio`, everywhere and exactly.
bool is_within(const Channel& channel, const Graph& graph, const Rational& ratio);

// The smallest ε with C[y][z] ≤ e^(ε·d(y,y'))·C[y'][z] for all y, y', z (d-privacy:
// Chatzikokolakis, Andrés, Bordenabe and Palamidessi 2013); d as a matrix of distances, 0 only on
// the diagonal. The nearest double.
Result<double> metric_epsilon(const Channel& channel, const std::vector<Rational>& metric);

}  // namespace discreet::channel
