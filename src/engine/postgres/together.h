// Work that several threads share and one could do alone: a thread that can't be had is done
// without.
//
//   std::atomic<int> next = 0, done = 0;
//   bool ok = together(3, [&](unsigned) { while (next++ < 100) ++done; });
#pragma once

#include <functional>
#include <thread>

namespace discreet::engine::postgres {

// Starts a thread, or throws.
using Start = std::function<std::jthread(std::function<void()>)>;
std::jthread on_a_thread(std::function<void()> work);

// work(0) here and, meanwhile, work(1), …, work(others) on threads, as many as there are to be had;
// ends when all of them have. Nothing is thrown: false says that one of them did.
bool together(unsigned others, const std::function<void(unsigned)>& work,
              const Start& start = on_a_thread);

}  // namespace discreet::engine::postgres
