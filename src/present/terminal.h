// What the screen can do.
#pragma once

#include <cstdio>

namespace discreet::present {

bool is_terminal(std::FILE* stream);
// A terminal that understands "go back and wipe the line": any but TERM=dumb.
bool can_redraw(std::FILE* stream);

}  // namespace discreet::present
