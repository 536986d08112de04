// One axis of a plot: which numbers it spans, where a number falls on it, and which numbers are
// written beside it.
#pragma once

#include <string>
#include <vector>

namespace discreet::present {

struct Tick {
  double value;
  std::string label;
};

class Axis {
 public:
  // Spans the values that can be shown: finite, and positive if logarithmic. Without any it spans 0
  // to 1 (1 to 10).
  Axis(bool logarithmic, double pixel_low, double pixel_high);
  // Can be shown at all.
  bool shows(double value) const;
  // Widens the axis to hold this value, if it can be shown.
  void include(double value);
  // Rounds the ends outward to ticks where that costs little; call once, after the last include().
  void settle(int wanted_ticks);
  // Leaves this much room at both ends, as a share of the whole; in place of settle() for an axis
  // of bars.
  void pad(double share);

  double pixel(double value) const;
  double low() const { return low_; }
  double high() const { return high_; }
  // Round numbers (1, 2 or 5 times a power of ten; powers of ten on a logarithmic axis), ascending.
  std::vector<Tick> ticks(int wanted) const;

 private:
  double place(double value) const;  // value, or its logarithm

  bool logarithmic_, empty_ = true;
  double pixel_low_, pixel_high_;
  double low_, high_;
};

// Round days, months or years where x counts days since 1970: 2024-03-01, 2024-03 or 2024.
std::vector<Tick> date_ticks(double low, double high, int wanted);

}  // namespace discreet::present
