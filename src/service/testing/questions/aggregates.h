// Every aggregate, with what plain DuckDB says of the same rows.
#pragma once

#include <string>
#include <vector>

#include "discreet/service/testing/questions/expressions.h"

namespace discreet::service::testing::questions {

struct Aggregate {
  enum class Kind {
    kCount,
    kSum,
    kMean,  // of no rows it is the middle of what is known of the values
    kVariance,
    kDeviation,
    kQuantile,  // the oracle gives the values themselves, and so for kMost
    kMost,
    kEnd,  // MIN and MAX: a value with about as many beyond it as the noise would hide
  };
  Kind kind = Kind::kCount;
  Piece text;
  double of_nothing = 0;  // what an empty group gives
  double share = 0.5;     // of kQuantile
  bool chooses() const { return kind >= Kind::kQuantile; }
};

// Values between the oracle's lists.
inline constexpr char kBetween = '\x1f';

Aggregate random_aggregate(Draw& draw, Expressions& expressions, const World& world);

}  // namespace discreet::service::testing::questions
