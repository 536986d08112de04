// Histograms of units: what one unit changes in them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "discreet/bound/bounder.h"
#include "discreet/bound/testing/rows.h"

namespace discreet::bound {
namespace {

using testing::Columns;
using testing::Opened;
using testing::Row;
using testing::secret_of;
using testing::simple_shape;
using testing::some_rows;

constexpr unsigned kShareBits = 20;
constexpr std::int64_t kWholeUnit = std::int64_t{1} << kShareBits;

Shape tallied_shape(std::uint32_t groups, std::uint32_t rows, std::uint32_t total) {
  Shape shape = simple_shape(groups, rows);
  shape.max_total = total;
  for (const Tally::Kind kind : {Tally::Kind::kRows, Tally::Kind::kGroups, Tally::Kind::kMost,
                                 Tally::Kind::kLost, Tally::Kind::kClamped})
    shape.tallies.push_back({.kind = kind, .bins = kCountBins});
  return shape;
}

// What is asked before bounds are known: of all rows of each unit.
Shape survey_shape() {
  Shape shape;
  shape.keys = 1;
  shape.max_groups = shape.max_rows = kNoLimit;
  shape.of_units_alone = true;
  shape.slots = {{.kind = Slot::Kind::kScale, .exponent = 0}};
  for (const Tally::Kind kind : {Tally::Kind::kRows, Tally::Kind::kGroups, Tally::Kind::kMost})
    shape.tallies.push_back({.kind = kind, .bins = kCountBins});
  shape.tallies.push_back({.kind = Tally::Kind::kValue,
                           .slot = 0,
                           .bins = ValueScale(0).bins(),
                           .weight_bits = kShareBits});
  EXPECT_TRUE(shape.is_survey());
  return shape;
}

// Of numbers: simple_shape's slot holds ±10.
std::vector<std::vector<std::int64_t>> tallied(const Shape& shape, const std::vector<Row>& rows) {
  Bounder bounder(shape, secret_of(4), 1 << 30);
  const Columns columns(rows);
  const Batch batch = columns.batch(0, rows.size());
  bounder.start_pass(0, 1);
  bounder.add(batch);
  bounder.finish_pass(2);
  const Contributions out = bounder.finish();
  std::vector<std::vector<std::int64_t>> all;
  for (std::size_t t = 0; t < shape.tallies.size(); ++t) all.push_back(Opened::look(*out.tally(t)));
  EXPECT_FALSE(out.tally(shape.tallies.size()));
  return all;
}

TEST(Tally, CountsEachUnitOnce) {
  std::vector<Row> rows;
  for (int i = 0; i < 7; ++i) rows.push_back({1, i % 3, 20});  // 7 rows in 3 groups, 3 in one
  for (int i = 0; i < 2; ++i) rows.push_back({2, 0, -3});
  const auto all = tallied(tallied_shape(kNoLimit, kNoLimit, 5), rows);
  EXPECT_EQ(all[0][count_bin(7)], 1);
  EXPECT_EQ(all[0][count_bin(2)], 1);
  EXPECT_EQ(all[1][count_bin(3)], 1);
  EXPECT_EQ(all[1][count_bin(1)], 1);
  EXPECT_EQ(all[2][count_bin(3)], 1);
  EXPECT_EQ(all[2][count_bin(2)], 1);
  EXPECT_EQ(all[3][count_bin(2)], 1);  // 5 of 7 are kept
  EXPECT_EQ(all[3][0], 1);
  EXPECT_EQ(all[4][count_bin(5)], 1);  // 20 is beyond 10
  EXPECT_EQ(all[4][0], 1);
  for (const auto& bins : all) EXPECT_EQ(std::accumulate(bins.begin(), bins.end(), 0), 2);

  const auto surveyed = tallied(survey_shape(), rows);
  for (std::size_t t = 0; t < 3; ++t) EXPECT_EQ(surveyed[t], all[t]) << t;
  const auto of = [&](double value) {
    return surveyed[3][static_cast<std::size_t>(ValueScale(0).bin(value))];
  };
  EXPECT_EQ(of(20), kWholeUnit / 7 * 7);
  EXPECT_EQ(of(-3), kWholeUnit);
}

// What one unit more or less changes in all bins together, at most, by histogram. `counted` makes
// them.
template <class Counted>
std::vector<std::int64_t> most_changed(Counted&& counted) {
  std::vector<std::int64_t> most;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto with = some_rows(3000, 40, 12, seed);
    std::vector<Row> without;
    std::copy_if(with.begin(), with.end(), std::back_inserter(without),
                 [](const Row& row) { return row.unit != 7; });
    const auto a = counted(with), b = counted(without);
    most.resize(a.size());
    for (std::size_t t = 0; t < a.size(); ++t) {
      std::int64_t changed = 0;
      for (std::size_t bin = 0; bin < a[t].size(); ++bin)
        changed += std::abs(a[t][bin] - b[t][bin]);
      most[t] = std::max(most[t], changed);
    }
  }
  return most;
}

TEST(Tally, OneUnitChangesOneBinByOne) {
  for (const std::uint32_t total : {3u, kNoLimit})
    EXPECT_EQ(most_changed([&](const std::vector<Row>& rows) {
                return tallied(tallied_shape(3, 2, total), rows);
              }),
              std::vector<std::int64_t>(5, 1));
  auto most =
      most_changed([](const std::vector<Row>& rows) { return tallied(survey_shape(), rows); });
  // Of values, all bins together by a whole unit, but for what is rounded down.
  EXPECT_LE(most.back(), kWholeUnit);
  EXPECT_GT(most.back(), kWholeUnit - 300);
  most.pop_back();
  EXPECT_EQ(most, std::vector<std::int64_t>(3, 1));
}

// The broken twins: a histogram of rows, in which a unit is in as many bins as it has values, and
// shares that are rounded up.
TEST(Tally, AUnitInTwoBinsIsCaught) {
  const auto share = [](std::size_t, std::size_t) { return std::int64_t{1}; };
  const auto rounded_up = [](std::size_t rows, std::size_t) {
    return (kWholeUnit + static_cast<std::int64_t>(rows) - 1) / static_cast<std::int64_t>(rows);
  };
  const auto twin = [](auto&& share_of) {
    return most_changed([&](const std::vector<Row>& rows) {
      std::map<std::int64_t, std::size_t> had;
      for (const Row& row : rows) ++had[row.unit];
      std::vector<std::vector<std::int64_t>> out(1);
      out[0].resize(kCountBins);
      for (const Row& row : rows)
        out[0][count_bin(static_cast<std::uint64_t>(row.value))] += share_of(had[row.unit], 0);
      return out;
    })[0];
  };
  EXPECT_GT(twin(share), 1);
  EXPECT_GT(twin(rounded_up), kWholeUnit);
}

TEST(Tally, TheRowsOfAUnitShareIt) {
  // Units have 30 rows of 1 and 10 of 100, and one that has no value.
  std::vector<Row> rows;
  constexpr int kUnits = 50;
  for (int unit = 0; unit < kUnits; ++unit) {
    for (int i = 0; i < 40; ++i) rows.push_back({unit, i % 4, i < 30 ? 1.0 : 100.0});
    rows.push_back({unit, 0, std::numeric_limits<double>::quiet_NaN()});
  }
  const auto all = tallied(survey_shape(), rows);
  const auto seen = [&](double value) {
    return all[3][static_cast<std::size_t>(ValueScale(0).bin(value))];
  };
  EXPECT_EQ(seen(100), kUnits * (kWholeUnit / 40 * 10));
  EXPECT_EQ(seen(1), kUnits * (kWholeUnit / 40 * 30));
  EXPECT_EQ(all[0][count_bin(41)], kUnits);
  EXPECT_EQ(all[1][count_bin(4)], kUnits);
  EXPECT_EQ(all[2][count_bin(11)], kUnits);
}

// Where groups are shown by their units nothing else may be asked, and it is no survey all the
// same.
TEST(Tally, UnitsAreCountedWhereTheyShowGroups) {
  Shape shape = survey_shape();
  shape.tallies.pop_back();
  shape.slots.clear();
  const std::vector<Row> rows = {{1, 0, 1}, {1, 1, 1}, {2, 1, 1}, {2, 1, 1}};
  const auto units = [&](bool alone) {
    shape.of_units_alone = alone;
    Bounder bounder(shape, secret_of(4), 1 << 30);
    const Columns columns(rows);
    bounder.start_pass(0, 1);
    bounder.add(columns.batch(0, rows.size()));
    bounder.finish_pass(1);
    const Contributions out = bounder.finish();
    const auto exact = out.units();
    return Opened::look(exact);
  };
  EXPECT_EQ(units(false), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(units(true), (std::vector<std::int64_t>{0, 0}));
}

// Groups with large numbers are counted as others are.
TEST(Tally, UnitsOfManyGroups) {
  std::vector<Row> rows;
  for (int i = 0; i < 70'000; ++i) rows.push_back({0, i, 1});
  for (int unit = 1; unit < 30; ++unit)
    for (int i = 0; i < 5; ++i)
      rows.push_back({unit, i < unit % 4 ? 7 : 69'900 + unit + i, 1});  // early and late groups
  const auto all = tallied(survey_shape(), rows);
  std::vector<std::int64_t> groups(kCountBins), most(kCountBins);
  ++groups[count_bin(70'000)];
  ++most[count_bin(1)];
  for (int unit = 1; unit < 30; ++unit) {
    const auto same = static_cast<std::uint64_t>(std::max(1, unit % 4));
    ++groups[count_bin(5 - same + 1)];
    ++most[count_bin(same)];
  }
  EXPECT_EQ(all[1], groups);
  EXPECT_EQ(all[2], most);
}

}  // namespace
}  // namespace discreet::bound
