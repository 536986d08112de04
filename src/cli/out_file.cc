#include "discreet/cli/out_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace discreet::cli {
namespace {

tl::unexpected<Error> cannot(const std::string& parameter, const std::string& path, int reason,
                             Code code = Code::kUsage) {
  return tl::unexpected<Error>(
      Error{code,
            fmt::format("'{}' can't be written", path),
            reason == ENOENT ? "is there such a folder?" : std::strerror(reason),
            {},
            parameter});
}

bool is_special(const std::filesystem::path& path) {
  struct stat about {};
  return stat(path.c_str(), &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

// Where the bytes go in the end: through links, so that a link stays one.
std::filesystem::path target_of(const std::string& path) {
  std::error_code unknown;
  std::filesystem::path target = std::filesystem::absolute(path, unknown);
  if (is_special(target)) return target;  // /dev/stdout leads to no name
  for (int links = 0; links < 40 && std::filesystem::is_symlink(target, unknown); ++links)
    target = target.parent_path() / std::filesystem::read_symlink(target, unknown);
  return target;
}

// A new file beside the target, with the rights that the target has or would get. Empty, with
// errno, if that can't be.
std::string make_beside(const std::filesystem::path& target) {
  std::string place = (target.parent_path() / ".discreet-XXXXXX").string();
  const int file = mkstemp(place.data());
  if (file < 0) return "";
  struct stat about {};
  const mode_t mask = umask(0);
  (void)umask(mask);
  const mode_t mode =
      stat(target.c_str(), &about) == 0 ? about.st_mode & 07777 : static_cast<mode_t>(0666 & ~mask);
  (void)fchmod(file, mode);
  (void)close(file);
  return place;
}

}  // namespace

Status can_write(const std::string& parameter, const std::string& path) {
  const auto target = target_of(path);
  struct stat about {};
  if (stat(target.c_str(), &about) == 0) {
    if (S_ISDIR(about.st_mode)) return cannot(parameter, path, EISDIR);
    if (access(target.c_str(), W_OK) != 0) return cannot(parameter, path, errno);
    if (!S_ISREG(about.st_mode)) return {};
  } else if (errno != ENOENT) {
    return cannot(parameter, path, errno);
  }
  const std::string probe = make_beside(target);
  if (probe.empty()) return cannot(parameter, path, errno);
  (void)unlink(probe.c_str());
  return {};
}

Status write_whole(const std::string& parameter, const std::string& path,
                   const std::function<bool(const std::string& place)>& fill) {
  const auto target = target_of(path);
  if (is_special(target)) {
    errno = 0;
    return fill(target.string())
               ? Status{}
               : Status(cannot(parameter, path, errno ? errno : EIO, Code::kFailure));
  }
  const std::string place = make_beside(target);
  if (place.empty()) return cannot(parameter, path, errno, Code::kFailure);
  errno = 0;
  if (fill(place) && std::rename(place.c_str(), target.c_str()) == 0) return {};
  const int reason = errno != 0 ? errno : EIO;
  (void)unlink(place.c_str());
  return cannot(parameter, path, reason, Code::kFailure);
}

Status write_whole(const std::string& parameter, const std::string& path, const std::string& text) {
  return write_whole(parameter, path, [&](const std::string& place) {
    std::ofstream file(place, std::ios::binary | std::ios::trunc);
    return file && (file << text) && file.flush();
  });
}

}  // namespace discreet::cli
