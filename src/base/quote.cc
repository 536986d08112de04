#include "discreet/base/quote.h"

#include <fmt/format.h>

#include "discreet/base/utf8.h"

namespace discreet {
namespace {

// Takes the next character off the front of `text`.
std::string next_printable(std::string_view& text, bool with_tabs) {
  const std::string_view before = text;
  const char32_t c = next_code_point(text);
  if (is_control(c) && !(with_tabs && c == U'\t'))
    return c < 0x100 ? fmt::format("\\x{:02x}", static_cast<unsigned>(c))
                     : fmt::format("\\u{:04x}", static_cast<unsigned>(c));
  if (c == kReplacement) return "\xef\xbf\xbd";
  return std::string(before.substr(0, before.size() - text.size()));
}

}  // namespace

std::string quote(std::string_view text) {
  constexpr std::size_t kMostCharacters = 60;
  std::string out = "'";
  for (std::size_t characters = 0; !text.empty(); ++characters) {
    if (characters == kMostCharacters) {
      out += "…";
      break;
    }
    out += next_printable(text, false);
  }
  return out + "'";
}

std::string printable(std::string_view text, bool with_tabs) {
  std::string out;
  while (!text.empty()) out += next_printable(text, with_tabs);
  return out;
}

}  // namespace discreet
