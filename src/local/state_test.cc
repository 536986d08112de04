// Sums of collectors' counters: exact, or refused.
#include "discreet/local/state.h"

#include <gtest/gtest.h>

#include "discreet/local/channel_protocol.h"
#include "discreet/local/hitters.h"
#include "discreet/local/records.h"
#include "discreet/local/registry.h"
#include "discreet/random/testing/sources.h"

namespace discreet::local {
namespace {

constexpr std::uint64_t kMost = ~std::uint64_t{0};

ProtocolPointer make(std::string_view name) {
  return *find(name)->make({.epsilon = 1, .domain = 4});
}

// Of one report that a client made.
std::vector<std::uint64_t> counters_of_one(const Protocol& protocol) {
  random::testing::Seeded source(4);
  const Value value = 1;
  std::vector<Word> report(protocol.constants().words);
  std::vector<std::uint64_t> counters(protocol.constants().counters);
  EXPECT_TRUE(protocol.perturb({&value, 1}, source, report));
  protocol.count(report, counters);
  return counters;
}

// Twice as many each time, as who merges copies of a file does: the sum of cells wraps long before
// the number of reports does.
TEST(State, SumsThatWrapAreRefusedAndNothingChanges) {
  for (const char* name : {"piecewise", "hybrid"}) {
    const ProtocolPointer protocol = make(name);
    State state(*protocol);
    state.users = 1;
    const Word last = (Word{1} << 30) - 1;
    protocol->count({&last, 1}, state.counters);
    for (int doubled = 0; doubled < 34; ++doubled) {
      EXPECT_TRUE(doubled > 33 || state.check("state", *protocol)) << name;
      const State copy = state;
      ASSERT_TRUE(state.merge(copy)) << name << " " << doubled;
    }
    EXPECT_EQ(state.counters[0], std::uint64_t{last} << 34);
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
    state.counters = counters_of_one(*protocol);
    for (std::uint64_t& each : state.counters) each *= state.users;
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

using Counters = std::vector<std::uint64_t>;

void expect_only(const Reports& reports, std::uint64_t users, const Counters& good,
                 const std::vector<Counters>& bad) {
  State state(reports);
  state.users = users;
  ASSERT_EQ(state.counters.size(), good.size());
  state.counters = good;
  EXPECT_TRUE(state.check("state", reports)) << identity(reports);
  for (std::size_t i = 0; i < bad.size(); ++i) {
    ASSERT_EQ(state.counters.size(), bad[i].size());
    state.counters = bad[i];
    EXPECT_FALSE(state.check("state", reports)) << identity(reports) << ", number " << i;
  }
}

// Counters that contradict the number of reports: each would be an estimate that no reports give.
TEST(State, CountersAreThoseOfSoManyReports) {
  for (const char* name : {"flat", "coins"})
    expect_only(*make(name), 50, {20, 10, 20, 0},
                {{50, 50, 50, 50}, {20, 10, 20, 1}, {0, 0, 0, 0}, {kMost, 1, 50, 0}});
  expect_only(*make("hadamard"), 9, {1, 1, 1, 1, 1, 1, 1, 2}, {{1, 1, 1, 1, 1, 1, 1, 1}});
  expect_only(*make("symmetric-unary"), 9, {9, 9, 0, 0}, {{9, 10, 0, 0}});
  expect_only(*make("local-hashing"), 9, {9, 9, 0, 0}, {{9, 10, 0, 0}});
  const ProtocolPointer pairs = *find("subset")->make({.epsilon = Rational(1, 2), .domain = 5});
  ASSERT_EQ(pairs->constants().words, 2U);
  expect_only(*pairs, 10, {4, 4, 4, 4, 4}, {{4, 4, 4, 4, 3}, {2, 2, 2, 2, 2}, {11, 9, 0, 0, 0}});
  expect_only(*make("duchi"), 100, {40, 60}, {{0, 0}, {std::uint64_t{1} << 40, 5}, {40, 61}});
  const Rational high(3, 4), low(1, 4);
  expect_only(**ChannelProtocol::create(*channel::Channel::create(2, 2, {high, low, low, high})),
              10, {4, 6}, {{4, 7}, {10, 10}});
  const auto wave = *find("square-wave")->make({.epsilon = 1, .domain = 4});
  Counters bins(wave->constants().counters);
  bins[7] = 3;
  expect_only(*wave, 3, bins, {Counters(bins.size()), Counters(bins.size(), 1)});
  expect_only(**Hitters::create({.epsilon = 1, .bytes = 2}), 0, {0, 0}, {{1, 0}, {0, kMost}});
}

TEST(State, SumsOfCellsAreThoseOfSoManyCells) {
  const Counters none(3), three = {3, 5, 0};  // cells 0, 1 and 2
  const std::uint64_t last = (std::uint64_t{1} << 30) - 1, most = last * last;
  const Counters greatest = {3 * last, 3 * (most & 0x7fffffff), 3 * (most >> 31)};
  const std::vector<Counters> bad = {{3, 4, 0},                       // odd and even
                                     {3, 1, 0},                       // squares below their roots
                                     {4, 4, 0},                       // too near to their mean
                                     {3, 4, 1U << 30},                // too far from it
                                     {std::uint64_t{1} << 62, 0, 0},  // cells that there are not
                                     {kMost, kMost, kMost},
                                     {3, 3 + 3 * (std::uint64_t{1} << 31), 0},
                                     {greatest[0], greatest[1], greatest[2] + 1},
                                     {0, 0, 2}};
  expect_only(*make("piecewise"), 3, three, bad);
  expect_only(*make("piecewise"), 3, greatest, {{greatest[0] + 2, greatest[1], greatest[2]}});
  expect_only(*make("piecewise"), 0, none, {three});
  const auto with = [](Counters cells, const Counters& tallies) {
    cells.insert(cells.end(), tallies.begin(), tallies.end());
    return cells;
  };
  std::vector<Counters> worse = {with(none, {0, 0, 0}), with(three, {3, 4, 4}),
                                 with(three, {1, 5, 4}), with(three, {0, 5, 5})};
  for (const Counters& each : bad) worse.push_back(with(each, {3, 4, 3}));
  expect_only(*make("hybrid"), 10, with(three, {3, 4, 3}), worse);
  const ProtocolPointer weak = *find("hybrid")->make({.epsilon = Rational(1, 2)});
  expect_only(*weak, 10, with(none, {0, 4, 6}), {with(three, {3, 4, 3})});
}

TEST(State, CountersOfRecordsAreThoseOfEachAttribute) {
  const auto sampled = *Records::create(*find("flat"), {.epsilon = 1}, {3, 2}, By::kSampling);
  expect_only(*sampled, 5, {2, 3, 1, 1, 0, 3, 0},
              {{2, 2, 1, 1, 0, 2, 0}, {2, 3, 1, 1, 1, 3, 0}, {5, 5, 5, 0, 0, 5, 0}});
  const auto split = *Records::create(*find("flat"), {.epsilon = 1}, {3, 2}, By::kSplitting);
  expect_only(*split, 5, {5, 5, 1, 4, 0, 3, 2}, {{2, 3, 1, 1, 0, 3, 0}, {5, 5, 1, 4, 1, 3, 2}});
}

TEST(State, LengthsThatDifferAreNamedAsSuch) {
  const ProtocolPointer flat = make("flat");
  State one(*flat), other(*flat);
  other.counters.push_back(0);
  const Status merged = one.merge(other);
  ASSERT_FALSE(merged);
  EXPECT_NE(merged.error().text().find("4 counters"), std::string::npos) << merged.error().text();
}

}  // namespace
}  // namespace discreet::local
