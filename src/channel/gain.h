// What a guess is worth: g(w, y), the gain of guessing w when y is true.
//
//   Gain hit = *Gain::identity(6);                       // 1 for the truth, else 0
//   Gain near = *Gain::distance(*Graph::cycle(6));       // minus the steps between guess and truth
//   Rational worth = near.at(0, 4);                      // −2, around the circle
//
// A gain is monotone if it never grows as the guess moves away from the truth on either side; for
// those, and counting queries, one mechanism is best for every prior (Ghosh et al. 2009).
#pragma once

#include <vector>

#include "discreet/base/number.h"
#include "discreet/channel/graph.h"

namespace discreet::channel {

class Gain {
 public:
  enum class Kind { kIdentity, kDistance, kTable };

  static Result<Gain> identity(std::size_t size);
  static Result<Gain> distance(const Graph& graph);
  // One row a guess, one column a true value.
  static Result<Gain> table(std::size_t guesses, std::size_t size, std::vector<Rational> entries);

  Kind kind() const { return kind_; }
  std::size_t size() const { return graph_.size(); }  // true values
  std::size_t guesses() const { return guesses_; }
  Rational at(std::size_t guess, std::size_t truth) const;
  // Of a path 0 – 1 – 2 – …: what structured channels know how to handle.
  bool is_path() const { return graph_.is_path(); }

 private:
  Gain(Kind kind, std::size_t guesses, Graph graph)
      : kind_(kind), guesses_(guesses), graph_(std::move(graph)) {}
  Kind kind_;
  std::size_t guesses_;
  Graph graph_;
  std::vector<Rational> entries_;
};

// Whether g(w, y) never grows as w moves away from y on either side.
bool is_monotone(const Gain& gain);

}  // namespace discreet::channel
