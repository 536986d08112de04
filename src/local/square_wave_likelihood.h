// The likelihood of square wave's reports, bin by bin: O(d) a round. A bin of numbers covers a run
// of bins of reports fully, and a few at both ends of the run partly: the run is a difference of
// prefix sums, the few are kept one by one.
#pragma once

#include <vector>

#include "discreet/local/likelihood.h"
#include "discreet/local/square_wave_bins.h"

namespace discreet::local {

class SquareWaveLikelihood final : public Likelihood {
 public:
  // `outside` and `extra`: the probability of a cell that no window covers, and what a window adds.
  SquareWaveLikelihood(const SlidingBins& bins, std::span<const std::uint64_t> counts,
                       double outside, double extra);
  std::size_t values() const override { return rows_.size(); }
  double users() const override { return users_; }
  double steps() const override { return 8 * static_cast<double>(counts_.size()); }
  double gradient(std::span<const double> theta, std::span<double> g) const override;

 private:
  struct Part {
    std::size_t report;
    double probability;
  };
  struct Row {
    std::size_t full_begin, full_end;  // reports covered fully
    std::size_t part_begin, part_end;  // in parts_
  };
  std::vector<double> counts_;
  std::vector<double> outside_, full_;  // of each bin of reports: uncovered, and what cover adds
  std::vector<Row> rows_;
  std::vector<Part> parts_;
  double users_ = 0;
};

}  // namespace discreet::local
