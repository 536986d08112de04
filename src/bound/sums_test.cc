#include "discreet/bound/sums.h"

#include <gtest/gtest.h>

#include <array>

#include "discreet/base/number.h"
#include "discreet/random/testing/sources.h"

namespace discreet::bound {
namespace {

// ⌊(2a + b) / 2b⌋ in whole numbers without an end.
Integer exact(Wide sum, std::int64_t count, int shift) {
  const bool below = sum < 0;
  const auto size = static_cast<UnsignedWide>(below ? -sum : sum);
  Integer a = (Integer(static_cast<unsigned long>(size >> 64)) << 64) +
              Integer(static_cast<unsigned long>(size));
  if (below) a = -a;
  const Integer b(static_cast<long>(count)),
      twice = 2 * (a << static_cast<unsigned long>(shift)) + b, by = 2 * b;
  Integer out;
  mpz_fdiv_q(out.get_mpz_t(), twice.get_mpz_t(), by.get_mpz_t());
  return out;
}

TEST(Sums, AMeanIsTheNearestHoweverLargeTheSum) {
  for (const int shift : {0, 1, 40})
    for (const std::int64_t count : {std::int64_t{1}, std::int64_t{2}, std::int64_t{3},
                                     std::int64_t{7}, (std::int64_t{1} << 40) + 1})
      for (int bits = 0; bits <= 62; ++bits)
        for (const std::int64_t off : {-1, 0, 1})
          for (const int sign : {-1, 1}) {
            // As large as the rows can make it.
            const Wide sum = sign * ((Wide{1} << bits) * count + off);
            if (bits == 62 && off > 0) continue;
            const Wide mean = nearest_mean(sum, count, shift);
            const Wide high = mean >> 62;
            const Integer ours = (Integer(static_cast<long>(high)) << 62) +
                                 Integer(static_cast<long>(mean - (high << 62)));
            EXPECT_EQ(ours, exact(sum, count, shift))
                << sign << " 2^" << bits << " " << off << " / " << count << " shift " << shift;
          }
}

using Kind = Total::Kind;

// Two slots; a row has so many copies, of which so many are kept.
struct Row {
  std::int64_t first, second;
  std::uint32_t copies, kept;
};

// What one unit adds in one group: a total of each kind, and what it is in of each tally.
struct OneUnit {
  Shape shape;

  explicit OneUnit(std::vector<Total> totals, std::vector<Tally> tallies = {}) {
    shape.keys = 1;
    shape.slots.resize(2);
    shape.totals = std::move(totals);
    shape.tallies = std::move(tallies);
  }

  // The first `marked` rows have a value that was clamped.
  Added add(const std::vector<Row>& rows, std::size_t marked = 0) const {
    const Layout layout(shape);
    std::vector<std::array<std::uint64_t, 4>> records;
    std::vector<Kept> kept;
    Chosen unit;
    for (const Row& row : rows) {
      records.push_back({7, row.copies * Layout::kOne, static_cast<std::uint64_t>(row.first),
                         static_cast<std::uint64_t>(row.second)});
      if (records.size() <= marked) records.back()[1] |= Layout::kClamped;
      unit.had += row.copies;
      unit.kept += row.kept;
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
      kept.push_back({records[i].data(), rows[i].copies, rows[i].kept});
    const Chosen::Run run{0, static_cast<std::uint32_t>(rows.size())};
    unit.rows = kept;
    unit.runs = std::span(&run, 1);
    unit.most = unit.had;
    Sums sums(shape, layout);
    sums.add(unit);
    return sums.finish();
  }
  // The totals in group 0.
  std::vector<std::int64_t> totals(const std::vector<Row>& rows) const {
    std::vector<std::int64_t> out;
    for (const auto& total : add(rows).totals)
      out.push_back(total.empty() ? 0 : static_cast<std::int64_t>(total[0]));
    return out;
  }
};

// A unit with one row a thousand times counts with the copies that stay, in every total of rows.
TEST(Sums, CopiesThatAreNotKeptCountForNothing) {
  const OneUnit one({{.kind = Kind::kRows},
                     {.kind = Kind::kCount, .slot = 0},
                     {.kind = Kind::kSum, .slot = 0, .center = 1},
                     {.kind = Kind::kSquares, .slot = 0, .center = 1},
                     {.kind = Kind::kSquares, .slot = 0, .shift = 2},
                     {.kind = Kind::kUnits},
                     {.kind = Kind::kUnits, .slot = 0},
                     {.kind = Kind::kDistinct, .slot = 0},
                     {.kind = Kind::kEach, .slot = 0}});
  EXPECT_EQ(one.totals({{5, 0, 1000, 3}}),
            (std::vector<std::int64_t>{3, 3, 12, 48, 18, 1, 1, 1, 0}));
  EXPECT_EQ(one.add({{5, 0, 1000, 3}}).pairs[8].size(), 3u);
  // Of two values one is dropped.
  EXPECT_EQ(one.totals({{5, 0, 10, 3}, {9, 0, 10, 0}}),
            (std::vector<std::int64_t>{3, 3, 12, 48, 18, 1, 1, 1, 0}));
  EXPECT_EQ(one.totals({{5, 0, 10, 1}, {9, 0, 10, 2}}),
            (std::vector<std::int64_t>{3, 3, 20, 144, 46, 1, 1, 2, 0}));
  // NULL is a row without a value.
  EXPECT_EQ(one.totals({{kNothing, 0, 10, 3}}),
            (std::vector<std::int64_t>{3, 0, 0, 0, 0, 1, 0, 0, 0}));
  // A unit that keeps no row of a group isn't in it.
  EXPECT_EQ(one.totals({{5, 0, 10, 0}}), (std::vector<std::int64_t>(9, 0)));
}

// A square is off by half of a step at most, halves up, on which its sensitivity rests; each row's
// is rounded for itself.
TEST(Sums, SquaresAreRoundedToTheNearest) {
  const OneUnit one({{.kind = Kind::kSquares, .slot = 0, .shift = 3},
                     {.kind = Kind::kSquares, .slot = 0, .shift = 4},
                     {.kind = Kind::kSquares, .slot = 0, .center = 10, .shift = 4}});
  // 4/8 = 0.5, 4/16 = 0.25, 64/16 = 4
  EXPECT_EQ(one.totals({{2, 0, 1, 1}}), (std::vector<std::int64_t>{1, 0, 4}));
  // 25/8 = 3.125, 25/16 = 1.5625, as below zero; (−5 − 10)² / 16 = 14.0625
  EXPECT_EQ(one.totals({{5, 0, 1, 1}}), (std::vector<std::int64_t>{3, 2, 2}));
  EXPECT_EQ(one.totals({{-5, 0, 1, 1}}), (std::vector<std::int64_t>{3, 2, 14}));
  EXPECT_EQ(one.totals({{2, 0, 5, 3}, {5, 0, 2, 2}}), (std::vector<std::int64_t>{9, 4, 16}));
}

// COUNT(DISTINCT unit) of a value: by a row that stays and has one.
TEST(Sums, AUnitCountsByRowsThatAreKept) {
  const OneUnit one({{.kind = Kind::kUnits, .slot = 0}, {.kind = Kind::kUnits}});
  EXPECT_EQ(one.totals({{kNothing, 0, 1, 1}, {5, 0, 1, 0}}), (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(one.totals({{kNothing, 0, 1, 1}, {5, 0, 1, 1}}), (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(one.totals({{6, 0, 2, 2}, {5, 0, 1, 1}}), (std::vector<std::int64_t>{1, 1}));
}

// Where a unit's whole contribution is bounded, all its rows make it, and it is clamped: on both
// sides, whatever the rows are.
TEST(Sums, WholeContributionsAreClamped) {
  const OneUnit one(
      {{.kind = Kind::kGroupCount, .low = 2, .high = 6},
       {.kind = Kind::kGroupCount, .slot = 1, .low = 0, .high = 6},
       {.kind = Kind::kGroupSum, .slot = 0, .low = -7, .high = 40},
       {.kind = Kind::kGroupMeans, .slot = 0},
       {.kind = Kind::kGroupMean, .slot = 0, .center = 10, .shift = 1, .low = -30, .high = 31}});
  EXPECT_EQ(one.totals({{5, kNothing, 1, 1}}), (std::vector<std::int64_t>{2, 0, 5, 1, 0}));
  EXPECT_EQ(one.totals({{5, 1, 4, 1}}), (std::vector<std::int64_t>{4, 4, 20, 1, 0}));
  EXPECT_EQ(one.totals({{5, 1, 1000, 1}}), (std::vector<std::int64_t>{6, 6, 40, 1, 0}));
  EXPECT_EQ(one.totals({{-1000, 1, 5, 1}}), (std::vector<std::int64_t>{5, 5, -7, 1, -40}));
  EXPECT_EQ(one.totals({{1000, 1, 5, 1}}), (std::vector<std::int64_t>{5, 5, 40, 1, 21}));
  // (4·2 + 7) / 5 = 3, on a grid twice as fine 6; all rows count, kept or not.
  EXPECT_EQ(one.totals({{2, 1, 4, 1}, {7, 1, 1, 0}}), (std::vector<std::int64_t>{5, 5, 15, 1, -4}));
  // No value, no mean and no sum, though there are rows.
  EXPECT_EQ(one.totals({{kNothing, 1, 3, 1}}), (std::vector<std::int64_t>{3, 3, 0, 0, 0}));
}

// A unit is in one bin of each histogram, by what it has, what it keeps and what it loses; in the
// sum of kept rows with those it keeps.
TEST(Sums, TalliesCountAUnitOnce) {
  using In = Tally::Kind;
  std::vector<Tally> tallies;
  for (const In kind : {In::kRows, In::kGroups, In::kMost, In::kLost, In::kClamped})
    tallies.push_back({.kind = kind, .bins = kCountBins});
  tallies.push_back({.kind = In::kCut, .bins = 2});
  tallies.push_back({.kind = In::kKept, .bins = 1});
  const OneUnit one({}, tallies);
  const auto bins = [&](const std::vector<Row>& rows, std::size_t marked) {
    std::vector<std::size_t> out;
    const Added added = one.add(rows, marked);
    for (std::size_t t = 0; t < 6; ++t)
      for (std::size_t bin = 0; bin < added.tallies[t].size(); ++bin)
        for (std::int64_t i = 0; i < added.tallies[t][bin]; ++i) out.push_back(bin);
    out.push_back(static_cast<std::size_t>(added.tallies[6][0]));
    return out;
  };
  // 26 rows, of which 5 are kept and 3 of those are clamped.
  EXPECT_EQ(bins({{5, 0, 20, 3}, {6, 0, 6, 2}}, 1),
            (std::vector<std::size_t>{count_bin(26), 1, count_bin(26), count_bin(21), 3, 1, 5}));
  EXPECT_EQ(bins({{5, 0, 20, 20}, {6, 0, 6, 6}}, 0),
            (std::vector<std::size_t>{count_bin(26), 1, count_bin(26), 0, 0, 0, 26}));
}

}  // namespace
}  // namespace discreet::bound
