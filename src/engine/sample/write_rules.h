// Where a confined program can open anything for writing, by Landlock: beneath its folder, and
// /dev/null. A mount that is read-only doesn't keep it from writing into a pipe that has a name
// (FIFO), at whose other end anybody may read; this does. Where the kernel knows how, signals to
// processes outside and sockets without a path are refused as well.
#pragma once

namespace discreet::engine::sample {

// The version of Landlock that the kernel has; 0: none.
int landlock_version();

// In the process that is to be kept, which must be unable to gain rights (PR_SET_NO_NEW_PRIVS); it
// passes to all that it starts. Without a folder (nullptr) nothing can be opened for writing. Calls
// only what a signal handler may.
bool restrict_writing(int version, const char* folder);

}  // namespace discreet::engine::sample
