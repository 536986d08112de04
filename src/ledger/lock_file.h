// A turn, taken by flock on a file of its own. The kernel queues the waiters (each waits behind the
// one before it, Linux ≥ 5.0) and frees the lock of a process that dies, so nobody polls, starves
// or waits for a dead one.
#pragma once

#include <string>

#include "discreet/base/error.h"

namespace discreet::ledger {

class LockFile {
 public:
  explicit LockFile(std::string path) : path_(std::move(path)) {}
  ~LockFile() { release(); }
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  // Waits its turn. Creates the file if needed; it is never removed (a removed lock file lets two
  // in).
  Status take();
  void release();

 private:
  std::string path_;
  int file_ = -1;
};

// "/a/b.ledger: permission denied": what the operating system said about a path, in lower case,
// with a hint where one helps.
tl::unexpected<Error> system_error(const std::string& path, const std::string& doing, int error);

}  // namespace discreet::ledger
