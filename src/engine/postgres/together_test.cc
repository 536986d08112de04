#include "discreet/engine/postgres/together.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <set>
#include <stdexcept>
#include <system_error>

namespace discreet::engine::postgres {
namespace {

// Hands out so many threads, then none.
Start only(unsigned threads) {
  return [left = std::make_shared<unsigned>(threads)](std::function<void()> work) {
    if ((*left)-- == 0)
      throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    return on_a_thread(std::move(work));
  };
}

TEST(Together, EverybodyWorksAtOnce) {
  std::latch all(4);  // nobody gets past it alone
  std::atomic<unsigned> seen = 0;
  EXPECT_TRUE(together(3, [&](unsigned who) {
    seen += 1U << who;
    all.arrive_and_wait();
  }));
  EXPECT_EQ(seen, 0b1111U);
}

// However few threads there are, and where there are none: nothing is thrown and nothing left
// undone.
TEST(Together, ThreadsThatCannotBeHadAreDoneWithout) {
  for (const unsigned threads : {0U, 1U, 2U, 7U}) {
    std::atomic<unsigned> next = 0, done = 0, workers = 0;
    EXPECT_TRUE(together(
        7,
        [&](unsigned) {
          ++workers;
          while (next++ < 1000) ++done;
        },
        only(threads)))
        << threads;
    EXPECT_EQ(done, 1000U) << threads;
    EXPECT_EQ(workers, threads + 1) << threads;
  }
}

TEST(Together, WhatIsThrownIsSaidAndEndsNothingElse) {
  for (const unsigned bad : {0U, 1U, 3U}) {
    std::atomic<unsigned> ended = 0;
    EXPECT_FALSE(together(3, [&](unsigned who) {
      if (who == bad) throw std::runtime_error("x");
      ++ended;
    }));
    EXPECT_EQ(ended, 3U) << bad;
  }
}

}  // namespace
}  // namespace discreet::engine::postgres
