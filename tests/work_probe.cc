// work_probe SAMPLER SCALE SEED: draws a thousand samples from scripted words, counted by
// callgrind. tests/work_test.py compares the instruction counts of different seeds: the work must
// not depend on what is drawn. SAMPLER may be a protocol of the local model, SCALE its ε: then what
// its clients hold differs by the seed too.
#include <valgrind/callgrind.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "discreet/local/registry.h"
#include "discreet/random/coin_words.h"
#include "discreet/random/gaussian.h"
#include "discreet/random/gaussian_trials.h"
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

// A coin's digits are those of e^(-1/scale).
Real coin(const Rational& scale) {
  return [scale](long bits) { return exp(Ball(-1 / scale, bits), bits); };
}

struct Coins {
  CoinWords coins;
  static Result<Coins> create(const Rational& scale) {
    return Coins{*CoinWords::create(coin(scale))};
  }
  Status fill(Source& source, std::span<std::int64_t> out) const {
    std::vector<std::uint64_t> words(out.size());
    Status done = coins.fill(source, words);
    std::copy(words.begin(), words.end(), out.begin());
    return done;
  }
};

// The broken twin: words of coins that stop at the digit that decides the last of them.
struct HastyCoins {
  Integer digits;
  static Result<HastyCoins> create(const Rational& scale) {
    return HastyCoins{coin(scale)(256).floor_shifted(192)};
  }
  Status fill(Source& source, std::span<std::int64_t> out) const {
    for (std::int64_t& heads : out) {
      std::uint64_t open = ~std::uint64_t{0}, word = 0;
      for (mp_bitcnt_t i = 192; open != 0 && i-- > 0;) {
        if (Status drawn = source.fill({&word, 1}); !drawn) return drawn;
        const std::uint64_t one = 0 - std::uint64_t{mpz_tstbit(digits.get_mpz_t(), i) != 0};
        heads |= static_cast<std::int64_t>(open & (word ^ one) & one);
        open &= ~(word ^ one);
      }
    }
    return {};
  }
};

// A client of a protocol with 64 values, one report after the other.
int probe_client(const local::Entry& entry, const Rational& epsilon,
                 std::vector<std::uint64_t> words, std::uint64_t seed) {
  auto made = entry.make({.epsilon = epsilon, .domain = 64});
  const auto* protocol = dynamic_cast<const local::FrequencyProtocol*>(made->get());
  if (protocol == nullptr) return 2;
  constexpr std::size_t kReports = 100;
  const std::vector<local::Value> values(kReports, static_cast<local::Value>(seed * 37 % 64));
  std::vector<local::Word> reports(kReports * protocol->constants().words);
  Prepared source(std::move(words));
  CALLGRIND_TOGGLE_COLLECT;
  const Status status = protocol->perturb(values, source, reports);
  CALLGRIND_TOGGLE_COLLECT;
  local::Word sum = 0;
  for (const local::Word word : reports) sum = 31 * sum + word;
  std::printf("%u\n", sum);
  return status ? 0 : 1;
}

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
  const std::uint64_t seed = std::strtoull(argv[3], nullptr, 10);
  std::vector<std::uint64_t> words(64 * kSamples);
  testing::Seeded seeded(seed);
  if (!seeded.fill(words)) return 1;
  if (name == "laplace") return probe<DiscreteLaplace>(scale, words);
  if (name == "rounded-laplace") return probe<RoundedLaplace>(scale, words);
  if (name == "geometric") return probe<Geometric>(scale, words);
  if (name == "leaky") return probe<Leaky>(scale, words);
  if (name == "coins") return probe<Coins>(scale, words);
  if (name == "hasty-coins") return probe<HastyCoins>(scale, words);
  if (const auto entry = local::find(name)) return probe_client(*entry, scale, words, seed);
  // A block of n wide trials takes n words for each of three things: cells, places, coins. Coins
  // are heads every time, so that each draw is one trial and only the value differs; a discrete
  // Gaussian's −0 would be drawn again: positive values only (even symbols), picked by their own
  // cell of the table.
  for (std::size_t at = 0, left = scale >= 16 ? kSamples : 0; left > 0;) {
    const std::size_t n = std::min(Trials::kMost, left);
    for (std::size_t i = at; i < at + n; ++i) {
      if (name == "discrete-gaussian") words[i] = words[i] >> 57 << 56;
      words[i + 2 * n] = 0;
    }
    at += Trials::kWords * n;
    left -= n;
  }
  if (name == "gaussian") return probe<RoundedGaussian>(scale, words);
  if (name == "discrete-gaussian") return probe<DiscreteGaussian>(scale, words);
  return 2;
}
