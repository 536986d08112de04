#include "discreet/present/terminal.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace discreet::present {

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

bool can_redraw(std::FILE* stream) {
  const char* kind = std::getenv("TERM");
  return is_terminal(stream) && (kind == nullptr || std::strcmp(kind, "dumb") != 0);
}

}  // namespace discreet::present
