// Rows on their way in: a batch of columns, as a column engine holds them.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace discreet::bound {

// A text in 16 bytes, the layout of DuckDB, Umbra and Velox: its length, then all of it where it
// has up to 12 bytes, else its first four and a pointer.
struct Text {
  static constexpr std::uint32_t kInside = 12;
  std::uint32_t length = 0;
  char begin[4] = {};
  union {
    char rest[8] = {};
    const char* outside;
  };
  Text() = default;
  // Of bytes that outlive it.
  explicit Text(std::string_view text) : length(static_cast<std::uint32_t>(text.size())) {
    if (length <= kInside) {
      std::memcpy(begin, text.data(), length);
    } else {
      outside = text.data();
    }
  }
  std::string_view view() const { return {length <= kInside ? begin : outside, length}; }
};
static_assert(sizeof(Text) == 16);

// One column of a batch; bit i of validity says whether row i has a value (null: all have).
struct Column {
  enum class Kind { kWhole, kReal, kText } kind = Kind::kWhole;
  const std::int64_t* whole = nullptr;
  const double* real = nullptr;
  const Text* text = nullptr;
  const std::uint64_t* validity = nullptr;
  bool valid(std::size_t row) const {
    return !validity || (validity[row / 64] >> (row % 64) & 1) != 0;
  }
};

struct Batch {
  std::size_t rows = 0;
  Column unit;
  std::vector<Column> keys;
  std::vector<Column> slots;
};

}  // namespace discreet::bound
