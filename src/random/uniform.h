// Uniform choices: an integer below n, a permutation, a subset.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "discreet/random/source.h"

namespace discreet::random {

// Uniform on {0, …, n−1}, n ≥ 1. Lemire's multiplication with rejection: the number of tries is
// independent of the result.
Result<std::uint64_t> uniform_below(Source& source, std::uint64_t n);
Status fill_uniform_below(Source& source, std::uint64_t n, std::span<std::uint64_t> out);
// Uniform on {low, …, high}, the whole range of 64 bits included.
Status fill_uniform_between(Source& source, std::int64_t low, std::int64_t high,
                            std::span<std::int64_t> out);

// Puts `items` into uniformly random order (Fisher-Yates).
template <class T>
Status shuffle(Source& source, std::span<T> items) {
  for (std::size_t i = items.size(); i > 1; --i) {
    const auto j = uniform_below(source, i);
    if (!j) return tl::unexpected<Error>(j.error());
    std::swap(items[i - 1], items[*j]);
  }
  return {};
}

// A uniformly random subset of k of {0, …, n−1}, ascending. k ≤ n. Time O(k log k), whatever n is
// (Floyd).
Result<std::vector<std::uint64_t>> sample_without_replacement(Source& source, std::uint64_t n,
                                                              std::uint64_t k);

}  // namespace discreet::random
