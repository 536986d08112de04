// A turn, taken by flock on a file of its own. The kernel queues the waiters (each waits behind the
// one before it, Linux ≥ 5.0) and frees the lock of a process that dies, so nobody polls, starves
// or waits for a dead one.
#pragma once

#include <string>

#include "discreet/base/error.h"

namespace discreet {

class LockFile {
 public:
  explicit LockFile(std::string path) : path_(std::move(path)) {}
  ~LockFile() { release(); }
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  // Waits its turn. Creates the file if needed; it is never removed (a removed lock file lets two
  // in).
  Status take();
  // True if it is ours now; false if someone has it.
  Result<bool> try_take();
  // Waits until nobody has it, together with all others that wait so, and takes nothing.
  Status wait();
  void release();

 private:
  // Opens the file and locks it; false where it would have to wait and may not.
  Result<bool> lock(int how);

  std::string path_;
  int file_ = -1;
};

// "/a/b.ledger: permission denied": what the operating system said about a path, in lower case,
// with a hint where one helps.
tl::unexpected<Error> system_error(const std::string& path, const std::string& doing, int error);

}  // namespace discreet
