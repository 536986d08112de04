// Rows of a unit stand together, none is lost, and however units and chunks lie.
#include "discreet/bound/by_unit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>

namespace discreet::bound {
namespace {

struct Rows {
  Layout layout;
  std::vector<std::uint64_t> words;
  Rows(const Shape& shape, std::size_t count, auto&& unit_of) : layout(shape) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto [first, second] = unit_of(i);
      words.push_back(first);
      if (layout.unit_words == 2) words.push_back(second);
      words.push_back(i % 7 + Layout::kOne);
      for (std::size_t s = 0; s < layout.slots; ++s) words.push_back(i);
    }
  }
  std::vector<Chunk> chunks(std::size_t capacity) {
    std::vector<Chunk> out;
    const std::size_t count = words.size() / layout.stride;
    for (std::size_t at = 0; at < count; at += capacity)
      out.push_back({words.data() + at * layout.stride,
                     static_cast<std::uint32_t>(std::min(capacity, count - at))});
    return out;
  }
  using Unit = std::pair<std::uint64_t, std::uint64_t>;
  Unit unit_of(const std::uint64_t* record) const {
    return {record[0], layout.unit_words == 2 ? record[1] : 0};
  }
  // The rows of each unit, sorted.
  using ByUnits = std::map<Unit, std::multiset<std::vector<std::uint64_t>>>;
  ByUnits expected() const {
    ByUnits out;
    for (const std::uint64_t* at = words.data(); at != words.data() + words.size();
         at += layout.stride)
      out[unit_of(at)].insert(std::vector<std::uint64_t>(at, at + layout.stride));
    return out;
  }
  ByUnits found(const ByUnit& by_unit) const {
    ByUnits out;
    by_unit.each([&](const std::uint64_t* first, std::size_t count) {
      EXPECT_FALSE(out.contains(unit_of(first))) << "a unit in two places";
      auto& mine = out[unit_of(first)];
      for (std::size_t i = 0; i < count; ++i, first += layout.stride)
        mine.insert(std::vector<std::uint64_t>(first, first + layout.stride));
    });
    return out;
  }
};

Shape shape_of(bool texts, std::size_t slots) {
  Shape shape;
  shape.text_units = texts;
  shape.slots.resize(slots);
  return shape;
}

TEST(ByUnit, BringsRowsTogetherHoweverTheyLie) {
  std::mt19937_64 draw(3);
  using Unit = std::pair<std::uint64_t, std::uint64_t>;
  const std::function<Unit(std::size_t)> kinds[] = {
      [&](std::size_t) {
        return Unit{draw(), draw()};
      },  // each row another
      [&](std::size_t) {
        return Unit{draw() % 50 << 54, 1};
      },  // equal last bits
      [&](std::size_t) {
        return Unit{draw() % 300, draw() % 2};
      },  // told apart by both words
      [](std::size_t i) {
        return Unit{i / 10 * 0x9E3779B97F4A7C15u, 0};
      },  // side by side
      [&](std::size_t i) {
        return Unit{i % 3 == 0 ? draw() : 7, 5};
      },  // one has most
  };
  for (const auto& kind : kinds)
    for (const bool texts : {false, true})
      for (const std::size_t slots : {0u, 1u, 2u, 3u, 5u})
        for (const std::size_t count : {0u, 1u, 2u, 100u, 5000u}) {
          Rows rows(shape_of(texts, slots), count, kind);
          const auto expected = rows.expected();
          ByUnit by_unit(rows.layout);
          const auto chunks = rows.chunks(77);
          by_unit.sort(chunks);
          EXPECT_EQ(rows.found(by_unit), expected);
          // Put back they are taken as they are.
          by_unit.put_back(chunks);
          ByUnit again(rows.layout);
          again.take(chunks);
          EXPECT_EQ(rows.found(again), expected);
        }
}

// The check can fail: rows that were never sorted.
TEST(ByUnit, RowsInDisorderAreSeen) {
  Rows rows(shape_of(false, 1), 100, [](std::size_t i) { return std::pair{i % 10, i}; });
  ByUnit by_unit(rows.layout);
  by_unit.take(rows.chunks(77));
  std::size_t visited = 0;
  by_unit.each([&](const std::uint64_t*, std::size_t) { ++visited; });
  EXPECT_EQ(visited, 100u);
}

// Many units whose words meet in one bucket: as with rows of one bucket in any partition.
TEST(ByUnit, ABucketOfManyUnitsIsPutInOrder) {
  // The inverse of the multiplier, so that the products are small and share their first bits.
  std::uint64_t inverse = 1;
  for (int i = 0; i < 6; ++i) inverse *= 2 - 0x9E3779B97F4A7C15u * inverse;
  Rows rows(shape_of(false, 1), 3000, [&](std::size_t i) {
    return std::pair{i * 7919 % 500 * inverse, i};
  });
  ByUnit by_unit(rows.layout);
  by_unit.sort(rows.chunks(512));
  EXPECT_EQ(rows.found(by_unit), rows.expected());
}

}  // namespace
}  // namespace discreet::bound
