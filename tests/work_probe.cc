// work_probe SAMPLER SCALE SEED: draws a thousand samples from scripted words, counted by
// callgrind. tests/work_test.py compares the instruction counts of different seeds: the work must
// not depend on what is drawn.
#include <valgrind/callgrind.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "discreet/random/gaussian.h"
#include "discreet/random/geometric.h"
#include "discreet/random/testing/sources.h"

using namespace discreet;
using namespace discreet::random;

namespace {

constexpr std::size_t kSamples = 1000;

// Words laid out beforehand, so that handing them out is the same work whatever they are.
class Prepared final : public Source {
 public:
  explicit Prepared(std::vector<std::uint64_t> words) : words_(std::move(words)) {}
  Status fill(std::span<std::uint64_t> out) override {
    for (std::uint64_t& word : out) word = words_[at_++];
    return {};
  }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t at_ = 0;
};

// The broken twin: a geometric variable drawn the obvious way, one coin a step. Its time tells its
// value.
struct Leaky {
  static Result<Leaky> create(const Rational& /*scale*/) { return Leaky{}; }
  static Status fill(Source& source, std::span<std::int64_t> out) {
    for (std::int64_t& z : out)
      for (std::uint64_t word = 0; source.fill({&word, 1}) && (word & 1) != 0;) ++z;
    return {};
  }
};

template <class Sampler>
int probe(const Rational& scale, std::vector<std::uint64_t> words) {
  auto sampler = Sampler::create(scale);
  Prepared source(std::move(words));
  std::vector<std::int64_t> out(kSamples);
  CALLGRIND_TOGGLE_COLLECT;
  const Status status = sampler->fill(source, out);
  CALLGRIND_TOGGLE_COLLECT;
  std::int64_t sum = 0;
  for (const std::int64_t z : out) sum ^= z;
  std::printf("%lld\n", static_cast<long long>(sum));  // shows that the draws differ
  return status ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string_view name = argv[1];
  const Rational scale = *parse_number(argv[2], Rounding::kUp);
  std::vector<std::uint64_t> words(8 * kSamples);
  testing::Seeded seeded(std::strtoull(argv[3], nullptr, 10));
  if (!seeded.fill(words)) return 1;
  if (name == "laplace") return probe<DiscreteLaplace>(scale, words);
  if (name == "rounded-laplace") return probe<RoundedLaplace>(scale, words);
  if (name == "geometric") return probe<Geometric>(scale, words);
  if (name == "leaky") return probe<Leaky>(scale, words);
  if (scale >= 16) {
    // A trial's third word is its coin: heads every time, so that each draw is one trial and only
    // the value differs.
    for (std::size_t i = 2; i < words.size(); i += 3) words[i] = 0;
  }
  // a discrete Gaussian's −0 would be drawn again: positive values only (even symbols), picked by
  // their own cell of the table
  if (name == "discrete-gaussian" && scale >= 16)
    for (std::size_t i = 0; i < words.size(); i += 3) words[i] = words[i] >> 57 << 56;
  if (name == "gaussian") return probe<RoundedGaussian>(scale, words);
  if (name == "discrete-gaussian") return probe<DiscreteGaussian>(scale, words);
  return 2;
}
