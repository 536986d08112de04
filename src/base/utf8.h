// Just enough Unicode to check and lay out text: decoding, and how wide a character is on a
// terminal.
#pragma once

#include <string_view>

namespace discreet {

inline constexpr char32_t kReplacement = U'\uFFFD';

// Takes the next character off the front of `text`, which must not be empty. A malformed sequence
// (overlong forms and surrogates too) takes one byte and gives kReplacement.
char32_t next_code_point(std::string_view& text);

bool is_utf8(std::string_view text);

// 0 for combining and invisible characters, 2 for East Asian wide ones and emoji, else 1.
unsigned columns_of(char32_t c);

// C0, C1, and the bidirectional controls, which can make text look like something else.
bool is_control(char32_t c);

}  // namespace discreet
