// Passing an error on, in one word. TRY(f()) is the value of f() where it has one; where it hasn't,
// the function around it returns the error.
//
//   const auto twice = [](std::string_view text) -> Result<Rational> {
//     const Rational value = TRY(parse_number(text, Rounding::kUp));
//     return Rational(2 * value);
//   };
//
// It stands alone or at the start of a line's only expression: what else that line would have made
// must not matter. For our own sources, not for installed headers: the name is too short to share.
#pragma once

#include <utility>

#include "discreet/base/error.h"

namespace discreet {
template <class T>
T taken(Result<T>&& result) {
  return *std::move(result);
}
inline void taken(Status&&) {}
}  // namespace discreet

// An expression that holds statements, as g++ and clang++ have it.
#define TRY(...)                                         \
  __extension__({                                        \
    auto&& tried = (__VA_ARGS__);                        \
    if (!tried) return ::discreet::forward_error(tried); \
    ::discreet::taken(std::move(tried));                 \
  })
