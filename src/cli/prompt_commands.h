// The commands of the prompt: what begins with a dot, and what DuckDB's users type instead.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "discreet/cli/sql_options.h"
#include "discreet/service/service.h"

namespace discreet::cli {

struct Session {
  service::Service& service;
  SqlOptions& options;
};

struct PromptCommand {
  const char* name;   // ".columns"
  const char* takes;  // "TABLE"; empty: nothing
  const char* help;
  // What it shows; `rest` is what stands behind the name.
  Result<std::string> (*run)(Session& session, const PromptCommand& self, const std::string& rest);
};

std::span<const PromptCommand> prompt_commands();

// A line that begins with a dot.
Result<std::string> run_command(Session& session, const std::string& line);
// .quit and .exit, which the prompt itself obeys.
bool is_quitting(const std::string& line);

// SHOW TABLES, DESCRIBE t, EXPLAIN SELECT …, help and quit as a line with a dot; nothing where it
// is none of them. A semicolon at the end makes no difference.
std::optional<std::string> as_command(const std::string& statement);
// … of a line that stands alone and needs no semicolon: it can't be the beginning of a SELECT, and
// EXPLAIN can go on.
std::optional<std::string> as_whole_command(const std::string& line);

// What is left, for the beginning of a session and behind an answer that doesn't say so itself.
Result<std::string> balance_line(Session& session);

}  // namespace discreet::cli
