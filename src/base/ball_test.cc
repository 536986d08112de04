// Intervals leave nothing behind in the threads that use them.
#include "discreet/base/ball.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <thread>

namespace discreet {
namespace {

// What FLINT keeps for a thread is tens of kilobytes: a server with a thread a request would grow.
TEST(Ball, AThreadThatEndsLeavesNothing) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's own allocator isn't counted so, and it sees leaks by itself";
#endif
  ASSERT_EQ(mallopt(M_ARENA_MAX, 1), 1);  // else each thread's memory would be counted apart
  const auto work = [] {
    // A fraction of large numbers goes through those that FLINT keeps for the next.
    const Rational large(Integer(1) << 300, (Integer(1) << 200) + 1);
    EXPECT_GT(mul(Ball(large, 400), Ball::pi(400), 400).lower(), 1e30);
  };
  const auto held = [] { return static_cast<double>(mallinfo2().uordblks); };
  constexpr int kThreads = 300;
  for (int i = 0; i < 20; ++i) std::thread(work).join();
  const double before = held();
  for (int i = 0; i < kThreads; ++i) std::thread(work).join();
  EXPECT_LT((held() - before) / kThreads, 500);
}

}  // namespace
}  // namespace discreet
