// What the screen can do.
#pragma once

#include <cstdio>

namespace discreet::present {

bool is_terminal(std::FILE* stream);
// A terminal, and NO_COLOR not set (https://no-color.org).
bool wants_color(std::FILE* stream);

}  // namespace discreet::present
