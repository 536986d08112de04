// The sum of many independent privacy losses on a grid, by Fourier transform, with every error
// bounded.
//
// Exponential tilting keeps small probabilities from drowning in rounding errors: instead of the
// law of S itself we compute that of S under the weight e^{θS}, which is centred at the ε in
// question, and undo the weight afterwards (Cramér; the saddle point of Alghamdi et al. 2023, but
// exact). The transform's own error, the mass that leaves the window and comes round at the other
// end, and rounding all enter the bounds.
#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "discreet/privacy/law.h"

namespace discreet::privacy {

struct Term {
  Law law;  // all of the same step, for compose()
  double count;
};

// ln E[e^{θS}] and its first two derivatives: the mean and variance of S under the weight e^{θS}.
struct Cumulants {
  double value = 0, mean = 0, variance = 0;
};

class Composition {
 public:
  explicit Composition(std::vector<Term> terms);

  double step() const { return step_; }
  // (This and window also serve for laws of different steps.)
  Cumulants cumulants(double theta) const;

  // Where S lives under the weight e^{θS}: but for a share e^exponent on either side, by Chernoff's
  // bound at the tilts given.
  struct Window {
    double from = 0, to = 0, left_tilt = 0, right_tilt = 0;
    double width() const { return to - from; }
  };
  Window window(double theta, double exponent) const;

  // The law of S under the weight e^{θS}, on `points` grid points (a power of two) that hold the
  // window. What lies outside comes in at the other end. That is harmless from below, if θ·width is
  // large: it comes in with a weight of e^{−θ·width}. From above it must be rare: P[S ≥ ε + width],
  // under the weight.
  void compose(double theta, const Window& window, std::size_t points);

  // Bounds on δ(ε) = Σ P[S=s]·(1−e^{ε−s})₊ + P[S=∞] for the terms' laws; the slack of their losses
  // is included.
  double upper_delta(double epsilon) const;
  double lower_delta(double epsilon) const;
  // The least ε ≥ 0 with upper_delta(ε) ≤ δ (infinite if there is none), and the largest with
  // lower_delta(ε) ≥ δ (0 if none).
  double upper_epsilon(double delta) const;
  double lower_epsilon(double delta) const;

  // upper_delta for every grid point of the window: entry j is that at (first+j)·step + offset.
  struct Profile {
    double step = 0, offset = 0;
    long first = 0;
    std::vector<double> delta;
  };
  Profile profile() const;

  // The laws were rounded up from others: in sum they lie above those by at most this, but for a
  // probability `chance` (Hoeffding).
  double wobble(double chance) const;
  double infinite() const { return infinite_; }
  double highest() const { return highest_ + offset_ + step_; }  // that is finite
  double steps() const { return steps_; }

  // By how much the laws' masses lie above those they were rounded from.
  double inflation() const { return inflation_; }
  double extra() const { return extra_; }

  // The law of S without weights, its errors made part of it: masses up, what left the window at
  // infinity; or masses down. Computed under the weight, and if a share `enough` of it is error,
  // also without it, on a window that holds the plain one as well.
  Law law(bool up, double theta, const Window& window, double enough,
          const std::function<Window()>& plain);

 private:
  Law law(bool up) const;
  void clip(Law& law, double theta, const Window& window) const;
  // The losses s from a grid point s₀ on: Σ c·e^{−θ(s−s₀)} and Σ c·e^{−θ(s−s₀)}(1−e^{s₀−s}). The
  // second is δ but for scale, and a sum of its own: as a difference of two sums it would lose all
  // digits where s − s₀ is small.
  struct Suffix {
    long index;
    double all = 0, beyond = 0;
  };
  Suffix lowered(const Suffix& suffix) const;  // by one grid point
  double bound(const Suffix& suffix, double epsilon, bool up) const;
  Suffix suffix_at(double epsilon) const;
  Cumulants on_grid(double theta) const;
  double find_epsilon(double delta, bool up) const;
  double slack_at(double epsilon) const;
  double at(long index) const;

  std::vector<Term> terms_;
  double step_ = 0, slack_ = 0, infinite_ = 0, steps_ = 0;
  // Of all laws together. S, ε and all below are without it: 1 − e^{ε−s} knows only the difference.
  double offset_ = 0;
  static constexpr double most_points_ = 1 << 22;
  double lowest_ = 0, highest_ = 0;  // the ends of S's support
  // of the last compose()
  double theta_ = 0, log_scale_ = 0, relative_ = 0, entry_ = 0;
  double below_ = 0, above_ = 0;  // shares of the weighted law outside the window
  double right_tilt_ = 0, right_growth_ = -HUGE_VAL;  // K(θ+s) − K(θ) at the tilt s
  double shrink_ = 1, less_ = 0, rest_ = 1;           // e^{−θh}, 1−e^{−h}, e^{−h}
  double spread_ = 0, drift_ = 0, inflation_ = 0, extra_ = 0;
  long first_ = 0;
  std::vector<double> tilted_;
};

}  // namespace discreet::privacy
