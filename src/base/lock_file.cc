#include "discreet/base/lock_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace discreet {

tl::unexpected<Error> system_error(const std::string& path, const std::string& doing, int error) {
  std::string hint;
  if (error == ENOSPC || error == EDQUOT) hint = "free some space";
  if (error == EACCES || error == EPERM || error == EROFS) {
    hint = "the file and its folder must be writable for whoever runs this";
  }
  return fail(Code::kFailure,
              fmt::format("{}: {} failed: {}", path, doing, std::generic_category().message(error)),
              hint);
}

Result<bool> LockFile::lock(int how) {
  if (file_ < 0) {
    // 0666 less the umask: others who may use the file must be able to queue up too.
    file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) return system_error(path_, "opening the lock file", errno);
  }
  if (flock(file_, how) == 0) return true;
  const int error = errno;
  if (error == EWOULDBLOCK) return false;
  release();
  if (error == EINTR)
    return fail(Code::kInterrupted, path_ + ": interrupted while waiting for a turn");
  return system_error(path_, "locking", error);
}

Status LockFile::take() {
  return lock(LOCK_EX).map([](bool) {});
}

Result<bool> LockFile::try_take() { return lock(LOCK_EX | LOCK_NB); }

Status LockFile::wait() {
  auto waited = lock(LOCK_SH);
  if (waited) flock(file_, LOCK_UN);
  return waited.map([](bool) {});
}

void LockFile::release() {
  if (file_ >= 0) close(file_);
  file_ = -1;
}

}  // namespace discreet
