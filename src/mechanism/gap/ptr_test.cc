#include "discreet/mechanism/gap/ptr.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "discreet/mechanism/gap/bounded_change.h"
#include "discreet/mechanism/testing/privacy_check.h"
#include "discreet/mechanism/testing/small_data.h"
#include "discreet/random/testing/chi_square.h"
#include "discreet/random/testing/sources.h"

namespace discreet::mechanism::gap {
namespace {

using mechanism::testing::all_data;
using mechanism::testing::all_neighbours;
using mechanism::testing::SmallData;
using privacy::Relation;

constexpr std::int64_t kHighest = 3;
constexpr long kBits = 192;

std::vector<Statistic> statistics() {
  return {*Statistic::create(StatisticKind::kQuantile, Rational(1, 2)),
          *Statistic::create(StatisticKind::kQuantile, Rational(9, 10)),
          *Statistic::create(StatisticKind::kInterquartileRange),
          *Statistic::create(StatisticKind::kTrimmedMean, 0),
          *Statistic::create(StatisticKind::kTrimmedMean, Rational(1, 4)),
          *Statistic::create(StatisticKind::kTrimmedMean, Rational(2, 5))};
}

using Change = std::function<Rational(const Ordered& rows, std::int64_t k)>;

// How often T_0 is below a change, or T_k above a neighbour's T_k+1.
struct Found {
  int too_small = 0, not_nested = 0;
};
Found search(const Statistic& statistic, const Unit& unit, std::size_t most, const Change& change) {
  constexpr std::int64_t kSteps = 7;
  const Range range = *Range::create(0, kHighest);
  struct Known {
    Rational value;
    std::vector<Rational> change;
  };
  std::map<SmallData, Known> known;
  const auto at = [&](const SmallData& data) -> const Known& {
    const auto found = known.find(data);
    if (found != known.end()) return found->second;
    const Ordered rows = Ordered::of(data, range);
    Known out{statistic.value(rows), {}};
    for (std::int64_t k = 0; k <= kSteps; ++k) out.change.push_back(change(rows, k));
    return known[data] = std::move(out);
  };
  Found out;
  for (const SmallData& data : all_data(kHighest, most)) {
    const Known here = at(data);
    for (const SmallData& other : all_neighbours(data, kHighest, unit)) {
      const Known& there = at(other);
      out.too_small += here.change[0] < abs(here.value - there.value) ? 1 : 0;
      for (std::size_t k = 0; k + 1 < here.change.size(); ++k) {
        out.not_nested += here.change[k] > there.change[k + 1] ? 1 : 0;
        out.not_nested += there.change[k] > here.change[k + 1] ? 1 : 0;
      }
    }
  }
  return out;
}

TEST(Statistic, ChangesAreBoundedAndNested) {
  for (const Statistic& statistic : statistics()) {
    for (const Relation relation : {Relation::kAddRemove, Relation::kSubstitute}) {
      for (const std::int64_t rows : {1, 2}) {
        const Unit unit{rows, relation};
        const Found found = search(
            statistic, unit, rows == 1 ? 6 : 4,
            [&](const Ordered& data, std::int64_t k) { return statistic.change(data, unit, k); });
        EXPECT_EQ(found.too_small, 0) << static_cast<int>(statistic.kind()) << " " << rows;
        EXPECT_EQ(found.not_nested, 0) << static_cast<int>(statistic.kind()) << " " << rows;
      }
    }
  }
}

TEST(Statistic, BrokenTwinsAreCaught) {
  const std::vector<Statistic> all = statistics();
  for (const Statistic& statistic : all) {
    const Unit one{}, two{2}, substitute{1, Relation::kSubstitute};
    // units of two rows taken for units of one (trimmed means of small sets have slack)
    const Change by_one = [&](const Ordered& rows, std::int64_t k) {
      return statistic.change(rows, one, k);
    };
    const std::int64_t index = &statistic - all.data();
    if (index <= 3) {
      const Found found = search(statistic, two, 4, by_one);
      EXPECT_GT(found.too_small + found.not_nested, 0) << index;
    }
    // substitution taken for add-remove (a small set's 9/10 is its greatest value, which
    // substitution moves no further; a mean's sets have the same range all along)
    if (index == 0 || index == 2) {
      const Found found = search(statistic, substitute, 5, by_one);
      EXPECT_GT(found.too_small + found.not_nested, 0) << index;
    }
    // the same change at all distances
    const Change local = [&](const Ordered& rows, std::int64_t) {
      return statistic.change(rows, one, 0);
    };
    EXPECT_GT(search(statistic, one, 5, local).not_nested, 0);
    // a little less
    const Change less = [&](const Ordered& rows, std::int64_t k) -> Rational {
      return statistic.change(rows, one, k) * Rational(k == 0 ? 3 : 5, 5);
    };
    EXPECT_GT(search(statistic, one, 5, less).too_small, 0);
  }
}

TEST(Statistic, Values) {
  const Ordered rows = Ordered::of({1, 2, 3, 10, 50}, *Range::create(0, 100));
  EXPECT_EQ(statistics()[0].value(rows), 3);
  EXPECT_EQ(statistics()[1].value(rows), 50);
  EXPECT_EQ(statistics()[2].value(rows), 8);
  EXPECT_EQ(statistics()[3].value(rows), Rational(66, 5));
  EXPECT_EQ(statistics()[4].value(rows), 5);
  EXPECT_EQ(statistics()[5].value(rows), 3);
  for (const Statistic& statistic : statistics()) {
    const std::int64_t until = statistic.units_until(rows, Unit{}, 20);
    EXPECT_GT(statistic.change(rows, Unit{}, until), 20);
    if (until > 0) {
      EXPECT_LE(statistic.change(rows, Unit{}, until - 1), 20);
    }
    EXPECT_EQ(statistic.units_until(rows, Unit{}, 100), kNever);
    EXPECT_EQ(statistic.value(Ordered::of({}, *Range::create(0, 9))), 0);
  }
  EXPECT_FALSE(Statistic::create(StatisticKind::kTrimmedMean, Rational(1, 2)).has_value());
  EXPECT_FALSE(Statistic::create(StatisticKind::kQuantile, 2).has_value());
}

BoundedChange made(const Statistic& statistic, const Rational& bound, const Unit& unit,
                   const Rational& test_epsilon = 1) {
  return *BoundedChange::create({.test = {test_epsilon, Rational(1, 100)},
                                 .epsilon = Rational(1, 2),
                                 .statistic = statistic,
                                 .bound = bound,
                                 .range = *Range::create(0, kHighest),
                                 .unit = unit});
}

// The exact distribution where the test sees `more` than it should, and the noise is for a bound so
// many times as large.
std::vector<Ball> distribution(const BoundedChange& mechanism, const Ordered& rows,
                               std::int64_t more, const Rational& larger) {
  const Ball told = mechanism.test().probability(mechanism.distance(rows) + more, kBits);
  random::ScaledNoise noise = mechanism.distribution(rows);
  noise.scale = [scale = Rational(mechanism.scale() * larger)](long bits) {
    return Ball(scale, bits);
  };
  const Range range = mechanism.values();
  std::vector<Ball> out{sub(Ball(1), told, kBits)};
  for (std::int64_t z = range.low; z <= range.high; ++z)
    out.push_back(mul(told, noise.probability(z, {range.low, range.high}, kBits), kBits));
  return out;
}

double worst_delta(const BoundedChange& mechanism, std::size_t most, std::int64_t more,
                   const Rational& larger, bool from_above) {
  const Range& range = mechanism.parameters().range;
  std::map<SmallData, std::vector<Ball>> known;
  const auto at = [&](const SmallData& data) -> const std::vector<Ball>& {
    auto& out = known[data];
    if (out.empty()) out = distribution(mechanism, Ordered::of(data, range), more, larger);
    return out;
  };
  const Rational epsilon = mechanism.guarantee().epsilon;
  double out = 0;
  for (const SmallData& data : all_data(kHighest, most)) {
    const std::vector<Ball> here = at(data);
    for (const SmallData& other : all_neighbours(data, kHighest, mechanism.parameters().unit)) {
      out = std::max(out, from_above ? mechanism::testing::delta_above(here, at(other), epsilon)
                                     : mechanism::testing::delta_below(here, at(other), epsilon));
    }
  }
  return out;
}

TEST(BoundedChange, KeepsItsGuaranteeOnAllSmallDataSets) {
  for (const Statistic& statistic : statistics()) {
    for (const Relation relation : {Relation::kAddRemove, Relation::kSubstitute}) {
      for (const Rational& bound : {Rational(1, 10), Rational(1), Rational(3, 2)}) {
        const BoundedChange mechanism = made(statistic, bound, Unit{1, relation});
        EXPECT_LE(worst_delta(mechanism, 5, 0, 1, true), 0.01 + 1e-16);
        EXPECT_LE(worst_delta(made(statistic, bound, Unit{2, relation}, 4), 3, 0, 1, true),
                  0.01 + 1e-16);
      }
    }
  }
}

// D + 1 is the most that the test may see: at D + 2 a pair that is nothing like Y passes too often.
// With ε1 = 4 the test's own margin, of one step, is worth e^4.
TEST(BoundedChange, BrokenTwinsAreCaught) {
  for (const Statistic& statistic : statistics()) {
    const Rational bound(1, 10);
    const BoundedChange mechanism = made(statistic, bound, Unit{}, Rational(3, 2));
    EXPECT_LE(worst_delta(mechanism, 5, 0, 1, true), 0.01);
    EXPECT_GT(worst_delta(mechanism, 5, 1, 1, false), 0.01) << static_cast<int>(statistic.kind());
  }
  // noise for a third of the bound, where the test passes surely
  const BoundedChange mechanism = made(statistics()[0], 3, Unit{});
  EXPECT_GT(mechanism.distance(Ordered::of({1}, {0, 3})), kNever);
  EXPECT_GT(worst_delta(mechanism, 4, 0, Rational(1, 4), false), 0.01);
}

TEST(BoundedChange, ReleasesByItsDistribution) {
  const Range range = *Range::create(0, 10);
  const BoundedChange mechanism = *BoundedChange::create(
      {.test = {1, Rational(1, 10)},
       .epsilon = 1,
       .statistic = *Statistic::create(StatisticKind::kTrimmedMean, Rational(1, 4)),
       .bound = 1,
       .range = range});
  EXPECT_EQ(mechanism.guarantee(), (privacy::Guarantee{2, Rational(1, 10)}));
  const Ordered rows = Ordered::of({2, 4, 4, 5, 5, 5, 6, 6, 7, 9, 4, 5, 5, 6, 5, 5, 4}, range);
  random::testing::Seeded source(1);
  std::vector<double> counts(12), expected;
  const auto exact = Exact<Ordered>::from_private(rows);
  for (int i = 0; i < 10000; ++i) {
    const auto told = mechanism.release(exact, source)->value();
    counts[told ? static_cast<std::size_t>(*told) + 1 : 0] += 1;
  }
  for (const Ball& chance : distribution(mechanism, rows, 0, 1))
    expected.push_back(chance.middle());
  EXPECT_GT(counts[0], 100);
  EXPECT_GT(counts[6], 100);
  EXPECT_GT(random::testing::goodness_of_fit(counts, expected), random::testing::kFalseAlarm);
  expected.clear();
  for (const Ball& chance : distribution(mechanism, rows, 1, 1))
    expected.push_back(chance.middle());
  EXPECT_LT(random::testing::goodness_of_fit(counts, expected), random::testing::kFalseAlarm);
}

TEST(BoundedChange, ErrorsAreWithinWhatIsStated) {
  for (const Statistic& statistic : statistics()) {
    const BoundedChange mechanism = *BoundedChange::create({.test = {1, Rational(1, 10)},
                                                            .epsilon = 1,
                                                            .statistic = statistic,
                                                            .bound = 4,
                                                            .range = *Range::create(-1000, 1000)});
    const Ordered rows = Ordered::of({1, 2, 2, 4, 9, 11, 12}, {-1000, 1000});
    const random::ScaledNoise noise = mechanism.distribution(rows);
    for (const Rational& beta : {Rational(1, 2), Rational(1, 20)}) {
      const Rational error = mechanism.error(beta);
      double within = 0, within_less = 0;
      for (std::int64_t z = -900; z <= 900; ++z) {
        const double chance = noise.probability(z, {-1000, 1000}, 128).middle();
        const Rational off = abs(Rational(Integer(static_cast<long>(z))) - noise.centre);
        if (off <= error) within += chance;
        if (off <= error - 2) within_less += chance;
      }
      EXPECT_GE(within, 1 - beta.get_d() - 1e-12);
      EXPECT_LT(within_less, 1 - beta.get_d());
    }
  }
}

// The general form, with a distance and a mechanism of one's own: a count of rows, told as it is
// where it is at least 10. On Y = {10 rows and more, whose number nobody minds} it isn't private;
// one that tells only "many" is.
TEST(ProposeTestRelease, TellsByTheMechanismOrNothing) {
  const ProposeTestRelease ptr = *ProposeTestRelease::create(
      {.test = {1, Rational(1, 1000)}, .release = {Rational(1, 2), Rational(1, 100)}});
  EXPECT_EQ(ptr.guarantee(), (privacy::Guarantee{Rational(3, 2), Rational(1, 100)}));
  const auto distance = [](const SmallData& rows) {
    return std::max<std::int64_t>(0, static_cast<std::int64_t>(rows.size()) - 9);
  };
  int asked = 0;
  const auto many = [&](const SmallData&, random::Source&) -> Result<std::string> {
    ++asked;
    return std::string("many");
  };
  random::testing::Seeded source(1);
  const auto told =
      ptr.release(Exact<SmallData>::from_private(SmallData(200)), distance, many, source);
  EXPECT_EQ(told->value(), "many");
  EXPECT_EQ(told->guarantee(), ptr.guarantee());
  const auto kept =
      ptr.release(Exact<SmallData>::from_private(SmallData(3)), distance, many, source);
  EXPECT_EQ(kept->value(), std::nullopt);
  EXPECT_EQ(asked, 1);
  const auto failing = [](const SmallData&, random::Source&) -> Result<std::string> {
    return fail(Code::kFailure, "no");
  };
  EXPECT_FALSE(
      ptr.release(Exact<SmallData>::from_private(SmallData(200)), distance, failing, source)
          .has_value());
}

}  // namespace
}  // namespace discreet::mechanism::gap
