#include "discreet/local/chunks.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace discreet::local {

void each_task(std::size_t count, std::size_t at_once,
               const std::function<void(std::size_t)>& work) {
  static const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t threads = std::min({count, cores, at_once == 0 ? cores : at_once});
  std::atomic<std::size_t> next{0};
  std::mutex failing;
  std::exception_ptr failed;
  const auto take = [&] {
    try {
      for (std::size_t task = next++; task < count; task = next++) work(task);
    } catch (...) {  // out of a thread it would end the process
      next = count;
      const std::lock_guard lock(failing);
      if (!failed) failed = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  others.reserve(threads);
  try {
    while (others.size() + 1 < threads) others.emplace_back(take);
  } catch (const std::system_error&) {  // no more threads: the ones there are take it all
  }
  take();
  for (std::thread& other : others) other.join();
  if (failed) std::rethrow_exception(failed);
}

void each_chunk(std::size_t size,
                const std::function<void(std::size_t, std::size_t, std::size_t)>& work) {
  // Below, starting a thread would take longer than the work.
  constexpr std::size_t kShort = 8;
  const std::size_t chunks = chunks_of(size);
  each_task(chunks, chunks < kShort ? 1 : 0, [&](std::size_t chunk) {
    work(chunk, chunk * kChunk, std::min(size, (chunk + 1) * kChunk));
  });
}

}  // namespace discreet::local
