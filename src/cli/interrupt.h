// Ctrl-C as a flag: long work looks at it between blocks and ends in good order, with exit code
// 130. So do SIGTERM and SIGHUP, which moreover end an interactive prompt (ended()); a SIGHUP that
// is ignored, as under nohup, stays so.
//
//   Interrupt interrupt;
//   for (int block = 0; block < 1000; ++block)
//     if (interrupt.asked()) return fail(Code::kInterrupted, "interrupted");
#pragma once

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>

namespace discreet::cli {

class Interrupt {
 public:
  Interrupt() {
    flag() = ended();
    struct sigaction action = {};
    action.sa_handler = [](int signal) {
      flag() = true;
      if (signal != SIGINT) end() = true;
    };
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      sigaction(kSignals[i], &action, &before_[i]);
      if (kSignals[i] != SIGINT && before_[i].sa_handler == SIG_IGN)
        sigaction(kSignals[i], &before_[i], nullptr);
    }
  }
  ~Interrupt() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  }
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  static bool asked() { return flag(); }
  static bool ended() { return end(); }
  static std::atomic<bool>& flag() {
    static std::atomic<bool> value{false};
    return value;
  }

 private:
  static constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
  static std::atomic<bool>& end() {
    static std::atomic<bool> value{false};
    return value;
  }

  std::array<struct sigaction, 3> before_ = {};
};

}  // namespace discreet::cli
