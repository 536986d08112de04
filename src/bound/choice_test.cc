// The choice against a plain reading of its rule, for units with few rows and with many, in one
// step and in two.
#include "discreet/bound/choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "discreet/random/testing/sources.h"

namespace discreet::bound {
namespace {

using Row = std::array<std::uint64_t, 3>;  // unit, group, slot

struct World {
  Shape shape;
  Secret secret;
  Groups groups;
  explicit World(std::uint32_t max_groups, std::uint32_t max_rows)
      : secret([] {
          random::testing::Seeded source(8);
          return *Secret::draw(source);
        }()),
        groups(secret) {
    shape.keys = 1;
    shape.slots.resize(1);
    shape.max_groups = max_groups;
    shape.max_rows = max_rows;
    for (std::int64_t i = 0; i < 50; ++i) {
      KeyBytes key;
      key.whole(i);
      groups.number(key.view());
    }
  }
};

std::vector<Row> kept_of(World& world, std::vector<Row> rows) {
  const Layout layout(world.shape);
  Choice choice(world.shape, layout, world.secret, world.groups);
  std::vector<Chunk> chunks;  // of seven records, so that units lie across them
  for (std::size_t at = 0; at < rows.size(); at += 7)
    chunks.push_back(
        {rows[at].data(), static_cast<std::uint32_t>(std::min<std::size_t>(7, rows.size() - at))});
  std::vector<Row> out;
  choice.each_kept(chunks, [&](std::span<const Choice::Record> records, std::size_t kept) {
    for (std::size_t i = 0; i < kept; ++i)
      out.push_back({records[i][0], records[i][1], records[i][2]});
  });
  std::sort(out.begin(), out.end());
  return out;
}

// The rule, read slowly.
std::vector<Row> expected(World& world, const std::vector<Row>& rows) {
  std::map<std::uint64_t, std::map<std::uint64_t, std::vector<Row>>> units;
  for (const Row& row : rows) units[row[0]][row[1]].push_back(row);
  std::vector<Row> out;
  for (auto& [unit, groups] : units) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> order;
    for (const auto& [group, mine] : groups)
      order.push_back(
          {mix(world.secret, unit, world.groups.hash(static_cast<std::uint32_t>(group))), group});
    std::sort(order.begin(), order.end());
    for (std::size_t g = 0; g < std::min<std::size_t>(order.size(), world.shape.max_groups); ++g) {
      std::vector<Row>& mine = groups[order[g].second];
      const std::uint64_t seed =
          mix(world.secret, world.groups.hash(static_cast<std::uint32_t>(order[g].second)), unit);
      std::sort(mine.begin(), mine.end(), [&](const Row& a, const Row& b) {
        return mix(world.secret, seed, a[2]) < mix(world.secret, seed, b[2]);
      });
      mine.resize(std::min<std::size_t>(mine.size(), world.shape.max_rows));
      out.insert(out.end(), mine.begin(), mine.end());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<Row> some_rows(std::size_t count, std::uint64_t units, std::uint64_t groups) {
  std::mt19937_64 draw(4);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < count; ++i)
    rows.push_back({(draw() % units) * 0x9E3779B97F4A7C15u, draw() % groups, draw() % 1000});
  return rows;
}

TEST(Choice, FollowsItsRule) {
  // 5 rows a unit (chosen by search), and 500 (by sorting)
  for (const std::uint64_t units : {2000u, 20u})
    for (const std::uint64_t groups : {1u, 3u, 50u})
      for (const std::uint32_t max_groups : {1u, 3u, 40u})
        for (const std::uint32_t max_rows : {1u, 2u, 1000u}) {
          World world(max_groups, max_rows);
          const auto rows = some_rows(10'000, units, groups);
          EXPECT_EQ(kept_of(world, rows), expected(world, rows))
              << units << " units, " << groups << " groups, keep " << max_groups << " of "
              << max_rows;
        }
}

TEST(Choice, OfSurvivorsIsTheSame) {
  World world(3, 2);
  const auto rows = some_rows(10'000, 300, 20);
  std::vector<Row> first(rows.begin(), rows.begin() + 6000), rest(rows.begin() + 6000, rows.end());
  std::vector<Row> survivors = kept_of(world, first);
  survivors.insert(survivors.end(), rest.begin(), rest.end());
  EXPECT_EQ(kept_of(world, survivors), kept_of(world, rows));
}

TEST(Choice, UnitsOfTwoWordsAreToldApartByBoth) {
  World world(9, 9);
  world.shape.text_units = true;
  world.shape.slots.clear();
  world.shape.max_groups = 1;
  std::vector<Row> rows = {{7, 1, 0}, {7, 2, 0}, {7, 1, 1}};  // unit (7, 1) twice, unit (7, 2) once
  EXPECT_EQ(kept_of(world, rows).size(), 2u);
}

}  // namespace
}  // namespace discreet::bound
