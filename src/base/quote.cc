#include "discreet/base/quote.h"

#include <fmt/format.h>

namespace discreet {

std::string quote(std::string_view text) {
  constexpr std::size_t kMostCharacters = 60;
  std::string out = "'";
  std::size_t characters = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool starts = (byte & 0xC0) != 0x80;  // not the inside of a UTF-8 character
    if (starts && ++characters > kMostCharacters) {
      out += "…";
      break;
    }
    if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace discreet
