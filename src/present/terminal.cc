#include "discreet/present/terminal.h"

#include <unistd.h>

#include <cstdlib>

namespace discreet::present {

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

bool wants_color(std::FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  return is_terminal(stream) && (no_color == nullptr || *no_color == '\0');
}

}  // namespace discreet::present
