// What a noisy histogram of units (profile.h) says: how many units are in each bin, and beyond the
// last one that shows.
//
// Every bin has Laplace noise of the same scale b, so bins of few units drown in it, and the
// largest bins matter most. Bins show where they are together larger than noise makes any (but once
// in a thousand), and others behind a gap where they are, all the more the farther they are. What
// lies beyond is taken to go on falling as it begins to fall: by the ratio of the next doubling to
// the last one that shows, where noise lets one see it.
//
//   const Histogram histogram{"ROWS OF (visits)", 0, {0, 812, 95, 3, -2}, Rational(1, 20)};
//   const Estimate rows = estimate_counts(histogram);
//   double share = rows.beyond(50) / rows.sum();  // of rows lost, were 50 of each unit kept
#pragma once

#include <cstdint>
#include <vector>

#include "discreet/plan/profile.h"

namespace discreet::plan {

// Bins from small to large, each with its number of units and the middle of its values.
struct Estimate {
  struct Bin {
    double units = 0, middle = 0, edge = 0;  // edge: the largest value in it
  };
  std::vector<Bin> bins;   // up to the last with more than half a unit
  std::vector<Bin> noisy;  // all, as the histogram has them
  bool shows = false;      // does any bin show?
  double noise = 0;        // the scale of the noise in each

  double units() const;
  double sum() const;                 // Σ units · middle
  double beyond(double bound) const;  // Σ units · (middle − bound), where that is positive
  double units_above(double bound) const;
  // The most that `beyond` may be where bins above the bound hold more than noise often puts there,
  // though too little to show; 0 where none does. Farther than `near` it takes more.
  double most_beyond(double bound, double near) const;
};

Estimate estimate_counts(const Histogram& histogram);

// Values lie to both sides of zero.
struct ValueEstimate {
  Estimate above, below;  // below: by magnitude
  double zeros = 0;
  bool shows = false;

  double units() const { return zeros + above.units() + below.units(); }
  double mean_size() const;  // of |x|
};
ValueEstimate estimate_values(const Histogram& histogram);

}  // namespace discreet::plan
