// The flat mechanism, or k-ary randomized response (Warner 1965; Kairouz, Bonawitz and Ramage 2016;
// decks 002, 003): toss a coin; on heads say the truth, on tails roll a die over all k values.
//
//   #include "discreet/random/generator.h"
//   auto flat = *Flat::create({.epsilon = 1, .domain = 16});
//   const Value truth = 3;
//   Word told = 0;
//   Status done = flat->perturb({&truth, 1}, random::thread_generator(), {&told, 1});
//
// With heads of probability h the truth is said with p = h + (1−h)/k, each other value with q =
// (1−h)/k. For ε: h = (e^ε − 1)/(e^ε + k − 1), so that p = e^ε/(e^ε + k − 1). A fair coin and two
// values are the coin protocol of the decks: p/q = 3.
//
// What is proved: a report r is said with probability p from r itself and q from any other value,
// so P[r|v]/P[r|v'] ≤ p/q = 1 + k·h/(1−h) = e^ε, reached.
#pragma once

#include "discreet/local/protocol.h"
#include "discreet/random/bernoulli.h"

namespace discreet::local {

class Flat final : public FrequencyProtocol {
 public:
  static Result<std::unique_ptr<Flat>> create(const Parameters& parameters);
  // From the coin instead of ε: heads in (0, 1), a half where none is given.
  static Result<std::unique_ptr<Flat>> from_coins(const Parameters& parameters);

  const Constants& constants() const override { return constants_; }
  Status perturb(std::span<const Value> values, random::Source& source,
                 std::span<Word> reports) const override;
  void write(std::span<const Word> report, std::string& line) const override;
  Fault read(std::string_view line, std::span<Word> report) const override;
  void count(std::span<const Word> reports, std::span<std::uint64_t> counters) const override;
  bool fits(std::span<const std::uint64_t> counters, std::uint64_t users) const override;
  Ball probability(Value value, std::span<const Word> report, long bits) const override;
  Result<std::vector<Word>> outcomes() const override;

  std::vector<double> supports(std::span<const std::uint64_t> counters) const override;
  Result<std::unique_ptr<Likelihood>> likelihood(const State& state) const override;

 private:
  Flat(Constants constants, Real heads, random::Bernoulli coin)
      : constants_(std::move(constants)), heads_(std::move(heads)), coin_(std::move(coin)) {}
  static Result<std::unique_ptr<Flat>> make(std::string_view name, const Rational& epsilon,
                                            std::size_t domain, Real heads);

  Constants constants_;
  Real heads_;
  random::Bernoulli coin_;
};

}  // namespace discreet::local
