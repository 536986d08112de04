// What nobody declares of the data, measured privately: the range of a column of numbers, and which
// whole numbers are classes. Histograms of units with noise; what is read off them is
// post-processing.
//
//   #include "discreet/random/generator.h"
//   const std::vector<double> ages = {31, 47}, heights = {1.6, 1.8}, labels = {0, 1};
//   const Measuring measuring{.ranges = 2, .classes = true};
//   privacy::Event cost = measuring.event(20);   // gaussian(sigma=20): all of it together
//   Measures found =
//       *measure(measuring, 20, {&ages, &heights}, &labels, random::thread_generator());
//
// What is proved. A unit has one row, and stands in at most one bin of each of the k histograms
// (two for a range, one for the classes): adding it changes the vector of all counts by at most √k
// in ℓ2. Every count gets rounded Gaussian noise of σ·√k, so all of them together are Gaussian
// noise with multiplier σ, the second histogram of a range chosen by the first one included: the
// squares (1/(σ√k))² of an adaptive sequence of Gaussian mechanisms add up to 1/σ² (Dong, Roth and
// Su 2022, Corollary 3.3). Counts are whole, so no rounding enters.
//
// How a range is found: bins of doubling width (… [-2, -1), … 0 … [1, 2), [2, 4) …) tell about
// where the values are, from the lowest to the highest bin that stands out of the noise; 64 equal
// bins of that tell more closely. Single ones of these may hold fewer people than the noise, so the
// edges are found from their sums: where the counts so far, less a third of the mean count for each
// bin, are least, many people begin (a CUSUM's change point; Page 1954). One bin more on each side
// is taken in, and what is still outside will be clamped.
#pragma once

#include <cstdint>
#include <vector>

#include "discreet/base/number.h"
#include "discreet/privacy/event.h"
#include "discreet/random/source.h"

namespace discreet::learn {

struct Measuring {
  std::size_t ranges = 0;
  bool classes = false;

  bool empty() const { return ranges == 0 && !classes; }
  std::size_t histograms() const { return 2 * ranges + (classes ? 1 : 0); }
  privacy::Event event(const Rational& sigma) const;
  // σ√k: of each count.
  Rational noise(const Rational& sigma) const;
};

struct Range {
  double low = 0, high = 1;
};
struct Measures {
  std::vector<Range> ranges;          // one a column
  std::vector<std::int64_t> classes;  // ascending; may be empty
};

// Whole numbers that can be classes, without having been declared.
inline constexpr std::int64_t kLeastClass = -1000, kMostClass = 1000;

// `columns` are as many as measuring says, `labels` are there if it says so; NaN is in no bin.
// 2^-10 ≤ sigma ≤ 2^30.
Result<Measures> measure(const Measuring& measuring, const Rational& sigma,
                         const std::vector<const std::vector<double>*>& columns,
                         const std::vector<double>* labels, random::Source& source);

}  // namespace discreet::learn
