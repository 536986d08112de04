// Subset selection (Ye and Barg 2018; Wang et al. 2016): a report is a set of ω values. The true
// one is in it with probability p, the others of the set are any others alike.
//
//   #include "discreet/random/generator.h"
//   auto subset = *Subset::create({.epsilon = 1, .domain = 16});
//   const Value truth = 3;
//   std::vector<Word> set(subset->constants().words);
//   Status done = subset->perturb({&truth, 1}, random::thread_generator(), set);
//
// p = ωe^ε/(ωe^ε + d − ω); another value is in it with q = (p(ω−1) + (1−p)ω)/(d−1). ω is the whole
// number beside d/(e^ε + 1) with the least variance of all estimates together.
//
// What is proved: a set is chosen with probability p/C(d−1, ω−1) from each of its members and
// (1−p)/C(d−1, ω) from any other value; the ratio of the two is p/(1−p)·(d−ω)/ω = e^ε.
//
// Drawing takes as many steps for every value. But a set is drawn before it is turned by the value,
// and which memory is touched follows the set: whoever shares the client's processor caches may see
// it, and with the report knows by how much it was turned. Unary encoding has no such path.
#pragma once

#include "discreet/local/protocol.h"
#include "discreet/random/bernoulli.h"

namespace discreet::local {

class Subset final : public FrequencyProtocol {
 public:
  // A report of a small ε names almost half of the values: 32 MiB for the most.
  static constexpr std::size_t kMostDomain = std::size_t{1} << 24;

  static Result<std::unique_ptr<Subset>> create(const Parameters& parameters);

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
  Subset(Constants constants, Real p, random::Bernoulli coin)
      : constants_(std::move(constants)), p_(std::move(p)), coin_(std::move(coin)) {}

  Constants constants_;
  Real p_;
  random::Bernoulli coin_;
};

}  // namespace discreet::local
