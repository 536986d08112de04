// Hadamard response (Acharya, Sun and Zhang 2019): a report is a column of a Hadamard matrix, more
// likely where the row of the true value has a +1. A report is log2 of the domain in bits.
//
//   #include "discreet/random/generator.h"
//   auto hadamard = *Hadamard::create({.epsilon = 1, .domain = 16});
//   const Value truth = 3;
//   Word told = 0;
//   Status done = hadamard->perturb({&truth, 1}, random::thread_generator(), {&told, 1});
//
// Values are dealt in turn to B blocks (1 where none are asked for): value x is row r = ⌊x/B⌋ + 1
// of block x mod B. K is the smallest power of two above ⌈d/B⌉, a report one of B·K outputs (block,
// y), and C_x the half of x's block where (−1)^popcount(r & y) is +1. With Z = e^ε + 2B − 1 an
// output of C_x has probability 2e^ε/(K·Z), any other 2/(K·Z).
//
// What is proved: two probabilities, so the ratio is at most e^ε, reached. Rows of one block agree
// in half of their places: of A reports in C_x and D in x's block, E[2A − D] = n·f·(e^ε − 1)/Z
// whatever the others hold, so f = Z(2A − D)/(n(e^ε − 1)) is unbiased.
#pragma once

#include "discreet/local/protocol.h"
#include "discreet/random/bernoulli.h"

namespace discreet::local {

// p = e^ε/Z, and q = 1/(2B) is that of other values which are spread evenly over the blocks. A
// value of x's block supports x with (e^ε + 1)/(2Z), one of another block with 1/Z; one block has
// p = e^ε/(e^ε + 1), q = 1/2 and nothing to spread. The variance is Z²/(B(e^ε − 1)²), for others
// that are spread evenly too.
class Hadamard final : public FrequencyProtocol {
 public:
  static Result<std::unique_ptr<Hadamard>> create(const Parameters& parameters);

  const Constants& constants() const override { return constants_; }
  Status perturb(std::span<const Value> values, random::Source& source,
                 std::span<Word> reports) const override;
  void write(std::span<const Word> report, std::string& line) const override;
  Fault read(std::string_view line, std::span<Word> report) const override;
  void count(std::span<const Word> reports, std::span<std::uint64_t> counters) const override;
  bool fits(std::span<const std::uint64_t> counters, std::uint64_t users) const override;
  Ball probability(Value value, std::span<const Word> report, long bits) const override;
  Result<std::vector<Word>> outcomes() const override;

  // (2 − 1/B)·(A − D/2) + n/(2B): with one block, A.
  std::vector<double> supports(std::span<const std::uint64_t> counters) const override;
  Reach reach(std::span<const std::uint64_t> counters, std::uint64_t users,
              double chance) const override;
  std::vector<double> variances(std::span<const std::uint64_t> counters,
                                std::span<const double> frequencies) const override;
  Result<std::unique_ptr<Likelihood>> likelihood(const State& state) const override;

 private:
  Hadamard(Constants constants, std::size_t blocks, std::size_t outputs, Real heads,
           random::Bernoulli coin)
      : constants_(std::move(constants)),
        blocks_(blocks),
        outputs_(outputs),
        heads_(std::move(heads)),
        coin_(std::move(coin)) {}
  bool supports_value(Value value, Word report) const;

  Constants constants_;
  std::size_t blocks_, outputs_;  // B, and K of each block; both powers of two
  Real heads_;                    // (e^ε − 1)/Z
  random::Bernoulli coin_;
};

}  // namespace discreet::local
