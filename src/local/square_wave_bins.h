// Bins for the reports of a window that slides over a grid (numeric_window.h), and how likely each
// is from each bin of numbers.
//
// A window of W cells starts at one of S = N − W + 1 places; that is the range of the numbers, and
// d bins divide it at ⌊j·S/d⌋. Reports go w = ⌊W/2⌋ cells further to both sides: their bins
// continue at the same width, k = ⌈w·d/S⌉ more on each side, the outermost as long as the grid
// goes.
//
// What is computed: the exact probabilities for numbers that are uniform in a bin. All starts of a
// bin share P = 1/(W(e^ε − 1) + N) for every cell; what they add is (e^ε − 1)·P for each cell of
// the window. With T(y) = Σ_{t≤y} min(max(t, 0), W), the starts a … b−1 together cover T(x−a) −
// T(x−b) of the cells below x, so that a difference of two of these says how much of a bin is
// covered, in whole numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "discreet/local/numeric_window.h"

namespace discreet::local {

class SlidingBins {
 public:
  SlidingBins(const Window& window, std::size_t bins);

  std::size_t values() const { return values_; }    // d
  std::size_t reports() const { return reports_; }  // d + 2k
  // Of a cell.
  std::size_t bin_of(Word cell) const;
  // The first cell of a bin of reports; of the one after the last, N.
  std::uint64_t edge(std::size_t bin) const;
  std::uint64_t length(std::size_t bin) const { return edge(bin + 1) - edge(bin); }
  // Which part of a cell of the bin `report` is covered, on average over the windows of the numbers
  // in the bin `value`, times the bin's length.
  double covered(std::size_t value, std::size_t report) const;

  // Bins of reports between which windows of the numbers in a bin have anything, and those that all
  // of them cover.
  struct Reach {
    std::size_t begin, full_begin, full_end, end;
  };
  Reach reach(std::size_t value) const;

 private:
  std::uint64_t start(std::size_t value) const { return value * starts_ / values_; }
  std::uint64_t together(std::uint64_t cells) const;  // T

  std::uint64_t cells_, width_, starts_, side_;
  std::size_t values_, more_, reports_;
};

}  // namespace discreet::local
