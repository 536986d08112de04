// Ctrl-C as a flag: long work looks at it between blocks and ends in good order, with exit code
// 130.
//
//   Interrupt interrupt;
//   for (int block = 0; block < 1000; ++block)
//     if (interrupt.asked()) return fail(Code::kInterrupted, "interrupted");
#pragma once

#include <atomic>
#include <csignal>

namespace discreet::cli {

class Interrupt {
 public:
  Interrupt() {
    flag() = false;
    struct sigaction action = {};
    action.sa_handler = [](int) { flag() = true; };
    sigaction(SIGINT, &action, &before_);
  }
  ~Interrupt() { sigaction(SIGINT, &before_, nullptr); }
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  static bool asked() { return flag(); }
  static std::atomic<bool>& flag() {
    static std::atomic<bool> value{false};
    return value;
  }

 private:
  struct sigaction before_ = {};
};

}  // namespace discreet::cli
