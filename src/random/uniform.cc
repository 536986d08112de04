#include "discreet/random/uniform.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "discreet/base/try.h"
#include "discreet/random/wide.h"

namespace discreet::random {

tl::unexpected<Error> too_many(std::uint64_t count) {
  return fail(Code::kUsage,
              fmt::format("a sample of indices: found {}; accepted is at most {} (2^32) at a time",
                          count, kMostSelected));
}

// Lemire 2019: the high half of word·n is uniform once the low half is at least 2^64 mod n.
Status fill_uniform_below(Source& source, std::uint64_t n, std::span<std::uint64_t> out) {
  if (n == 0)
    return fail(Code::kUsage,
                "a uniform choice: found 0 values to choose from; accepted is 1 or more");
  const std::uint64_t unfair = (0 - n) % n;  // 2^64 mod n
  std::array<std::uint64_t, 64> words;
  std::size_t filled = 0;
  while (filled < out.size()) {
    const std::size_t count = std::min(words.size(), out.size() - filled);
    TRY(source.fill(std::span(words).first(count)));
    for (std::size_t i = 0; i < count; ++i) {
      const Wide product = static_cast<Wide>(words[i]) * n;
      out[filled] = static_cast<std::uint64_t>(product >> 64);
      filled += static_cast<std::uint64_t>(product) >= unfair;
    }
  }
  return {};
}

Status fill_uniform_between(Source& source, std::int64_t low, std::int64_t high,
                            std::span<std::int64_t> out) {
  if (low > high)
    return fail(Code::kUsage, "a uniform choice: found an empty range; accepted is low ≤ high");
  const std::uint64_t n = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  const std::span<std::uint64_t> words(reinterpret_cast<std::uint64_t*>(out.data()),
                                       out.size());  // the same type but for its sign
  // n is 0 for the whole range, where a word is uniform already
  TRY(n == 0 ? source.fill(words) : fill_uniform_below(source, n, words));
  for (std::uint64_t& word : words) word += static_cast<std::uint64_t>(low);
  return {};
}

Result<std::uint64_t> uniform_below(Source& source, std::uint64_t n) {
  std::uint64_t value = 0;
  TRY(fill_uniform_below(source, n, {&value, 1}));
  return value;
}

// Floyd's algorithm (Bentley and Floyd 1987): the j-th step adds a uniform t ≤ j, or j itself where
// t is already in.
Result<std::vector<std::uint64_t>> sample_without_replacement(Source& source, std::uint64_t n,
                                                              std::uint64_t k) {
  if (k > n) {
    return fail(
        Code::kUsage,
        "a sample without replacement: found more draws than items; accepted is at most as many");
  }
  if (k > kMostSelected) return too_many(k);
  std::unordered_set<std::uint64_t> chosen;
  chosen.reserve(k);
  for (std::uint64_t j = n - k; j < n; ++j) {
    std::uint64_t t = 0;
    TRY(fill_uniform_below(source, j + 1, {&t, 1}));
    if (!chosen.insert(t).second) chosen.insert(j);
  }
  std::vector<std::uint64_t> out(chosen.begin(), chosen.end());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace discreet::random
