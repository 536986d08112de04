#include "discreet/local/collect.h"

#include <gtest/gtest.h>

#include <numeric>

#include "discreet/local/registry.h"
#include "discreet/random/testing/chi_square.h"

namespace discreet::local {
namespace {

ProtocolPointer make(const char* name, std::size_t domain, const Rational& epsilon = 1) {
  return std::move(*find(name)->make({.epsilon = epsilon, .domain = domain}));
}

// Every protocol, with one thread and with several: as many users as values, and the counters are
// those of the reports kept.
TEST(Collect, CountsWhatItPerturbs) {
  for (const Entry& entry : registry()) {
    const auto protocol = std::move(*entry.make({.epsilon = 1, .domain = 5}));
    const std::size_t words = protocol->constants().words;
    for (const unsigned threads : {0U, 1U, 3U}) {
      const std::vector<Value> values(50001, 2);
      State kept(*protocol), counted(*protocol);
      kept.keeps = true;
      for (int twice = 1; twice <= 2; ++twice) {
        ASSERT_TRUE(collect(*protocol, values, kept, threads).has_value()) << entry.name;
        ASSERT_TRUE(collect(*protocol, values, counted, threads).has_value()) << entry.name;
        EXPECT_EQ(kept.users, 50001u * static_cast<unsigned>(twice));
        EXPECT_EQ(counted.users, kept.users);
        ASSERT_EQ(kept.reports.size(), kept.users * words) << entry.name;
        std::vector<std::uint64_t> again(kept.counters.size());
        protocol->count(kept.reports, again);
        EXPECT_EQ(again, kept.counters) << entry.name;
        EXPECT_TRUE(counted.reports.empty());
      }
    }
  }
}

// With the shipped generator, so without a seed; false alarm 1e-6. The twin: another ε.
TEST(Collect, ReportsFollowTheProtocol) {
  const auto protocol = make("flat", 4), other = make("flat", 4, Rational(11, 10));
  const std::vector<Value> values(400000, 1);
  State state(*protocol);
  ASSERT_TRUE(collect(*protocol, values, state, 4).has_value());
  const std::vector<double> counts(state.counters.begin(), state.counters.end());
  const auto law = [](const Protocol& of) {
    return std::vector<double>{of.constants().q, of.constants().p, of.constants().q,
                               of.constants().q};
  };
  using random::testing::goodness_of_fit;
  EXPECT_GT(goodness_of_fit(counts, law(*protocol)), random::testing::kFalseAlarm);
  EXPECT_LT(goodness_of_fit(counts, law(*other)), random::testing::kFalseAlarm);
}

TEST(Collect, ThreadsDrawDifferently) {
  const auto protocol = make("flat", 1000);
  const std::vector<Value> values(40000, 1);
  State state(*protocol);
  state.keeps = true;
  ASSERT_TRUE(collect(*protocol, values, state, 2).has_value());
  EXPECT_FALSE(std::equal(state.reports.begin(), state.reports.begin() + 20000,
                          state.reports.begin() + 20000));
}

TEST(Collect, NothingIsAddedWhereItFails) {
  const auto protocol = make("flat", 4);
  std::vector<Value> values(100000, 1);
  values[70000] = 4;
  State state(*protocol);
  state.keeps = true;
  EXPECT_FALSE(collect(*protocol, values, state, 2).has_value());
  EXPECT_EQ(state.users, 0u);
  EXPECT_TRUE(state.reports.empty());
  EXPECT_EQ(std::accumulate(state.counters.begin(), state.counters.end(), std::uint64_t{0}), 0u);
  State other(*make("flat", 5));
  values[70000] = 0;
  EXPECT_FALSE(collect(*protocol, values, other).has_value());
  EXPECT_EQ(other.users, 0u);
}

TEST(Collect, NobodyIsFine) {
  const auto protocol = make("flat", 4);
  State state(*protocol);
  EXPECT_TRUE(collect(*protocol, {}, state).has_value());
  EXPECT_EQ(state.users, 0u);
}

}  // namespace
}  // namespace discreet::local
