#include "discreet/local/records.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "discreet/local/records_sample.h"
#include "discreet/random/testing/chi_square.h"
#include "discreet/random/testing/sources.h"

namespace discreet::local {
namespace {

using random::testing::kFalseAlarm;
using random::testing::Seeded;

constexpr long kBits = 128;

std::unique_ptr<Records> make(const Rational& epsilon, const std::vector<std::size_t>& domains,
                              By by, std::string_view protocol = "flat") {
  auto made = Records::create(*find(protocol), {.epsilon = epsilon}, domains, by);
  EXPECT_TRUE(made) << made.error().text();
  return *std::move(made);
}

std::vector<std::vector<Value>> every_record(const Records& records) {
  std::vector<std::vector<Value>> out = {{}};
  for (std::size_t j = 0; j < records.attributes(); ++j) {
    std::vector<std::vector<Value>> longer;
    for (const std::vector<Value>& record : out)
      for (Value v = 0; v < records.attribute(j).constants().domain; ++v) {
        longer.push_back(record);
        longer.back().push_back(v);
      }
    out = std::move(longer);
  }
  return out;
}

using Probability = std::function<Ball(std::span<const Value>, std::span<const Word>)>;

// The largest ln of a ratio of probabilities, over all reports and pairs of records.
double largest_loss(const Records& records, const Probability& probability) {
  const auto every = every_record(records);
  const std::vector<Word> reports = *records.outcomes();
  const std::size_t words = records.constants().words;
  double most = 0;
  for (std::size_t at = 0; at < reports.size(); at += words) {
    double low = INFINITY, high = 0;
    for (const auto& record : every) {
      const double p = probability(record, {&reports[at], words}).middle();
      low = std::min(low, p), high = std::max(high, p);
    }
    most = std::max(most, std::log(high / low));
  }
  return most;
}

TEST(Records, TheWholeRecordCostsEpsilon) {
  for (const By by : {By::kSampling, By::kSplitting}) {
    const auto records = make(Rational(3, 2), {2, 3, 4}, by);
    EXPECT_EQ(records->constants().epsilon, Rational(3, 2));
    const Probability honest = [&](std::span<const Value> record, std::span<const Word> report) {
      return records->probability(record, report, kBits);
    };
    EXPECT_NEAR(largest_loss(*records, honest), 1.5, 1e-12) << name_of(by);
    // all reports of a record are all there are
    for (const auto& record : every_record(*records)) {
      const std::vector<Word> reports = *records->outcomes();
      const std::size_t words = records->constants().words;
      Ball sum;
      for (std::size_t at = 0; at < reports.size(); at += words)
        sum = add(sum, honest(record, {&reports[at], words}), kBits);
      EXPECT_NEAR(sum.middle(), 1, 1e-30);
    }
  }
}

TEST(Records, TwinsThatSpendTooMuchAreSeen) {
  // everyone reports all attributes with the whole ε each
  const auto records = make(3, {2, 2}, By::kSplitting);  // 3/2 each: a twin that promised 3/2
  EXPECT_GT(largest_loss(*records,
                         [&](auto record, auto report) {
                           return records->probability(record, report, kBits);
                         }),
            1.5 + 1e-6);
  // the attribute depends on the record: the second is more often chosen where it is 1
  const auto sampled = make(1, {2, 2}, By::kSampling);
  EXPECT_GT(largest_loss(*sampled,
                         [&](std::span<const Value> record, std::span<const Word> report) {
                           const bool likely = record[1] == report[0];
                           return mul(sampled->probability(record, report, kBits),
                                      Ball(Rational(likely ? 3 : 1, 2), kBits), kBits);
                         }),
            1 + 0.5);
}

TEST(Records, ClientsSayWhatProbabilitySays) {
  for (const By by : {By::kSampling, By::kSplitting}) {
    const auto records = make(1, {2, 3}, by);
    const std::vector<Word> reports = *records->outcomes();
    const std::size_t words = records->constants().words;
    const std::vector<Value> record = {1, 2};
    constexpr std::size_t kPeople = 40'000;
    std::vector<Value> people;
    for (std::size_t i = 0; i < kPeople; ++i)
      people.insert(people.end(), record.begin(), record.end());
    std::vector<Word> told(kPeople * words);
    Seeded source(15);
    ASSERT_TRUE(records->perturb(people, source, told));
    std::vector<double> counts(reports.size() / words), right, wrong;
    for (std::size_t at = 0; at < told.size(); at += words)
      for (std::size_t r = 0; r < counts.size(); ++r)
        if (std::equal(&told[at], &told[at] + words, &reports[r * words])) ++counts[r];
    const auto other = make(Rational(11, 10), {2, 3}, by);
    for (std::size_t r = 0; r < counts.size(); ++r) {
      right.push_back(records->probability(record, {&reports[r * words], words}, kBits).middle());
      wrong.push_back(other->probability(record, {&reports[r * words], words}, kBits).middle());
    }
    EXPECT_GT(random::testing::goodness_of_fit(counts, right), kFalseAlarm) << name_of(by);
    EXPECT_LT(random::testing::goodness_of_fit(counts, wrong), kFalseAlarm) << name_of(by);
  }
}

TEST(Records, LinesReadBackAndOthersAreRefused) {
  for (const By by : {By::kSampling, By::kSplitting}) {
    const auto records = make(1, {2, 11, 3}, by);
    const std::size_t words = records->constants().words;
    const std::vector<Word> reports = *records->outcomes();
    for (std::size_t at = 0; at < reports.size(); at += words) {
      const std::span<const Word> report(&reports[at], words);
      std::string line;
      records->write(report, line);
      std::vector<Word> again(words, 77);
      ASSERT_EQ(records->read(line, again), Fault::kNone) << line;
      EXPECT_TRUE(std::equal(again.begin(), again.end(), report.begin())) << line;
    }
  }
  const auto sampling = make(1, {2, 11, 3}, By::kSampling);
  const auto splitting = make(1, {2, 11, 3}, By::kSplitting);
  struct Case {
    const Records& records;
    std::string_view line;
    Fault fault;
  };
  for (const Case& each :
       std::initializer_list<Case>{{*sampling, "", Fault::kMalformed},
                                   {*sampling, "junk", Fault::kMalformed},
                                   {*sampling, "1", Fault::kWrongLength},
                                   {*sampling, "3\t1", Fault::kOutOfRange},
                                   {*sampling, "0\t2", Fault::kOutOfRange},
                                   {*sampling, "1 10", Fault::kMalformed},
                                   {*sampling, "1\t11", Fault::kOutOfRange},
                                   {*sampling, "-1\t0", Fault::kMalformed},
                                   {*sampling, "1\t", Fault::kMalformed},
                                   {*sampling, "01\t1", Fault::kMalformed},
                                   {*sampling, "1\t1\t1", Fault::kMalformed},
                                   {*sampling, "99999999999999999999999999\t1", Fault::kOutOfRange},
                                   {*splitting, "1\t10\t2", Fault::kNone},
                                   {*splitting, "1\t10", Fault::kWrongLength},
                                   {*splitting, "1\t10\t2\t0", Fault::kWrongLength},
                                   {*splitting, "1\t10\t3", Fault::kOutOfRange},
                                   {*splitting, "\t\t", Fault::kMalformed},
                                   {*splitting, "", Fault::kWrongLength}}) {
    std::vector<Word> report(each.records.constants().words);
    EXPECT_EQ(each.records.read(each.line, report), each.fault) << each.line;
  }
}

// n people of whom so many hold 1 in each of m attributes of two values.
State collected(const Records& records, std::size_t people, std::size_t holders,
                random::Source& source) {
  const std::size_t m = records.attributes();
  std::vector<Value> values;
  for (std::size_t i = 0; i < people; ++i)
    values.insert(values.end(), m, static_cast<Value>(i < holders));
  std::vector<Word> reports(people * records.constants().words);
  EXPECT_TRUE(records.perturb(values, source, reports));
  State state(records);
  records.count(reports, state.counters);
  state.users = people;
  return state;
}

// The sum of (error/stderr)² over repeated collections is χ², if error bars are what they say: as a
// two-sided p-value. `twin` forgets that those who reported an attribute are a sample.
double error_bars_fit(By by, bool twin) {
  constexpr std::size_t kPeople = 3000, kTimes = 150;
  const double truth = 0.3;
  const auto records = make(4, {2, 2, 2}, by);
  Seeded source(7);
  double sum = 0;
  for (std::size_t time = 0; time < kTimes; ++time) {
    const State state = collected(*records, kPeople, kPeople * 3 / 10, source);
    // one attribute a collection: those of one are not independent of each other
    const Estimate estimate = (*records->estimate(state, {}))[time % 3];
    double variance = estimate.stderr_[1] * estimate.stderr_[1];
    if (twin) variance -= sample_variance(estimate.distribution[1], estimate.users, kPeople);
    sum += std::pow(estimate.distribution[1] - truth, 2) / variance;
  }
  const double above = random::testing::chi_square_tail(sum, kTimes);
  return 2 * std::min(above, 1 - above);
}

TEST(Records, ErrorBarsKnowThatPeopleWereSampled) {
  EXPECT_GT(error_bars_fit(By::kSampling, false), kFalseAlarm);
  EXPECT_GT(error_bars_fit(By::kSplitting, false), kFalseAlarm);
  EXPECT_LT(error_bars_fit(By::kSampling, true), kFalseAlarm);
}

TEST(Records, SampleVarianceIsThatOfDrawingWithoutReplacement) {
  // 4 people, 2 of them hold v, 2 are drawn: the share is 0, 1/2, 1 with probability 1/6, 4/6, 1/6
  EXPECT_NEAR(sample_variance(0.5, 2, 4), (1.0 / 6) * 0.25 * 2, 1e-15);
  EXPECT_EQ(sample_variance(0.5, 4, 4), 0);
  // of two who don't hold it, four more of whom two do: f = 2/6
  EXPECT_NEAR(sample_variance(-0.1, 2, 4), (1.0 / 3) * (2.0 / 3) / 2 * 2 / 3, 1e-15);
}

TEST(Records, EveryProtocolOfFrequenciesIsUnbiased) {
  for (const Entry& entry : registry()) {
    if (entry.task != Task::kFrequencies) continue;
    for (const By by : {By::kSampling, By::kSplitting}) {
      auto records = Records::create(entry, {.epsilon = 4}, {2, 2}, by);
      ASSERT_TRUE(records) << entry.name << ": " << records.error().text();
      Seeded source(3);
      State state = collected(**records, 20'000, 5000, source);
      const auto estimates = *(*records)->estimate(state, {});
      for (const Estimate& estimate : estimates)
        EXPECT_LT(std::abs(estimate.distribution[1] - 0.25), 5 * estimate.stderr_[1]) << entry.name;
      // no attribute is the other's
      State none((*records)->attribute(1));
      EXPECT_EQ((*records)->state_of(1, state).of, none.of);
    }
  }
}

TEST(Records, StatesMergeAndOthersDoNot) {
  const auto records = make(1, {2, 3}, By::kSampling);
  Seeded source(1);
  std::vector<Word> report(records->constants().words);
  State here(*records), there(*records);
  for (State* state : {&here, &there}) {
    ASSERT_TRUE(records->perturb(std::vector<Value>{1, 2}, source, report));
    records->count(report, state->counters);
    ++state->users;
  }
  ASSERT_TRUE(here.merge(there));
  EXPECT_EQ(here.counters[0] + here.counters[1], 2);
  const auto other = make(1, {3, 2}, By::kSampling);
  State reversed(*other);
  EXPECT_FALSE(here.merge(reversed));
  State split(*make(1, {2, 3}, By::kSplitting));
  EXPECT_FALSE(here.merge(split));
  EXPECT_TRUE(State::read("state", here.serialise())->check("state", *records));
  // words that no report has: an attribute there isn't, something behind the attribute's own
  for (const std::vector<Word>& words : {std::vector<Word>{99, 0}, {1, 3}, {0, 2}}) {
    State hostile(*records);
    hostile.keeps = true;
    hostile.users = 1;
    hostile.reports = words;
    EXPECT_FALSE(hostile.check("state", *records));
  }
}

TEST(Records, MistakesAreNamed) {
  const Entry& flat = *find("flat");
  EXPECT_FALSE(Records::create(flat, {.epsilon = 1}, {}, By::kSampling));
  EXPECT_FALSE(Records::create(flat, {.epsilon = 1}, {2, 1}, By::kSampling));
  EXPECT_FALSE(Records::create(flat, {}, {2, 2}, By::kSampling));
  EXPECT_FALSE(read_by("halves"));
  const auto records = make(1, {2, 3}, By::kSampling);
  std::vector<Word> report(records->constants().words);
  random::testing::Failing source(0);  // values are looked at before anything is drawn
  const Status wrong = records->perturb(std::vector<Value>{1, 3}, source, report);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().text(),
            "value: attribute 2: found a value that is not in its domain; accepted is a number "
            "from 0 to 2");
}

}  // namespace
}  // namespace discreet::local
