#include "discreet/engine/sample/isolation.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include "discreet/engine/sample/devices.h"
#include "discreet/engine/sample/write_rules.h"

namespace discreet::engine::sample {
namespace {

constexpr const char* kScratch = "size=16m,nr_inodes=4096,mode=700";
constexpr rlim_t kLargestFile = rlim_t{16} << 20;
constexpr rlim_t kMostProcesses = 64;
constexpr rlim_t kMostOpen = 256;

std::string from_environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return fmt::format("{}={}", name, value != nullptr && *value != '\0' ? value : otherwise);
}

bool write_file(const char* path, const std::string& text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool ok = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  return close(file) == 0 && ok;
}

// Process 1 of a namespace doesn't hear most signals, its own among them, and a program that counts
// on them would behave differently: so that is a process which only waits for it.
void be_the_first_process_for(long child) {
  syscall(SYS_close_range, 3U, ~0U, 0U);  // above all the report, whose end says that all is well
  int status = 0;
  for (pid_t ended = 0; ended != child;) {
    ended = waitpid(-1, &status, 0);
    if (ended < 0 && errno != EINTR) _exit(127);
  }
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 127);
}

template <class Resource>
bool limit(Resource resource, rlim_t most) {
  rlimit now{};
  if (getrlimit(resource, &now) != 0) return false;
  const rlim_t value = std::min(most, now.rlim_max);
  const rlimit wanted{value, value};
  return setrlimit(resource, &wanted) == 0;
}

// What the parent ignores or holds back is none of the child's business.
void reset_signals() {
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD})
    ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// A session of its own: it has no terminal to write to, and is a process group that can be ended
// with what it has started. It ends with us.
bool part() { return setsid() >= 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0; }

rlim_t whole_seconds(const Limits& limits) {
  return static_cast<rlim_t>(std::ceil(limits.seconds)) + 1;
}

// Bytes of addresses that this process has; 0: unknown.
std::size_t addresses() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

bool confine_copy(const Limits& limits) {
  reset_signals();
  const std::size_t had = addresses();
  const int landlock = landlock_version();
  return part() && had > 0 && limit(RLIMIT_AS, had + limits.memory) &&
         limit(RLIMIT_CPU, whole_seconds(limits)) && limit(RLIMIT_FSIZE, 0) &&
         limit(RLIMIT_CORE, 0) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         (landlock == 0 || restrict_writing(landlock, nullptr)) &&
         (!calls_can_be_denied() || deny_calls(call_filter()));
}

Confinement::Confinement(std::string program, std::string folder,
                         const std::vector<std::string>& hidden, const Limits& limits,
                         const Isolation& isolation)
    : program_(std::move(program)),
      folder_(std::move(folder)),
      // Inside it is nobody, so that becoming the program ends its rights over the namespaces.
      user_map_(fmt::format("65534 {} 1", geteuid())),
      group_map_(fmt::format("65534 {} 1", getegid())),
      path_(from_environment("PATH", "/usr/local/bin:/usr/bin:/bin")),
      language_(from_environment("LANG", "C.UTF-8")),
      temporary_("TMPDIR=" + folder_),
      hidden_(hidden),
      limits_(limits),
      isolation_(isolation),
      processors_(std::max(1U, std::thread::hardware_concurrency())),
      calls_(isolation.calls ? call_filter() : std::vector<sock_filter>()),
      landlock_(isolation.pipes ? landlock_version() : 0) {}

int Confinement::clone_flags() const {
  int flags = SIGCHLD;
  if (isolation_.network)
    flags |= CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;
  if (isolation_.files) flags |= CLONE_NEWNS;
  return flags;
}

bool Confinement::cut_files() const {
  // Nothing is passed on to or taken from outside, and nothing can be written.
  mount_attr readonly{};
  readonly.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID;
  readonly.propagation = MS_PRIVATE;
  if (syscall(SYS_mount_setattr, -1, "/", AT_RECURSIVE, &readonly, sizeof(readonly)) != 0)
    return false;
  for (const std::string& file : hidden_)
    if (mount("/dev/null", file.c_str(), nullptr, MS_BIND, nullptr) != 0) return false;
  if (!replace_devices(program_, folder_)) return false;
  if (mount("scratch", folder_.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, kScratch) != 0) return false;
  // Processes outside are out of sight. In containers whose /proc is covered in part the kernel
  // forbids it; there the outer /proc stays, in which nobody may look into this process (the
  // command isn't dumpable while it runs programs).
  (void)mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr);
  return true;
}

bool Confinement::set_limits() const {
  return limit(RLIMIT_AS, limits_.memory) &&
         limit(RLIMIT_CPU, whole_seconds(limits_) * processors_) &&
         limit(RLIMIT_FSIZE, kLargestFile) && limit(RLIMIT_CORE, 0) &&
         limit(RLIMIT_NOFILE, kMostOpen) &&
         // Outside of a namespace all of the user's processes are counted.
         (!isolation_.network || limit(RLIMIT_NPROC, kMostProcesses));
}

bool Confinement::confine(Failure& failure) const {
  failure.step = Step::kIsolation;
  if (!part()) return false;
  if (isolation_.network) {
    // Of a process that isn't dumpable /proc/self belongs to root, the maps in it too.
    if (prctl(PR_SET_DUMPABLE, 1) != 0 || !write_file("/proc/self/setgroups", "deny") ||
        !write_file("/proc/self/uid_map", user_map_) ||
        !write_file("/proc/self/gid_map", group_map_) ||
        // Until it becomes the program its memory is a copy of ours: nobody may look into it.
        prctl(PR_SET_DUMPABLE, 0) != 0)
      return false;
  }
  if (isolation_.files && !cut_files()) return false;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !set_limits()) return false;
  if (isolation_.pipes && !restrict_writing(landlock_, folder_.c_str())) return false;
  if (isolation_.calls && !deny_calls(calls_)) return false;
  return chdir(folder_.c_str()) == 0;
}

void Confinement::enter(int input, int output, int report) const {
  Failure failure;
  reset_signals();
  if (confine(failure)) {
    const long child = isolation_.network ? syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : 0;
    if (child > 0) be_the_first_process_for(child);
    if (child == 0) failure.step = Step::kProgram;
    const int errors = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (child == 0 && errors >= 0 && dup2(input, 0) == 0 && dup2(output, 1) == 1 &&
        dup2(errors, 2) == 2 &&
        // All others close when the program starts.
        syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) == 0) {
      // exec doesn't write to what it is given.
      char* const arguments[] = {const_cast<char*>(program_.c_str()), nullptr};
      char* const environment[] = {const_cast<char*>(path_.c_str()),
                                   const_cast<char*>(language_.c_str()),
                                   const_cast<char*>(temporary_.c_str()), nullptr};
      execve(program_.c_str(), arguments, environment);
    }
  }
  failure.error = errno;
  (void)!write(report, &failure, sizeof(failure));
  _exit(127);
}

}  // namespace discreet::engine::sample
