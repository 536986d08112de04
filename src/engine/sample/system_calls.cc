#include "discreet/engine/sample/system_calls.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>

namespace discreet::engine::sample {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;
#endif

// Calls of x32 have numbers from here on, and would pass every comparison.
constexpr std::uint32_t kOther = 0x40000000;

constexpr std::initializer_list<int> kDenied {
  // sockets; io_uring makes them, and locks, without a call of its own for each
  SYS_socket, SYS_socketpair, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
      // what others do to a file
      SYS_flock, SYS_inotify_init1, SYS_inotify_add_watch, SYS_fanotify_init, SYS_fanotify_mark,
      // what has a name in the kernel
      SYS_shmget, SYS_shmat, SYS_shmctl, SYS_semget, SYS_semop, SYS_semtimedop, SYS_semctl,
      SYS_msgget, SYS_msgsnd, SYS_msgrcv, SYS_msgctl, SYS_mq_open, SYS_mq_unlink, SYS_add_key,
      SYS_request_key, SYS_keyctl,
      // other processes
      SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_getfd, SYS_perf_event_open,
      SYS_bpf, SYS_userfaultfd,
      // namespaces and mounts
      SYS_unshare, SYS_setns, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_fsopen,
      SYS_fsconfig, SYS_fsmount, SYS_fspick, SYS_open_tree, SYS_move_mount, SYS_mount_setattr,
      SYS_name_to_handle_at, SYS_open_by_handle_at,
#if defined(__x86_64__)
      SYS_inotify_init,
#endif
};

// All others ask about locks, leases, owners and hints, which are the file's and not the opener's,
// or the sizes of pipes, whose sum is limited for the user.
constexpr std::initializer_list<std::uint32_t> kFileCommands{
    F_DUPFD,         F_GETFD,      F_SETFD,     F_GETFL,    F_SETFL,
    F_DUPFD_CLOEXEC, F_GETPIPE_SZ, F_ADD_SEALS, F_GET_SEALS};

constexpr std::uint32_t kNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                      CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kDeny = SECCOMP_RET_ERRNO | EPERM;
// The C library then takes clone, whose flags can be seen here.
constexpr std::uint32_t kUnknown = SECCOMP_RET_ERRNO | ENOSYS;

class Writer {
 public:
  void load(std::size_t offset) {
    add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset), 0, 0);
  }
  // The lower half of an argument; the ones looked at here are ints, of which the kernel takes no
  // more. Both processors keep it first.
  void load_argument(std::size_t i) { load(offsetof(seccomp_data, args) + 8 * i); }
  void give(std::uint32_t what) { add(BPF_RET | BPF_K, what, 0, 0); }
  void give_if_equal(std::uint32_t value, std::uint32_t what) {
    skip_unless(BPF_JEQ, value, 1);
    give(what);
  }
  void give_unless_equal(std::uint32_t value, std::uint32_t what) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0);
    give(what);
  }
  void give_if_any(std::uint32_t bits, std::uint32_t what) {
    skip_unless(BPF_JSET, bits, 1);
    give(what);
  }
  // Passes over the next `count` instructions where the comparison is false.
  void skip_unless(int comparison, std::uint32_t value, std::size_t count) {
    add(BPF_JMP | comparison | BPF_K, value, 0, static_cast<std::uint8_t>(count));
  }
  std::vector<sock_filter> out() && { return std::move(out_); }

 private:
  void add(int code, std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
    out_.push_back({static_cast<std::uint16_t>(code), yes, no, value});
  }
  std::vector<sock_filter> out_;
};

}  // namespace

std::vector<sock_filter> call_filter() {
  if (kArchitecture == 0) return {};
  Writer filter;
  filter.load(offsetof(seccomp_data, arch));
  filter.give_unless_equal(kArchitecture, SECCOMP_RET_KILL_PROCESS);
  filter.load(offsetof(seccomp_data, nr));
  filter.give_if_any(kOther, SECCOMP_RET_KILL_PROCESS);
  for (const int call : kDenied) filter.give_if_equal(static_cast<std::uint32_t>(call), kDeny);
  filter.give_if_equal(SYS_clone3, kUnknown);
  filter.skip_unless(BPF_JEQ, SYS_clone, 4);
  filter.load_argument(0);
  filter.give_if_any(kNamespaces, kDeny);
  filter.give(kAllow);
  filter.skip_unless(BPF_JEQ, SYS_fcntl, 2 + 2 * kFileCommands.size());
  filter.load_argument(1);
  for (const std::uint32_t command : kFileCommands) filter.give_if_equal(command, kAllow);
  filter.give(kDeny);
  filter.give(kAllow);
  return std::move(filter).out();
}

bool deny_calls(const std::vector<sock_filter>& filter) {
  // The kernel doesn't write to it.
  const sock_fprog program{static_cast<unsigned short>(filter.size()),
                           const_cast<sock_filter*>(filter.data())};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool calls_can_be_denied() {
  const std::uint32_t action = SECCOMP_RET_KILL_PROCESS;
  return kArchitecture != 0 && syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

}  // namespace discreet::engine::sample
