// Where an exception of somebody else's becomes an error: memory that ran out, a library that gave
// up. A thread that lets one out ends the whole process.
//
//   const Status done = guarded([]() -> Status { throw std::bad_alloc(); });  // an error
#pragma once

#include <exception>
#include <new>

#include "discreet/base/error.h"

namespace discreet {

inline tl::unexpected<Error> out_of_memory() {
  return fail(Code::kFailure, "there is not enough memory for this",
              "fewer threads, values or reports at a time take less");
}

// What work() returns, a Result.
template <class Work>
auto guarded(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::exception& error) {
    return fail(Code::kFailure, Phrase(std::string("something failed that should not have (") +
                                       error.what() + ")"));
  }
}

}  // namespace discreet
