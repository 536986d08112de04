// What a user typed, fit to stand inside one line of a message.
#pragma once

#include <string>
#include <string_view>

namespace discreet {

// 'text' in quotes: printable, at most 60 characters, then "…". Nothing a user types can break a
// message's line, colour the terminal or fill it.
std::string quote(std::string_view text);

// Control characters, those that turn the direction of text among them, as \xNN or \uNNNN; bytes
// that aren't UTF-8 as U+FFFD. Tabs stay where they are wanted.
std::string printable(std::string_view text, bool with_tabs = false);

}  // namespace discreet
