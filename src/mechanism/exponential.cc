#include "discreet/mechanism/exponential.h"

#include <algorithm>
#include <array>

#include "discreet/base/try.h"
#include "discreet/mechanism/weights.h"
#include "discreet/random/lazy_uniform.h"
#include "discreet/random/wide.h"

namespace discreet::mechanism {
namespace {

using random::Wide;

constexpr std::size_t kBlock = Weights::kBlock;

// Integers that are surely at least the weights.
std::uint64_t ceiling_of(std::int64_t a) {
  return static_cast<std::uint64_t>(a + Weights::slack(a));
}

Wide sum_of(const Weights& weights, std::span<const std::int64_t> scores) {
  std::array<double, kBlock> doubles;
  weights.doubles(scores, doubles);
  Wide sum = 0;
  for (std::size_t i = 0; i < scores.size(); ++i)
    sum += ceiling_of(Weights::integer_of(doubles[i]));
  return sum;
}

// Uniform on {0, …, n−1}: ⌊r·n/2^128⌋ for a uniform r of 128 bits, thrown again where the remainder
// of r·n says that this quotient has one r too many. That is looked at with probability n/2^128,
// below 2^-40 for 2^26 candidates.
Result<Wide> uniform_below(random::Source& source, Wide n) {
  for (;;) {
    std::array<std::uint64_t, 2> words;
    TRY(source.fill(words));
    const auto low = static_cast<std::uint64_t>(n), high = static_cast<std::uint64_t>(n >> 64);
    // r·n = (r1·2^64 + r0)·(high·2^64 + low), as a 256-bit number
    const Wide ll = Wide(words[0]) * low, lh = Wide(words[0]) * high, hl = Wide(words[1]) * low,
               hh = Wide(words[1]) * high;
    const Wide middle =
        (ll >> 64) + static_cast<std::uint64_t>(lh) + static_cast<std::uint64_t>(hl);
    const Wide remainder = (middle << 64) | static_cast<std::uint64_t>(ll);
    const Wide quotient = hh + (lh >> 64) + (hl >> 64) + (middle >> 64);
    if (remainder >= n || remainder >= (-n) % n) return quotient;
  }
}

Wide select(std::uint64_t mask, Wide a, Wide b) {
  return b ^ ((a ^ b) & ((Wide(mask) << 64) | mask));
}

struct Dart {
  std::size_t index;
  std::int64_t offset;  // from the start of that candidate's integer
};

// Which candidate the dart fell on. All sums are gone through, and then all of one block: which one
// that is will be released.
Dart locate(const Weights& weights, std::span<const std::int64_t> scores,
            std::span<const Wide> sums, Wide place) {
  std::size_t block = 0;
  Wide before = 0, start = 0;
  for (const Wide sum : sums) {
    before += sum;
    const std::uint64_t passed = mask_of(place >= before);
    block += passed & 1;
    start = select(passed, before, start);
  }
  const std::size_t at = block * kBlock, size = std::min(kBlock, scores.size() - at);
  std::array<double, kBlock> doubles;
  weights.doubles(scores.subspan(at, size), doubles);
  Dart dart{at, 0};
  before = start;
  for (std::size_t i = 0; i < size; ++i) {
    const Wide after = before + ceiling_of(Weights::integer_of(doubles[i]));
    const std::uint64_t passed = mask_of(place >= after);
    dart.index += passed & 1;
    start = select(passed, after, start);
    before = after;
  }
  dart.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(place - start));
  return dart;
}

}  // namespace

Result<Exponential> Exponential::create(const SelectionParameters& parameters) {
  TRY(check_selection(parameters));
  return Exponential(parameters);
}

Result<Released<std::size_t>> Exponential::release(const Exact<std::vector<std::int64_t>>& exact,
                                                   random::Source& source) const {
  const std::span<const std::int64_t> scores = TRY(opened(exact));
  const Weights weights(p_, scores);
  std::vector<Wide> sums;
  sums.reserve(scores.size() / kBlock + 1);
  Wide total = 0;
  for (std::size_t at = 0; at < scores.size(); at += kBlock) {
    sums.push_back(sum_of(weights, scores.subspan(at, std::min(kBlock, scores.size() - at))));
    total += sums.back();
  }
  for (;;) {
    auto place = TRY(uniform_below(source, total));
    const Dart dart = locate(weights, scores, sums, place);
    const std::int64_t a = weights.approximate(scores[dart.index]);
    if (dart.offset < a - Weights::slack(a)) return Released<std::size_t>(dart.index, guarantee());
    // Whether offset + u < W, u the digits of the dart's place that are still to be drawn.
    random::LazyUniform u;
    auto hit = random::falls_below(source, u, [&](long bits) -> Result<Ball> {
      return weights.exact(scores[dart.index], dart.offset, bits);
    });
    if (!hit) return forward_error(hit);
    if (*hit) return Released<std::size_t>(dart.index, guarantee());
  }
}

std::vector<Ball> Exponential::pmf(std::span<const std::int64_t> scores, long bits) const {
  const Weights weights(p_, scores);
  std::vector<Ball> out;
  out.reserve(scores.size());
  Ball total(0);
  for (const std::int64_t score : scores) {
    out.push_back(weights.exact(score, 0, bits));
    total = add(total, out.back(), bits + 64);
  }
  for (Ball& weight : out) weight = div(weight, total, bits);
  return out;
}

}  // namespace discreet::mechanism
