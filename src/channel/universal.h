// Is one mechanism best for everybody? On a path yes; elsewhere, a search for two users whom no one
// mechanism serves both as well as each could be served alone (deck 003, exercise 8).
//
//   Universality cycle = *universality(*Graph::cycle(4), Ratio::exactly(2));
//   bool refuted = cycle.witness.has_value();  // true: 3/4 + 3/4 alone, 4/3 together
//
// A universally optimal mechanism, with everyone's own remap, would give two users their optima at
// the same time; so the best for both together (one mechanism, two guesses) would be the sum of the
// two. Where certificates prove that it is less, there is no such mechanism: alone.primal +
// alone.primal > together.dual, all of them exact. The users that are tried believe in some
// set of inputs, evenly, and want the truth; up to a thousand pairs of them (Brenner and Nissim
// 2010 argue with such users).
#pragma once

#include <optional>

#include "discreet/channel/optimal.h"

namespace discreet::channel {

struct Witness {
  Prior first, second;
  Certificate first_alone, second_alone, together;
};

// Whether certificates prove that no one mechanism serves both users as well as each could be
// served alone: by what was reached alone and what is proved to be out of reach together, a
// millionth apart, so that no rounding is taken for a difference.
bool refutes(const Certificate& first_alone, const Certificate& second_alone,
             const Certificate& together);

struct Universality {
  bool path = false;  // a counting query: truncated geometric and remap are best for all
  std::optional<Witness> witness;
  std::size_t tried = 0;  // pairs of users
};

// Up to 8 inputs. Without a path and a witness the question is open.
Result<Universality> universality(const Graph& graph, const Ratio& ratio);

}  // namespace discreet::channel
