// What is said where a query doesn't end well: the same words in every engine, and one text for
// every cause. An engine's own words can hold values from the rows, and which limit was met first
// can depend on them.
#pragma once

#include "discreet/base/error.h"

namespace discreet::engine {

// Whether a query is paid for, as it is once it runs.
enum class Reserved { kNothing, kStays };

inline tl::unexpected<Error> could_not_run(Reserved reserved = Reserved::kStays) {
  return fail(Code::kFailure,
              reserved == Reserved::kStays
                  ? "the query could not be run; what was reserved for it stays spent"
                  : "the query could not be run; nothing was reserved",
              "nothing more is said, since it could tell about the data; the owner can run "
              "discreet policy check");
}

// What is added where a server fails in a way that tells nothing of its rows.
inline const char* and_spent(Reserved reserved) {
  return reserved == Reserved::kStays ? "; what was reserved for the query stays spent" : "";
}

inline tl::unexpected<Error> was_interrupted(Reserved reserved = Reserved::kStays) {
  return fail(Code::kInterrupted, reserved == Reserved::kStays
                                      ? "interrupted; what was reserved for this query stays spent"
                                      : "interrupted; nothing was reserved");
}

// Before anything is reserved it can be what a server is asked about itself, or about its tables.
inline tl::unexpected<Error> took_too_long(Reserved reserved = Reserved::kStays,
                                           const std::string& what = "the server") {
  return fail(Code::kFailure,
              reserved == Reserved::kStays
                  ? "the query took longer than allowed; what was reserved for it stays spent"
                  : what + " took longer than allowed; nothing was reserved");
}

// A server that is asked about itself, or whether it is still there.
inline tl::unexpected<Error> does_not_answer(Reserved reserved = Reserved::kNothing) {
  return fail(Code::kFailure, std::string("the server doesn't answer") + and_spent(reserved),
              "look with psql at the same address");
}

}  // namespace discreet::engine
