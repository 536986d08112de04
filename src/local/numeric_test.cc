// The protocols for means, on grids small enough to go over every report: the guarantee, the mean
// and the variance from exact probabilities; then samples against these, and means of many reports.
#include <gtest/gtest.h>

#include <cmath>

#include "discreet/local/duchi.h"
#include "discreet/local/hybrid.h"
#include "discreet/local/piecewise.h"
#include "discreet/local/registry.h"
#include "discreet/local/state.h"
#include "discreet/local/testing/numeric_laws.h"
#include "discreet/random/testing/sources.h"

namespace discreet::local {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

double place_from(const MeanProtocol& protocol, Word report) {
  State state(protocol);
  protocol.count({&report, 1}, state.counters);
  state.users = 1;
  return protocol.mean(state).value;
}

struct Expected {
  double mean = 0, variance = 0;
};
Expected expected(const MeanProtocol& protocol, Value value) {
  double first = 0, second = 0;
  const auto outcomes = *protocol.outcomes();
  for (const Word report : outcomes) {
    const double p = protocol.probability(value, {&report, 1}, kBits).middle();
    const double place = place_from(protocol, report);
    first += p * place;
    second += p * place * place;
  }
  return {first, second - first * first};
}

// All words the same.
class Constant final : public random::Source {
 public:
  explicit Constant(std::uint64_t word) : word_(word) {}
  Status fill(std::span<std::uint64_t> words) override {
    std::fill(words.begin(), words.end(), word_);
    return {};
  }

 private:
  std::uint64_t word_;
};

// The least number is never rounded up, the greatest never down, even by the draw that is closest
// to it: then what is said is a lie if the coin says so, and nothing else.
TEST(Duchi, TheEndsAreNeverRounded) {
  const auto duchi = *Duchi::create({.epsilon = 1});
  Constant lowest(0), highest(~std::uint64_t{0});  // a lie, rounding by 0; the truth, by the most
  for (const auto& [value, truth] : {std::pair{Value{0}, Word{0}}, {Value{kScale}, Word{1}}}) {
    Word report = 2;
    ASSERT_TRUE(duchi->perturb({&value, 1}, lowest, {&report, 1}));
    EXPECT_EQ(report, 1 - truth);
    ASSERT_TRUE(duchi->perturb({&value, 1}, highest, {&report, 1}));
    EXPECT_EQ(report, truth);
  }
}

bool unbiased(const MeanProtocol& protocol) {
  for (const Value value : some_values()) {
    const double place = static_cast<double>(value) / kScale;
    if (std::fabs(expected(protocol, value).mean - place) > 1e-12) return false;
  }
  return true;
}

std::vector<std::unique_ptr<const MeanProtocol>> on_small_grids(const Rational& epsilon) {
  std::vector<std::unique_ptr<const MeanProtocol>> out;
  const Parameters parameters{.epsilon = epsilon};
  out.push_back(*Duchi::create(parameters));
  for (const std::uint64_t cells : {64U, 37U, 2U}) {
    out.push_back(*Piecewise::on_grid(parameters, cells));
    out.push_back(*Hybrid::on_grid(parameters, cells));
  }
  return out;
}

// A protocol with one thing wrong.
class Twin : public MeanProtocol {
 public:
  explicit Twin(const MeanProtocol& good) : good_(good) {}
  const Constants& constants() const override { return good_.constants(); }
  Status perturb(std::span<const Value> values, random::Source& source,
                 std::span<Word> reports) const override {
    return good_.perturb(values, source, reports);
  }
  void write(std::span<const Word> report, std::string& line) const override {
    good_.write(report, line);
  }
  Fault read(std::string_view line, std::span<Word> report) const override {
    return good_.read(line, report);
  }
  void count(std::span<const Word> reports, std::span<std::uint64_t> counters) const override {
    good_.count(reports, counters);
  }
  bool fits(std::span<const std::uint64_t> counters, std::uint64_t users) const override {
    return good_.fits(counters, users);
  }
  Ball probability(Value value, std::span<const Word> report, long bits) const override {
    return good_.probability(value, report, bits);
  }
  Result<std::vector<Word>> outcomes() const override { return good_.outcomes(); }
  Number mean(const State& state) const override { return good_.mean(state); }

 protected:
  const MeanProtocol& good_;
};

// The number is cut to one of 64 steps instead of rounded at random.
class Cut final : public Twin {
 public:
  using Twin::Twin;
  Ball probability(Value value, std::span<const Word> report, long bits) const override {
    return Twin::probability(value & ~Value{0xffffff}, report, bits);
  }
};

const std::vector<Rational> kEpsilons = {Rational(1, 100), Rational(1, 2), Rational(1), Rational(3),
                                         Rational(40)};

TEST(Numeric, ProbabilitiesSumToOne) {
  for (const Rational& epsilon : kEpsilons)
    for (const auto& protocol : on_small_grids(epsilon))
      for (const Value value : some_values())
        EXPECT_TRUE(near_enough(sum_of_probabilities(*protocol, value), Ball(1)))
            << protocol->constants().name << " " << epsilon << " " << value;
}

TEST(Numeric, NoTwoNumbersAreFurtherApartThanEpsilonAndTwoReachIt) {
  for (const Rational& epsilon : kEpsilons)
    for (const auto& protocol : on_small_grids(epsilon)) {
      const Ball relative = div(worst_ratio(*protocol), exp(Ball(epsilon, kBits), kBits), kBits);
      EXPECT_TRUE(near_enough(relative, Ball(1))) << protocol->constants().name << " " << epsilon;
    }
}

TEST(Numeric, AnEpsilonThatIsALittleLargerIsSeen) {
  for (const auto& protocol : on_small_grids(Rational(1) + Rational(Integer(1), Integer(1) << 50)))
    EXPECT_TRUE(surely_less(add(exp(Ball(1), kBits), tiny(), kBits), worst_ratio(*protocol)))
        << protocol->constants().name;
}

TEST(Numeric, OneReportIsUnbiased) {
  for (const Rational& epsilon : {Rational(1, 2), Rational(1), Rational(3)})
    for (const auto& protocol : on_small_grids(epsilon)) {
      EXPECT_TRUE(unbiased(*protocol)) << protocol->constants().name << " " << epsilon;
      EXPECT_FALSE(unbiased(Cut(*protocol))) << protocol->constants().name << " " << epsilon;
    }
}

TEST(Numeric, TheVarianceOfOneReportIsTheConstant) {
  for (const Rational& epsilon : {Rational(1, 2), Rational(1), Rational(3)})
    for (const auto& protocol : on_small_grids(epsilon)) {
      const double constant = protocol->constants().variance / 4;
      EXPECT_NEAR(expected(*protocol, kScale / 2).variance / constant, 1, 1e-9)
          << protocol->constants().name << " " << epsilon;
    }
}

TEST(Numeric, DuchisVarianceIsLeastAtTheEnds) {
  const auto duchi = *Duchi::create({.epsilon = 1});
  EXPECT_NEAR(expected(*duchi, 0).variance, duchi->least_variance(), 1e-9);
}

TEST(Numeric, SamplesFollowTheProbabilities) {
  const auto right = on_small_grids(1), wrong = on_small_grids(Rational(6, 5));
  for (std::size_t i = 0; i < right.size(); ++i)
    for (const Value value : {Value{0}, kScale / 7, kScale}) {
      EXPECT_GT(fit(*right[i], *right[i], value, 50'000), random::testing::kFalseAlarm);
      EXPECT_LT(fit(*wrong[i], *right[i], value, 50'000), random::testing::kFalseAlarm)
          << right[i]->constants().name;
    }
}

// The paper's closed forms, on the grid that is shipped.
TEST(Numeric, ConstantsAreThePapers) {
  for (const double epsilon : {0.1, 0.5, 1.0, 2.0, 5.0, 10.0}) {
    const Parameters parameters{.epsilon = *exactly(epsilon)};
    const double e = std::exp(epsilon), z = std::exp(epsilon / 2);
    const Constants duchi = (*Duchi::create(parameters))->constants();
    EXPECT_NEAR(duchi.p, e / (e + 1), 1e-12);
    EXPECT_NEAR(duchi.q, 1 / (e + 1), 1e-12);
    EXPECT_NEAR(duchi.variance / std::pow((e + 1) / (e - 1), 2), 1, 1e-12);
    const auto piecewise = *Piecewise::create(parameters);
    const Constants& c = piecewise->constants();
    EXPECT_NEAR(c.own[0].second / ((z + 1) / (z - 1)), 1, 1e-12);
    EXPECT_NEAR(c.p / ((e - z) / (2 * z + 2)), 1, 1e-12);
    EXPECT_NEAR(c.q / ((1 - 1 / z) / (2 * z + 2)), 1, 1e-12);
    const double variance = (z + 3) / (3 * (z - 1) * (z - 1));
    EXPECT_NEAR(c.variance / variance, 1, 1e-6) << epsilon;
    const Constants hybrid = (*Hybrid::create(parameters))->constants();
    const double alpha = epsilon > 0.61 ? 1 - 1 / z : 0;
    EXPECT_NEAR(hybrid.own[0].second, alpha, 1e-12);
    EXPECT_NEAR(hybrid.variance / (alpha * variance + (1 - alpha) * duchi.variance), 1, 1e-6);
  }
}

// At ε* both have the same worst case, which is what makes it the place to change over.
TEST(Numeric, TheHybridChangesOverAtThePapersThreshold) {
  EXPECT_EQ((*Hybrid::create({.epsilon = Rational(60935, 100000)}))->constants().own[0].second, 0);
  EXPECT_GT((*Hybrid::create({.epsilon = Rational(60936, 100000)}))->constants().own[0].second,
            0.2);
}

TEST(Numeric, AboveTheThresholdTheHybridsVarianceIsTheSameEverywhere) {
  const auto hybrid = *Hybrid::on_grid({.epsilon = 1}, 2000);
  EXPECT_NEAR(expected(*hybrid, 0).variance / expected(*hybrid, kScale / 2).variance, 1, 1e-3);
}

// False alarm: one in a million for each (5 standard errors); a truth that is 0.004 away
// would be more than 8 of them off for every protocol.
TEST(Numeric, MeansOfManyReportsAreRight) {
  const std::size_t users = 2'000'000;
  const auto truth = static_cast<Value>(0.7 * kScale);
  const std::vector<Value> values(users, truth);
  std::vector<Word> reports(users);
  for (const char* name : {"duchi", "piecewise", "hybrid"}) {
    const ProtocolPointer made = *find(name)->make({.epsilon = 4});
    const auto& protocol = dynamic_cast<const MeanProtocol&>(*made);
    random::testing::Seeded source(2);
    ASSERT_TRUE(protocol.perturb(values, source, reports));
    State state(protocol), other(protocol);
    // two collectors, put together
    protocol.count(std::span(reports).first(users / 3), state.counters);
    protocol.count(std::span(reports).subspan(users / 3), other.counters);
    state.users = users / 3;
    other.users = users - users / 3;
    ASSERT_TRUE(state.merge(other));
    const Number mean = protocol.mean(state);
    const double place = static_cast<double>(truth) / kScale;
    EXPECT_LT(std::fabs(mean.value - place), 5 * mean.stderr_) << name;
    // all hold the same number, so that the error is a report's own
    const double variance = protocol.constants().variance / 4;
    EXPECT_NEAR(mean.stderr_ * mean.stderr_ * static_cast<double>(users) / variance, 1, 0.5)
        << name;
    EXPECT_GT(std::fabs(mean.value - (place - 0.004)), 8 * mean.stderr_) << name;
  }
}

TEST(Numeric, ReportsAreReadAsTheyAreWrittenAndNothingElseIs) {
  const auto hybrid = *Hybrid::on_grid({.epsilon = 1}, 64);
  const auto outcomes = *hybrid->outcomes();
  for (const Word report : outcomes) {
    std::string line;
    hybrid->write({&report, 1}, line);
    Word again = 0;
    EXPECT_EQ(hybrid->read(line, {&again, 1}), Fault::kNone) << line;
    EXPECT_EQ(again, report);
  }
  Word word = 0;
  EXPECT_EQ(hybrid->read("64", {&word, 1}), Fault::kOutOfRange);
  for (const char* line : {"", "1 ", "+2", "-0", "++1", "01", "x", "+1\n", "0.5"})
    EXPECT_NE(hybrid->read(line, {&word, 1}), Fault::kNone) << line;
  const auto weak = *Hybrid::create({.epsilon = Rational(1, 2)});
  EXPECT_EQ(weak->read("5", {&word, 1}), Fault::kOutOfRange);
  EXPECT_EQ(weak->read("-1", {&word, 1}), Fault::kNone);
  const auto duchi = *Duchi::create({.epsilon = 1});
  for (const char* line : {"", "1", "0", "+1 ", "-1x"})
    EXPECT_EQ(duchi->read(line, {&word, 1}), Fault::kMalformed) << line;
  const auto piecewise = *Piecewise::create({.epsilon = 1});
  EXPECT_EQ(piecewise->read("1073741823", {&word, 1}), Fault::kNone);
  EXPECT_EQ(piecewise->read("1073741824", {&word, 1}), Fault::kOutOfRange);
  EXPECT_EQ(piecewise->read("-1", {&word, 1}), Fault::kMalformed);
}

TEST(Numeric, NumbersOutsideTheGridAreRefusedBeforeAnythingIsDrawn) {
  for (const auto& protocol : on_small_grids(1)) {
    random::testing::Failing source(0);
    const std::vector<Value> values = {0, kScale + 1};
    std::vector<Word> reports(2);
    const Status told = protocol->perturb(values, source, reports);
    ASSERT_FALSE(told);
    EXPECT_EQ(told.error().parameter, "value");
    EXPECT_EQ(told.error().text().find("1073741825"), std::string::npos);
  }
}

// As many words for every number: the time tells nothing.
TEST(Numeric, EveryNumberTakesTheSameDraws) {
  for (const auto& protocol : on_small_grids(1)) {
    std::vector<std::uint64_t> drawn;
    for (const Value value : some_values()) {
      random::testing::Seeded seeded(3);
      random::testing::Counting source(seeded);
      const std::vector<Value> values(100, value);
      std::vector<Word> reports(100);
      ASSERT_TRUE(protocol->perturb(values, source, reports));
      drawn.push_back(source.count());
    }
    EXPECT_EQ(std::count(drawn.begin(), drawn.end(), drawn[0]), std::ssize(drawn));
  }
}

// Largest cells, many of them: the counters are whole numbers that don't run over.
TEST(Numeric, CountersOfManyExtremeReportsAreExact) {
  const auto piecewise = *Piecewise::create({.epsilon = 1});
  const std::uint64_t users = std::uint64_t{1} << 32;
  const Word last = Piecewise::kCells - 1;
  State one(*piecewise), many(*piecewise);
  piecewise->count({&last, 1}, one.counters);
  one.users = 1;
  for (std::size_t i = 0; i < many.counters.size(); ++i) {
    many.counters[i] = one.counters[i] * users;
    EXPECT_EQ(many.counters[i] / users, one.counters[i]);
  }
  many.users = users;
  EXPECT_DOUBLE_EQ(piecewise->mean(many).value, piecewise->mean(one).value);
}

TEST(Numeric, NobodyMeansNothingIsKnown) {
  for (const auto& protocol : on_small_grids(1)) {
    const Number mean = protocol->mean(State(*protocol));
    EXPECT_EQ(mean.value, 0.5);
    EXPECT_TRUE(std::isinf(mean.stderr_));
  }
}

}  // namespace
}  // namespace discreet::local
