// Hints that can be pasted: the library says which parameter to set, the command line knows the
// rest of the command.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "discreet/base/error.h"

namespace discreet::cli {

// The error with the policy's path in the commands that its hint names.
Error with_whole_commands(Error error, const CLI::App& verb);

// The user's command with what the hint advises; empty where it advises nothing, or it can't be
// written.
std::string advised_command(const Error& error, const CLI::App& verb);

}  // namespace discreet::cli
