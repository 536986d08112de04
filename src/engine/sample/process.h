// One run of a confined program on one block, or of our own code in a process that can be ended.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
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
  // A copy of this process (fork) that writes to standard output what `work` gives and ends; where
  // it gives nothing, throws, or takes more than the limits, `output` is nothing. For work whose
  // time and memory nobody else can bound. Of other threads the copy has only the memory: whatever
  // `work` uses, no other thread may be using it now, but for what the C library allocates.
  static std::optional<Process> copy(const Limits& limits,
                                     const std::function<std::optional<std::string>()>& work);
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
  static std::optional<Process> watched(int child, int out, int report);
  bool read_some(std::string& text);

  int child_, watch_, out_, report_;  // watch_: readable when it has ended
};

}  // namespace discreet::engine::sample
