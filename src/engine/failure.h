// What is said where a query doesn't end well: the same words in every engine, and one text for
// every cause. An engine's own words can hold values from the rows, and which limit was met first
// can depend on them.
#pragma once

#include "discreet/base/error.h"

namespace discreet::engine {

// Whether a query is paid for, as it is once it runs.
enum class Reserved { kNothing, kStays };

inline tl::unexpected<Error> could_not_run() {
  return fail(Code::kFailure, "the query could not be run",
              "nothing more is said, since it could tell about the data; the owner can run "
              "discreet policy check");
}

inline tl::unexpected<Error> was_interrupted(Reserved reserved = Reserved::kStays) {
  return fail(Code::kInterrupted, reserved == Reserved::kStays
                                      ? "interrupted; what was reserved for this query stays spent"
                                      : "interrupted; nothing was reserved");
}

inline tl::unexpected<Error> took_too_long(Reserved reserved = Reserved::kStays) {
  return fail(Code::kFailure,
              reserved == Reserved::kStays
                  ? "the query took longer than allowed; what was reserved for it stays spent"
                  : "the server took longer than allowed; nothing was reserved");
}

// Before a query runs, of a server that is asked about itself.
inline tl::unexpected<Error> does_not_answer() {
  return fail(Code::kFailure, "the server doesn't answer", "look with psql at the same address");
}

}  // namespace discreet::engine
