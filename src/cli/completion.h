// Scripts that make a shell complete commands, options and file names.
#pragma once

#include <string>

#include "discreet/base/error.h"
#include "discreet/cli/described.h"

namespace discreet::cli {

// bash, zsh or fish.
Result<std::string> completion(const Described& root, const std::string& shell);

}  // namespace discreet::cli
