// Square wave (Li, Wang, Lopuhaä-Zwakenberg, Škorić and Li 2020): how numbers of 0 … 1 are
// distributed. A number x is reported as a number of −b … 1 + b, more likely one that is at most b
// away from x.
//
//   #include "discreet/random/generator.h"
//   auto wave = *SquareWave::create({.epsilon = 1, .domain = 64});
//   const Value x = kScale / 3;
//   Word cell = 0;
//   Status done = wave->perturb({&x, 1}, random::thread_generator(), {&cell, 1});
//
// The density is p = e^ε/(2be^ε + 1) near x and q = 1/(2be^ε + 1) elsewhere. The half width
//     b = (εe^ε − e^ε + 1)/(2e^ε(e^ε − 1 − ε))
// is the one that lets a report tell most about x (the paper's section 5.2). On the grid 0 … 1 has
// G = 2^30 cells, a window has 2w + 1 with w = ⌊b·G⌋, and a report is one of G + 2w cells.
//
// What is proved: ε holds on the grid for any width (numeric_window.h). The collector counts
// reports in bins as wide as the parts of the estimate; how likely each is from each is exact for
// numbers that are uniform in their part (square_wave_bins.h). The variance in the constants is
// that of x estimated from one report of x = 1/2, by the line that a report's mean is.
#pragma once

#include "discreet/local/numeric_window.h"
#include "discreet/local/square_wave_bins.h"

namespace discreet::local {

class SquareWave final : public ShapeProtocol {
 public:
  static constexpr std::uint64_t kGrid = std::uint64_t{1} << 30;
  static constexpr std::size_t kBins = 64;  // enough to see a shape
  // Reports are counted in at least so many parts, however few bins are asked for: smoothing moves
  // what it smooths by a part, and that has to be little.
  static constexpr std::size_t kParts = 256;
  static constexpr std::size_t kMostBins = std::size_t{1} << 20;
  static Result<std::unique_ptr<SquareWave>> create(const Parameters& parameters);
  // On another grid: a small one has reports that can be listed.
  static Result<std::unique_ptr<SquareWave>> on_grid(const Parameters& parameters,
                                                     std::uint64_t grid);

  const Constants& constants() const override { return constants_; }
  const Window& window() const { return window_; }
  const SlidingBins& bins() const { return bins_; }
  Status perturb(std::span<const Value> values, random::Source& source,
                 std::span<Word> reports) const override {
    return window_.perturb(values, source, reports);
  }
  void write(std::span<const Word> report, std::string& line) const override;
  Fault read(std::string_view line, std::span<Word> report) const override;
  void count(std::span<const Word> reports, std::span<std::uint64_t> counters) const override;
  bool fits(std::span<const std::uint64_t> counters, std::uint64_t users) const override;
  Ball probability(Value value, std::span<const Word> report, long bits) const override {
    return window_.probability(value, report[0], bits);
  }
  Result<std::vector<Word>> outcomes() const override;

  std::size_t parts() const override { return bins_.values() / constants_.domain; }
  double probability_of_counter(std::size_t part, std::size_t counter) const override;
  Result<std::unique_ptr<Likelihood>> likelihood(const State& state) const override;

 private:
  SquareWave(Constants constants, Window window, SlidingBins bins, double outside, double extra)
      : constants_(std::move(constants)),
        window_(std::move(window)),
        bins_(bins),
        outside_(outside),
        extra_(extra) {}

  Constants constants_;
  Window window_;
  SlidingBins bins_;
  double outside_, extra_;  // of a cell: without a window, and what a window adds
};

}  // namespace discreet::local
