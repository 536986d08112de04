#include "discreet/learn/workers.h"

#include <algorithm>
#include <utility>

namespace discreet::learn {

Workers::Workers(std::size_t threads) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  for (std::size_t worker = 1; worker < threads; ++worker)
    threads_.emplace_back([this, worker] { wait(worker); });
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  begin_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::work(const std::function<void(std::size_t)>& what, std::size_t worker) {
  try {
    what(worker);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!thrown_) thrown_ = std::current_exception();
  }
}

void Workers::run(const std::function<void(std::size_t)>& what) {
  {
    const std::lock_guard lock(mutex_);
    work_ = &what;
    thrown_ = nullptr;
    busy_ = threads_.size();
    ++round_;
  }
  begin_.notify_all();
  work(what, 0);
  std::unique_lock lock(mutex_);
  end_.wait(lock, [this] { return busy_ == 0; });
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void Workers::wait(std::size_t worker) {
  std::uint64_t seen = 0;
  while (true) {
    std::unique_lock lock(mutex_);
    begin_.wait(lock, [&] { return stop_ || round_ != seen; });
    if (stop_) return;
    seen = round_;
    const auto* what = work_;
    lock.unlock();
    work(*what, worker);
    lock.lock();
    if (--busy_ == 0) end_.notify_one();
  }
}

}  // namespace discreet::learn
