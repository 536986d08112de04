#include "discreet/engine/postgres/together.h"

#include <atomic>
#include <vector>

namespace discreet::engine::postgres {

std::jthread on_a_thread(std::function<void()> work) { return std::jthread(std::move(work)); }

bool together(unsigned others, const std::function<void(unsigned)>& work, const Start& start) {
  std::atomic<bool> ok = true;
  const auto safely = [&](unsigned who) {
    try {
      work(who);
    } catch (...) {
      ok = false;
    }
  };
  {
    std::vector<std::jthread> threads;  // waited for at the end of this block
    try {
      threads.reserve(others);
      for (unsigned who = 1; who <= others; ++who)
        threads.push_back(start([&safely, who] { safely(who); }));
    } catch (...) {  // there are no more
    }
    safely(0);
  }
  return ok;
}

}  // namespace discreet::engine::postgres
