// The k best of several candidates, best first: permute-and-flip, k times, each time without those
// that were chosen (peeling).
//
//   SelectionParameters drinks{.epsilon = 1,
//                              .sensitivity = 1,
//                              .candidates = Candidates::named({"tea", "milk", "mate", "coffee"}),
//                              .monotone = true};
//   auto two = *TopK::create(drinks, 2);
//   auto best = two.release(Exact<std::vector<std::int64_t>>::from_private({120, 40, 3, 118}));
//
// What is proved. A round is permute-and-flip at ε/k over what is left (permute_and_flip.h); what
// is left follows from the answers so far, and scores that are monotone stay so where some are left
// out. Adaptive composition of k rounds: ε. Tight in the limit, where the k candidates that a list
// names all rise and all others fall.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "discreet/mechanism/permute_and_flip.h"

namespace discreet::mechanism {

class TopK : public Selection {
 public:
  // k from 1 to the number of candidates.
  static Result<TopK> create(const SelectionParameters& parameters, std::int64_t k);

  privacy::Event event() const { return event_at(p_.epsilon, k_); }
  static privacy::Event event_at(const Rational& epsilon, std::size_t k);
  std::size_t k() const { return k_; }

  // The indices of the candidates that were chosen, in the order in which they were.
  Result<Released<std::vector<std::size_t>>> release(
      const Exact<std::vector<std::int64_t>>& scores,
      random::Source& source = random::thread_generator()) const;

  // P[list] = Π over its places of permute-and-flip's P[candidate | those before are gone], for all
  // lists. An error where there are more than kMostLists.
  using Lists = std::vector<std::pair<std::vector<std::size_t>, Ball>>;
  Result<Lists> pmf(std::span<const std::int64_t> scores, long bits) const;
  static constexpr std::size_t kMostLists = 20'000;

  // Every chosen score is at least the k-th best − t with probability 1 − β: deck 000's theorem for
  // each round at ε/k and β/k.
  double bound(const Rational& beta) const;

 private:
  TopK(SelectionParameters parameters, std::size_t k) : Selection(std::move(parameters)), k_(k) {}
  SelectionParameters round(std::size_t left) const;
  std::size_t k_;
};

}  // namespace discreet::mechanism
