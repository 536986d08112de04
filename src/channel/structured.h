// Channels known by a formula, which never become a matrix: size² entries of a million inputs would
// fill a disk, and three numbers say it all.
//
//   TruncatedGeometric count{1'000'001, Ratio::exactly(2)};  // among a million people, ε = ln 2
//   Rational stays = count.at(500'000, 500'000);             // (1 − 1/2)/(1 + 1/2) = 1/3
//   Loss loss = epsilon_of(count, *Graph::path(count.size));  // exactly ln 2
#pragma once

#include "discreet/channel/channel.h"
#include "discreet/channel/epsilon.h"
#include "discreet/channel/ratio.h"

namespace discreet::channel {

// The truncated geometric mechanism on 0 … size−1 (Ghosh, Roughgarden and Sundararajan 2009; deck
// 003), α = 1/ratio.lower:
//
//     P(z|y) = (1−α)/(1+α)·α^|z−y|, and α^|z−y|/(1+α) at the ends z = 0 and z = size−1.
//
// The same distribution as mechanism::truncated_geometric, with a rational α.
struct TruncatedGeometric {
  std::size_t size;
  Ratio ratio;

  Rational alpha() const { return 1 / ratio.lower; }
  // c_z of P(z|y) = c_z·α^|z−y|.
  Rational weight(std::size_t z) const;
  Rational at(std::size_t y, std::size_t z) const;
};

// The flat mechanism (k-ary randomized response; decks 002, 003), r = ratio.lower: P(z|y) =
// r/(r + size − 1) where z = y, else 1/(r + size − 1).
struct Flat {
  std::size_t size;
  Ratio ratio;

  Rational at(std::size_t y, std::size_t z) const;
};

// From one entry on; there is no mechanism without inputs.
Status check_size(std::size_t size);

// As a matrix, exactly. Refuses what has too many digits.
Result<Channel> dense(const TruncatedGeometric& channel);
Result<Channel> dense(const Flat& channel);
// As a matrix that can be written down: exactly where the fractions are short, else rounded to
// thirty decimals such that rows sum to 1 and neighbours (on the path, or any two) stay within the
// ratio, exactly (quantise.h).
Result<Channel> writable(const TruncatedGeometric& channel);
Result<Channel> writable(const Flat& channel);

// Exact, in closed form: neighbours y, y' of the truncated geometric differ by r^|y−y'| (at the
// ends, z = 0), all rows of the flat mechanism by r. One step for a path, one an edge at most.
Loss epsilon_of(const TruncatedGeometric& channel, const Graph& graph);
Loss epsilon_of(const Flat& channel, const Graph& graph);

}  // namespace discreet::channel
