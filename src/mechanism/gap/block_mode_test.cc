#include "discreet/mechanism/gap/block_mode.h"

#include <gtest/gtest.h>

#include <cmath>

#include "discreet/mechanism/testing/privacy_check.h"
#include "discreet/random/testing/sources.h"

namespace discreet::mechanism::gap {
namespace {

using testing::delta_above;
using testing::delta_below;
using Answers = std::vector<std::string>;

// How often each word, and nothing, is told. `distance` says how far the mode is from changing.
template <class Distance>
std::vector<Ball> told(const GapTest& test, const Answers& answers, const Answers& words,
                       const Distance& distance) {
  const BlockMode::Leader leader = BlockMode::leader(answers);
  const std::int64_t away = distance(answers, leader);
  const Ball chance = away > 0 ? test.probability(away, testing::kBits) : Ball(0);
  std::vector<Ball> out;
  for (const std::string& word : words) out.push_back(word == leader.answer ? chance : Ball(0));
  out.push_back(sub(Ball(1), chance, testing::kBits));
  return out;
}

std::int64_t halved(const Answers&, const BlockMode::Leader& leader) { return leader.distance; }

// What keeps a mode from changing when answers are added or removed: twice as much.
std::int64_t for_add_remove(const Answers& answers, const BlockMode::Leader& leader) {
  std::map<std::string, std::int64_t> counts;
  for (const std::string& answer : answers) ++counts[answer];
  std::int64_t out = counts[leader.answer];
  for (const auto& [word, count] : counts)
    if (word != leader.answer)
      out = std::min(out, counts[leader.answer] - count + (leader.answer < word ? 1 : 0));
  return out;
}

// The worst δ over all lists of these words and all replacements of one answer, of which a
// neighbour may have a word that nobody else gave.
template <class Distance>
double worst(const GapTest& test, const Rational& epsilon, int blocks, const Distance& distance) {
  const Answers words{"", "a", "b", "~"};
  double out = 0;
  std::vector<Answers> lists{{}};
  for (int i = 0; i < blocks; ++i) {
    std::vector<Answers> longer;
    for (const Answers& list : lists)
      for (const std::string& word : words) {
        if (!list.empty() && word < list.back()) continue;
        longer.push_back(list);
        longer.back().push_back(word);
      }
    lists = std::move(longer);
  }
  for (const Answers& list : lists)
    for (std::size_t i = 0; i < list.size(); ++i)
      for (const std::string& word : words) {
        Answers other = list;
        other[i] = word;
        const std::vector<Ball> p = told(test, list, words, distance),
                                q = told(test, other, words, distance);
        out = std::max(out, delta_above(p, q, epsilon));
      }
  return out;
}

TEST(BlockMode, EveryReplacementOfEveryListKeepsItsPromise) {
  for (const Rational& epsilon : {Rational(1, 2), Rational(1), Rational(3)}) {
    const Rational delta(1, 10);
    const BlockMode mode = *BlockMode::create({epsilon, delta});
    for (int blocks = 1; blocks <= 9; ++blocks)
      EXPECT_LE(worst(mode.test(), epsilon, blocks, halved), delta.get_d() + 1e-15);
  }
}

// The broken twin: private when an answer is added or removed, which isn't what a unit does.
TEST(BlockMode, ADistanceThatIsNotHalvedIsCaught) {
  for (const Rational& epsilon : {Rational(1, 2), Rational(1), Rational(3)}) {
    const Rational delta(1, 10);
    const BlockMode mode = *BlockMode::create({epsilon, delta});
    EXPECT_GT(worst(mode.test(), epsilon, 9, for_add_remove), delta.get_d() * 1.2);
  }
}

TEST(BlockMode, TheModeAndItsDistance) {
  EXPECT_EQ(BlockMode::leader({}).distance, 0);
  EXPECT_EQ(BlockMode::leader({"b", "a"}).answer, "a");
  EXPECT_EQ(BlockMode::leader({"b", "a"}).distance, 1);        // it wins the tie
  EXPECT_EQ(BlockMode::leader({"b", "b", "a"}).distance, 1);   // one change makes a tie, lost
  EXPECT_EQ(BlockMode::leader(Answers(10, "b")).distance, 5);  // five others might win the tie
  EXPECT_EQ(BlockMode::leader(Answers(11, "b")).distance, 6);
}

TEST(BlockMode, TellsWhatAllAgreeOn) {
  random::testing::Seeded source(2);
  const BlockMode mode = *BlockMode::create({1, Rational(1, 1'000'000)});
  EXPECT_EQ(mode.fewest_blocks(), 29);
  EXPECT_GE(mode.test().probability(15, 128).lower(), 0.5);
  EXPECT_LT(mode.test().probability(14, 128).upper(), 0.5);
  const auto many = Exact<Answers>::from_private(Answers(100, "red"));
  const auto few = Exact<Answers>::from_private({"red", "red", "blue"});
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(mode.release(many, source)->value(), "red");
    EXPECT_EQ(mode.release(few, source)->value(), std::nullopt);
  }
  EXPECT_EQ(mode.release(many, source)->guarantee().delta, Rational(1, 1'000'000));
}

TEST(BlockMode, HowManyMustAgree) {
  const BlockMode mode = *BlockMode::create({1, Rational(1, 1'000'000)});
  const Rational beta(1, 20);
  const std::int64_t k = mode.agreeing(100, beta);
  const auto chance = [&](std::int64_t agree) {
    Answers answers(static_cast<std::size_t>(agree), "b");
    answers.resize(100, "a");
    return mode.test().probability(BlockMode::leader(answers).distance, 128).middle();
  };
  EXPECT_GE(chance(k), 0.95);
  EXPECT_LT(chance(k - 1), 0.95);
}

}  // namespace
}  // namespace discreet::mechanism::gap
