// The interactive prompt: statements over several lines, commands that begin with a dot.
#pragma once

#include <functional>
#include <string>

#include "discreet/cli/prompt_commands.h"

namespace discreet::cli {

// Reads statements until .quit or the end of input; a statement ends in a semicolon. Errors are
// shown and the prompt goes on. `.epsilon 0.5` and its like change the session's options.
Status prompt(Session session, const std::function<Status(const std::string& text)>& answer);

}  // namespace discreet::cli
