#include "discreet/local/unary_count.h"

#include <algorithm>
#include <array>

namespace discreet::local {
namespace {

constexpr std::size_t kColumns = 256, kPlanes = 8, kRows = 255;

// Bit i of plane k is binary digit k of column i's count, up to 255.
using Planes = std::array<std::array<std::uint32_t, kColumns>, kPlanes>;

void add_row(const std::uint32_t* row, std::size_t columns, Planes& planes) {
  for (std::size_t c = 0; c < columns; ++c) {
    std::uint32_t carry = row[c];
    for (auto& plane : planes) {
      const std::uint32_t next = plane[c] & carry;
      plane[c] ^= carry;
      carry = next;
    }
  }
}

}  // namespace

void count_bits(std::span<const std::uint32_t> rows, std::size_t words,
                std::span<std::uint64_t> counters) {
  const std::size_t count = rows.size() / words;
  for (std::size_t from = 0; from < words; from += kColumns) {
    const std::size_t columns = std::min(kColumns, words - from);
    for (std::size_t start = 0; start < count; start += kRows) {
      Planes planes{};
      for (std::size_t r = start; r < std::min(count, start + kRows); ++r)
        add_row(&rows[r * words + from], columns, planes);
      for (std::size_t v = 32 * from; v < std::min(32 * (from + columns), counters.size()); ++v)
        for (std::size_t k = 0; k < kPlanes; ++k)
          counters[v] += std::uint64_t{planes[k][v / 32 - from] >> (v % 32) & 1} << k;
    }
  }
}

}  // namespace discreet::local
