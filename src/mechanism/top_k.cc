#include "discreet/mechanism/top_k.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "discreet/base/try.h"

namespace discreet::mechanism {
namespace {

using Indices = std::vector<std::size_t>;

Indices all_of(std::size_t count) {
  Indices out(count);
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

std::vector<std::int64_t> scores_of(std::span<const std::int64_t> scores, const Indices& left) {
  std::vector<std::int64_t> out;
  out.reserve(left.size());
  for (const std::size_t i : left) out.push_back(scores[i]);
  return out;
}

}  // namespace

Result<TopK> TopK::create(const SelectionParameters& parameters, std::int64_t k) {
  TRY(check_selection(parameters));
  const std::size_t candidates = parameters.candidates.size();
  if (k < 1 || static_cast<std::size_t>(k) > candidates)
    return bad_parameter(
        "k", fmt::format("found {}; accepted is a whole number from 1 to {}, the number of "
                         "candidates",
                         k, candidates));
  return TopK(parameters, static_cast<std::size_t>(k));
}

privacy::Event TopK::event_at(const Rational& epsilon, std::size_t k) {
  const Integer rounds(static_cast<unsigned long>(k));
  if (k == 1) return PermuteAndFlip::event_at(epsilon);
  return {privacy::Repeated{privacy::share(PermuteAndFlip::event_at(epsilon / rounds)), rounds}};
}

SelectionParameters TopK::round(std::size_t left) const {
  SelectionParameters out = p_;
  out.epsilon = p_.epsilon / Rational(Integer(static_cast<unsigned long>(k_)));
  out.candidates = Candidates::numbered(left);
  return out;
}

Result<Released<std::vector<std::size_t>>> TopK::release(
    const Exact<std::vector<std::int64_t>>& exact, random::Source& source) const {
  const std::span<const std::int64_t> scores = TRY(opened(exact));
  Indices left = all_of(scores.size()), chosen;
  while (chosen.size() < k_) {
    const PermuteAndFlip flip = TRY(PermuteAndFlip::create(round(left.size())));
    const auto next = TRY(flip.release(
        Exact<std::vector<std::int64_t>>::from_private(scores_of(scores, left)), source));
    chosen.push_back(left[next.value()]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(next.value()));
  }
  return Released<std::vector<std::size_t>>(std::move(chosen), guarantee());
}

Result<TopK::Lists> TopK::pmf(std::span<const std::int64_t> scores, long bits) const {
  std::size_t lists = 1;
  for (std::size_t i = 0; i < k_ && lists <= kMostLists; ++i) lists *= scores.size() - i;
  if (lists > kMostLists)
    return bad_parameter("k", fmt::format("{} of {} candidates have more than {} lists; accepted "
                                          "are fewer, for the exact distribution",
                                          k_, scores.size(), kMostLists));
  // What a round does follows from who is left, in whatever order the others went.
  std::map<Indices, std::vector<Ball>> rounds;
  Lists out{{{}, Ball(1)}};
  for (std::size_t place = 0; place < k_; ++place) {
    Lists longer;
    for (const auto& [list, chance] : out) {
      Indices left;
      for (const std::size_t i : all_of(scores.size()))
        if (std::find(list.begin(), list.end(), i) == list.end()) left.push_back(i);
      auto found = rounds.find(left);
      if (found == rounds.end()) {
        const PermuteAndFlip flip = TRY(PermuteAndFlip::create(round(left.size())));
        auto chances = TRY(flip.pmf(scores_of(scores, left), bits));
        found = rounds.emplace(left, std::move(chances)).first;
      }
      for (std::size_t j = 0; j < left.size(); ++j) {
        Indices next = list;
        next.push_back(left[j]);
        longer.emplace_back(std::move(next), mul(chance, found->second[j], bits));
      }
    }
    out = std::move(longer);
  }
  return out;
}

double TopK::bound(const Rational& beta) const {
  const Rational each = beta / Rational(Integer(static_cast<unsigned long>(k_)));
  return deck_selection_bound(round(p_.candidates.size()), 1, each);
}

}  // namespace discreet::mechanism
