// Sums of collectors' counters: exact, or refused.
#include "discreet/local/state.h"

#include <gtest/gtest.h>

#include "discreet/local/registry.h"

namespace discreet::local {
namespace {

constexpr std::uint64_t kMost = ~std::uint64_t{0};

ProtocolPointer make(std::string_view name) {
  return *find(name)->make({.epsilon = 1, .domain = 4});
}

// Twice as many each time, as who merges copies of a file does: the sum of cells wraps long before
// the number of reports does.
TEST(State, SumsThatWrapAreRefusedAndNothingChanges) {
  for (const char* name : {"piecewise", "hybrid"}) {
    const ProtocolPointer protocol = make(name);
    State state(*protocol);
    state.users = 1;
    for (std::uint64_t& each : state.counters) each = 0x7fffffff;
    for (int doubled = 0; doubled < 33; ++doubled) {
      const State copy = state;
      ASSERT_TRUE(state.merge(copy)) << name << " " << doubled;
    }
    EXPECT_EQ(state.counters[0], std::uint64_t{0x7fffffff} << 33);
    EXPECT_TRUE(state.check("state", *protocol)) << name;
    const std::string before = state.serialise();
    const State copy = state;
    const Status wrapped = state.merge(copy);
    ASSERT_FALSE(wrapped) << name;
    EXPECT_NE(wrapped.error().text().find("2^64"), std::string::npos);
    EXPECT_EQ(state.serialise(), before);
  }
}

TEST(State, EveryNumberOfAStateIsAddedWithCare) {
  const ProtocolPointer flat = make("flat");
  State one(*flat);
  one.users = 1, one.counters[2] = 1, one.refused[1] = 1;
  for (int which = 0; which < 3; ++which) {
    State full(*flat);
    (which == 0 ? full.users : which == 1 ? full.counters[2] : full.refused[3]) = kMost;
    EXPECT_FALSE(full.merge(one)) << which;
    State too = one;
    EXPECT_FALSE(too.merge(full)) << which;
    EXPECT_EQ(too.serialise(), one.serialise());
  }
}

TEST(State, MoreReportsThanCountersHoldAreRefused) {
  for (const Entry& entry : registry()) {
    const ProtocolPointer protocol =
        *entry.make({.epsilon = entry.name == "coins" ? std::nullopt : std::optional(Rational(1)),
                     .domain = 8});
    State state(*protocol);
    state.users = protocol->constants().most_reports;
    EXPECT_TRUE(state.check("state", *protocol)) << entry.name;
    state.users += 1;
    const Status more = state.check("state", *protocol);
    ASSERT_FALSE(more) << entry.name;
    EXPECT_NE(more.error().text().find("at most"), std::string::npos) << entry.name;
    state.users = 0;
    state.refused = {kMost, 1};
    EXPECT_FALSE(state.check("state", *protocol)) << "what was refused wraps";
  }
}

// A checksum keeps no forger away: what a state says must be possible.
TEST(State, NumbersThatNoReportsGiveAreRefused) {
  const ProtocolPointer flat = make("flat"), subset = make("subset");
  State good(*flat);
  good.users = 10;
  good.counters = {4, 3, 2, 1};
  EXPECT_TRUE(good.check("state", *flat));
  State more = good;
  more.counters[0] = 11;
  EXPECT_FALSE(more.check("state", *flat));

  State kept(*subset);
  kept.keeps = true;
  kept.users = 1;
  kept.reports.assign(subset->constants().words, 0);
  subset->count(kept.reports, kept.counters);
  EXPECT_TRUE(kept.check("state", *subset));
  std::swap(kept.counters[0], kept.counters[1]);
  EXPECT_FALSE(kept.check("state", *subset)) << "its reports count otherwise";

  State shown = good;
  shown.of += "\x1b[2J";
  EXPECT_FALSE(State::read("state", shown.serialise()));
  State twice = good;
  twice.ids.assign(10, {7, 7});
  EXPECT_FALSE(State::read("state", twice.serialise()));
}

}  // namespace
}  // namespace discreet::local
