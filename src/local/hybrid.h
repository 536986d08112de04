// The hybrid of piecewise and Duchi's protocol (Wang et al. 2019): a coin that depends on nothing
// private chooses which of the two makes the report.
//
//   auto hybrid = *Hybrid::create({.epsilon = 1});
//   double alpha = hybrid->constants().own[0].second;  // 1 − e^(−1/2)
//
// Piecewise is chosen with probability α = 1 − e^(−ε/2) where ε > ε*, and never else, with
//     ε* = ln((−5 + 2·∛(6353 − 405√241) + 2·∛(6353 + 405√241))/27) ≈ 0.61
// Then the variance is the same for every number, and the worst case is the least of such mixtures.
// p and q are those of Duchi's part.
//
// What is proved: both parts are within e^ε on all their reports, these are told apart by nothing
// but the coin, and so the mixture is; both are unbiased, and so it is.
#pragma once

#include "discreet/local/duchi.h"
#include "discreet/local/piecewise.h"

namespace discreet::local {

class Hybrid final : public MeanProtocol {
 public:
  static Result<std::unique_ptr<Hybrid>> create(const Parameters& parameters);
  // On another grid: a small one has reports that can be listed.
  static Result<std::unique_ptr<Hybrid>> on_grid(const Parameters& parameters, std::uint64_t cells);

  const Constants& constants() const override { return constants_; }
  // Words below `cells` are cells, then come −1 and +1.
  Status perturb(std::span<const Value> values, random::Source& source,
                 std::span<Word> reports) const override;
  void write(std::span<const Word> report, std::string& line) const override;
  Fault read(std::string_view line, std::span<Word> report) const override;
  void count(std::span<const Word> reports, std::span<std::uint64_t> counters) const override;
  bool fits(std::span<const std::uint64_t> counters, std::uint64_t users) const override;
  Ball probability(Value value, std::span<const Word> report, long bits) const override;
  Result<std::vector<Word>> outcomes() const override;
  Number mean(const State& state) const override;

 private:
  struct Parts {
    std::unique_ptr<Duchi> duchi;
    std::unique_ptr<Piecewise> piecewise;
    Real alpha;
    bool both;  // whether piecewise is ever chosen
    random::Bernoulli coin;
  };
  Hybrid(Constants constants, Parts parts)
      : constants_(std::move(constants)), parts_(std::move(parts)) {}
  Word minus() const { return static_cast<Word>(parts_.piecewise->window().cells()); }

  Constants constants_;
  Parts parts_;
};

}  // namespace discreet::local
