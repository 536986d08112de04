// Threads that stay, for work that comes in many short pieces.
//
//   Workers workers(2);
//   std::atomic<int> done = 0;
//   workers.run([&](std::size_t worker) { done += static_cast<int>(worker) + 1; });  // 3
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace discreet::learn {

class Workers {
 public:
  explicit Workers(std::size_t threads = 0);  // 0: as many as the machine has cores
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  std::size_t size() const { return threads_.size() + 1; }
  // Calls work(0) … work(size() − 1), each on a thread of its own, and waits for all; the caller's
  // is one of them. What one of them throws (memory that isn't there) is thrown to the caller, once
  // all are done.
  void run(const std::function<void(std::size_t)>& what);

 private:
  void wait(std::size_t worker);
  // Work, with what it throws kept.
  void work(const std::function<void(std::size_t)>& what, std::size_t worker);

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable begin_, end_;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::uint64_t round_ = 0;
  std::size_t busy_ = 0;
  bool stop_ = false;
  std::exception_ptr thrown_;  // the first of this round
};

}  // namespace discreet::learn
