// Which protocol to take: every one there is for a domain, an ε and a number of users, side by
// side.
//
//   Choices choices = *choose_frequencies({.epsilon = 1, .domain = 1000, .users = 1000000});
//   const Choice& best = choices.rows[choices.by_variance];
//   double error = best.stderr_;  // of a frequency near 0
//
// The variance that is compared is that of a frequency that is 0, for one user: rare values are
// what large domains are made of. Its root over √n is one standard error.
#pragma once

#include "discreet/local/registry.h"

namespace discreet::local {

struct ChooseOptions {
  Rational epsilon;
  std::size_t domain = 2;
  std::uint64_t users = 1;
};

struct Choice {
  std::string name;  // "hadamard", "hadamard with 4 blocks"
  const Entry* entry = nullptr;
  Parameters parameters = {};
  double variance = 0;  // of means: of numbers −1 … 1, where the mean is in the middle
  double worst = 0;     // the same of frequencies; of means, where it is worst: that is compared
  double stderr_ = 0;   // with all users, at worst
  double bits = 0;      // a report
  std::string client = {}, collector = {};  // what they compute, in words
  std::uint64_t memory = 0;                 // of the collector, in bytes
};

struct Choices {
  std::vector<Choice> rows;  // the least variance first
  // Of `rows`: the least variance (the fewest bits among equals), and the fewest bits among those
  // whose standard error is within a tenth of that.
  std::size_t by_variance = 0, by_communication = 0;
  // What isn't there, and why.
  std::vector<std::pair<std::string, std::string>> left_out = {};
};

// What a collector's counters may take; beyond, a protocol is left out.
inline constexpr std::uint64_t kMostMemory = std::uint64_t{8} << 30;

Result<Choices> choose_frequencies(const ChooseOptions& options);
// Of means; the domain means nothing.
Result<Choices> choose_means(const ChooseOptions& options);

// The number of blocks, a power of two, with which hadamard has the least variance.
std::size_t best_blocks(const Rational& epsilon, std::size_t domain);

}  // namespace discreet::local
