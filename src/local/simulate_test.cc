#include "discreet/local/simulate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "discreet/local/likelihood.h"
#include "discreet/local/registry.h"
#include "discreet/random/generator.h"
#include "discreet/random/testing/chi_square.h"
#include "discreet/random/testing/sources.h"

namespace discreet::local {
namespace {

using random::testing::goodness_of_fit;
using random::testing::kFalseAlarm;
using random::testing::Seeded;

TEST(Distributions, WeightsAreTheLaws) {
  const auto zipf = *law_weights("zipf", 4), steep = *law_weights("zipf(2)", 3),
             geometric = *law_weights("geometric(1/2)", 3), bell = *law_weights("bell", 7);
  EXPECT_EQ(zipf, (std::vector<double>{1, 1.0 / 2, 1.0 / 3, 1.0 / 4}));
  EXPECT_EQ(geometric, (std::vector<double>{1, 0.5, 0.25}));
  EXPECT_NEAR(steep[2], 1.0 / 9, 1e-15);
  EXPECT_EQ(bell[1], bell[5]);
  EXPECT_GT(bell[3], bell[2]);
  EXPECT_EQ(*law_weights("uniform", 3), std::vector<double>(3, 1.0));
  for (const char* bad : {"zpif", "zipf(", "zipf(x)", "zipf(-1)", "geometric(0)", "bell(2)", ""})
    EXPECT_FALSE(law_weights(bad, 3).has_value()) << bad;
}

// One in a million that a right table fails; weights that are a twentieth off are caught.
TEST(Distributions, PeopleFollowTheWeights) {
  const std::vector<double> weights = *law_weights("zipf", 50);
  Seeded source(11);
  const Population people = *draw_population(weights, 200'000, source);
  ASSERT_EQ(people.values.size(), 200'000);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> shares, counts(people.counts.begin(), people.counts.end());
  for (const double weight : weights) shares.push_back(weight / sum);
  EXPECT_GT(goodness_of_fit(counts, shares), kFalseAlarm);
  std::vector<double> off = shares;
  off[0] *= 1.05;
  off[1] -= 0.05 * shares[0];
  EXPECT_LT(goodness_of_fit(counts, off), kFalseAlarm);
  std::vector<std::uint64_t> again(50);
  for (const Value value : people.values) ++again[value];
  EXPECT_EQ(again, people.counts);
}

TEST(Distributions, NobodyHoldsAValueOfNoWeight) {
  const std::vector<double> weights{0, 3, 0, 1, 0};
  Seeded source(5);
  const Population people = *draw_population(weights, 10'000, source);
  EXPECT_EQ(people.counts[0] + people.counts[2] + people.counts[4], 0);
  EXPECT_FALSE(draw_population(std::vector<double>{0, 0}, 10, source).has_value());
  EXPECT_FALSE(draw_population(std::vector<double>{1, -1}, 10, source).has_value());
  EXPECT_FALSE(draw_population(std::vector<double>{1, NAN}, 10, source).has_value());
  EXPECT_FALSE(draw_population(weights, 0, source).has_value());
}

// The noise is fresh on every run: threads have generators of their own. Over its prediction the
// mean squared error of 64 values is nearly that of 64 normal variables: outside 0.3 … 2.5 with a
// probability of 2e-8, fewer than three quarters of the values within two standard errors with
// less.
TEST(Simulate, ErrorsAreAsPredicted) {
  const Population people =
      *draw_population(*law_weights("zipf", 64), 20'000, random::thread_generator());
  for (const Entry& entry : registry()) {
    const auto protocol =
        entry.make({.epsilon = entry.name == "coins" ? std::nullopt : std::optional(Rational(2)),
                    .domain = 64});
    ASSERT_TRUE(protocol.has_value()) << entry.name;
    const auto found = simulate(**protocol, people, {});
    ASSERT_TRUE(found.has_value()) << entry.name << ": " << found.error().text();
    EXPECT_EQ(found->truth.size(), entry.task == Task::kMean ? 1 : 64) << entry.name;
    if (entry.task == Task::kMean) {
      // six standard errors: once in half a billion
      EXPECT_LT(std::fabs(found->estimate[0] - found->truth[0]), 6 * found->stderr_[0])
          << entry.name;
      continue;
    }
    EXPECT_LT(found->total_variation, 1.5) << entry.name;
    EXPECT_GE(found->largest * found->largest, found->mse) << entry.name;
    if (entry.task == Task::kShape) continue;
    EXPECT_LT(found->mse / found->predicted, 2.5) << entry.name;
    EXPECT_GT(found->mse / found->predicted, 0.3) << entry.name;
    EXPECT_GT(found->within, 0.75) << entry.name;
  }
}

// The broken twin: a protocol that says it has a larger ε than it has; its estimates are wrong, and
// the simulation shows it.
class Boastful final : public FrequencyProtocol {
 public:
  Boastful(const FrequencyProtocol& inner, Constants constants)
      : inner_(inner), constants_(std::move(constants)) {}
  const Constants& constants() const override { return constants_; }
  Status perturb(std::span<const Value> values, random::Source& source,
                 std::span<Word> reports) const override {
    return inner_.perturb(values, source, reports);
  }
  void write(std::span<const Word> report, std::string& line) const override {
    inner_.write(report, line);
  }
  Fault read(std::string_view line, std::span<Word> report) const override {
    return inner_.read(line, report);
  }
  void count(std::span<const Word> reports, std::span<std::uint64_t> counters) const override {
    inner_.count(reports, counters);
  }
  bool fits(std::span<const std::uint64_t> counters, std::uint64_t users) const override {
    return inner_.fits(counters, users);
  }
  Ball probability(Value value, std::span<const Word> report, long bits) const override {
    return inner_.probability(value, report, bits);
  }
  Result<std::vector<Word>> outcomes() const override { return inner_.outcomes(); }
  std::vector<double> supports(std::span<const std::uint64_t> counters) const override {
    return inner_.supports(counters);
  }
  Result<std::unique_ptr<Likelihood>> likelihood(const State& state) const override {
    return inner_.likelihood(state);
  }

 private:
  const FrequencyProtocol& inner_;
  Constants constants_;
};

TEST(Simulate, AWrongProtocolIsSeen) {
  const Population people =
      *draw_population(*law_weights("zipf", 16), 100'000, random::thread_generator());
  const auto one = *find("flat")->make({.epsilon = 1, .domain = 16});
  const auto two = *find("flat")->make({.epsilon = 2, .domain = 16});
  const Boastful boastful(dynamic_cast<const FrequencyProtocol&>(*one), two->constants());
  const Simulated found = *simulate(boastful, people, {});
  EXPECT_GT(found.mse / found.predicted, 10);
  EXPECT_LT(found.within, 0.6);
}

TEST(Simulate, OtherDomainsAreRefused) {
  const Population people =
      *draw_population(*law_weights("uniform", 8), 100, random::thread_generator());
  const auto flat = *find("flat")->make({.epsilon = 1, .domain = 9});
  EXPECT_FALSE(simulate(*flat, people, {}).has_value());
}

}  // namespace
}  // namespace discreet::local
