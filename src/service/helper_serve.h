// The helper process's side: opens the policy and its engine, plans the question again, and once it
// is told that it is paid for, runs it and releases the answer. Rows, exact values and noise stay
// here; what is released goes back (helper_line.h). Nothing is read from the environment but what
// an engine reads for itself.
#pragma once

namespace discreet::service {

// Serves the service at the other end of this socket; ends with the process.
[[noreturn]] void serve_helper(int descriptor);

}  // namespace discreet::service
