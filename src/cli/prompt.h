// The interactive prompt: statements over several lines, commands that begin with a dot.
#pragma once

#include <functional>
#include <string>

#include "discreet/cli/query.h"
#include "discreet/service/service.h"

namespace discreet::cli {

// Reads statements until .quit or the end of input; a statement ends in a semicolon. Errors are
// shown and the prompt goes on. `.epsilon 0.5` and its like change `options`.
Status prompt(const service::Service& service, QueryOptions& options,
              const std::function<Status(const std::string& text)>& answer);

}  // namespace discreet::cli
