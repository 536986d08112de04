#include "discreet/local/channel_protocol.h"

#include <gtest/gtest.h>

#include <cmath>

#include "discreet/random/testing/chi_square.h"
#include "discreet/random/testing/sources.h"

namespace discreet::local {
namespace {

using channel::Channel;
using Rationals = std::vector<Rational>;

Channel make(std::size_t rows, std::size_t columns, Rationals entries) {
  return *Channel::create(rows, columns, std::move(entries));
}

Channel uneven() {
  const Rational a(1, 2), b(1, 3), c(1, 6), d(1, 7), e(2, 7), f(4, 7);
  return make(2, 3, {a, b, c, d, e, f});
}

// The p-value of 200,000 reports of one value under a row.
double fit(const ChannelProtocol& protocol, Value value, std::span<const Rational> row) {
  random::testing::Seeded source(7);
  const std::vector<Value> values(200'000, value);
  std::vector<Word> reports(values.size());
  EXPECT_TRUE(protocol.perturb(values, source, reports));
  std::vector<double> counts(row.size()), probabilities;
  for (const Word report : reports) ++counts[report];
  for (const Rational& p : row) probabilities.push_back(to_double(p));
  return random::testing::goodness_of_fit(counts, probabilities);
}

TEST(ChannelProtocol, SamplesFollowTheRowAndNoOther) {
  const Channel channel = uneven();
  const auto protocol = *ChannelProtocol::create(channel);
  for (const Value value : {0, 1}) {
    EXPECT_GT(fit(*protocol, value, channel.row(value)), random::testing::kFalseAlarm);
    EXPECT_LT(fit(*protocol, value, channel.row(1 - value)), random::testing::kFalseAlarm);
  }
  // a twin that is off by a hundredth is found too
  const Rational p(51, 100), q(49, 100), half(1, 2);
  const auto twin = *ChannelProtocol::create(make(2, 2, {p, q, half, half}));
  const Rationals fair{half, half};
  EXPECT_LT(fit(*twin, 0, fair), random::testing::kFalseAlarm);
}

TEST(ChannelProtocol, ManyOutputsAllCome) {
  Rationals row, other;
  for (int i = 0; i < 37; ++i) row.emplace_back(i + 1, 37 * 19);
  Rationals entries = row;
  entries.insert(entries.end(), row.rbegin(), row.rend());
  for (Rational& each : entries) each.canonicalize();
  const Channel channel = make(2, 37, entries);
  const auto protocol = *ChannelProtocol::create(channel);
  for (const Value value : {0, 1})
    EXPECT_GT(fit(*protocol, value, channel.row(value)), random::testing::kFalseAlarm);
}

// A word that equals a threshold is decided by the digits behind it: 2^64/3 is …555.333, so that a
// next digit of 0.25 is below and 0.5 above.
TEST(ChannelProtocol, TiesAreDecidedByMoreDigits) {
  const Rational third(1, 3), rest(2, 3);
  const auto protocol = *ChannelProtocol::create(make(2, 2, {third, rest, rest, third}));
  const std::uint64_t threshold = 0x5555555555555555;
  const auto told = [&](std::uint64_t word, std::uint64_t behind) {
    random::testing::Scripted source({word, behind});
    const Value value = 0;
    Word report = 9;
    EXPECT_TRUE(protocol->perturb({&value, 1}, source, {&report, 1}));
    return report;
  };
  EXPECT_EQ(told(threshold - 1, 0), 0U);
  EXPECT_EQ(told(threshold, std::uint64_t{1} << 62), 0U);
  EXPECT_EQ(told(threshold, std::uint64_t{1} << 63), 1U);
  EXPECT_EQ(told(threshold + 1, 0), 1U);
}

TEST(ChannelProtocol, SumsThatReachOneBeforeTheEndNeverPassIt) {
  const Rational half(1, 2), none(0);
  const auto protocol = *ChannelProtocol::create(make(2, 3, {half, half, none, half, half, none}));
  random::testing::Scripted source({~std::uint64_t{0}, std::uint64_t{1} << 63, 0});
  const std::vector<Value> values{0, 1, 0};
  std::vector<Word> reports(3);
  ASSERT_TRUE(protocol->perturb(values, source, reports));
  EXPECT_EQ(reports, (std::vector<Word>{1, 1, 0}));
}

TEST(ChannelProtocol, EpsilonIsTheChannelsOverAllPairs) {
  const auto protocol = *ChannelProtocol::create(uneven());
  EXPECT_EQ(protocol->constants().epsilon, *parse_number("ln(7/2)", Rounding::kUp));  // (1/2)/(1/7)
  EXPECT_GT(protocol->constants().epsilon, *parse_number("ln(7/2)", Rounding::kDown));
  // The first and the last of three differ by more than neighbours do.
  const auto far = *ChannelProtocol::create(make(3, 2,
                                                 {Rational(1, 5), Rational(4, 5), Rational(2, 5),
                                                  Rational(3, 5), Rational(4, 5), Rational(1, 5)}));
  EXPECT_EQ(far->constants().epsilon, *parse_number("ln(4)", Rounding::kUp));
  const Rational one(1), none(0), half(1, 2);
  const auto open = *ChannelProtocol::create(make(2, 2, {one, none, half, half}));
  EXPECT_FALSE(open->is_private());
  random::testing::Seeded source(1);
  const Value value = 0;
  Word report = 0;
  EXPECT_FALSE(open->perturb({&value, 1}, source, {&report, 1}));
}

TEST(ChannelProtocol, StatesOfDifferentChannelsDiffer) {
  const Rational a(1, 3), b(2, 3), c(1, 4), d(3, 4);
  const auto one = *ChannelProtocol::create(make(2, 2, {a, b, b, a}));
  const auto two = *ChannelProtocol::create(make(2, 2, {b, a, a, b}));
  EXPECT_NE(one->constants().own, two->constants().own);
}

}  // namespace
}  // namespace discreet::local
