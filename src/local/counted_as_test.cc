// A state says what it is of: from that, reports that are counted the same.
#include "discreet/local/counted_as.h"

#include <gtest/gtest.h>

#include "discreet/local/channel_protocol.h"
#include "discreet/local/hitters.h"
#include "discreet/local/records.h"
#include "discreet/local/state.h"
#include "discreet/random/testing/sources.h"

namespace discreet::local {
namespace {

void expect_the_same(const Reports& reports) {
  const std::string of = identity(reports);
  const auto again = counted_as(of);
  ASSERT_TRUE(again) << of << ": " << again.error().text();
  const Constants &a = reports.constants(), &b = (*again)->constants();
  EXPECT_EQ(a.counters, b.counters) << of;
  EXPECT_EQ(a.words, b.words) << of;
  EXPECT_EQ(a.most_reports, b.most_reports) << of;
  const bool by_name_alone = a.name == "coins" || a.name == "channel";
  EXPECT_TRUE(by_name_alone || identity(**again) == of) << of;
  EXPECT_TRUE(State(reports).check_numbers("state", **again)) << of;
}

TEST(CountedAs, EveryProtocolIsFoundByWhatItsStatesSay) {
  for (const Entry& entry : registry())
    for (const Rational& epsilon : {Rational(1, 3), Rational(1), Rational(5)})
      for (const std::size_t domain : {2U, 5U, 1000U})
        expect_the_same(**entry.make({.epsilon = epsilon, .domain = domain}));
  expect_the_same(**find("coins")->make({.domain = 3, .heads = Rational(1, 3)}));
  expect_the_same(**find("hadamard")->make({.epsilon = 3, .domain = 100, .blocks = 8}));
  expect_the_same(**find("local-hashing")->make({.epsilon = 1, .domain = 100, .range = 7}));
  expect_the_same(**Hitters::create({.epsilon = 2, .bytes = 5}));
  const Rational most(3, 4), least(1, 8);
  expect_the_same(**ChannelProtocol::create(
      *channel::Channel::create(2, 3, {most, least, least, least, most, least})));
}

TEST(CountedAs, RecordsAreFoundToo) {
  for (const By by : {By::kSampling, By::kSplitting}) {
    for (const char* name : {"coins", "flat", "subset", "optimised-unary"})
      expect_the_same(**Records::create(*find(name), {.epsilon = 2}, {4, 16, 3}, by));
    expect_the_same(
        **Records::create(*find("hadamard"), {.epsilon = 6, .blocks = 4}, {40, 16}, by));
    expect_the_same(
        **Records::create(*find("local-hashing"), {.epsilon = 1, .range = 3}, {40, 16}, by));
  }
}

// What a stranger's file says it is of may be anything.
TEST(CountedAs, WhatIsNoProtocolIsRefused) {
  for (const char* of : {"",
                         " ",
                         "flat",
                         "flat epsilon=",
                         "flat epsilon=x domain=4",
                         "flat epsilon=1 domain=0",
                         "flat epsilon=1 domain=99999999999999999999",
                         "flat epsilon=-1 domain=4",
                         "flat epsilon=1e4000 domain=4",
                         "sharp epsilon=1 domain=4",
                         "channel epsilon=1",
                         "records of  epsilon=1",
                         "records of flat by epsilon=1",
                         "records of flat by sampling",
                         "records of flat by sampling epsilon=1",
                         "records of duchi by sampling epsilon=1 domain-0=4",
                         "hitters epsilon=1",
                         "hitters epsilon=1 bytes=1000",
                         "hadamard epsilon=1 domain=4 blocks=3",
                         "flat epsilon",
                         "flat epsilon=1 =",
                         "records of "})
    if (const auto made = counted_as(of); made)
      EXPECT_STREQ(of, "flat epsilon=1 =") << "where nothing is said of a domain, it is 2";
    else
      EXPECT_EQ(made.error().code, Code::kUsage) << of;
}

}  // namespace
}  // namespace discreet::local
