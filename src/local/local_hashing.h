// Local hashing (Bassily and Smith 2015; Wang, Blocki, Li and Jha 2017): a client picks a hash
// function at random, hashes its value to one of g buckets and tells the function and the bucket,
// the bucket by the flat mechanism. A report is as short for a billion values as for ten.
//
//   #include "discreet/random/generator.h"
//   auto hashing = *LocalHashing::create({.epsilon = 1, .domain = 1000});
//   const Value truth = 3;
//   std::array<Word, 3> told{};  // a, b and the bucket
//   Status done = hashing->perturb({&truth, 1}, random::thread_generator(), told);
//
// A report supports the values that its function sends to its bucket: the true one with p =
// e^ε/(e^ε
// + g − 1), any other with q, about 1/g (local_hashing_family.h: h·Σ(s_y/P)² + (1−h)/g, where s_y
// are the buckets' sizes and h = (e^ε − 1)/(e^ε + g − 1)). g is the whole number with the least
// variance q(1−q)/(p−q)², near e^ε + 1, unless another is asked for.
//
// What is proved: the function doesn't depend on the value, and the bucket is told by the flat
// mechanism over g of them: P[r|v] ≤ e^ε·P[r|v'], reached. Two values' buckets are independent over
// the functions, so q is the same for every other value and the estimate is unbiased.
#pragma once

#include <array>

#include "discreet/local/local_hashing_family.h"
#include "discreet/local/protocol.h"
#include "discreet/random/bernoulli.h"

namespace discreet::local {

class LocalHashing final : public FrequencyProtocol {
 public:
  static Result<std::unique_ptr<LocalHashing>> create(const Parameters& parameters);
  // Over the field of another prime, so small that all functions can be listed.
  static Result<std::unique_ptr<LocalHashing>> over(const Parameters& parameters,
                                                    std::uint32_t prime);

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
  LocalHashing(Constants constants, HashFamily family, Real heads, random::Bernoulli coin)
      : constants_(std::move(constants)),
        family_(family),
        heads_(std::move(heads)),
        coin_(std::move(coin)) {}

  Constants constants_;
  HashFamily family_;
  Real heads_;
  random::Bernoulli coin_;
};

}  // namespace discreet::local
