#include "discreet/local/square_wave_bins.h"

#include <algorithm>

namespace discreet::local {

SlidingBins::SlidingBins(const Window& window, std::size_t bins)
    : cells_(window.cells()),
      width_(window.width()),
      starts_(cells_ - width_ + 1),
      side_(width_ / 2),
      values_(bins),
      more_((side_ * bins + starts_ - 1) / starts_),
      reports_(bins + 2 * more_) {}

// With x = cell − w, the last j for which ⌊j·S/d⌋ ≤ x is ⌊((x + 1)·d − 1)/S⌋; k·S keeps the
// numerator from being negative.
std::size_t SlidingBins::bin_of(Word cell) const {
  const std::uint64_t numerator = (cell + std::uint64_t{1}) * values_ + more_ * starts_ - 1;
  return std::min((numerator - side_ * values_) / starts_, reports_ - 1);
}

// w + ⌊j·S/d⌋ for j = bin − k, kept between 0 and N.
std::uint64_t SlidingBins::edge(std::size_t bin) const {
  if (bin == 0) return 0;
  if (bin >= reports_) return cells_;
  // ⌊(i − k)·S/d⌋ without a negative number to divide
  if (bin >= more_) return std::min(side_ + (bin - more_) * starts_ / values_, cells_);
  const std::uint64_t below = ((more_ - bin) * starts_ + values_ - 1) / values_;
  return side_ > below ? side_ - below : 0;
}

std::uint64_t SlidingBins::together(std::uint64_t cells) const {
  if (cells <= width_) return cells * (cells + 1) / 2;
  return width_ * (width_ + 1) / 2 + (cells - width_) * width_;
}

double SlidingBins::covered(std::size_t value, std::size_t report) const {
  const std::uint64_t a = start(value), b = start(value + 1);
  const auto below = [&](std::uint64_t x) {
    return together(x - std::min(x, a)) - together(x - std::min(x, b));
  };
  return static_cast<double>(below(edge(report + 1)) - below(edge(report))) /
         static_cast<double>(b - a);
}

// The first window of the bin begins at a, the last at b − 1; they end W later.
SlidingBins::Reach SlidingBins::reach(std::size_t value) const {
  const std::uint64_t a = start(value), last = start(value + 1) - 1;
  const auto first_from =
      [&](std::uint64_t cell) {  // the first bin whose edge is at `cell` or later
        std::size_t low = 0, high = reports_;
        while (low < high) {
          const std::size_t middle = (low + high) / 2;
          if (edge(middle) < cell)
            low = middle + 1;
          else
            high = middle;
        }
        return low;
      };
  Reach out{};
  out.begin = bin_of(static_cast<Word>(a));
  out.end = bin_of(static_cast<Word>(last + width_ - 1)) + 1;
  out.full_begin = std::min(first_from(last), out.end);
  // the last edge at or before a + W closes the last full bin
  out.full_end = std::max(bin_of(static_cast<Word>(std::min(a + width_, cells_ - 1))), out.begin);
  if (a + width_ >= cells_) out.full_end = reports_;
  if (out.full_begin >= out.full_end) out.full_begin = out.full_end = out.end;
  return out;
}

}  // namespace discreet::local
