// mechanism_probe MECHANISM INPUT SEED: one release, its instructions counted by callgrind.
// tests/mechanism_sources_test.py compares the counts of different private inputs and different
// draws: the work must depend on neither.
#include <valgrind/callgrind.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "discreet/mechanism/exponential.h"
#include "discreet/mechanism/laplace.h"
#include "discreet/mechanism/noisy_max.h"
#include "discreet/mechanism/permute_and_flip.h"
#include "discreet/random/testing/sources.h"

using namespace discreet;
using namespace discreet::mechanism;

namespace {

constexpr std::size_t kSize = 4096;  // whole blocks: the last one is no shorter

class Prepared final : public random::Source {
 public:
  explicit Prepared(std::uint64_t seed) : words_(1 << 16) {
    random::testing::Seeded seeded(seed);
    (void)seeded.fill(words_);
  }
  Status fill(std::span<std::uint64_t> out) override {
    for (std::uint64_t& word : out) word = words_[at_++];
    return {};
  }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t at_ = 0;
};

template <class Mechanism, class Input>
int probe(const Result<Mechanism>& mechanism, const Input& input, std::uint64_t seed) {
  const auto exact = Exact<Input>::from_private(input);
  Prepared source(seed);
  CALLGRIND_TOGGLE_COLLECT;
  const auto released = mechanism->release(exact, source);
  CALLGRIND_TOGGLE_COLLECT;
  return released ? 0 : 1;
}

// The broken twin: stops at the first candidate that is good enough.
struct EarlyExit {
  Result<Released<std::size_t>> release(const Exact<std::vector<std::int64_t>>&,
                                        random::Source& source) const {
    std::uint64_t word = 0;
    std::size_t i = 0;
    while (source.fill({&word, 1}) && word % 64 != 0) ++i;
    return Released<std::size_t>(i, {});
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string_view name = argv[1], kind = argv[2];
  const std::uint64_t seed = std::strtoull(argv[3], nullptr, 10);
  std::vector<std::int64_t> input(kSize, 0);
  for (std::size_t i = 0; i < kSize; ++i) {
    if (kind == "spread") input[i] = static_cast<std::int64_t>(i * 7919 % 997);
    if (kind == "one") input[i] = i == 1234 ? 1'000'000 : 0;
    if (kind == "extreme") input[i] = i % 2 == 0 ? INT64_MAX : INT64_MIN;
  }
  const SelectionParameters p{
      .epsilon = Rational(1, 10), .sensitivity = 1, .candidates = Candidates::numbered(kSize)};
  if (name == "exponential") return probe(Exponential::create(p), input, seed);
  if (name == "permute-and-flip") return probe(PermuteAndFlip::create(p), input, seed);
  if (name == "noisy-max") return probe(NoisyMax::create(p), input, seed);
  if (name == "histogram") {
    const auto mechanism = histogram({.epsilon = Rational(1, 10), .cells = kSize});
    Prepared first(seed + 1000);
    // the margin is found once, before anything is counted
    (void)mechanism->release(Exact<std::vector<std::int64_t>>::from_private(input), first);
    return probe(mechanism, input, seed);
  }
  if (name == "early-exit") return probe(Result<EarlyExit>(EarlyExit{}), input, seed);
  return 2;
}
