// How many blocks subsample-and-aggregate needs: from public numbers alone, before any row is read.
//
//   #include "discreet/mechanism/gap/threshold.h"
//   auto test = *GapTest::create({.epsilon = 1, .delta = Rational(1, 1'000'000)});
//   Passes passes = [&](std::int64_t d, long bits) { return test.probability(d, bits); };
//   std::int64_t blocks = *blocks_needed(passes, Rational(9, 10), Rational(19, 20));  // for 95 %
//
// What is computed. Let each of m blocks give the right answer with probability p, independently,
// and let all others agree on one wrong answer that wins ties: the worst they can do. With k right
// answers of m the mode is right iff 2k > m and then ⌈(2k − m)/2⌉ answers away from another, so
//
// P[released and right] = Σ_{2k > m} C(m, k)·p^k·(1 − p)^(m − k)·passes(⌈(2k − m)/2⌉)
//
// in interval arithmetic. (Deck 004 asks for p < εt, p being the probability of a *wrong* block; it
// has to be below about ε/(ln(1/δ) + t).)
#pragma once

#include <cstdint>
#include <functional>

#include "discreet/base/ball.h"

namespace discreet::mechanism::gap {

// How likely a mode that so many answers keep from changing is to be released.
using Passes = std::function<Ball(std::int64_t distance, long bits)>;

Ball chance_of_right_mode(const Passes& passes, std::int64_t blocks, const Rational& accuracy,
                          long bits);

// The least number of blocks at which that chance is at least `wanted`: found one by one up to
// 2048, above that by bisection, so that a slightly smaller number of the other parity may do too.
// An error where a block is right half of the time or less, or a million blocks are too few.
Result<std::int64_t> blocks_needed(const Passes& passes, const Rational& accuracy,
                                   const Rational& wanted);

}  // namespace discreet::mechanism::gap
