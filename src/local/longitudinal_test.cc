// Two steps are one protocol, exactly: every report, every value, on domains small enough to go
// over all of them; and what a kept report gives is drawn from that report and nothing else.
#include "discreet/local/longitudinal.h"

#include <gtest/gtest.h>

#include <cmath>

#include "discreet/local/registry.h"
#include "discreet/random/testing/chi_square.h"
#include "discreet/random/testing/sources.h"

namespace discreet::local {
namespace {

constexpr long kBits = 256;

struct Case {
  const char* protocol;
  Parameters parameters;
  Rational forever;
};
std::vector<Case> cases() {
  return {{"flat", {.epsilon = 1, .domain = 5}, 2},
          {"flat", {.epsilon = Rational(1, 100), .domain = 2}, Rational(1, 50)},
          {"flat", {.epsilon = 20, .domain = 3}, 21},
          {"coins", {.domain = 4}, 3},
          {"coins", {.epsilon = 1, .domain = 3}, 2},
          {"symmetric-unary", {.epsilon = 1, .domain = 4}, 3},
          {"optimised-unary", {.epsilon = 1, .domain = 4}, Rational(3, 2)},
          {"local-hashing", {.epsilon = 2, .domain = 10}, 3},
          {"local-hashing", {.epsilon = 1, .domain = 10, .range = 5}, 4}};
}
std::string said(const Case& c) { return std::string(c.protocol) + " " + to_decimal(c.forever); }

// Every report that a client can make; of hashing, of the clients with one function.
std::vector<std::vector<Word>> all_reports(const Longitudinal& protocol) {
  const Constants& c = protocol.protocol().constants();
  std::vector<std::vector<Word>> out;
  if (c.name == "local-hashing") {
    const auto g = static_cast<Word>(c.own[0].second);
    for (Word bucket = 0; bucket < g; ++bucket) out.push_back({1234567890, 7891011, bucket});
    return out;
  }
  const auto words = *protocol.protocol().outcomes();
  for (std::size_t at = 0; at < words.size(); at += c.words)
    out.emplace_back(words.begin() + static_cast<std::ptrdiff_t>(at),
                     words.begin() + static_cast<std::ptrdiff_t>(at + c.words));
  return out;
}

// Whether Σ_kept P[kept|v]·P[report|kept] is P[report|v] at ε, to 2^-60 of it, for all; with the
// second step taken from another pair of strengths where `instant` is one.
bool composes(const Longitudinal& protocol, const Longitudinal& instant) {
  const auto reports = all_reports(protocol);
  const Ball tiny(Rational(Integer(1), Integer(1) << 60), kBits);
  for (Value value = 0; value < protocol.protocol().constants().domain; ++value)
    for (const auto& report : reports) {
      Ball sum(0);
      for (const auto& kept : reports)
        sum = add(sum,
                  mul(protocol.permanent_probability(value, kept, kBits),
                      instant.instant_probability(kept, report, kBits), kBits),
                  kBits);
      const Ball direct = protocol.protocol().probability(value, report, kBits);
      const Ball apart = sub(div(sum, direct, kBits), Ball(1), kBits);
      if (!surely_less(apart, tiny) || !surely_less(-apart, tiny)) return false;
    }
  return true;
}

TEST(Longitudinal, TwoStepsAreOneReportOfTheProtocolExactly) {
  for (const Case& c : cases()) {
    const auto protocol = *Longitudinal::create(c.protocol, c.parameters, c.forever);
    EXPECT_TRUE(composes(protocol, protocol)) << said(c);
    const Rational almost = c.forever * (1 + Rational(Integer(1), Integer(1) << 45));
    const auto twin = *Longitudinal::create(c.protocol, c.parameters, almost);
    EXPECT_FALSE(composes(protocol, twin)) << said(c);
  }
}

// Reports about one value are drawn from the permanent one, whose ε is ε_forever and no more.
TEST(Longitudinal, ThePermanentReportIsTheProtocolForever) {
  for (const Case& c : cases()) {
    const auto protocol = *Longitudinal::create(c.protocol, c.parameters, c.forever);
    const Ball limit = exp(Ball(c.forever, kBits), kBits);
    Ball worst(0);
    for (const auto& kept : all_reports(protocol))
      for (Value v = 0; v < protocol.protocol().constants().domain; ++v)
        for (Value u = 0; u < protocol.protocol().constants().domain; ++u)
          worst = max(worst,
                      div(protocol.permanent_probability(v, kept, kBits),
                          protocol.permanent_probability(u, kept, kBits), kBits),
                      kBits);
    const Ball tiny(Rational(Integer(1), Integer(1) << 60), kBits);
    EXPECT_TRUE(surely_less(div(worst, limit, kBits), add(Ball(1), tiny, kBits))) << said(c);
    EXPECT_TRUE(surely_less(sub(Ball(1), tiny, kBits), div(worst, limit, kBits))) << said(c);
  }
}

// The p-value of many reports drawn by `sampler` from one that is kept, under the probabilities.
double fit(const Longitudinal& sampler, const Longitudinal& claimed) {
  random::testing::Seeded source(4);
  const auto reports = all_reports(claimed);
  const auto& kept = reports[1];
  std::vector<double> counts(reports.size()), probabilities;
  for (const auto& report : reports)
    probabilities.push_back(claimed.instant_probability(kept, report, 64).middle());
  std::vector<Word> told(kept.size());
  for (int i = 0; i < 20'000; ++i) {
    EXPECT_TRUE(sampler.instant(kept, source, told));
    for (std::size_t r = 0; r < reports.size(); ++r) counts[r] += reports[r] == told;
  }
  return random::testing::goodness_of_fit(counts, probabilities);
}

TEST(Longitudinal, InstantReportsFollowTheirProbabilities) {
  for (const Case& c : cases()) {
    const auto protocol = *Longitudinal::create(c.protocol, c.parameters, c.forever);
    EXPECT_GT(fit(protocol, protocol), random::testing::kFalseAlarm) << said(c);
  }
  const Parameters parameters{.epsilon = 1, .domain = 4};
  for (const char* name : {"flat", "symmetric-unary", "optimised-unary"}) {
    const auto right = *Longitudinal::create(name, parameters, 2);
    const auto wrong = *Longitudinal::create(name, parameters, Rational(5, 2));
    EXPECT_LT(fit(wrong, right), random::testing::kFalseAlarm) << name;
  }
}

// A permanent bucket under a function that is kept is the flat mechanism's at ε_forever.
TEST(Longitudinal, AClientKeepsOneHashFunction) {
  const auto protocol = *Longitudinal::create("local-hashing", {.epsilon = 1, .domain = 100}, 3);
  random::testing::Seeded source(5);
  const std::vector<Word> earlier = {1234567890, 7891011, 0};
  const auto reports = all_reports(protocol);
  std::vector<double> counts(reports.size()), probabilities;
  std::vector<Word> kept(3);
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_TRUE(protocol.permanent(77, earlier, source, kept));
    EXPECT_TRUE(protocol.fit(earlier, kept));
    ++counts[kept[2]];
  }
  double all = 0;
  for (const auto& report : reports)
    all += probabilities.emplace_back(protocol.permanent_probability(77, report, 64).middle());
  for (double& each : probabilities) each /= all;  // given the function
  EXPECT_GT(random::testing::goodness_of_fit(counts, probabilities), random::testing::kFalseAlarm);
  std::vector<double> uniform(reports.size(), 1.0 / static_cast<double>(reports.size()));
  EXPECT_LT(random::testing::goodness_of_fit(counts, uniform), random::testing::kFalseAlarm);
}

TEST(Longitudinal, WhatCannotBeIsRefused) {
  const Parameters parameters{.epsilon = 1, .domain = 4};
  for (const char* name :
       {"hadamard", "subset", "duchi", "piecewise", "hybrid", "square-wave", "flta"}) {
    const auto made = Longitudinal::create(name, parameters, 2);
    ASSERT_FALSE(made) << name;
    EXPECT_EQ(made.error().parameter, "permanent");
  }
  for (const Rational& forever :
       {Rational(0), Rational(-1), Rational(1, 2), Rational(1), Rational(501)}) {
    const auto made = Longitudinal::create("flat", parameters, forever);
    ASSERT_FALSE(made) << forever;
    EXPECT_EQ(made.error().parameter, "permanent");
  }
  // ln 3 of the coins, and a little less
  EXPECT_FALSE(Longitudinal::create("coins", {}, *parse_number("ln(3)", Rounding::kDown)));
  EXPECT_TRUE(Longitudinal::create("coins", {}, Rational(11, 10)));
}

}  // namespace
}  // namespace discreet::local
