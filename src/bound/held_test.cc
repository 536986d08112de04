// Rows that are held before it is known how they count.
#include "discreet/bound/held.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "discreet/bound/bounder.h"
#include "discreet/bound/testing/rows.h"
#include "discreet/bound/weights.h"

namespace discreet::bound {
namespace {

using testing::Columns;
using testing::Opened;
using testing::Row;
using testing::secret_of;
using testing::simple_shape;
using testing::some_rows;

// What is seen of contributions: the totals of the groups by key, and the tallies.
struct Seen {
  std::vector<std::string> keys;
  std::vector<std::vector<std::int64_t>> totals, tallies;
  friend bool operator==(const Seen&, const Seen&) = default;
};
Seen seen(const Shape& shape, const Contributions& out) {
  Seen all;
  const auto keys = out.keys();
  all.keys = Opened::look(keys);
  std::vector<std::size_t> groups(all.keys.size());
  std::iota(groups.begin(), groups.end(), 0);
  for (std::size_t t = 0; t < shape.totals.size(); ++t)
    all.totals.push_back(Opened::look(*out.total(t, groups)));
  for (std::size_t t = 0; t < shape.tallies.size(); ++t)
    all.tallies.push_back(Opened::look(*out.tally(t)));
  return all;
}

// The rows twice over: as the grids of a shape have them, and held.
struct HeldRows {
  Columns columns;
  Shape held;
  std::array<std::uint64_t, 8> validity;  // of 500 rows
  explicit HeldRows(const std::vector<Row>& rows) : columns(rows) {
    for (std::size_t i = 0; i < 512; ++i)
      validity[i / 64] =
          (i % 64 == 0 ? 0 : validity[i / 64]) | static_cast<std::uint64_t>(i % 5 != 0) << (i % 64);
    held.keys = 1;
    held.slots = {{.kind = Slot::Kind::kFlag}, {.kind = Slot::Kind::kReal}};
  }
  // Of the second half of the rows every fifth has no value.
  Batch batch(const Shape& shape, std::size_t at, std::size_t count) const {
    Batch out = columns.batch(at, count);
    Column values = out.slots[0];
    if (at >= columns.units.size() / 2) values.validity = validity.data();
    out.slots.clear();
    for (const Slot& slot : shape.slots) {
      Column column = values;
      if (slot.kind == Slot::Kind::kFlag) column.kind = Column::Kind::kWhole;
      out.slots.push_back(column);
    }
    return out;
  }
  void feed(Bounder& bounder, const Shape& shape) const {
    bounder.start_pass(0, 1);
    for (std::size_t at = 0; at < columns.units.size(); at += 500)
      bounder.add(batch(shape, at, std::min<std::size_t>(500, columns.units.size() - at)));
  }
  Seen directly(const Shape& shape) const {
    Bounder bounder(shape, secret_of(9), 1 << 30);
    feed(bounder, shape);
    bounder.finish_pass(2);
    return seen(shape, bounder.finish());
  }
};

std::vector<Shape> shapes_of_held_rows() {
  const auto number = [](int exponent, std::int64_t low, std::int64_t high) {
    return Slot{.kind = Slot::Kind::kNumber, .exponent = exponent, .low = low, .high = high};
  };
  std::vector<Shape> out;
  Shape survey = simple_shape(kNoLimit, kNoLimit);
  survey.totals.clear();
  survey.of_units_alone = true;
  survey.slots = {{.kind = Slot::Kind::kScale, .exponent = -20}};
  for (const Tally::Kind kind : {Tally::Kind::kRows, Tally::Kind::kGroups, Tally::Kind::kMost})
    survey.tallies.push_back({.kind = kind, .bins = kCountBins});
  survey.tallies.push_back(
      {.kind = Tally::Kind::kValue, .slot = 0, .bins = ValueScale(-20).bins(), .weight_bits = 20});
  out.push_back(survey);
  for (const auto& [groups, each, all] :
       {std::tuple{3u, 2u, kNoLimit}, {kNoLimit, 2u, 5u}, {2u, kNoLimit, 3u}}) {
    Shape shape = simple_shape(groups, each);
    shape.max_total = all;
    shape.slots = {number(-4, -30, 200), {.kind = Slot::Kind::kFlag}, number(2, 1, 3)};
    shape.totals = {{.kind = Total::Kind::kRows},
                    {.kind = Total::Kind::kSum, .slot = 0, .center = 5},
                    {.kind = Total::Kind::kSum, .slot = 2},
                    {.kind = Total::Kind::kCount, .slot = 1},
                    {.kind = Total::Kind::kUnits}};
    for (const Tally::Kind kind : {Tally::Kind::kLost, Tally::Kind::kClamped})
      shape.tallies.push_back({.kind = kind, .bins = kCountBins});
    out.push_back(shape);  // rows are drawn
    shape.weight_bits = kWeightBits;
    out.push_back(shape);  // … and weighed
  }
  return out;
}

Contributions added_up(Bounder& held, const Shape& shape, const std::vector<std::size_t>& places,
                       unsigned threads) {
  Bounder::Sum sum(held, shape, places);
  sum.add(threads);
  return sum.finish();
}

// Held slot of each slot: 1 has the numbers.
std::vector<std::size_t> places_of(const Shape& shape) {
  std::vector<std::size_t> out;
  for (const Slot& slot : shape.slots) out.push_back(slot.kind == Slot::Kind::kFlag ? 0 : 1);
  return out;
}

std::vector<Row> rows_with_odd_values() {
  auto rows = some_rows(5000, 60, 12, 3);
  const double odd[] = {std::numeric_limits<double>::quiet_NaN(),
                        -std::numeric_limits<double>::quiet_NaN(),
                        std::numeric_limits<double>::infinity(),
                        -std::numeric_limits<double>::infinity(),
                        0.0,
                        -0.0,
                        std::numeric_limits<double>::denorm_min(),
                        -std::numeric_limits<double>::max(),
                        -7.25};
  for (std::size_t i = 0; i < rows.size(); i += 3) rows[i].value = odd[i / 3 % std::size(odd)];
  // One unit has so many rows that equal ones are held once.
  for (int i = 0; i < 20'000; ++i) rows.push_back({1000, i % 3, odd[i % std::size(odd)]});
  return rows;
}

// Added up later, by whatever grids, limits and histograms, rows are what they would have been.
TEST(Held, RowsAddUpAsIfTheyHadJustBeenRead) {
  const HeldRows rows(rows_with_odd_values());
  // As much memory as a server has, and so little that equal rows are held once.
  for (const std::size_t memory : {std::size_t{1} << 30, std::size_t{12} << 20}) {
    Bounder bounder(rows.held, secret_of(9), memory);
    rows.feed(bounder, rows.held);
    ASSERT_TRUE(bounder.fits());
    for (const Shape& shape : shapes_of_held_rows())
      for (const unsigned threads : {1u, 3u})
        EXPECT_EQ(seen(shape, added_up(bounder, shape, places_of(shape), threads)),
                  rows.directly(shape));
  }
}

// The broken twin: a slot made of another one.
TEST(Held, AnotherSlotIsSeen) {
  const HeldRows rows(some_rows(500, 20, 5, 3));
  Bounder bounder(rows.held, secret_of(9), 1 << 30);
  rows.feed(bounder, rows.held);
  const Shape shape = shapes_of_held_rows()[1];
  auto places = places_of(shape);
  places[0] = 0;
  EXPECT_NE(seen(shape, added_up(bounder, shape, places, 1)), rows.directly(shape));
}

TEST(Held, EveryNumberIsHeldAsItIs) {
  for (const double value : {0.0, -0.0, 1.5, -1e308, std::numeric_limits<double>::denorm_min(),
                             -std::numeric_limits<double>::infinity()})
    EXPECT_EQ(held_number(held_bits(value)), value);
  EXPECT_TRUE(std::isnan(held_number(kHeldNothing)));
}

}  // namespace
}  // namespace discreet::bound
