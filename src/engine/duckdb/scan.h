// Finding bytes, sixteen at a time. Texts that are scanned have kPadding readable bytes behind
// their end, so that nobody has to look where it is before reading; what stands there never
// matters.
//
//   const std::string text = "5,ward\n" + std::string(kPadding, ' ');
//   const char* comma = find_either(text.data(), text.data() + 7, ',', '\n');
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace discreet::engine::duckdb {

inline constexpr std::size_t kPadding = 16;

// The first place of `a` or `b`, else `end`.
inline const char* find_either(const char* p, const char* end, char a, char b) {
#if defined(__SSE2__)
  const __m128i all_a = _mm_set1_epi8(a), all_b = _mm_set1_epi8(b);
  for (; p < end; p += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const auto hits = static_cast<unsigned>(_mm_movemask_epi8(
        _mm_or_si128(_mm_cmpeq_epi8(bytes, all_a), _mm_cmpeq_epi8(bytes, all_b))));
    if (hits != 0) {
      p += std::countr_zero(hits);
      return p < end ? p : end;
    }
  }
  return end;
#else
  while (p < end && *p != a && *p != b) ++p;
  return p;
#endif
}

// The first place of a byte, else `end`: where it is likely to be near, or else find() is faster.
inline const char* find_near(const char* p, const char* end, char c) {
  return find_either(p, end, c, c);
}

// Within a JSON string: the first quote, backslash or control character, else `end`.
inline const char* find_string_end(const char* p, const char* end) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\'),
                control = _mm_set1_epi8(31);
  for (; p < end; p += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i found =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, slash)),
                     _mm_cmpeq_epi8(_mm_min_epu8(bytes, control), bytes));
    const auto hits = static_cast<unsigned>(_mm_movemask_epi8(found));
    if (hits != 0) {
      p += std::countr_zero(hits);
      return p < end ? p : end;
    }
  }
  return end;
#else
  while (p < end && *p != '"' && *p != '\\' && static_cast<unsigned char>(*p) > 31) ++p;
  return p;
#endif
}

// The first place of a byte, else null.
inline const char* find(const char* p, const char* end, char c) {
  return p < end ? static_cast<const char*>(std::memchr(p, c, static_cast<std::size_t>(end - p)))
                 : nullptr;
}

// The last place of a byte, else null.
inline const char* find_last(const char* p, const char* end, char c) {
  while (end > p)
    if (*--end == c) return end;
  return nullptr;
}

}  // namespace discreet::engine::duckdb
