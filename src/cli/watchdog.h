// Sees to it that work ends. What has not ended by itself a moment after it was asked to (Ctrl-C,
// SIGTERM, SIGHUP: interrupt.h), or after its time was up, ends with the whole process: the same
// words, the same exit code. Other people's libraries, a parser or a solver, look at no flag. The
// ledger is whole whenever a process ends, and temporary folders are removed.
//
//   const Interrupt interrupt;
//   const Watchdog watchdog;  // until the end of the scope
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "discreet/base/error.h"

namespace discreet::cli {

class Watchdog {
 public:
  using Clock = std::chrono::steady_clock;
  // How long work may take to end by itself.
  static constexpr std::chrono::milliseconds kGrace{800};

  // Of work that reserves nothing: "interrupted".
  explicit Watchdog(std::chrono::milliseconds grace = kGrace);
  // Of a query that may take this long since `start` (0: any time). What is said depends on whether
  // `reserved` was set.
  Watchdog(const std::atomic<bool>& reserved, double timeout_seconds, Clock::time_point start);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  Watchdog(std::chrono::milliseconds grace, const std::atomic<bool>* reserved,
           double timeout_seconds, Clock::time_point start);
  void watch();
  Error error(bool interrupted) const;

  const std::chrono::milliseconds grace_;
  const std::atomic<bool>* const reserved_;  // null: nothing is ever
  const double timeout_;
  const Clock::time_point start_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace discreet::cli
