// What can go wrong, as a value. Functions that can fail return Result<T>; nothing in the library
// throws, prints or aborts.
//
//   #include <iostream>
//   #include "discreet/base/number.h"
//   Result<Rational> scale = parse_number("one half", Rounding::kUp);
//   if (!scale) std::cerr << scale.error().text() << '\n';
//
// An error is data: which parameter it is about, what to set instead, where in a text. Each
// interface turns it into its own form in one place.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "discreet/base/phrase.h"

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
  Phrase message;  // one sentence: the place, what was found, what is accepted
  Phrase hint;     // what to do instead; may be empty
  std::optional<Position> position;
  std::string parameter = {};  // the one that it is about; empty: none, or the query

  // One line, "message (hint)"; with a position two more, the user's line and a caret under the
  // place. A parameter stands before the message: "--epsilon: found …".
  std::string text(Notation notation = Notation::kPlain) const;
  // {"code":…,"message":…,"hint":…,"parameter":…,"suggestions":[{"parameter":…,"value":…}],
  // "position":{"offset":…,"length":…,"line":…,"column":…}}
  std::string json() const;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

// return fail(Code::kRefused, "only SELECT statements are answered");
inline tl::unexpected<Error> fail(Code code, Phrase message, Phrase hint = {},
                                  std::optional<Position> position = std::nullopt) {
  return tl::unexpected<Error>(
      Error{code, std::move(message), std::move(hint), std::move(position), {}});
}
// What was given for a parameter can't be: return bad_parameter("count", "found -1; accepted is
// …");
inline tl::unexpected<Error> bad_parameter(std::string parameter, Phrase message,
                                           Phrase hint = {}) {
  return tl::unexpected<Error>(
      Error{Code::kUsage, std::move(message), std::move(hint), {}, std::move(parameter)});
}

// Passes an error on where TRY (base/try.h) can't: into a variable, or with something done first.
template <class T>
tl::unexpected<Error> forward_error(Result<T>& result) {
  return tl::unexpected<Error>(std::move(result.error()));
}

}  // namespace discreet
