// The system calls that a confined program doesn't have: a seccomp filter.
//
// Files that can only be read still let processes meet. A socket that has a path is reached from
// any network namespace; a lock on a file is seen by whoever opens it, so that one block could tell
// another what is in it, and one unit would change more than one answer. The filter denies (EPERM)
// what processes meet by: sockets, locks, leases and notifications of files, message queues, shared
// memory and semaphores, keys, looking into or tracing others, and new namespaces and mounts.
#pragma once

#include <linux/filter.h>

#include <vector>

namespace discreet::engine::sample {

// Empty on processors for which there is none.
std::vector<sock_filter> call_filter();

// In the process that is to have the filter, which must be unable to gain rights
// (PR_SET_NO_NEW_PRIVS); it passes to all that it starts. Calls only what a signal handler may.
bool deny_calls(const std::vector<sock_filter>& filter);

// Whether this system has filters: looks, and changes nothing.
bool calls_can_be_denied();

}  // namespace discreet::engine::sample
