// Bounds that fit: which of them gives the least total error, what is left out and noise together.
//
// The theorem behind it (Amin, Kulesza, Muñoz Medina, Vassilvitskii, "Bounding User Contributions:
// A Bias-Variance Trade-off in Differential Privacy", ICML 2019): a count of rows of which T a unit
// are kept errs by about
//
// Σ_u (n_u − T)⁺  +  k · T/ε        (k numbers, each with Laplace noise of scale T/ε)
//
// which is least where as many units have more than T rows as k/ε. Bounds from the data would tell
// on people, so they come from histograms of units that were released with noise (profile.h): how
// many rows a unit has, how many groups, how many rows in its largest group, and of which size its
// values are. A unit is in one bin of each histogram, so noise of scale 1/ε in every bin makes it
// ε-DP; and choosing by them is post-processing, which costs nothing.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "discreet/plan/estimate.h"
#include "discreet/plan/plan.h"

namespace discreet::plan {

// What is asked, as far as bounds matter.
struct Asked {
  const PlanPart* part = nullptr;  // its aggregates and their rows
  Bounds most;                     // what is declared; kUnbounded where nothing is
  double groups = 1;               // how many there are, or a guess where they are chosen privately
  bool selects = false;            // are they?
  double share = 1;                // ε of each released number
  std::optional<double> sigma;  // of Gaussian noise on a number of sensitivity 1, if it may be used
};
inline constexpr std::int64_t kUnbounded = 1'000'000'000;

// Histograms of the part's units, as far as they were released.
struct Known {
  std::optional<Estimate> rows, groups, most;
  std::vector<std::optional<ValueEstimate>> values;  // by aggregate
  std::vector<std::optional<Interval>> within;       // … what is declared of them, if anything
};

// Expected error, relative to the answers: a twentieth is 5 %. Averaged over what is asked.
struct Outlook {
  Bounds bounds;
  double left_out = 0;  // share of rows
  double cut = 0;       // units that lose rows
  double bias = 0, noise = 0;
  // E|β + Lap(a)| = β + a·e^(−β/a): a small bias hides in the noise.
  double total() const { return noise > 0 ? bias + noise * std::exp(-bias / noise) : bias; }
};

struct Fitting {
  double rows = 0;           // how many there are, by the profile; 0: it doesn't say
  bool guessed = false;      // … since too few units show in it, and the bound on rows is a guess
  double cut_noise = 0;      // the standard deviation of the profile's noise in `best.cut`
  double most_left_out = 0;  // rows beyond the best bounds that the profile's noise may hide
  double groups = 1;
  Outlook best;
  // By aggregate: how far the values of a row may lie beyond the measured bounds, on the average of
  // all rows: below, and above. What clamping may hide.
  std::vector<std::pair<double, double>> hidden;
  std::vector<Outlook> others;  // by the bound on rows, from small to large: for a picture
  std::vector<std::optional<Interval>> ranges;  // by aggregate: of those whose values have none
};
Fitting choose_bounds(const Asked& asked, const Known& known);

}  // namespace discreet::plan
