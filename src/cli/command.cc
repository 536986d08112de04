#include "discreet/cli/command.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdio>

#include "discreet/base/quote.h"

namespace discreet::cli {

CLI::App* add_verb(CLI::App& parent, const std::string& name, const std::string& what,
                   const std::string& example) {
  CLI::App* verb = parent.add_subcommand(name, what);
  verb->footer("Example:\n  " + example);
  return verb;
}

Result<Rational> read_number(std::string_view parameter, const std::string& text, Rounding rounding,
                             const Bounds& bounds) {
  auto value = parse_number(text, rounding);
  if (!value)
    return bad_parameter(std::string(parameter),
                         value.error().message + "; accepted is " + bounds.accepted,
                         value.error().hint);
  if (*value < bounds.low || *value > bounds.high || (bounds.low_open && *value == bounds.low))
    return bad_parameter(std::string(parameter),
                         fmt::format("found {}; accepted is {}", quote(text), bounds.accepted));
  return value;
}

Result<std::int64_t> read_integer(std::string_view parameter, const std::string& text,
                                  std::int64_t low, std::int64_t high) {
  const std::string accepted = fmt::format("a whole number from {} to {}", low, high);
  auto value = parse_number(text, Rounding::kDown);
  if (!value || value->get_den() != 1 || *value < Rational(low) || *value > Rational(high)) {
    return bad_parameter(std::string(parameter),
                         fmt::format("found {}; accepted is {}", quote(text), accepted));
  }
  return value->get_num().get_si();
}

Result<Rational> read_epsilon(const std::string& text, std::string_view parameter) {
  return read_number(
      parameter, text, Rounding::kDown,
      {0, 1'000'000, true, "a number above 0 and at most 1000000, such as 0.5 or ln(3)"});
}

Result<Rational> read_delta(const std::string& text, std::string_view parameter) {
  auto delta = read_number(parameter, text, Rounding::kDown,
                           {0, 1, false, "a number from 0 to below 1, such as 1e-6"});
  if (delta && *delta == 1) {
    return bad_parameter(std::string(parameter),
                         "found 1; accepted is a number from 0 to below 1, such as 1e-6");
  }
  return delta;
}

std::string who(const std::string& given) {
  if (!given.empty()) return given;
  const passwd* user = getpwuid(getuid());
  return user != nullptr ? user->pw_name : fmt::format("user {}", getuid());
}

Status print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    return fail(Code::kFailure, "standard output: could not be written", "is the disk full?");
  }
  return {};
}

}  // namespace discreet::cli
