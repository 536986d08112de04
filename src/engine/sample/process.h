// One run of a confined program on one block.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "discreet/engine/sample/isolation.h"

namespace discreet::engine::sample {

class Process {
 public:
  // Starts it with this on its standard input. Nothing where there is no process or no memory left.
  static std::optional<Process> start(const Confinement& confinement, std::string_view header,
                                      std::string_view rows);
  ~Process();  // ends it, and what it has started
  Process(Process&& other) noexcept;
  Process& operator=(Process&&) = delete;

  // Whether the program took over, and if not why: waits until one is sure.
  Confinement::Failure started();

  // What it printed, if it ended by itself and well in time, having printed at most kMostOutput
  // bytes.
  static constexpr std::size_t kMostOutput = std::size_t{1} << 16;
  using Clock = std::chrono::steady_clock;
  std::optional<std::string> output(Clock::time_point deadline, const std::atomic<bool>* stop);

 private:
  Process(int child, int watch, int out, int report)
      : child_(child), watch_(watch), out_(out), report_(report) {}
  bool read_some(std::string& text);

  int child_, watch_, out_, report_;  // watch_: readable when it has ended
};

}  // namespace discreet::engine::sample
