#include "discreet/base/durable_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "discreet/base/lock_file.h"
#include "discreet/base/try.h"

namespace discreet {
namespace {

Status sync_folder(const std::string& path) {
  const int folder = open(path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return system_error(path, "opening", errno);
  const int error = fsync(folder) == 0 ? 0 : errno;
  close(folder);
  if (error != 0) return system_error(path, "syncing", error);
  return {};
}

}  // namespace

Status write_durably(const std::string& path, const std::string& content) {
  const std::string beside = path + ".new";
  unlink(beside.c_str());  // left by a process that was killed; nobody else writes it
  const int file = open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return system_error(beside, "creating", errno);
  const char* from = content.data();
  std::size_t left = content.size();
  int error = 0;
  while (left > 0 && error == 0) {
    const ssize_t written = write(file, from, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      error = errno;
    } else {
      from += written;
      left -= static_cast<std::size_t>(written);
    }
  }
  if (error == 0 && fsync(file) != 0) error = errno;
  // A close can report a late write error (quotas, network file systems).
  if (close(file) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(beside.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    unlink(beside.c_str());
    return system_error(path, "writing", error);
  }
  return sync_folder(std::filesystem::path(path).parent_path().string());
}

Result<std::optional<std::string>> read_file(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    return system_error(path, "opening", errno);
  }
  std::string content;
  std::array<char, 16384> block{};
  ssize_t got = 0;
  while ((got = read(file, block.data(), block.size())) != 0) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) break;
    content.append(block.data(), static_cast<std::size_t>(got));
  }
  const int error = got < 0 ? errno : 0;
  close(file);
  if (error != 0) return system_error(path, "reading", error);
  return content;
}

Status make_folders(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) == 0) return {};
  const std::string parent = std::filesystem::path(path).parent_path().string();
  if (parent != path && !parent.empty()) {
    TRY(make_folders(parent));
  }
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    return system_error(path, "creating the folder", errno);
  return sync_folder(parent);
}

}  // namespace discreet
