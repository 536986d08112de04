// What can go wrong, as a value. Functions that can fail return Result<T>; nothing in the library
// throws, prints or aborts.
//
//   #include <iostream>
//   #include "discreet/base/number.h"
//   Result<Rational> scale = parse_number("one half", Rounding::kUp);
//   if (!scale) std::cerr << scale.error().text() << '\n';
//
// The command line, the server and the Python module each turn an Error into their own form in one
// place.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <tl/expected.hpp>

namespace discreet {

// What kind of failure it was. The command line maps each to an exit code (cli/exit_code.h).
enum class Code {
  kFailure,      // something outside went wrong: a file, the disk, the entropy source
  kUsage,        // the request itself can't be understood: a bad option, number or expression
  kRefused,      // understood, and refused by the policy
  kBudget,       // understood and allowed, but the budget doesn't cover it
  kInterrupted,  // the user stopped it
};

std::string_view name_of(Code code);

// A place in a text the user wrote: `length` bytes from `offset`.
struct Position {
  std::string text;
  std::size_t offset = 0;
  std::size_t length = 1;
};

struct Error {
  Code code = Code::kFailure;
  std::string message;  // one sentence: the place, what was found, what is accepted
  std::string hint;     // what to do instead; may be empty
  std::optional<Position> position;

  // One line, "message (hint)"; with a position two more, the user's line and a caret under the
  // place.
  std::string text() const;
  // {"code":…,"message":…,"hint":…,"position":{"offset":…,"length":…,"line":…,"column":…}}
  std::string json() const;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

// return fail(Code::kUsage, "--count: found -1, accepted is 1 or more");
inline tl::unexpected<Error> fail(Code code, std::string message, std::string hint = {},
                                  std::optional<Position> position = std::nullopt) {
  return tl::unexpected<Error>(
      Error{code, std::move(message), std::move(hint), std::move(position)});
}

// Passes an error on where TRY (base/try.h) can't: into a variable, or with something done first.
template <class T>
tl::unexpected<Error> forward_error(Result<T>& result) {
  return tl::unexpected<Error>(std::move(result.error()));
}

}  // namespace discreet
