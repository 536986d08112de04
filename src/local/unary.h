// Unary encoding (Erlingsson, Pihur and Korolova 2014; Wang, Blocki, Li and Jha 2017): a report has
// a bit for every value. The bit of the true value is 1 with probability p, each other with q.
//
//   #include "discreet/random/generator.h"
//   auto unary = *Unary::optimised({.epsilon = 1, .domain = 16});
//   const Value truth = 3;
//   std::vector<Word> bits(unary->constants().words);
//   Status done = unary->perturb({&truth, 1}, random::thread_generator(), bits);
//
// Symmetric: p = e^(ε/2)/(e^(ε/2) + 1), q = 1 − p. Optimised, the q with the least variance at
// frequency 0: p = 1/2, q = 1/(e^ε + 1), and the variance is 4e^ε/(e^ε − 1)².
//
// What is proved: two values differ in the law of two bits only, so P[r|v]/P[r|v'] is at most
// p(1−q)/(q(1−p)), reached where r has v's bit and not that of v'; both choices make it e^ε (Wang
// et al. 2017, section 4.3).
#pragma once

#include "discreet/local/protocol.h"
#include "discreet/random/bernoulli.h"
#include "discreet/random/coin_words.h"

namespace discreet::local {

class Unary final : public FrequencyProtocol {
 public:
  // A report has as many bits as there are values: 2 MiB for the most.
  static constexpr std::size_t kMostBits = std::size_t{1} << 24;

  static Result<std::unique_ptr<Unary>> symmetric(const Parameters& parameters);
  static Result<std::unique_ptr<Unary>> optimised(const Parameters& parameters);

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
  bool likelihood_needs_reports() const override { return true; }

 private:
  Unary(Constants constants, Real p, Real q, random::Bernoulli own, random::CoinWords others)
      : constants_(std::move(constants)),
        p_(std::move(p)),
        q_(std::move(q)),
        own_(std::move(own)),
        others_(std::move(others)) {}
  static Result<std::unique_ptr<Unary>> make(std::string_view name, const Parameters& parameters,
                                             Real p, Real q);

  Constants constants_;
  Real p_, q_;
  random::Bernoulli own_;
  random::CoinWords others_;
};

}  // namespace discreet::local
