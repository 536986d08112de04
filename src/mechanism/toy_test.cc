// What it takes to add a mechanism: this file, and one line in registry.cc (which a toy doesn't
// get). The median of a set of rows is a kind of input, has a parameter and a distribution that no
// other mechanism has, and yet passes every check that is made of entries.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/mechanism/entry.h"
#include "discreet/mechanism/exponential.h"
#include "discreet/mechanism/testing/entry_checks.h"

namespace discreet::mechanism {
namespace {

constexpr Parameter kHighest{.name = "highest",
                             .kind = ParameterKind::kWhole,
                             .help = "outputs are 0, 1, …, this",
                             .most = 1000};

// The exponential mechanism over 0 … highest; a candidate's score is minus the number of rows that
// are between it and the middle, which a row that comes or goes changes by 1/2 at most.
class Median : public Mechanism, protected Door {
 public:
  Median(const Rational& epsilon, std::int64_t highest, Rational promised)
      : epsilon_(epsilon), highest_(highest), promised_(std::move(promised)) {}

  privacy::Guarantee guarantee() const override { return {promised_, 0}; }
  privacy::Event event() const override { return Exponential::event_at(promised_); }
  Result<Pmf> pmf(const Value& input, const Window&) const override {
    const Rows rows = TRY(value_as<Rows>("rows", input));
    const Exponential exponential = TRY(chooser());
    const std::vector<Ball> chances = exponential.pmf(scores(rows), 128);
    Pmf out;
    for (std::size_t i = 0; i < chances.size(); ++i) out.rows.push_back({output(i), chances[i]});
    return out;
  }
  Result<Accuracy> accuracy(const std::optional<Value>& input,
                            const Rational& beta) const override {
    const Rows rows = TRY(value_as<Rows>("rows", input.value_or(Rational(0))));
    const Exponential exponential = TRY(chooser());
    const std::vector<std::int64_t> twice = scores(rows);
    return Accuracy{selection_accuracy(twice, exponential.pmf(twice, 128), beta).get_d() / 2};
  }
  Result<Answer> release(const Exact<Value>& input, random::Source& source) const override {
    const Rows rows = TRY(value_as<Rows>("rows", open(input)));
    const Exponential exponential = TRY(chooser());
    auto chosen = TRY(
        exponential.release(Exact<std::vector<std::int64_t>>::from_private(scores(rows)), source));
    return Answer{output(chosen.value())};
  }
  Result<std::vector<Value>> neighbours(const Value& input) const override {
    Rows low = TRY(value_as<Rows>("rows", input)), high = low;
    low.push_back({0}), high.push_back({Rational(Integer(static_cast<long>(highest_)))});
    return std::vector<Value>{low, high};
  }

 private:
  static Value output(std::size_t i) { return Rational(Integer(static_cast<unsigned long>(i))); }
  Result<Exponential> chooser() const {
    return Exponential::create(
        {.epsilon = epsilon_,
         .sensitivity = 1,
         .candidates = Candidates::numbered(static_cast<std::size_t>(highest_) + 1)});
  }
  // In halves: −|rows below − rows above|.
  std::vector<std::int64_t> scores(const Rows& rows) const {
    std::vector<std::int64_t> out;
    for (long z = 0; z <= highest_; ++z) {
      std::int64_t balance = 0;
      for (const Numbers& row : rows) balance += (row.at(0) < z ? 1 : 0) - (row.at(0) > z ? 1 : 0);
      out.push_back(-std::abs(balance));
    }
    return out;
  }

  Rational epsilon_;
  std::int64_t highest_;
  Rational promised_;
};

Result<MechanismPointer> make(const Parameters& p) {
  return std::make_unique<Median>(*p.number("epsilon"), *p.whole("highest"), *p.number("epsilon"));
}
// Twice the ε that it promises.
Result<MechanismPointer> make_broken(const Parameters& p) {
  return std::make_unique<Median>(2 * *p.number("epsilon"), *p.whole("highest"),
                                  *p.number("epsilon"));
}

// Tells nobody's rows from somebody's.
class OfSomebody final : public Median {
 public:
  using Median::Median;
  Result<Answer> release(const Exact<Value>& input, random::Source& source) const override {
    if (TRY(value_as<Rows>("rows", open(input))).empty())
      return bad_parameter("rows", "there are none");
    return Median::release(input, source);
  }
};
Result<MechanismPointer> make_of_somebody(const Parameters& p) {
  return std::make_unique<OfSomebody>(*p.number("epsilon"), *p.whole("highest"),
                                      *p.number("epsilon"));
}

Entry median_entry() {
  return {.name = "median",
          .title = "The middle of a set of rows",
          .deck = "",
          .input = {"rows", Kind::kRows, "a file with one row a line"},
          .output = Kind::kNumber,
          .parameters = {required(kEpsilon), required(kHighest)},
          .example = "--rows rows.csv --highest 10 --epsilon 1",
          .trials = {{{{"epsilon", 1}, {"highest", 10}},
                      {Rows{{2}, {3}, {3}, {7}, {9}}, Rows{{0}, {10}}, Rows(20, {4}), Rows{}}}},
          .accuracy_of_input = true,
          .accuracy_is_private = true,
          .maker = make};
}

TEST(AddingAMechanism, TakesOneFile) { testing::check_entry(median_entry()); }

// How many expectations fail in a check. They are meant to: --gtest_break_on_failure doesn't stop
// at them.
int failures_of(void (*check)(const Entry&), const Entry& entry) {
  const bool stops = GTEST_FLAG_GET(break_on_failure);
  GTEST_FLAG_SET(break_on_failure, false);
  ::testing::TestPartResultArray failures;
  const ::testing::ScopedFakeTestPartResultReporter kept(
      ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
  check(entry);
  GTEST_FLAG_SET(break_on_failure, stops);
  return failures.size();
}

// A check that can't fail proves nothing: with twice the ε that it promises, the same entry fails.
TEST(AddingAMechanism, TheChecksCatchABrokenOne) {
  Entry broken = median_entry();
  broken.maker = make_broken;
  for (const auto& check : {testing::check_guarantee, testing::check_event})
    EXPECT_GT(failures_of(check, broken), 0);
}

// … and one that shows what it computes from private rows to anybody, or refuses when there are
// none.
TEST(AddingAMechanism, TheChecksCatchOneThatTells) {
  Entry telling = median_entry();
  EXPECT_EQ(failures_of(testing::check_accuracy, telling), 0);
  telling.accuracy_is_private = false;
  EXPECT_GT(failures_of(testing::check_accuracy, telling), 0);
  Entry choosy = median_entry();
  EXPECT_EQ(failures_of(testing::check_inputs, choosy), 0);
  choosy.maker = make_of_somebody;
  EXPECT_GT(failures_of(testing::check_inputs, choosy), 0);
  Entry untried = median_entry();
  untried.trials[0].inputs.pop_back();  // nobody's rows
  EXPECT_GT(failures_of(testing::check_inputs, untried), 0);
}

}  // namespace
}  // namespace discreet::mechanism
