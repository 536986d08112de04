// The collector's work in local hashing: which values each report supports. It evaluates every hash
// on every value, so it is all about how fast that is.
//
// h(x) = y says that the place of x lies in an interval of places; shifted by the interval's start,
// that it is below the interval's length. From x to x + 16 a place moves by a constant modulo P:
// sixteen values, or as many as a register holds, are tested by two additions, a minimum, a
// comparison and a count. Counts of a stretch of the domain stay in the first-level cache.
//
//   const std::vector<std::uint32_t> reports{5, 7, 1, 123, 456, 0};  // a, b and y of two reports
//   std::vector<std::uint64_t> counters(1000);
//   count_hash_supports({.range = 4}, reports, counters);
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "discreet/local/local_hashing_family.h"

namespace discreet::local {

// There is a form for each width of registers that this processor has, the widest first; all give
// the same.
std::size_t hash_kernels();

// Reports are (a, b, y), one after the other. counters[x] += 1 for every report with h(x) = y.
void count_hash_supports(const HashFamily& family, std::span<const std::uint32_t> reports,
                         std::span<std::uint64_t> counters, std::size_t kernel = 0);

// One report's support of the values first … first + 1023 as a row of bits: bit j of byte 16k + l
// is value first + 128k + 16j + l.
void hash_support_row(const HashFamily& family, std::span<const std::uint32_t, 3> report,
                      std::uint64_t first, std::span<std::uint8_t, 128> row,
                      std::size_t kernel = 0);

}  // namespace discreet::local
