// A pair's privacy loss on a grid, so that many of them can be added up by Fourier transforms: once
// rounded towards a larger divergence, once towards a smaller one.
//
// Up: what falls between two grid points is split among them such that both P and Q keep their mass
// (Doroshenko, Ghazi, Kamath, Kumar and Manurangsi 2022, "connect the dots"): a spread, so the new
// pair dominates the old one. The error in ε is of second order in the step. Down: neighbouring
// outcomes are merged (which is post-processing, so the new pair is dominated) until their common
// ratio P/Q is a grid point's, e^{kh}; an outcome may be divided between two groups. Also of second
// order where losses have a density, of first order where single ones carry mass; for those the
// up-rounded law serves twice, see Law::wobble.
#pragma once

#include "discreet/privacy/pair.h"

namespace discreet::privacy {

// The pair's masses in cells of half a step: cell j holds the losses from offset + (first+j)·step/2
// up to the next. The offset is such that where much of the pair is in one place (who is not drawn
// loses next to nothing) a grid point has just that ratio: rounding it costs nothing either way.
struct Cells {
  double step = 0, offset = 0;
  long first = 0;  // even
  std::vector<Mass> half;
  Mass above, below;  // what lies beyond
  double p_only = 0, q_only = 0;
  double error = 0, unit = 1;  // of every mass, as in Pair
  bool smooth = false;         // as in Pair
  // How far off the ends of cells may lie: the largest among each kBlock of them.
  static constexpr std::size_t kBlock = 64;
  std::vector<double> edge;

  long grid_first() const { return first / 2; }
};

// How much may be cut off: of P above, for the direction that removes a unit, and of Q below, for
// the one that adds.
struct Tails {
  double above, below;
};
Cells cut(const Pair& pair, double step, const Tails& tails);
// The same with an offset of one's own.
Cells cut_at(const Pair& pair, double step, const Tails& tails, double offset);
// How many cells that would take.
double cell_count(const Pair& pair, double step, const Tails& tails);
// The same pair with P and Q exchanged.
Cells reversed(const Cells& cells);

// P's probability of losing offset + (first+k)·step.
struct Law {
  double step = 0, offset = 0;
  long first = 0;
  std::vector<double> mass;
  double infinite = 0;
  // The losses themselves are good to this much; it adds up over a composition. None where the pair
  // is smooth: there the masses make up for it, each in proportion to its own loss.
  double slack = 0;
  // Of a law rounded up: it lies above the exact loss by independent amounts, each within a range.
  // The sum of the ranges' squares (in all of them by an eighth of it in the mean, Hoeffding's
  // lemma) and what rounding errors add to the mean.
  double spread = 0, drift = 0;
  // … and by how much its masses lie above the exact ones: a share of all of them, and in sum.
  double inflation = 0, extra = 0;
};

// Two laws on the same points that both bound a third, from above or from below: the closer one at
// each point.
Law closer(const Law& a, const Law& b, bool up);

Law rounded_up(const Cells& cells);
Law rounded_down(const Cells& cells);

// A law as the pair it stands for, in the cells of a grid that is `times` as coarse.
Cells cells_of(const Law& law, long times, bool smooth);

}  // namespace discreet::privacy
