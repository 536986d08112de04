// How many reports of a level support each candidate: where the time of heavy hitters goes.
//
// Candidates are kept prefixes with one byte more. By the form of fingerprints (prefix.h) the hash
// of a prefix u with the byte e is h(u) + e·(a·w), w the weight of the byte's place: the 256
// numbers e·(a·w) are the same for all prefixes, and what is left for each candidate is to see
// whether one of them lies in an interval. That is a subtraction and a comparison, many at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "discreet/local/hitters.h"

namespace discreet::local {

inline constexpr std::size_t kExtensions = 256;

// A report of a level as the loop wants it: hash numbers that, with `shift` added, are below
// `length` support it.
struct LevelReport {
  std::uint64_t a = 0, shift = 0, length = 0;
};
LevelReport level_report(const HitterReport& report, std::size_t buckets);

// counters[256·i + e] += how many reports support prefix i with the byte e. `prefixes` are
// fingerprints, `weight` that of the byte.
void add_supports(std::span<const LevelReport> reports, std::span<const std::uint64_t> prefixes,
                  std::uint64_t weight, std::span<std::uint64_t> counters);

// The same by several threads, in slices between which `go_on` is asked; false: it said no.
bool add_supports(std::span<const LevelReport> reports, std::span<const std::uint64_t> prefixes,
                  std::uint64_t weight, std::span<std::uint64_t> counters, std::size_t threads,
                  const std::function<bool(std::size_t reports)>& go_on);

// How many reports support each of these fingerprints, as they are.
std::vector<std::uint64_t> supports_of(std::span<const LevelReport> reports,
                                       std::span<const std::uint64_t> fingerprints);

}  // namespace discreet::local
