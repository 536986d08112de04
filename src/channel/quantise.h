// From nearly right to exactly right: a matrix of approximate probabilities becomes a channel whose
// entries are multiples of 1/T, whose rows sum to exactly 1, and whose neighbouring rows differ by
// at most `ratio`, exactly.
//
//   const Graph path = *Graph::path(2);
//   Channel coin = *quantise(2, 2, {0.75000001, 0.25, 0.25, 0.74999999}, path, 3, kDoubles);
//   bool holds = is_within(coin, path, 3);  // true, and every entry is a double
//
// How, and why it holds. In units of 1/T, with ratio = p/q:
//
// 1. Each column is rounded down and then raised to the least integers above it with q·v(y) ≤
//    p·v(y') for all neighbours: the largest value is final, gives its neighbours at least
//    ⌈q·v/p⌉, and so on downwards (Dijkstra's order; ⌈q·v/p⌉ ≤ v).
// 2. What a row lacks to T is filled evenly over its columns: between ⌊(T−S)/n⌋ and ⌈(T−S)/n⌉ each.
//    The fill of any two rows must differ by at most p/q; then so do the sums of two numbers that
//    each do. If rows lack too unequal shares, everything is scaled down a little, so that all
//    lack more, and tried again.
//
// What was right to 2^-50 loses about that much, times 1/(ratio − 1).
#pragma once

#include "discreet/channel/channel.h"
#include "discreet/channel/graph.h"

namespace discreet::channel {

// T = 2^53: every entry is a double, and so is every partial sum of a row.
inline const Integer kDoubles = Integer(1) << 53;
// T = 10^30: every entry ends within thirty decimals.
inline const Integer kDecimals("1000000000000000000000000000000");

// ratio > 1. Negative entries count as 0; a row of nothing but zeros becomes even.
Result<Channel> quantise(std::size_t rows, std::size_t columns, std::vector<Rational> entries,
                         const Graph& graph, const Rational& ratio, const Integer& units);

}  // namespace discreet::channel
