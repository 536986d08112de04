// How far off a private median is, by how many rows there are or by ε: noise for the whole range,
// noise by smooth sensitivity, propose-test-release, and a choice by rank.
//
//   auto picture = *compare_median({.epsilon = 1, .delta = Rational(1, 1000000), .low = 0, .high =
//   100}); double noisiest = picture.lines[0].y[0];  // the error that 19 of 20 answers stay within
//
// The data, which are public: rows spread evenly from three to five tenths of the range. Under
// substitute, so that the number of rows is public for all of them.
#pragma once

#include "discreet/base/number.h"
#include "discreet/mechanism/compare/comparison.h"

namespace discreet::mechanism::compare {

struct MedianCase {
  Rational epsilon, delta;
  Rational low, high;
  std::int64_t rows = 300;
};
// From a thirtieth of the rows (at least 10) to thirty times as many.
Result<Comparison> compare_median(const MedianCase& given);
// From a tenth of ε to ten times as much.
Result<Comparison> compare_median_by_epsilon(const MedianCase& given);

}  // namespace discreet::mechanism::compare
