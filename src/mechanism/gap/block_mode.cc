#include "discreet/mechanism/gap/block_mode.h"

#include "discreet/base/try.h"

namespace discreet::mechanism::gap {

Result<BlockMode> BlockMode::create(const GapTestParameters& parameters) {
  return BlockMode(TRY(Stability::create(parameters)));
}

BlockMode::Leader BlockMode::leader(const std::vector<std::string>& answers) {
  std::map<std::string_view, std::int64_t> tally;  // in the words' own order, by which ties are won
  for (const std::string& answer : answers) ++tally[answer];
  std::vector<std::string_view> words;
  std::vector<std::int64_t> counts;
  for (const auto& [word, count] : tally) words.push_back(word), counts.push_back(count);
  const Mode mode = mode_of(counts, Domain::kOpen, privacy::Relation::kSubstitute);
  if (words.empty()) return {};
  return {std::string(words[mode.winner]), mode.distance};
}

Result<Released<std::optional<std::string>>> BlockMode::release(
    const Exact<std::vector<std::string>>& answers, random::Source& source) const {
  Leader found = leader(open(answers));
  const bool none = found.distance == 0;
  const auto told = TRY(stability_.release(
      Exact<Stable<std::string>>::from_private({std::move(found.answer), found.distance}), source));
  return told.map(
      [none](const std::optional<std::string>& answer) { return none ? std::nullopt : answer; });
}

// The others agree on one answer that wins ties: ⌈(2k − m)/2⌉ ≥ d, so k ≥ (m + 2d − 1)/2.
std::int64_t BlockMode::agreeing(std::int64_t blocks, const Rational& beta) const {
  const std::int64_t distance = test().distance_for(1 - beta);
  return (blocks + 2 * distance) / 2;
}

}  // namespace discreet::mechanism::gap
