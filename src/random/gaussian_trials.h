// Trials of the wide Gaussian (gaussian.h), many at a time, in vectors: compiled for AVX-512, for
// AVX2 and for any machine. All three say the same of the same words: what doubles can't decide is
// left to intervals, so that no rounding shows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "discreet/random/alias.h"

namespace discreet::random {

// 255 cells on either side and the tail make 511 weights; what is left over to 2^64 is drawn again.
inline constexpr std::uint32_t kCells = 255;
inline constexpr std::uint32_t kTailSymbol = 2 * kCells;

// A block. Loops go on to the end of a vector: there is room for that.
struct Trials {
  static constexpr std::size_t kMost = 768;
  static constexpr std::size_t kWords = 3, kRoom = 8;
  // What n trials take, n words of each: which cell, where in it, accept or not. Many at once,
  // which the generator then needn't copy.
  std::uint64_t words[kMost * kWords + kRoom] = {};
  // What they give: candidates, and 1 or 0.
  std::int64_t values[kMost];
  std::uint64_t accepted[kMost];
};

struct TrialTables {
  AliasTable::Entries entries;
  const double* factor;  // c·peak/weight of each cell
  unsigned shift;        // cells are 2^shift wide
  double rate;           // 1/(2σ²)
  bool continuous;       // rounded to integers afterwards; else an integer from the start
};

// Of n trials; says whether there is one that doubles don't decide, or that fell on the tail (or
// whether that is said of words behind the last one, which nobody asked for).
using RunTrials = bool (*)(const TrialTables& tables, std::size_t n, Trials& trials);
bool run_trials(const TrialTables& tables, std::size_t n, Trials& trials);
// Every version that this processor can run, the best first: for tests.
std::size_t runnable_trials(RunTrials out[3]);

namespace portable {
bool run(const TrialTables& tables, std::size_t n, Trials& trials);
}
namespace avx2 {
bool run(const TrialTables& tables, std::size_t n, Trials& trials);
}
namespace avx512 {
bool run(const TrialTables& tables, std::size_t n, Trials& trials);
}

}  // namespace discreet::random
