// The piecewise mechanism (Wang, Xiao, Yang, Zhao, Hui, Shin, Shin and Yu 2019): a number t of
// −1 … 1 is reported as a number of −C … C, more likely one of a window around t.
//
//   #include "discreet/random/generator.h"
//   auto piecewise = *Piecewise::create({.epsilon = 1});
//   const Value middle = kScale / 2;  // stands for 0
//   Word cell = 0;
//   Status done = piecewise->perturb({&middle, 1}, random::thread_generator(), {&cell, 1});
//
// With z = e^(ε/2): C = (z + 1)/(z − 1), the window has length C − 1, and the density is
// p = (z² − z)/(2z + 2) in it and p/e^ε elsewhere. Here −C … C is a grid of N = 2^30 cells, of
// which the window has W, the whole number nearest to N·(C − 1)/(2C) = N/(z + 1), at least 1.
//
// What is proved: ε and unbiasedness hold on the grid for any N and W (numeric_window.h). The
// variance is the grid's own; the paper's, (z + 3)/(3(z − 1)²) at t = 0 where it is least, differs
// from it by less than one in a million where W is large (ε up to 10).
#pragma once

#include "discreet/local/numeric_window.h"

namespace discreet::local {

class Piecewise final : public MeanProtocol {
 public:
  static constexpr std::uint64_t kCells = std::uint64_t{1} << 30;
  static Result<std::unique_ptr<Piecewise>> create(const Parameters& parameters);
  // On another grid: a small one has reports that can be listed.
  static Result<std::unique_ptr<Piecewise>> on_grid(const Parameters& parameters,
                                                    std::uint64_t cells);

  const Constants& constants() const override { return constants_; }
  const Window& window() const { return window_; }
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
  Number mean(const State& state) const override;

 private:
  Piecewise(Constants constants, Window window)
      : constants_(std::move(constants)), window_(std::move(window)) {}

  Constants constants_;
  Window window_;
};

}  // namespace discreet::local
