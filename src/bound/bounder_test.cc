// The bounding against a plain, slow reading of its rule, and what it must not depend on.
#include "discreet/bound/bounder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <thread>

#include "discreet/bound/testing/rows.h"

namespace discreet::bound {
namespace {

using testing::Columns;
using testing::Opened;
using testing::Row;
using testing::secret_of;
using testing::simple_shape;
using testing::some_rows;

struct Result_ {
  std::map<std::string, std::vector<std::int64_t>> by_key;
  friend bool operator==(const Result_&, const Result_&) = default;
};

Result_ run(const Shape& shape, const Secret& secret, const std::vector<Row>& rows,
            std::size_t batch = 100, unsigned threads = 1, std::uint32_t passes = 1) {
  Bounder bounder(shape, secret, 1 << 30);
  const Columns columns(rows);
  for (std::uint32_t pass = 0; pass < passes; ++pass) {
    bounder.start_pass(pass, passes);
    for (std::size_t at = 0; at < rows.size(); at += batch)
      bounder.add(columns.batch(at, std::min(batch, rows.size() - at)));
    bounder.finish_pass(threads);
  }
  const Contributions out = bounder.finish();
  const auto keys = out.keys();
  const std::vector<std::string> names = Opened::look(keys);
  Result_ result;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < names.size(); ++i) all.push_back(i);
  for (std::size_t t = 0; t < shape.totals.size(); ++t) {
    const auto total = *out.total(t, all);
    for (std::size_t i = 0; i < names.size(); ++i)
      result.by_key[names[i]].push_back(Opened::look(total)[i]);
  }
  return result;
}

TEST(Bounder, KeepsAllWhereNothingIsTooMuch) {
  const auto rows = some_rows(1000, 50, 5, 1);
  const auto result = run(simple_shape(5, 1000), secret_of(1), rows);
  std::map<std::int64_t, std::int64_t> counts;
  for (const Row& row : rows) ++counts[row.group];
  std::int64_t total = 0;
  for (const auto& [key, values] : result.by_key) total += values[0];
  EXPECT_EQ(total, 1000);
  EXPECT_EQ(result.by_key.size(), counts.size());
}

// The promise: one unit more or less moves at most max_groups groups, each by at most what max_rows
// allows, and nothing else.
TEST(Bounder, OneUnitChangesNoMoreThanItsBounds) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto with = some_rows(3000, 40, 12, seed);
    std::vector<Row> without;
    std::copy_if(with.begin(), with.end(), std::back_inserter(without),
                 [](const Row& row) { return row.unit != 7; });
    const Shape shape = simple_shape(3, 2);
    auto a = run(shape, secret_of(seed), with), b = run(shape, secret_of(seed), without);
    std::size_t changed = 0;
    for (auto& [key, values] : a.by_key) {
      auto& other = b.by_key[key];
      other.resize(values.size());
      changed += values != other;
      EXPECT_LE(std::abs(values[0] - other[0]), 2);
      EXPECT_LE(std::abs(values[1] - other[1]), 2 * 40);
      EXPECT_LE(std::abs(values[2] - other[2]), 1);
    }
    EXPECT_EQ(changed, 3u);
  }
}

// The broken twin: bounds that are larger than the plan's sensitivity assumes are seen by the same
// test.
TEST(Bounder, ALooserBoundIsCaught) {
  const auto with = some_rows(3000, 40, 12, 3);
  std::vector<Row> without;
  std::copy_if(with.begin(), with.end(), std::back_inserter(without),
               [](const Row& row) { return row.unit != 7; });
  auto a = run(simple_shape(4, 2), secret_of(3), with),
       b = run(simple_shape(4, 2), secret_of(3), without);
  std::size_t changed = 0;
  for (auto& [key, values] : a.by_key) changed += values != b.by_key[key];
  EXPECT_GT(changed, 3u);
}

TEST(Bounder, OrderBatchesThreadsAndPassesDontMatter) {
  auto rows = some_rows(200'000, 500, 40, 9);
  const Shape shape = simple_shape(4, 3);
  const auto expected = run(shape, secret_of(5), rows);
  EXPECT_EQ(run(shape, secret_of(5), rows, 2048, 4), expected);
  EXPECT_EQ(run(shape, secret_of(5), rows, 777, 2, 4), expected);
  std::mt19937_64 draw(1);
  std::shuffle(rows.begin(), rows.end(), draw);
  EXPECT_EQ(run(shape, secret_of(5), rows, 333, 3), expected);
  EXPECT_NE(run(shape, secret_of(6), rows), expected);  // another secret, another choice
}

// Little memory: equal rows are put together many times, from four threads at once; the sums are
// the same.
TEST(Bounder, ManyThreadsAndLittleMemoryDontMatter) {
  const auto rows = some_rows(400'000, 3000, 40, 12);
  const Columns columns(rows);
  const Shape shape = simple_shape(4, 3);
  const auto sums = [&](std::size_t memory, unsigned threads) {
    Bounder bounder(shape, secret_of(5), memory);
    bounder.start_pass(0, 1);
    constexpr std::size_t kBatch = 2000;
    std::atomic<std::size_t> next{0};
    const auto feed = [&] {
      for (std::size_t at = next.fetch_add(kBatch); at < rows.size(); at = next.fetch_add(kBatch)) {
        bounder.add(columns.batch(at, kBatch));
      }
    };
    std::vector<std::thread> all;
    for (unsigned i = 0; i < threads; ++i) all.emplace_back(feed);
    for (std::thread& one : all) one.join();
    EXPECT_TRUE(bounder.fits());
    bounder.finish_pass(threads);
    const Contributions out = bounder.finish();
    std::vector<std::size_t> every(40);
    std::iota(every.begin(), every.end(), 0);
    return std::pair(Opened::look(*out.total(0, every)), Opened::look(*out.total(1, every)));
  };
  const auto expected = sums(1 << 30, 1);
  EXPECT_EQ(sums(40 << 20, 4), expected);
  EXPECT_EQ(sums(1 << 30, 4), expected);
}

TEST(Bounder, SaysWhenItIsFullAndStartsAgain) {
  const auto rows = some_rows(400'000, 100'000, 40, 12);  // 9.6 MB
  const Shape shape = simple_shape(40, 1000);
  Bounder bounder(shape, secret_of(1), 6'000'000);
  const Columns columns(rows);
  bounder.add(columns.batch(0, rows.size()));
  EXPECT_FALSE(bounder.fits());
  bounder.clear();
  EXPECT_TRUE(bounder.fits());
}

TEST(Bounder, EveryGroupOfAUnitIsKeptEquallyOften) {
  std::vector<Row> rows;
  for (std::int64_t group = 0; group < 10; ++group) rows.push_back({1, group, 1});
  std::map<std::string, std::int64_t> kept;
  constexpr int kRuns = 3000;
  for (int i = 0; i < kRuns; ++i)
    for (const auto& [key, values] :
         run(simple_shape(3, 1), secret_of(static_cast<std::uint64_t>(i)), rows).by_key)
      kept[key] += values[0];
  ASSERT_EQ(kept.size(), 10u);
  for (const auto& [key, count] : kept)
    EXPECT_NEAR(static_cast<double>(count), 0.3 * kRuns, 6 * std::sqrt(0.21 * kRuns));
}

TEST(Bounder, OneUnitWithAMillionRows) {
  std::vector<Row> rows;
  for (int i = 0; i < 1'000'000; ++i) rows.push_back({1, i % 1000, static_cast<double>(i % 9)});
  std::int64_t total = 0, groups = 0;
  for (const auto& [key, values] : run(simple_shape(5, 2), secret_of(1), rows, 2048).by_key) {
    total += values[0];
    groups += values[2];
  }
  EXPECT_EQ(groups, 5);
  EXPECT_EQ(total, 10);
}

TEST(Bounder, WholeGroupsAreFoldedHoweverOftenTheyAreBounded) {
  Shape shape;
  shape.keys = 1;
  shape.slots = {{.kind = Slot::Kind::kNumber, .low = -1000, .high = 1000}};
  shape.totals = {{.kind = Total::Kind::kGroupSum, .slot = 0, .low = 0, .high = 1'000'000},
                  {.kind = Total::Kind::kGroupCount, .low = 0, .high = 1'000'000},
                  {.kind = Total::Kind::kGroupMeans, .slot = 0},
                  {.kind = Total::Kind::kGroupMean, .slot = 0, .low = 0, .high = 100}};
  shape.max_groups = 2;
  shape.max_rows = 1;
  std::vector<Row> rows;
  for (int i = 0; i < 300'000; ++i) rows.push_back({i % 3, (i / 3) % 2, 5});
  const auto result = run(shape, secret_of(2), rows, 1000);
  for (const auto& [key, values] : result.by_key)
    EXPECT_EQ(values, (std::vector<std::int64_t>{3 * 50'000 * 5, 3 * 50'000, 3, 15}));
}

// A unit with five, three and one row in its groups, of which two in each and four in all count:
// F = ⌊1024 · 4 / 5⌋ = 819, and weights of ⌊F · 2/5⌋, ⌊F · 2/3⌋ and F. Sums, counts and squares
// have the same; so have the rows that were clamped, two in the first group and one in the last.
TEST(Bounder, RowsWithWeightsAddUpToWhatMayCount) {
  Shape shape = simple_shape(kNoLimit, 2);
  shape.max_total = 4;
  shape.weight_bits = 10;
  shape.totals = {{.kind = Total::Kind::kRows},
                  {.kind = Total::Kind::kCount, .slot = 0},
                  {.kind = Total::Kind::kSum, .slot = 0, .center = 4},
                  {.kind = Total::Kind::kSquares, .slot = 0, .center = 4, .shift = 1},
                  {.kind = Total::Kind::kUnits}};
  for (const Tally::Kind kind : {Tally::Kind::kCut, Tally::Kind::kLost, Tally::Kind::kKept,
                                 Tally::Kind::kClamped, Tally::Kind::kMost})
    shape.tallies.push_back({.kind = kind, .bins = kCountBins});
  const double missing = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Row> rows = {{7, 1, 100}, {7, 1, 1},       {7, 1, missing},
                                 {7, 1, 200}, {7, 1, missing}, {7, 2, 2},
                                 {7, 2, 3},   {7, 2, missing}, {7, 3, 300}};
  const std::int64_t f = 819, w1 = 327, w2 = 546;
  const auto squares = [](std::int64_t value) { return ((value - 4) * (value - 4) + 1) / 2; };
  const auto found = run(shape, secret_of(3), rows);
  std::vector<std::vector<std::int64_t>> groups;
  for (const auto& [key, values] : found.by_key) groups.push_back(values);
  ASSERT_EQ(groups.size(), 3u);
  // Values are in quarters: 100 and more are clamped to 40 of them.
  EXPECT_EQ(groups[0], (std::vector<std::int64_t>{w1 * 5, w1 * 3, w1 * (40 + 4 + 40 - 3 * 4),
                                                  w1 * (2 * squares(40) + squares(4)), 1}));
  EXPECT_EQ(groups[1], (std::vector<std::int64_t>{w2 * 3, w2 * 2, w2 * (8 + 12 - 2 * 4),
                                                  w2 * (squares(8) + squares(12)), 1}));
  EXPECT_EQ(groups[2], (std::vector<std::int64_t>{f, f, f * 36, f * squares(40), 1}));
  Bounder bounder(shape, secret_of(3), 1 << 30);
  bounder.start_pass(0, 1);
  const Columns columns(rows);
  bounder.add(columns.batch(0, rows.size()));
  bounder.finish_pass(1);
  const Contributions out = bounder.finish();
  const auto bin = [&](std::size_t tally) {
    const auto exact = *out.tally(tally);
    const std::vector<std::int64_t>& bins = Opened::look(exact);
    return std::find_if(bins.begin(), bins.end(), [](std::int64_t n) { return n != 0; }) -
           bins.begin();
  };
  EXPECT_EQ(bin(0), 1);                                          // it loses some
  EXPECT_EQ(bin(1), static_cast<std::ptrdiff_t>(count_bin(5)));  // of nine rows, four count
  EXPECT_EQ(Opened::look(*out.tally(2))[0], 4);
  // 2 · 327 + 819 of 1024 are more than one row's worth.
  EXPECT_EQ(bin(3), static_cast<std::ptrdiff_t>(count_bin(2)));
  EXPECT_EQ(bin(4), static_cast<std::ptrdiff_t>(count_bin(5)));
}

// A unit's mean has a grid of its own: of 1 and 2 it is 1.5, not 1.
TEST(Bounder, MeansOfUnitsAreNotCutToWholeNumbers) {
  Shape shape;
  shape.keys = 1;
  shape.slots = {{.kind = Slot::Kind::kNumber, .low = -1000, .high = 1000}};
  const int fine = 10;
  shape.totals = {{.kind = Total::Kind::kGroupMean,
                   .slot = 0,
                   .shift = fine,
                   .low = -10 << fine,
                   .high = 10 << fine}};
  const auto mean = [&](const std::vector<double>& values) {
    std::vector<Row> rows;
    for (const double value : values) rows.push_back({1, 0, value});
    return static_cast<double>(run(shape, secret_of(2), rows).by_key.begin()->second[0]) /
           (1 << fine);
  };
  EXPECT_EQ(mean({1, 2}), 1.5);
  EXPECT_EQ(mean({-1, -2}), -1.5);
  EXPECT_NEAR(mean({1, 1, 2}), 4.0 / 3, 1e-3);
  EXPECT_NEAR(mean({-1, -1, -2}), -4.0 / 3, 1e-3);
  EXPECT_EQ(mean({100, 200}), 10);
}

// --- what a row holds

// The rows of group 0 by their value in slot 0, where it is one of so many leaves.
std::vector<std::int64_t> leaves_of(const Shape& shape, const Batch& batch) {
  Bounder bounder(shape, secret_of(4), 1 << 30);
  bounder.start_pass(0, 1);
  bounder.add(batch);
  bounder.finish_pass(1);
  const auto scores = bounder.finish().scores(0, 0);
  EXPECT_TRUE(scores);
  return scores ? Opened::look(*scores) : std::vector<std::int64_t>{};
}

// A row whose choice isn't on the public list counts for the nearest that is.
TEST(Bounder, ChoicesAreOnTheList) {
  Shape shape;
  shape.slots = {{.kind = Slot::Kind::kChoice, .leaves = 3}};
  shape.totals = {{.kind = Total::Kind::kHistogram,
                   .slot = 0,
                   .scoring = {.kind = Scoring::Kind::kMode, .leaves = 3}}};
  const std::vector<std::int64_t> units = {1, 2, 3, 4, 5, 6, 7},
                                  choices = {0, 1, 2, 3, -1, INT64_MAX, INT64_MIN + 1};
  Batch batch;
  batch.rows = units.size();
  batch.unit.whole = units.data();
  batch.slots = {{.kind = Column::Kind::kWhole, .whole = choices.data()}};
  EXPECT_EQ(leaves_of(shape, batch), (std::vector<std::int64_t>{3, 1, 3}));
}

// The totals of the only group.
std::vector<std::int64_t> totals_of(const Shape& shape, const Secret& secret, const Batch& batch) {
  Bounder bounder(shape, secret, 1 << 30);
  bounder.start_pass(0, 1);
  bounder.add(batch);
  bounder.finish_pass(1);
  const Contributions contributions = bounder.finish();
  std::vector<std::int64_t> out;
  for (std::size_t t = 0; t < shape.totals.size(); ++t)
    out.push_back(Opened::look(*contributions.total(t, {0}))[0]);
  return out;
}

// Nobody's contribution could be bounded with it.
TEST(Bounder, RowsWithoutAUnitAreNotTaken) {
  Shape shape;
  shape.totals = {{.kind = Total::Kind::kRows}, {.kind = Total::Kind::kUnits}};
  const std::vector<std::int64_t> units = {7, 0, 8, 0, 9};
  const std::uint64_t validity = 0b10101;
  Batch batch;
  batch.rows = units.size();
  batch.unit = {.kind = Column::Kind::kWhole, .whole = units.data(), .validity = &validity};
  EXPECT_EQ(totals_of(shape, secret_of(1), batch), (std::vector<std::int64_t>{3, 3}));

  shape.text_units = true;
  std::vector<Text> names;
  for (const char* name : {"Ann", "", "Bob", "", "Eve"}) names.emplace_back(name);
  batch.unit = {.kind = Column::Kind::kText, .text = names.data(), .validity = &validity};
  EXPECT_EQ(totals_of(shape, secret_of(1), batch), (std::vector<std::int64_t>{3, 3}));
}

// Whatever lies in memory where a column has no value.
TEST(Bounder, NullIsNoValue) {
  Shape shape;
  shape.slots = {{.kind = Slot::Kind::kNumber, .low = -10, .high = 10},
                 {.kind = Slot::Kind::kFlag},
                 {.kind = Slot::Kind::kHash},
                 {.kind = Slot::Kind::kWord},
                 {.kind = Slot::Kind::kLeaf, .leaves = 3},
                 {.kind = Slot::Kind::kChoice, .leaves = 3},
                 {.kind = Slot::Kind::kScale}};
  for (std::size_t slot = 0; slot < shape.slots.size(); ++slot)
    shape.totals.push_back({.kind = Total::Kind::kCount, .slot = slot});
  shape.totals.push_back({.kind = Total::Kind::kSum, .slot = 0});
  shape.totals.push_back({.kind = Total::Kind::kDistinct, .slot = 2});
  shape.totals.push_back({.kind = Total::Kind::kRows});
  const std::vector<std::int64_t> units = {1, 2, 3}, choices = {1, 2, 0};
  const std::vector<double> numbers = {5, 6, 7};
  const std::vector<Text> texts = {Text("a"), Text("b"), Text("c")};
  const std::uint64_t validity = 0b101;
  const Column real{.kind = Column::Kind::kReal, .real = numbers.data(), .validity = &validity},
      text{.kind = Column::Kind::kText, .text = texts.data(), .validity = &validity},
      whole{.kind = Column::Kind::kWhole, .whole = choices.data(), .validity = &validity};
  Batch batch;
  batch.rows = units.size();
  batch.unit.whole = units.data();
  batch.slots = {real, real, text, text, real, whole, real};
  EXPECT_EQ(totals_of(shape, secret_of(1), batch),
            (std::vector<std::int64_t>{2, 2, 2, 2, 2, 2, 2, 12, 2, 3}));
}

// A text whose hash is the mark of nothing is a value like any other.
TEST(Bounder, AHashIsNeverTheMarkOfNothing) {
  class Marks final : public Hashing {
   public:
    std::uint64_t whole(std::int64_t value, std::uint64_t key) const override {
      return static_cast<std::uint64_t>(value) ^ key;
    }
    std::uint64_t real(double, std::uint64_t key) const override { return key; }
    std::uint64_t text(std::string_view value, std::uint64_t) const override {
      return value == "nothing" ? static_cast<std::uint64_t>(kNothing) : value.size();
    }
  };
  const Marks marks;
  Secret secret = secret_of(1);
  secret.hashing = &marks;
  Shape shape;
  shape.slots = {{.kind = Slot::Kind::kHash}};
  shape.totals = {{.kind = Total::Kind::kCount, .slot = 0},
                  {.kind = Total::Kind::kDistinct, .slot = 0}};
  const std::vector<std::int64_t> units = {1, 2, 3};
  const std::vector<Text> texts = {Text("nothing"), Text("nothing"), Text("some")};
  Batch batch;
  batch.rows = units.size();
  batch.unit.whole = units.data();
  batch.slots = {{.kind = Column::Kind::kText, .text = texts.data()}};
  EXPECT_EQ(totals_of(shape, secret, batch), (std::vector<std::int64_t>{3, 2}));
}

TEST(Scale, BinsAndEdgesAgree) {
  for (std::size_t bin = 1; bin < kCountBins - 1; ++bin) {
    EXPECT_EQ(count_bin(count_edge(bin)), bin);
    EXPECT_EQ(count_bin(count_edge(bin) + 1), bin + 1);
    EXPECT_LE(count_edge(bin + 1), std::max<std::uint64_t>(2, count_edge(bin) * 3 / 2));
  }
  EXPECT_EQ(count_bin(0), 0u);
  EXPECT_EQ(count_bin(UINT64_MAX), kCountBins - 1);
  for (const int smallest : {0, -20}) {
    const ValueScale scale(smallest);
    for (const double value : {0.0, 1.0, 1.25, 1.5, 1.75, 2.0, 3.0, 100.0, 0.001, 1e12, 5e-324,
                               1e300, std::numeric_limits<double>::infinity()})
      for (const double sign : {1.0, -1.0}) {
        const std::int64_t bin = scale.bin(sign * value);
        ASSERT_GE(bin, 0);
        ASSERT_LT(bin, static_cast<std::int64_t>(scale.bins()));
        if (value > 1e15 || (value != 0 && value < 1e-6)) continue;
        EXPECT_LE(scale.low(bin), sign * value) << value;
        EXPECT_GE(scale.high(bin), sign * value) << value;
      }
  }
}

TEST(ToGrid, EveryDoubleHasAPlace) {
  const Slot slot{.kind = Slot::Kind::kNumber, .exponent = -2, .low = -8, .high = 40};
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Grid(slot)(std::nan("")), kNothing);
  EXPECT_EQ(Grid(slot)(inf), 40);
  EXPECT_EQ(Grid(slot)(-inf), -8);
  EXPECT_EQ(Grid(slot)(-0.0), 0);
  EXPECT_EQ(Grid(slot)(5e-324), 0);
  EXPECT_EQ(Grid(slot)(1.25), 5);
  EXPECT_EQ(Grid(slot)(1.3), 5);
  EXPECT_EQ(Grid(slot)(1e300), 40);
}

// What the sensitivity counts on: no double, on no grid, gives an integer outside of the bounds.
TEST(ToGrid, StaysWithinItsBounds) {
  const double inf = std::numeric_limits<double>::infinity();
  // at ±2000 a step is infinite, or 0
  for (const int exponent : {0, -30, 30, -900, 900, -1023, -2000, 2000})
    for (const std::int64_t low : {INT64_MIN / 4, -(std::int64_t{1} << 51), std::int64_t{-7},
                                   std::int64_t{0}, std::int64_t{3}})
      for (const std::int64_t width : {std::int64_t{0}, std::int64_t{1}, INT64_MAX / 4}) {
        const Slot slot{
            .kind = Slot::Kind::kNumber, .exponent = exponent, .low = low, .high = low + width};
        for (const double value :
             {0.0, -0.0, 5e-324, -5e-324, 1e-307, 0.5, 1.5, 2.5, -1e18, 1e18, 0x1p62, 0x1p63,
              -0x1p63, 1e300, -1e300, 1.7976931348623157e308, inf, -inf}) {
          EXPECT_GE(Grid(slot)(value), slot.low) << exponent << " " << value;
          EXPECT_LE(Grid(slot)(value), slot.high) << exponent << " " << value;
        }
        EXPECT_EQ(Grid(slot)(std::nan("")), kNothing);
      }
}

// What is beyond wide bounds, too, is clamped to the nearer one.
TEST(ToGrid, ClampsToTheNearerOfWideBounds) {
  const double inf = std::numeric_limits<double>::infinity();
  constexpr std::int64_t kWide = (std::int64_t{1} << 60) + 1;  // no double is between it and 2^60
  const Slot slot{.kind = Slot::Kind::kNumber, .low = -kWide, .high = kWide};
  for (const double value : {0x1p60, 0x1p62, 0x1p63, 0x1p64, 1e300, inf}) {
    EXPECT_EQ(Grid(slot)(value), kWide) << value;
    EXPECT_EQ(Grid(slot)(-value), -kWide) << value;
  }
  EXPECT_EQ(Grid(slot)(0x1p59), std::int64_t{1} << 59);
}

TEST(Groups, AClosedTableTakesNoOther) {
  Groups groups(secret_of(1));
  KeyBytes a, b;
  a.text("A");
  b.text("B");
  EXPECT_EQ(groups.number(a.view()), 0u);
  groups.close();
  EXPECT_EQ(groups.number(b.view()), kNoGroup);
  EXPECT_EQ(groups.number(a.view()), 0u);
}

TEST(KeyBytes, AreDifferentForDifferentKeys) {
  std::set<std::string> seen;
  const auto add = [&](auto&& make) {
    KeyBytes key;
    make(key);
    EXPECT_TRUE(seen.insert(std::string(key.view())).second);
  };
  add([](KeyBytes& key) { key.null(); });
  add([](KeyBytes& key) { key.text(""); });
  add([](KeyBytes& key) { key.text("n"); });
  add([](KeyBytes& key) { key.whole(0); });
  add([](KeyBytes& key) { key.real(0); });
  add([](KeyBytes& key) { key.text("a"), key.text("b"); });
  add([](KeyBytes& key) { key.text("ab"), key.text(""); });
  add([](KeyBytes& key) { key.null(), key.text("ab"); });
}

// Every half second of SipHash-2-4's published vectors doesn't apply to 1-3 rounds; what matters
// here: it depends on all of its input.
TEST(SipHash, DependsOnKeyAndEveryByte) {
  const SipHash hash(1, 2), other(1, 3);
  const std::string text = "the quick brown fox jumps";
  EXPECT_NE(hash(text), other(text));
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] ^= 1;
    EXPECT_NE(hash(text), hash(changed));
    std::uint64_t a = 0, b = 0;
    EXPECT_NE(hash(text, a), hash(changed, b));
    EXPECT_NE(a, b);
  }
}

}  // namespace
}  // namespace discreet::bound
