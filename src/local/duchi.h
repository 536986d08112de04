// The two-valued protocol for means (Duchi, Jordan and Wainwright 2018; in one dimension as Wang et
// al. 2019 have it): a number of −1 … 1 becomes −1 or +1 at random with the right mean, and a coin
// decides whether that is said or its opposite.
//
//   #include "discreet/random/generator.h"
//   auto duchi = *Duchi::create({.epsilon = 1});
//   const Value middle = kScale / 2;  // stands for 0
//   Word told = 0;
//   Status done = duchi->perturb({&middle, 1}, random::thread_generator(), {&told, 1});
//
// P[+1] = (1 + t)/2·p + (1 − t)/2·q with p = e^ε/(e^ε + 1), q = 1/(e^ε + 1); a report of ±1 stands
// for ±C, C = (e^ε + 1)/(e^ε − 1).
//
// What is proved: every report has a probability between q and p, so no two numbers are further
// apart than p/q = e^ε, and −1 and +1 reach it. The mean of ±C is t: C·(p − q) = 1. Its variance is
// C² − t². The first rounding compares 30 random bits with the number's place on the grid: exact.
#pragma once

#include "discreet/local/numeric.h"
#include "discreet/random/bernoulli.h"

namespace discreet::local {

class Duchi final : public MeanProtocol {
 public:
  static Result<std::unique_ptr<Duchi>> create(const Parameters& parameters);

  const Constants& constants() const override { return constants_; }
  Status perturb(std::span<const Value> values, random::Source& source,
                 std::span<Word> reports) const override;  // 0 is −1, 1 is +1
  void write(std::span<const Word> report, std::string& line) const override;
  Fault read(std::string_view line, std::span<Word> report) const override;
  void count(std::span<const Word> reports, std::span<std::uint64_t> counters) const override;
  bool fits(std::span<const std::uint64_t> counters, std::uint64_t users) const override;
  Ball probability(Value value, std::span<const Word> report, long bits) const override;
  Result<std::vector<Word>> outcomes() const override { return std::vector<Word>{0, 1}; }
  Number mean(const State& state) const override;

  // From how many said −1 and how many +1.
  Number mean(std::uint64_t minus, std::uint64_t plus) const;
  Deviations deviations(std::uint64_t minus, std::uint64_t plus) const;
  // The least variance of a place estimated from one report: (C² − 1)/4, at either end.
  double least_variance() const { return (constants_.variance - 1) / 4; }

 private:
  Duchi(Constants constants, random::Bernoulli coin)
      : constants_(std::move(constants)), coin_(std::move(coin)) {}

  Constants constants_;
  random::Bernoulli coin_;
};

}  // namespace discreet::local
