#include "discreet/cli/apart.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>

namespace discreet::cli {
namespace {

constexpr std::array<int, 3> kPassedOn = {SIGINT, SIGTERM, SIGHUP};
std::atomic<pid_t> child_of_this = 0;
static_assert(std::atomic<pid_t>::is_always_lock_free);  // a signal handler reads it

void pass_on(int signal) { kill(child_of_this.load(), signal); }

Status in_child(const Action& action) {
  // It ends with its parent, and leaves no copy of its memory on a disk.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  try {
    return action();
  } catch (...) {
    return training_failed();
  }
}

}  // namespace

Status training_failed() {
  return fail(Code::kFailure,
              "the training could not be completed; what was reserved for it stays spent",
              "nothing more is said, since it could tell about the data");
}

Status apart(const Action& action) {
  (void)std::fflush(nullptr);
  // Signals wait until the parent can pass them on.
  sigset_t passed, before;
  sigemptyset(&passed);
  for (const int signal : kPassedOn) sigaddset(&passed, signal);
  sigprocmask(SIG_BLOCK, &passed, &before);
  const pid_t child = fork();
  if (child <= 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return child == 0 ? in_child(action) : fail(Code::kFailure, "no process could be started");
  }
  child_of_this = child;
  struct sigaction action_of_parent = {};
  action_of_parent.sa_handler = pass_on;
  for (const int signal : kPassedOn) {
    struct sigaction was = {};
    sigaction(signal, &action_of_parent, &was);
    if (was.sa_handler == SIG_IGN) sigaction(signal, &was, nullptr);  // as under nohup
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  int ended = 0;
  while (waitpid(child, &ended, 0) < 0)
    if (errno != EINTR) return training_failed();
  if (WIFEXITED(ended)) _exit(WEXITSTATUS(ended));
  return training_failed();
}

}  // namespace discreet::cli
