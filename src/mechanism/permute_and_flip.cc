#include "discreet/mechanism/permute_and_flip.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "discreet/base/try.h"
#include "discreet/mechanism/weights.h"
#include "discreet/random/lazy_uniform.h"

namespace discreet::mechanism {
namespace {

constexpr std::size_t kBlock = Weights::kBlock;

// The ratio U/p as a double. A word's first 63 bits h say that U is in [h, h+1)·2^-63; the factor
// 2^63 is left out.
//
// Proof that ratio·(1 − kOff) ≤ 2^63·U/p ≤ ratio·(1 + kOff)·(h+1)/h: the weight is off by 2^-44, h
// as a double by 2^-53 and the division by 2^-53, relatively. Where the weight is below e^-64 the
// double is larger, and the ratio a lower bound still; no such candidate can be the answer unless h
// is 0, since the best candidate's ratio is at most 2^63.
constexpr double kOff = 0x1p-43;
double whole_part(std::uint64_t word) {
  return static_cast<double>(static_cast<std::int64_t>(word >> 1));
}

void ratios_of(const Weights& weights, std::span<const std::int64_t> scores,
               std::span<const std::uint64_t> words, std::array<double, kBlock>& ratios) {
  weights.doubles(scores, ratios);
  for (std::size_t i = 0; i < scores.size(); ++i) ratios[i] = whole_part(words[i]) / ratios[i];
}

// The two smallest ratios, and where the smallest is.
struct Smallest {
  double first = std::numeric_limits<double>::infinity();
  double second = std::numeric_limits<double>::infinity();
  std::size_t index = 0;
};

Smallest smallest_ratio(const Weights& weights, std::span<const std::int64_t> scores,
                        std::span<const std::uint64_t> words) {
  Smallest smallest;
  std::uint64_t block = 0;
  std::array<double, kBlock> ratios;
  for (std::size_t at = 0; at < scores.size(); at += kBlock) {
    const std::size_t size = std::min(kBlock, scores.size() - at);
    ratios_of(weights, scores.subspan(at, size), words.subspan(at, size), ratios);
    double first = smallest.first, second = smallest.second;
    for (std::size_t i = 0; i < size;
         ++i) {  // minima and maxima: the processor has no branch for them
      const double larger = first > ratios[i] ? first : ratios[i];
      second = second < larger ? second : larger;
      first = first < ratios[i] ? first : ratios[i];
    }
    block = select(mask_of(first < smallest.first), std::uint64_t{at}, block);
    smallest.first = first, smallest.second = second;
  }
  // Once more through the block it was in, to the end: where in it. (Of equals the last; they are
  // looked into anyway.)
  const std::size_t size = std::min(kBlock, scores.size() - block);
  ratios_of(weights, scores.subspan(block, size), words.subspan(block, size), ratios);
  std::uint64_t index = block;
  for (std::size_t i = 0; i < size; ++i)
    index = select(mask_of(ratios[i] == smallest.first), std::uint64_t{block + i}, index);
  smallest.index = index;
  return smallest;
}

// What the smallest ratio is at most.
double ceiling_of(const Weights& weights, std::int64_t score, std::uint64_t word) {
  std::array<double, kBlock> weight;
  weights.doubles({&score, 1}, weight);
  return (whole_part(word) + 1) / weight[0] * (1 + 2 * kOff);
}

// Which of these candidates has the smallest U/p, decided however close they are: U_a/p_a < U_b/p_b
// iff U_a·p_b < U_b·p_a.
Result<std::size_t> smallest_exactly(const Weights& weights, std::span<const std::int64_t> scores,
                                     std::span<const std::uint64_t> words,
                                     const std::vector<std::size_t>& close,
                                     random::Source& source) {
  std::size_t winner = close[0];
  random::LazyUniform u(words[winner]);
  for (std::size_t k = 1; k < close.size(); ++k) {
    const std::size_t other = close[k];
    random::LazyUniform v(words[other]);
    for (long bits = random::kFirstBits;; bits *= 2) {
      TRY(u.reveal(source, bits));
      TRY(v.reveal(source, bits));
      const Ball left = mul(u.enclosure(), weights.exact(scores[other], 0, bits), bits + 64);
      const Ball right = mul(v.enclosure(), weights.exact(scores[winner], 0, bits), bits + 64);
      if (surely_at_most(left, right)) break;
      if (surely_less(right, left)) {
        winner = other;
        u = v;
        break;
      }
    }
  }
  return winner;
}

}  // namespace

Result<PermuteAndFlip> PermuteAndFlip::create(const SelectionParameters& parameters) {
  TRY(check_selection(parameters));
  return PermuteAndFlip(parameters);
}

Result<Released<std::size_t>> PermuteAndFlip::release(const Exact<std::vector<std::int64_t>>& exact,
                                                      random::Source& source) const {
  const std::span<const std::int64_t> scores = TRY(opened(exact));
  const Weights weights(p_, scores);
  std::vector<std::uint64_t> words(scores.size());
  TRY(source.fill(words));
  const Smallest smallest = smallest_ratio(weights, scores, words);
  const double most = ceiling_of(weights, scores[smallest.index], words[smallest.index]);
  if (smallest.second * (1 - kOff) > most)
    return Released<std::size_t>(smallest.index, guarantee());
  std::vector<std::size_t> close;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    std::array<double, kBlock> weight;
    weights.doubles(scores.subspan(i, 1), weight);
    if (whole_part(words[i]) / weight[0] * (1 - kOff) <= most) close.push_back(i);
  }
  auto winner = TRY(smallest_exactly(weights, scores, words, close, source));
  return Released<std::size_t>(winner, guarantee());
}

Result<std::vector<Ball>> PermuteAndFlip::pmf(std::span<const std::int64_t> scores,
                                              long bits) const {
  struct Group {
    unsigned long count = 0;
    Ball heads, chance;
  };
  std::map<std::int64_t, Group> groups;
  for (const std::int64_t score : scores) ++groups[clamped_score(score)].count;
  if (groups.size() > kMostExact) {
    return fail(
        Code::kUsage,
        fmt::format("permute-and-flip: the exact distribution is computed for up to {} different "
                    "scores; found {}",
                    kMostExact, groups.size()));
  }
  const long working = bits + 64;
  const Weights weights(p_, scores);
  const Ball one_weight(Rational(Integer(1) << kWeightBits), working);
  for (auto& [score, group] : groups) {
    group.heads = div(weights.exact(score, 0, working), one_weight, working);
    group.chance = Ball(0);
  }
  // Degree size − 1 < 2n.
  const unsigned long nodes = scores.size() / 2 + 1;
  for (unsigned long k = 0; k < nodes; ++k) {
    const auto [t, weight] = Ball::legendre(nodes, k, working);
    const auto tails = [&, &node = t](const Group& group) {
      return sub(Ball(1), mul(group.heads, node, working), working);
    };
    Ball product(1);
    for (const auto& [score, group] : groups)
      product = mul(product, pow(tails(group), group.count, working), working);
    product = mul(product, weight, working);
    for (auto& [score, group] : groups)
      group.chance = add(group.chance, div(product, tails(group), working), working);
  }
  std::vector<Ball> out;
  out.reserve(scores.size());
  for (const std::int64_t score : scores) {
    const Group& group = groups[clamped_score(score)];
    out.push_back(mul(group.heads, group.chance, bits));
  }
  return out;
}

}  // namespace discreet::mechanism
