// The collector's side of heavy hitters (hitters.h): prefixes that stand out are extended, level by
// level, until they are words.
//
// A level keeps the prefixes with the highest estimates, up to twice as many as words are asked for
// and at least two standard errors above 0: a wrong one costs time, a lost one can't come back. At
// the last level a word must stand out for good.
//
// What is proved: a report supports a word that its sender doesn't have with probability 1/g, so
// the number of supporting reports of a word that nobody has is binomial. A word is shown only
// where the probability of so many, times the number of words that were looked at, is at most
// kFalseWords. These were picked by other people's reports than those that decide. So with
// probability 1 − kFalseWords no word is shown that nobody has, or more exactly nobody at the last
// level.
//
// Estimates are of the last level's reports: what those people are off from all is in the error
// bars (records_sample.h).
#pragma once

#include <functional>

#include "discreet/local/hitters.h"
#include "discreet/local/state.h"

namespace discreet::local {

inline constexpr double kFalseWords = 0.01;

struct FindOptions {
  std::size_t top = 20;            // words, at most
  std::size_t candidates = 65536;  // prefixes that are looked at a level, at most; 256 or more
  // Words that nobody has and that are shown all the same: how many may be expected.
  double false_words = kFalseWords;
  std::size_t threads = 0;  // 0: as many as there are processors
  // Called now and then with how much of all levels is done, 0 to 1; false stops.
  std::function<bool(double done)> progress = {};
};

struct Hitter {
  std::string word;
  double frequency = 0;
  double stderr_ = 0;
};

struct HitterLevel {
  std::size_t bits = 0;
  std::uint64_t users = 0;
  std::size_t candidates = 0;
};

struct Found {
  std::vector<Hitter> hitters;  // the most frequent first
  std::vector<HitterLevel> levels;
  // What an estimate has to reach at the last level; infinite where nobody reported there.
  double threshold = 0;
};

Result<Found> find_hitters(const Hitters& hitters, const State& state, const FindOptions& options);

// The least k with times·P[Bin(n, p) ≥ k] ≤ chance, or one a little larger where n is in the
// millions; n + 1 where there is none. 0 < p < 1.
std::uint64_t least_surprising(std::uint64_t n, const Ball& p, double times, double chance);

}  // namespace discreet::local
