#include "discreet/cli/watchdog.h"

#include <unistd.h>

#include <csignal>
#include <optional>
#include <system_error>

#include "discreet/base/temporary_folder.h"
#include "discreet/cli/exit_code.h"
#include "discreet/cli/interrupt.h"
#include "discreet/engine/failure.h"

namespace discreet::cli {
namespace {

constexpr std::chrono::milliseconds kLook{50};

// Without flushing or destroying anything, which other threads may be in the middle of.
[[noreturn]] void end(const Error& error) {
  const std::string line = std::string(isatty(STDERR_FILENO) != 0 ? "\r\033[K" : "") +
                           "discreet: " + error.text(Notation::kOptions) + "\n";
  (void)!write(STDERR_FILENO, line.data(), line.size());
  remove_temporary_folders();
  _exit(exit_code(error.code));
}

}  // namespace

Watchdog::Watchdog(std::chrono::milliseconds grace) : Watchdog(grace, nullptr, 0, Clock::now()) {}

Watchdog::Watchdog(const std::atomic<bool>& reserved, double timeout_seconds,
                   Clock::time_point start)
    : Watchdog(kGrace, &reserved, timeout_seconds, start) {}

Watchdog::Watchdog(std::chrono::milliseconds grace, const std::atomic<bool>* reserved,
                   double timeout_seconds, Clock::time_point start)
    : grace_(grace), reserved_(reserved), timeout_(timeout_seconds), start_(start) {
  // Signals are for the thread that does the work: it may be waiting in a call that they end.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this] { watch(); });
  } catch (const std::system_error&) {  // no more threads: then nobody watches
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Error Watchdog::error(bool interrupted) const {
  using engine::Reserved;
  if (reserved_ == nullptr) return fail(Code::kInterrupted, "interrupted").value();
  const Reserved reserved = reserved_->load() ? Reserved::kStays : Reserved::kNothing;
  return interrupted ? engine::was_interrupted(reserved).value()
                     : engine::took_too_long(reserved, "the query").value();
}

void Watchdog::watch() {
  std::optional<Clock::time_point> asked;  // to end
  bool interrupted = false;
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kLook, [this] { return done_; })) {
    const auto now = Clock::now();
    if (!asked) {
      const std::chrono::duration<double> passed = now - start_;
      interrupted = Interrupt::asked();
      if (interrupted || (timeout_ > 0 && passed.count() > timeout_)) asked = now;
    } else if (now - *asked >= grace_) {
      end(error(interrupted));
    }
  }
}

}  // namespace discreet::cli
