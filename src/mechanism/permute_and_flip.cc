#include "discreet/mechanism/permute_and_flip.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "discreet/mechanism/weights.h"
#include "discreet/random/lazy_uniform.h"

namespace discreet::mechanism {
namespace {

constexpr std::size_t kBlock = 1024;
constexpr int kCoinShift = 64 - kWeightBits;

// The smallest tag among the heads; whether it stood twice.
struct Smallest {
  std::uint64_t tag = ~std::uint64_t{0};
  std::size_t index = 0;
  bool tied = false;
};

Result<Smallest> smallest_tag(std::span<const std::uint8_t> heads, random::Source& source) {
  Smallest smallest;
  std::array<std::uint64_t, kBlock> tags;
  for (std::size_t at = 0; at < heads.size(); at += kBlock) {
    const std::size_t size = std::min(kBlock, heads.size() - at);
    if (auto status = source.fill(std::span(tags).first(size)); !status)
      return forward_error(status);
    for (std::size_t i = 0; i < size; ++i) {
      // 63 bits; tails get all ones, which no heads has
      const std::uint64_t tag = (tags[i] >> 1) | (std::uint64_t{heads[at + i]} - 1);
      const bool less = tag < smallest.tag;
      const bool same = (tag == smallest.tag) & (heads[at + i] != 0);
      smallest.tied = (smallest.tied & !less) | same;
      smallest.index = less ? at + i : smallest.index;
      smallest.tag = less ? tag : smallest.tag;
    }
  }
  return smallest;
}

}  // namespace

Result<PermuteAndFlip> PermuteAndFlip::create(const SelectionParameters& parameters) {
  if (auto status = check_selection(parameters); !status) return forward_error(status);
  return PermuteAndFlip(parameters);
}

// A coin is a word's first 62 bits c against the weight W of 62 bits: heads iff c + u < W, u the
// digits that follow.
Result<std::vector<std::uint8_t>> PermuteAndFlip::toss(std::span<const std::int64_t> scores,
                                                       random::Source& source) const {
  const Weights weights(selection_rate(p_), best_score(scores));
  std::vector<std::uint8_t> heads(scores.size());
  std::array<std::uint64_t, kBlock> words;
  std::array<std::int64_t, kBlock> approximate;
  for (std::size_t at = 0; at < scores.size(); at += kBlock) {
    const std::size_t size = std::min(kBlock, scores.size() - at);
    if (auto status = source.fill(std::span(words).first(size)); !status)
      return forward_error(status);
    for (std::size_t i = 0; i < size; ++i) approximate[i] = weights.approximate(scores[at + i]);
    bool undecided = false;
    for (std::size_t i = 0; i < size; ++i) {
      const auto coin = static_cast<std::int64_t>(words[i] >> kCoinShift);
      const std::int64_t low = approximate[i] - Weights::slack(approximate[i]);
      const std::int64_t high = approximate[i] + Weights::slack(approximate[i]);
      heads[at + i] = coin < low;
      undecided |= (coin >= low) & (coin < high);
    }
    if (!undecided) continue;
    for (std::size_t i = 0; i < size; ++i) {
      const auto coin = static_cast<std::int64_t>(words[i] >> kCoinShift);
      const std::int64_t slack = Weights::slack(approximate[i]);
      if (coin < approximate[i] - slack || coin >= approximate[i] + slack) continue;
      random::LazyUniform u;
      auto head = random::falls_below(source, u, [&](long bits) -> Result<Ball> {
        return weights.exact(scores[at + i], coin, bits);
      });
      if (!head) return forward_error(head);
      heads[at + i] = *head;
    }
  }
  return heads;
}

Result<Released<std::size_t>> PermuteAndFlip::release(const Exact<std::vector<std::int64_t>>& exact,
                                                      random::Source& source) const {
  const std::span<const std::int64_t> scores = open(exact);
  if (auto status = check_scores(scores.size(), p_.candidates); !status)
    return forward_error(status);
  auto heads = toss(scores, source);
  if (!heads) return forward_error(heads);
  for (;;) {
    auto smallest = smallest_tag(*heads, source);
    if (!smallest) return forward_error(smallest);
    // There is a heads: the best candidate's coin has no tails.
    if (!smallest->tied) return Released<std::size_t>(smallest->index, guarantee());
  }
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
  const Weights weights(selection_rate(p_), best_score(scores));
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
