// Which way a choice is released, and that what is expected of each is what its mechanism does.
#include "discreet/plan/methods.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "discreet/mechanism/gap/bounded_change.h"
#include "discreet/mechanism/gap/smooth_quantile.h"
#include "discreet/mechanism/gap/threshold.h"

namespace discreet::plan {
namespace {

namespace gap = mechanism::gap;

const AggregateRow& row(std::string_view name) {
  const auto& all = aggregates().rows();
  return *std::find_if(all.begin(), all.end(),
                       [&](const AggregateRow& one) { return one.form.name == name; });
}

Aggregate quantile(Type type = Type::kDouble, std::string method = {}) {
  Aggregate out;
  out.form = &row("QUANTILE").form;
  out.arg = sql::column(0, type);
  out.bounds = Interval{0, 1000};
  out.share = Rational(1, 2);
  out.method = std::move(method);
  return out;
}

Aggregate mode(std::optional<std::size_t> values) {
  Aggregate out;
  out.form = &row("MODE").form;
  out.arg = sql::column(0, Type::kInt);
  if (values) {
    out.arg->domain.emplace();
    for (std::size_t i = 0; i < *values; ++i)
      out.arg->domain->push_back(Value::integer(static_cast<std::int64_t>(i)));
  }
  return out;
}

Method chosen(const Aggregate& one, const Means& means) {
  auto method = choose_method(one, row(one.form->name), means);
  EXPECT_TRUE(method) << (method ? "" : method.error().text());
  return method ? *method : Method{};
}

double expected(const Method& method, Noise way) {
  for (const Prospect& one : method.prospects)
    if (one.way == way) return one.error;
  return -1;
}

const Rational kDelta(1, 1000000);

TEST(Methods, TheLeastExpectedErrorIsTaken) {
  for (const Rational& epsilon : {Rational(1, 10), Rational(1), Rational(10)}) {
    const Method method = chosen(quantile(), {.epsilon = epsilon, .delta = kDelta});
    for (const Prospect& one : method.prospects)
      EXPECT_LE(expected(method, method.way), one.error) << epsilon;
  }
  EXPECT_EQ(chosen(quantile(), {.epsilon = 1, .delta = kDelta}).way, Noise::kExponential);
  // Many people, whose values lie between the leaves that the exponential mechanism chooses among.
  EXPECT_EQ(chosen(quantile(), {.epsilon = 10, .delta = kDelta, .units = 100'000}).way,
            Noise::kSmooth);
  // Of whole numbers each has a leaf of its own.
  EXPECT_EQ(chosen(quantile(Type::kInt), {.epsilon = 1000, .delta = kDelta}).way,
            Noise::kExponential);
}

TEST(Methods, WhatIsAskedForIsTaken) {
  for (const char* name : {"exponential", "smooth", "propose-test-release"}) {
    const Method method = chosen(quantile(Type::kDouble, name), {.epsilon = 1, .delta = kDelta});
    EXPECT_EQ(name_of(method.way), name);
    EXPECT_TRUE(method.asked);
  }
  const Means pure{.epsilon = 1, .delta = 0};
  EXPECT_TRUE(chosen(quantile(Type::kDouble, "smooth"), pure).pure);
  const auto refused =
      choose_method(quantile(Type::kDouble, "propose-test-release"), row("QUANTILE"), pure);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUsage);
}

// A share that smooth sensitivity can't take, in whole numbers of 64 bits, is still answered.
TEST(Methods, WhatIsNotPossibleIsLeftOut) {
  Aggregate fine = quantile();
  fine.share = Rational(1, Integer("10000000000000000000000"));
  const Means means{.epsilon = 1, .delta = kDelta};
  EXPECT_EQ(chosen(fine, means).way, Noise::kExponential);
  EXPECT_EQ(chosen(fine, means).prospects.size(), 1U);
  for (const char* method : {"smooth", "propose-test-release"}) {
    fine.method = method;
    const auto refused = choose_method(fine, row("QUANTILE"), means);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kRefused) << refused.error().text();
  }
}

TEST(Methods, ALongListIsNoBetterThanNone) {
  EXPECT_EQ(chosen(mode(10), {.epsilon = 1, .delta = kDelta}).way, Noise::kExponential);
  EXPECT_EQ(chosen(mode(10), {.epsilon = 1, .delta = 0}).way, Noise::kExponential);
  EXPECT_EQ(chosen(mode(3'000'000), {.epsilon = 1, .delta = kDelta}).way, Noise::kStable);
  EXPECT_EQ(chosen(mode(std::nullopt), {.epsilon = 1, .delta = kDelta}).way, Noise::kStable);
  EXPECT_FALSE(choose_method(mode(std::nullopt), row("MODE"), {.epsilon = 1, .delta = 0}));
}

// On the data that are assumed: the error that its own distribution has.
TEST(Methods, ExpectedErrorsAreThoseOfTheMechanisms) {
  const gap::Range range = *gap::Range::create(0, 1 << 20);
  std::vector<std::int64_t> rows;
  for (int i = 0; i < 300; ++i)
    rows.push_back(static_cast<std::int64_t>((0.25 + 0.5 * (i + 0.5) / 300) * (1 << 20)));
  const gap::Ordered ordered = gap::Ordered::of(rows, range);
  for (const std::int64_t at_most : {1, 3}) {
    const Means means{.epsilon = 2, .delta = 0, .rows = at_most, .groups = 2, .units = 300};
    const auto mechanism = *gap::SmoothQuantile::create(
        {.noise = {.epsilon = 1}, .range = range, .unit = {.rows = at_most}});
    const double exact = static_cast<double>(mechanism.error(ordered, Rational(1, 20))) / (1 << 20);
    const double said = expected(chosen(quantile(), means), Noise::kSmooth);
    if (exact < 0.5) {  // clamping to the range makes it smaller still
      EXPECT_NEAR(said, exact, 0.1 * exact) << at_most;
    }
    EXPECT_GE(said, 0.9 * exact);
  }
  // Of the bound that is proposed, tests pass on these data.
  const double share = proposed_share(1, kDelta, 1, 300);
  const auto proposed = *gap::BoundedChange::create(
      {.test = {Rational(1, 2), kDelta},
       .epsilon = Rational(1, 2),
       .statistic = *gap::Statistic::create(gap::StatisticKind::kQuantile, Rational(1, 2)),
       .bound = Rational(static_cast<long>(share * (1 << 20))),
       .range = range});
  EXPECT_GE(proposed.test().probability(proposed.distance(ordered), 128).middle(), 0.95);
}

}  // namespace
}  // namespace discreet::plan
