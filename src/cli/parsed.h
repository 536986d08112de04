// What was understood of a command line: the command, and how to write it again.
#pragma once

#include <CLI/App.hpp>
#include <map>
#include <string>

namespace discreet::cli {

// The subcommand the user got to.
const CLI::App* deepest(const CLI::App* app);
// "discreet budget show".
std::string path_of(const CLI::App* app);

// The command as it was given, for a shell, with these options set: by their names without dashes;
// flags have no value. Empty where it can't be written again: an option that it doesn't have, or a
// query that came by standard input.
std::string command_with(const CLI::App& verb, const std::map<std::string, std::string>& changes);

}  // namespace discreet::cli
