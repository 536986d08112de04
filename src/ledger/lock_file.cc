#include "discreet/ledger/lock_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace discreet::ledger {

tl::unexpected<Error> system_error(const std::string& path, const std::string& doing, int error) {
  std::string hint;
  if (error == ENOSPC || error == EDQUOT) hint = "free some space";
  if (error == EACCES || error == EPERM || error == EROFS) {
    hint = "the ledger and its folder must be writable for whoever asks questions";
  }
  return fail(Code::kFailure,
              fmt::format("{}: {} failed: {}", path, doing, std::generic_category().message(error)),
              hint);
}

Status LockFile::take() {
  if (file_ >= 0) return {};
  // 0666 less the umask: the ledger's other users must be able to queue up too.
  const int file = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return system_error(path_, "opening the lock file", errno);
  if (flock(file, LOCK_EX) != 0) {
    const int error = errno;
    close(file);
    if (error == EINTR)
      return fail(Code::kInterrupted, path_ + ": interrupted while waiting for a turn");
    return system_error(path_, "locking", error);
  }
  file_ = file;
  return {};
}

void LockFile::release() {
  if (file_ >= 0) close(file_);
  file_ = -1;
}

}  // namespace discreet::ledger
