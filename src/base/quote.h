// What a user typed, fit to stand inside one line of a message.
#pragma once

#include <string>
#include <string_view>

namespace discreet {

// 'text' in quotes: control characters as \xNN, at most 60 characters, then "…". Nothing a user
// types can break a message's line, colour the terminal or fill it.
std::string quote(std::string_view text);

}  // namespace discreet
