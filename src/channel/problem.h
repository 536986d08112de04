// Which mechanism is best: the linear program, and certificates for its solutions.
//
//   const Graph path = *Graph::path(2);
//   Problem problem = *make_problem(path, Ratio::exactly(3), {{*uniform_prior(2),
//   *Gain::identity(2)}}); Channel coin = *Channel::create(2, 2, {Rational(3, 4), Rational(1, 4),
//   Rational(1, 4),
//                                          Rational(3, 4)});
//   Rational primal = *value_of(problem, coin);  // 3/4, and the coin is within ln 3
//   Rational bound = *dual_bound(problem, Multipliers::none(problem));  // 1: true, and too large
//
// A user with a prior and a gain loses nothing if the mechanism does the remapping, so outputs are
// guesses w, and with payoff(w, y) = π(y)·g(w, y) the program is (Ghosh et al. 2009)
//
//     maximise Σ_y Σ_w x[y][w]·payoff(w, y)
//     where x ≥ 0, Σ_w x[y][w] = 1, and x[y][w] ≤ e^ε·x[y'][w] for neighbours y ~ y'.
//
// Several users at once guess together, w = (w1, w2, …), and their payoffs add up: the most that
// one mechanism can give them all (Brenner and Nissim 2010).
#pragma once

#include <vector>

#include "discreet/channel/channel.h"
#include "discreet/channel/gain.h"
#include "discreet/channel/graph.h"
#include "discreet/channel/prior.h"
#include "discreet/channel/ratio.h"

namespace discreet::channel {

struct User {
  Prior prior;
  Gain gain;
};

struct Problem {
  Graph graph;
  Ratio ratio;
  std::size_t guesses;
  std::vector<Rational> payoffs;  // guess by guess

  std::size_t size() const { return graph.size(); }
  const Rational& payoff(std::size_t guess, std::size_t truth) const {
    return payoffs[guess * size() + truth];
  }
};

// One user or several; ε from 1e-6 to 30.
Result<Problem> make_problem(const Graph& graph, const Ratio& ratio,
                             const std::vector<User>& users);

// The primal side of a certificate. Exact: checks that neighbouring rows are within ratio.lower,
// and adds up the payoffs.
Result<Rational> value_of(const Problem& problem, const Channel& channel);

// The dual side. Let s_w be any vectors with Σ_y s_w(y)·x(y) ≥ 0 for every column x ≥ 0 that obeys
// x(y) ≤ e^ε·x(y') for all neighbours. Then no ε-private channel has more than
//
//     Σ_y max_w (payoff(w, y) + s_w(y)),
//
// because Σ x·payoff ≤ Σ x·(payoff + s) and each row of x sums to 1. Such vectors come from
// - an edge: −m at y and +e^ε·m at y', for any m ≥ 0; or
// - on a complete graph, a pool: −over(y) and +under(y) with Σ under ≥ e^ε·Σ over, both ≥ 0
//   (every entry is at most e^ε times the least).
// So whatever numbers a solver returns, the bound computed from them is a theorem.
struct Multipliers {
  struct OnEdge {
    Node from, to;  // of x(from) ≤ e^ε·x(to)
    Rational amount;
  };
  struct Pool {
    std::vector<Rational> over, under;
  };
  std::vector<std::vector<OnEdge>> edges;  // guess by guess
  std::vector<Pool> pools;                 // likewise; empty unless the graph is complete

  static Multipliers none(const Problem& problem);
};
// Refuses negative amounts, edges that aren't, and pools that don't cover: a wrong certificate.
Result<Rational> dual_bound(const Problem& problem, const Multipliers& multipliers);

struct Certificate {
  Rational primal;  // of a channel that was checked
  Rational dual;    // no ε-private channel has more

  Rational gap() const { return dual - primal; }
};
Result<Certificate> certify(const Problem& problem, const Channel& channel,
                            const Multipliers& multipliers);

}  // namespace discreet::channel
