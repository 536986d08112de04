// The interactive prompt: history, completion of names, .help.
#pragma once

#include <functional>
#include <string>

#include "discreet/cli/query.h"
#include "discreet/service/session.h"

namespace discreet::cli {

// Reads statements until .quit or the end of input; a statement ends in a semicolon. Errors are
// shown and the prompt goes on.
Status prompt(service::Session& session, QueryOptions& options,
              const std::function<Status(const std::string& text)>& answer);

}  // namespace discreet::cli
