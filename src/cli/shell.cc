#include "discreet/cli/shell.h"

#include <cctype>

namespace discreet::cli {

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain = "_-./:,@%+=";
  bool plain = !text.empty() && text.front() != '=';  // zsh looks a command up behind =
  for (const char c : text)
    plain = plain &&
            (std::isalnum(static_cast<unsigned char>(c)) != 0 || kPlain.find(c) != kPlain.npos);
  if (plain) return std::string(text);
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace discreet::cli
