// The most common of m blocks' answers, told only where no single block decides it: what
// subsample-and-aggregate (sample_aggregate.h) does with answers that are words.
//
//   auto mode = *BlockMode::create({.epsilon = 1, .delta = Rational(1, 1'000'000)});
//   std::int64_t fewest = mode.fewest_blocks();  // 29: with fewer, agreement isn't enough
//   std::vector<std::string> answers(40, "red");
//   auto told = *mode.release(Exact<std::vector<std::string>>::from_private(answers));
//   if (told.value()) std::string colour = *told.value();  // "red"
//
// What is proved: (ε, δ)-DP when one of the m answers is replaced, and so when a unit comes or
// goes. A replaced answer takes one from a count and gives one to another, and closes a gap by 2,
// so the distance of the mode from changing is ⌈D/2⌉ (mode.h; the decks have D, which is for
// add/remove). The rest is the stability mechanism's theorem (stability.h). Any word may be an
// answer: one that no block gave counts 0 and wins ties.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "discreet/mechanism/gap/mode.h"
#include "discreet/mechanism/gap/stability.h"

namespace discreet::mechanism::gap {

class BlockMode : private Door {
 public:
  static Result<BlockMode> create(const GapTestParameters& parameters);

  // Of units that come or go, if each is in one block.
  privacy::Guarantee guarantee() const { return stability_.guarantee(); }
  const GapTest& test() const { return stability_.test(); }

  Result<Released<std::optional<std::string>>> release(
      const Exact<std::vector<std::string>>& answers,
      random::Source& source = random::thread_generator()) const;

  // The mode and how far it is from changing: ⌈D/2⌉ answers.
  struct Leader {
    std::string answer;
    std::int64_t distance = 0;  // 0: there is none
  };
  static Leader leader(const std::vector<std::string>& answers);

  // The least m at which m answers that agree are told more likely than not: ⌈m/2⌉ reaches the
  // threshold.
  std::int64_t fewest_blocks() const { return 2 * test().threshold() - 1; }
  // How many of `blocks` must agree for a mode that is told but for probability beta, whatever the
  // others say; more than there are where that can't be.
  std::int64_t agreeing(std::int64_t blocks, const Rational& beta) const;

 private:
  explicit BlockMode(Stability stability) : stability_(std::move(stability)) {}
  Stability stability_;
};

}  // namespace discreet::mechanism::gap
