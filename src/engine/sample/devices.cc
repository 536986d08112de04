#include "discreet/engine/sample/devices.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <string_view>

namespace discreet::engine::sample {
namespace {

constexpr std::array kDevices{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};
constexpr const char* kShared = "/dev/shm";

// A copy of what is mounted at the path, that outlives its being covered.
int taken(const char* path) {
  return static_cast<int>(
      syscall(SYS_open_tree, AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE));
}

bool put(int tree, const char* path) {
  const bool ok = syscall(SYS_move_mount, tree, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) == 0;
  return close(tree) == 0 && ok;
}

bool make_empty(const char* path) {
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  return file >= 0 && close(file) == 0;
}

bool is_shared(std::string_view path) { return path.starts_with("/dev/shm/"); }

}  // namespace

bool replace_devices(const std::string& program, const std::string& folder) {
  std::array<int, kDevices.size()> trees{};
  for (std::size_t i = 0; i < kDevices.size(); ++i)
    if ((trees[i] = taken(kDevices[i])) < 0) return false;
  const bool shared = is_shared(program) || is_shared(folder);
  const int shared_tree = shared ? taken(kShared) : -1;
  if (shared && shared_tree < 0) return false;
  if (mount("devices", "/dev", "tmpfs", MS_NOSUID | MS_NOEXEC, "size=64k,mode=755") != 0)
    return false;
  for (std::size_t i = 0; i < kDevices.size(); ++i)
    if (!make_empty(kDevices[i]) || !put(trees[i], kDevices[i])) return false;
  if (shared && (mkdir(kShared, 0700) != 0 || !put(shared_tree, kShared))) return false;
  // Names of what the program has anyway; shells count on them.
  if (symlink("/proc/self/fd", "/dev/fd") != 0 || symlink("fd/0", "/dev/stdin") != 0 ||
      symlink("fd/1", "/dev/stdout") != 0 || symlink("fd/2", "/dev/stderr") != 0)
    return false;
  mount_attr readonly{};
  readonly.attr_set = MOUNT_ATTR_RDONLY;
  return syscall(SYS_mount_setattr, AT_FDCWD, "/dev", 0, &readonly, sizeof(readonly)) == 0;
}

}  // namespace discreet::engine::sample
