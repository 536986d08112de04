// What is said where a query doesn't end well: the same words in every engine, and one text for
// every cause. An engine's own words can hold values from the rows, and which limit was met first
// can depend on them.
#pragma once

#include "discreet/base/error.h"

namespace discreet::engine {

inline tl::unexpected<Error> could_not_run() {
  return fail(Code::kFailure, "the query could not be run",
              "nothing more is said, since it could tell about the data; the owner can run "
              "discreet policy check");
}

inline tl::unexpected<Error> was_interrupted() {
  return fail(Code::kInterrupted, "interrupted; what was reserved for this query stays spent");
}

inline tl::unexpected<Error> took_too_long() {
  return fail(Code::kFailure,
              "the query took longer than allowed; what was reserved for it stays spent");
}

}  // namespace discreet::engine
