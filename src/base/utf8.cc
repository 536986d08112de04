#include "discreet/base/utf8.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace discreet {
namespace {

struct Range {
  char32_t first, last;
};

// The blocks of Unicode 15 whose characters combine with the one before or aren't seen.
constexpr Range kNoColumn[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD},   {0x0610, 0x061A}, {0x064B, 0x065F},
    {0x06D6, 0x06DC}, {0x0900, 0x0902}, {0x0E31, 0x0E31},   {0x0E34, 0x0E3A}, {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x2060, 0x2064},   {0x20D0, 0x20FF}, {0xFE00, 0xFE0F},
    {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF},
};

// East Asian Width W and F (Unicode's annex 11), and the emoji blocks.
constexpr Range kTwoColumns[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},
    {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
    {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
    {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD},
};

template <std::size_t n>
bool contains(const Range (&ranges)[n], char32_t c) {
  const Range* after =
      std::upper_bound(std::begin(ranges), std::end(ranges), c,
                       [](char32_t value, const Range& range) { return value < range.first; });
  return after != std::begin(ranges) && c <= std::prev(after)->last;
}

}  // namespace

char32_t next_code_point(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  std::size_t length = 1;
  char32_t value = first, smallest = 0;
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2, value = first & 0x1Fu, smallest = 0x80;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3, value = first & 0x0Fu, smallest = 0x800;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4, value = first & 0x07u, smallest = 0x10000;
  } else if (first >= 0x80) {
    value = kReplacement;
  }
  bool valid = length <= text.size();
  for (std::size_t i = 1; valid && i < length; ++i) {
    valid = (byte(i) & 0xC0u) == 0x80u;
    value = (value << 6) | (byte(i) & 0x3Fu);
  }
  valid = valid && value >= smallest && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
  text.remove_prefix(valid ? length : 1);
  return valid ? value : kReplacement;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    // Most text is ASCII: many bytes at a time.
    constexpr std::size_t kStep = 64;
    while (text.size() >= kStep) {
      unsigned char any = 0;
      for (std::size_t i = 0; i < kStep; ++i) any |= static_cast<unsigned char>(text[i]);
      if (any >= 0x80) break;
      text.remove_prefix(kStep);
    }
    for (std::size_t i = 0; i < kStep && !text.empty(); ++i) {
      const auto first = static_cast<unsigned char>(text[0]);
      const std::size_t before = text.size();
      next_code_point(text);
      if (first >= 0x80 && before - text.size() == 1) return false;
    }
  }
  return true;
}

unsigned columns_of(char32_t c) {
  if (c < 0x300) return 1;
  if (contains(kNoColumn, c)) return 0;
  return contains(kTwoColumns, c) ? 2 : 1;
}

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F || c == 0x2028 || c == 0x2029;
}

}  // namespace discreet
