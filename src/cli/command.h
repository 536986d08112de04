// How a command is put together. Each area (`discreet noise …`) is one file with one function that
// adds its verbs and options to the parser and leaves behind the action to run; areas.h lists them.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "discreet/base/error.h"
#include "discreet/base/number.h"

namespace discreet::cli {

// What the chosen verb will do once the whole command line is understood. It prints its result on
// standard output at the end, so that a failure leaves nothing half-written (only `noise` streams).
using Action = std::function<Status()>;

// Adds one area to the parser. A verb's callback stores its action in `chosen`.
using AddArea = void (*)(CLI::App& app, Action& chosen);

struct Area {
  const char* name;
  AddArea add;
};

// Adds a subcommand whose help ends in an example that can be pasted.
CLI::App* add_verb(CLI::App& parent, const std::string& name, const std::string& what,
                   const std::string& example);

// Numbers come in as text and are read exactly (base/number.h): 0.5, 1e-6, 1/3, ln(3).
struct Bounds {
  Rational low, high;
  bool low_open = false;  // (low, high] instead of [low, high]
  std::string accepted;   // in words: "a number from 2^-20 to 2^40"
};
// The parameter is named without its dashes.
Result<Rational> read_number(std::string_view parameter, const std::string& text, Rounding rounding,
                             const Bounds& bounds);
Result<std::int64_t> read_integer(std::string_view parameter, const std::string& text,
                                  std::int64_t low, std::int64_t high);

// ε must be above 0 (at most 10^6); δ in [0, 1).
Result<Rational> read_epsilon(const std::string& text, std::string_view parameter = "epsilon");
Result<Rational> read_delta(const std::string& text, std::string_view parameter = "delta");

// Who acts: the name that is given, else the login name.
std::string who(const std::string& given);

// Prints to standard output and reports a full disk or a closed pipe as an error.
Status print(std::string_view text);

}  // namespace discreet::cli
