// The choice against a plain reading of its rule, for units with few rows and with many, with equal
// rows held once or apart; and that every subset of a unit's rows is as likely as any other.
#include "discreet/bound/choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "discreet/random/testing/sources.h"

namespace discreet::bound {
namespace {

using Row = std::array<std::uint64_t, 3>;  // unit, group (and copies), slot

struct World {
  Shape shape;
  Secret secret;
  Groups groups;
  explicit World(std::uint32_t max_groups, std::uint32_t max_rows,
                 std::uint32_t max_total = kNoLimit, std::uint64_t seed = 8,
                 const Hashing* hashing = nullptr)
      : secret([seed, hashing] {
          random::testing::Seeded source(seed);
          Secret out = *Secret::draw(source);
          out.hashing = hashing;
          return out;
        }()),
        groups(secret) {
    shape.keys = 1;
    shape.slots.resize(1);
    shape.max_groups = max_groups;
    shape.max_rows = max_rows;
    shape.max_total = max_total;
    for (std::int64_t i = 0; i < 50; ++i) {
      KeyBytes key;
      key.whole(i);
      groups.number(key.view());
    }
  }
};

// Chunks of seven records, so that units lie across them.
std::vector<Chunk> chunks_of(std::vector<Row>& rows) {
  std::vector<Chunk> out;
  for (std::size_t at = 0; at < rows.size(); at += 7)
    out.push_back(
        {rows[at].data(), static_cast<std::uint32_t>(std::min<std::size_t>(7, rows.size() - at))});
  return out;
}

Row one_row(std::uint64_t unit, std::uint64_t group, std::uint64_t slot, std::uint64_t copies = 1) {
  return {unit, group | copies * Layout::kOne, slot};
}

// Calls visit(chosen) for each unit.
template <class Visit>
void each_unit(World& world, std::vector<Row>& rows, Visit&& visit) {
  const Layout layout(world.shape);
  Choice choice(world.shape, layout, world.secret, world.groups);
  ByUnit by_unit(layout);
  by_unit.sort(chunks_of(rows));
  by_unit.each(
      [&](ByUnit::Record first, std::size_t count) { visit(choice.choose(first, count)); });
}

// Sorted, equal ones as often as they are kept.
std::vector<Row> kept_of(World& world, std::vector<Row> rows) {
  const Layout layout(world.shape);
  std::vector<Row> out;
  each_unit(world, rows, [&](const Chosen& unit) {
    std::uint64_t kept = 0;
    for (const Kept& one : unit.rows) {
      kept += one.kept;
      out.insert(out.end(), one.kept,
                 one_row(one.row[0], layout.group(one.row), one.row[layout.slots_at]));
    }
    EXPECT_EQ(kept, unit.kept);
  });
  std::sort(out.begin(), out.end());
  return out;
}

// Equal rows of a unit together.
std::vector<Row> held_once(World& world, std::vector<Row> rows) {
  const Layout layout(world.shape);
  Choice choice(world.shape, layout, world.secret, world.groups);
  std::vector<Row> out;
  const auto emit = [&](Choice::Record row, std::uint32_t copies) {
    out.push_back(one_row(row[0], layout.group(row), row[layout.slots_at], copies));
  };
  ByUnit by_unit(layout);
  by_unit.sort(chunks_of(rows));
  by_unit.each(
      [&](ByUnit::Record first, std::size_t count) { choice.each_different(first, count, emit); });
  return out;
}

// The rule, read slowly.
std::vector<Row> expected(World& world, const std::vector<Row>& rows) {
  std::map<std::uint64_t, std::map<std::uint64_t, std::vector<Row>>> units;
  for (const Row& row : rows) units[row[0]][row[1] & 0xffffffffu].push_back(row);
  const auto least = [&](std::vector<Row> among, std::size_t most, std::uint64_t purpose) {
    if (among.size() <= most) return among;
    std::map<Row, std::uint64_t> seen;
    std::vector<std::pair<std::uint64_t, Row>> ranked;
    for (const Row& row : among) {
      const auto group = static_cast<std::uint32_t>(row[1]);
      const std::uint64_t content =
          mix(world.secret, mix(world.secret, world.groups.hash(group), row[0]), row[2]);
      ranked.push_back({mix(world.secret, content ^ purpose, ++seen[row]), row});
    }
    std::sort(ranked.begin(), ranked.end());
    among.clear();
    for (std::size_t i = 0; i < most; ++i) among.push_back(ranked[i].second);
    return among;
  };
  std::vector<Row> out;
  for (auto& [unit, groups] : units) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> order;
    for (const auto& [group, mine] : groups)
      order.push_back(
          {mix(world.secret, unit, world.groups.hash(static_cast<std::uint32_t>(group))), group});
    std::sort(order.begin(), order.end());
    std::vector<Row> all;
    for (std::size_t g = 0; g < std::min<std::size_t>(order.size(), world.shape.max_groups); ++g) {
      const auto some = least(groups[order[g].second], world.shape.max_rows, 1);
      all.insert(all.end(), some.begin(), some.end());
    }
    all = least(all, world.shape.max_total, 2);
    out.insert(out.end(), all.begin(), all.end());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<Row> some_rows(std::size_t count, std::uint64_t units, std::uint64_t groups,
                           std::uint64_t values = 1000) {
  std::mt19937_64 draw(4);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < count; ++i)
    rows.push_back(
        one_row((draw() % units) * 0x9E3779B97F4A7C15u, draw() % groups, draw() % values));
  return rows;
}

TEST(Choice, FollowsItsRule) {
  // 5 rows a unit (chosen by search), and 500 (by sorting)
  for (const std::uint64_t units : {2000u, 20u})
    for (const std::uint64_t groups : {1u, 3u, 50u})
      for (const std::uint32_t max_groups : {1u, 3u, 40u})
        for (const std::uint32_t max_rows : {1u, 2u, 1000u})
          for (const std::uint32_t max_total : {1u, 7u, kNoLimit}) {
            World world(max_groups, max_rows, max_total);
            const auto rows = some_rows(10'000, units, groups, 20);
            EXPECT_EQ(kept_of(world, rows), expected(world, rows))
                << units << " units, " << groups << " groups, keep " << max_groups << " of "
                << max_rows << ", " << max_total << " in all";
          }
}

TEST(Choice, EqualRowsMayBeHeldOnce) {
  World world(3, 4, 9);
  const auto rows = some_rows(10'000, 300, 6, 5);
  std::vector<Row> first(rows.begin(), rows.begin() + 6000), rest(rows.begin() + 6000, rows.end());
  std::vector<Row> held = held_once(world, first);
  EXPECT_LT(held.size(), first.size());
  held.insert(held.end(), rest.begin(), rest.end());
  EXPECT_EQ(kept_of(world, held), kept_of(world, rows));
  EXPECT_EQ(kept_of(world, held_once(world, held)), kept_of(world, rows));
}

// The rule is the same where there are more groups than a table is made for, and where more groups
// stay than are searched for one by one.
TEST(Choice, FollowsItsRuleAmongManyGroups) {
  constexpr std::uint32_t kGroups = 70'000;
  std::mt19937_64 draw(9);
  for (const std::uint32_t most : {1u, 3u, 9u, 40u}) {
    World world(most, 2);
    for (std::int64_t i = 50; i < kGroups; ++i) {
      KeyBytes key;
      key.whole(i);
      world.groups.number(key.view());
    }
    // Units with few groups and with many, some of them beyond the table, some in both.
    std::vector<Row> rows;
    for (int i = 0; i < 3000; ++i) {
      const std::uint64_t unit = draw() % 60;
      const std::uint64_t group = unit % 3 == 0 ? draw() % 60 : kGroups - 1 - draw() % 30;
      rows.push_back(one_row(unit, unit % 3 == 2 && i % 2 == 0 ? 1 : group, draw() % 5));
    }
    EXPECT_EQ(kept_of(world, rows), expected(world, rows)) << most;
  }
}

// What a unit has, keeps and has in its largest group: rows, however they are held.
TEST(Choice, RowsHeldOnceCountWithTheirCopies) {
  World world(1, 6);
  std::vector<Row> rows = {one_row(5, 0, 1, 20), one_row(5, 0, 2, 10), one_row(5, 1, 1, 30),
                           one_row(6, 0, 1, 4)};
  std::vector<std::vector<std::uint64_t>> seen;
  each_unit(world, rows, [&](const Chosen& unit) {
    seen.push_back({unit.rows[0].row[0], unit.had, unit.kept, unit.most});
  });
  EXPECT_EQ(seen, (std::vector<std::vector<std::uint64_t>>{{5, 60, 6, 30}, {6, 4, 4, 4}}));
}

// Rows are the same if unit, group, mark and every slot are; only the number of copies may differ.
TEST(Layout, RowsThatDifferInAnythingButCopiesAreOthers) {
  Shape shape;
  shape.text_units = true;
  shape.slots.resize(2);
  const Layout layout(shape);
  using Record = std::array<std::uint64_t, 5>;  // unit, unit, group, slots
  const Record row = {7, 8, 3 + 4 * Layout::kOne, 100, 200};
  const auto same = [&](const Record& other) { return layout.same(row.data(), other.data()); };
  EXPECT_TRUE(same(row));
  EXPECT_TRUE(same({7, 8, 3 + 9 * Layout::kOne, 100, 200}));
  EXPECT_FALSE(same({6, 8, 3 + 4 * Layout::kOne, 100, 200}));
  EXPECT_FALSE(same({7, 9, 3 + 4 * Layout::kOne, 100, 200}));
  EXPECT_FALSE(same({7, 8, 2 + 4 * Layout::kOne, 100, 200}));
  EXPECT_FALSE(same({7, 8, (3 + 4 * Layout::kOne) | Layout::kClamped, 100, 200}));
  EXPECT_FALSE(same({7, 8, 3 + 4 * Layout::kOne, 101, 200}));
  EXPECT_FALSE(same({7, 8, 3 + 4 * Layout::kOne, 100, 201}));
}

TEST(Layout, SaysHowManyCopiesThereAre) {
  Shape shape;
  const Layout layout(shape);
  for (const std::uint64_t mark : {std::uint64_t{0}, Layout::kClamped})
    for (const std::uint32_t before : {1u, Layout::kMostCopies})
      for (const std::uint32_t now : {1u, 3u, Layout::kMostCopies}) {
        std::array<std::uint64_t, 2> record = {7, 9 | before * Layout::kOne | mark};
        layout.set_copies(record.data(), now);
        EXPECT_EQ(layout.copies(record.data()), now);
        EXPECT_EQ(layout.clamped(record.data()), mark != 0);
        EXPECT_EQ(layout.group(record.data()), 9u);
      }
}

// More equal rows than a record can say are held by several. Not one is lost: a unit's weight
// follows from how many it has.
TEST(Choice, NoRowIsLostHoweverManyAreEqual) {
  World world(1, 1);
  world.shape.weight_bits = 10;
  const Layout layout(world.shape);
  std::vector<Row> rows;
  for (int i = 0; i < 3; ++i) rows.push_back(one_row(7, 1, 100, Layout::kMostCopies));
  rows.push_back(one_row(7, 1, 100, 5));
  std::uint64_t held = 0;
  std::vector<Row> once = held_once(world, rows);
  for (const Row& row : once) held += layout.copies(row.data());
  EXPECT_EQ(held, 3 * std::uint64_t{Layout::kMostCopies} + 5);
  EXPECT_EQ(once.size(), 4u);
  each_unit(world, once, [&](const Chosen& unit) {
    EXPECT_EQ(unit.had, held);
    EXPECT_EQ(unit.kept, 1u);
    EXPECT_EQ(unit.runs[0].weight, 0u);  // the share of a saturated number would be none as well …
  });
  // … but of two records' worth, with a limit of one record's, it is a half and not a whole.
  World half(1, Layout::kMostCopies);
  half.shape.weight_bits = 10;
  std::vector<Row> two = {one_row(7, 1, 100, Layout::kMostCopies),
                          one_row(7, 1, 100, Layout::kMostCopies)};
  two = held_once(half, two);
  each_unit(half, two, [&](const Chosen& unit) { EXPECT_EQ(unit.runs[0].weight, 512u); });
}

TEST(Choice, UnitsOfTwoWordsAreToldApartByBoth) {
  World world(9, 9);
  world.shape.text_units = true;
  world.shape.slots.clear();
  world.shape.max_groups = 1;
  // unit (7, 1) twice, in two groups, unit (7, 2) once
  std::vector<Row> rows = {{7, 1, Layout::kOne}, {7, 2, Layout::kOne}, {7, 1, 1 + Layout::kOne}};
  std::size_t units = 0, kept = 0;
  each_unit(world, rows, [&](const Chosen& unit) {
    ++units;
    kept += unit.kept;
  });
  EXPECT_EQ(units, 2u);
  EXPECT_EQ(kept, 2u);
}

// --- every subset is as likely as any other

// Which rows are kept of a unit with these values: how often each sum of values occurs, over many
// secrets. Equal values are different people's worth of the same: the sum tells only how many of
// each there are, and that has the hypergeometric distribution.
using Chooser = std::vector<Row> (*)(World&, std::vector<Row>);

// The choice as it once was: by the content alone, equal rows together.
std::vector<Row> by_content_alone(World& world, std::vector<Row> rows) {
  const auto hash = [&](const Row& row) { return mix(world.secret, row[0], row[2]); };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const Row& a, const Row& b) { return hash(a) < hash(b); });
  rows.resize(std::min<std::size_t>(rows.size(), world.shape.max_rows));
  return rows;
}

// χ² of the number of ones kept, of `ones` among `all` rows of which `keep` are kept.
double chi_square(Chooser choose, std::uint64_t all, std::uint64_t ones, std::uint32_t keep,
                  bool in_total, const Hashing* hashing = nullptr) {
  constexpr int kRuns = 4000;
  std::map<std::uint64_t, double> seen;
  for (int run = 0; run < kRuns; ++run) {
    World world(50, in_total ? 1000 : keep, in_total ? keep : kNoLimit,
                static_cast<std::uint64_t>(run), hashing);
    std::vector<Row> rows;
    for (std::uint64_t i = 0; i < all; ++i) rows.push_back(one_row(77, 3, i < ones ? 1 : 0));
    std::uint64_t kept = 0;
    for (const Row& row : choose(world, rows)) kept += row[2];
    ++seen[kept];
  }
  const auto choices = [](double n, double k) {
    return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1));
  };
  double out = 0;
  for (std::uint64_t k = 0; k <= std::min<std::uint64_t>(ones, keep); ++k) {
    const auto n = static_cast<double>(all), m = static_cast<double>(ones),
               d = static_cast<double>(keep), x = static_cast<double>(k);
    const double expect = kRuns * choices(m, x) * choices(n - m, d - x) / choices(n, d);
    if (expect < 5) continue;
    out += (seen[k] - expect) * (seen[k] - expect) / expect;
  }
  return out;
}

TEST(Choice, EverySubsetIsAsLikely) {
  // At most 5 bins with 5 or more expected: χ² above 35 has a probability of one in a million.
  EXPECT_LT(chi_square(kept_of, 100, 10, 10, false), 35);
  EXPECT_LT(chi_square(kept_of, 100, 10, 10, true), 35);
  EXPECT_LT(chi_square(kept_of, 12, 6, 5, false), 35);
  // equal rows held once
  EXPECT_LT(chi_square(
                [](World& world, std::vector<Row> rows) {
                  return kept_of(world, held_once(world, std::move(rows)));
                },
                100, 10, 10, false),
            35);
}

// … also by the hash that engines have.
TEST(Choice, EverySubsetIsAsLikelyByAnEnginesHash) {
  const Lookup3 hashing;
  EXPECT_LT(chi_square(kept_of, 100, 10, 10, false, &hashing), 35);
  EXPECT_LT(chi_square(kept_of, 100, 10, 10, true, &hashing), 35);
  EXPECT_LT(chi_square(kept_of, 12, 6, 5, false, &hashing), 35);
  EXPECT_LT(chi_square(
                [](World& world, std::vector<Row> rows) {
                  return kept_of(world, held_once(world, std::move(rows)));
                },
                100, 10, 10, false, &hashing),
            35);
}

// One that hardly hashes: neighbouring numbers stay neighbours.
class Poor final : public Hashing {
 public:
  std::uint64_t whole(std::int64_t value, std::uint64_t key) const override {
    return static_cast<std::uint64_t>(value) ^ key;
  }
  std::uint64_t real(double value, std::uint64_t key) const override {
    return whole(static_cast<std::int64_t>(value), key);
  }
  std::uint64_t text(std::string_view value, std::uint64_t key) const override {
    return whole(static_cast<std::int64_t>(value.size()), key);
  }
};

TEST(Choice, APoorHashIsCaught) {
  const Poor poor;
  EXPECT_GT(chi_square(kept_of, 100, 10, 10, false, &poor), 1000);
}

// Of a unit's groups each is kept as often as any other, whatever its neighbours' numbers are.
TEST(Choice, EveryGroupIsAsLikelyByAnEnginesHash) {
  constexpr int kRuns = 4000;
  const Lookup3 lookup;
  const Poor poor;
  const auto chi = [&](const Hashing& hashing) {
    std::map<std::uint64_t, double> seen;
    std::vector<Row> rows;
    for (std::uint64_t group = 0; group < 20; ++group) rows.push_back(one_row(5, group, 0));
    for (int run = 0; run < kRuns; ++run) {
      World world(3, 1, kNoLimit, static_cast<std::uint64_t>(run), &hashing);
      for (const Row& row : kept_of(world, rows)) ++seen[row[1] & 0xffffffffu];
    }
    double out = 0;
    const double expect = kRuns * 3.0 / 20;
    for (std::uint64_t group = 0; group < 20; ++group)
      out += (seen[group] - expect) * (seen[group] - expect) / expect;
    return out;
  };
  EXPECT_LT(chi(lookup), 70);  // 19 degrees of freedom: one in a million
  EXPECT_GT(chi(poor), 200);
}

// One by which everything is the same: groups of a unit that meet stay groups of their own.
class Same final : public Hashing {
 public:
  std::uint64_t whole(std::int64_t, std::uint64_t) const override { return 5; }
  std::uint64_t real(double, std::uint64_t) const override { return 5; }
  std::uint64_t text(std::string_view, std::uint64_t) const override { return 5; }
};

TEST(Choice, GroupsWhoseHashesMeetAreNotTakenForOne) {
  const Same same;
  // few rows (chosen by search), and many (by sorting)
  for (const std::uint64_t in_each : {4u, 40u}) {
    std::vector<Row> rows;
    for (std::uint64_t i = 0; i < 3 * in_each; ++i) rows.push_back(one_row(5, i % 3, i));
    for (const std::uint32_t max_groups : {1u, 2u, 3u}) {
      World world(max_groups, 1000, kNoLimit, 8, &same);
      std::map<std::uint64_t, std::uint64_t> kept;
      for (const Row& row : kept_of(world, rows)) ++kept[row[1] & 0xffffffffu];
      EXPECT_EQ(kept.size(), max_groups);
      for (const auto& [group, count] : kept) EXPECT_EQ(count, in_each);
    }
  }
}

// Which of them stay doesn't depend on which came first.
TEST(Choice, GroupsWhoseHashesMeetStayInTheOrderOfTheirNumbers) {
  const Same same;
  for (const std::uint32_t max_groups : {2u, 12u}) {  // picked one by one, and all at once
    std::vector<Row> rows;
    for (std::uint64_t i = 0; i < 20; ++i) rows.push_back(one_row(5, 7 * i % 20, i));
    std::vector<std::uint64_t> kept;
    World world(max_groups, 1000, kNoLimit, 8, &same);
    for (const Row& row : kept_of(world, rows)) kept.push_back(row[1] & 0xffffffffu);
    std::sort(kept.begin(), kept.end());
    ASSERT_EQ(kept.size(), max_groups);
    EXPECT_EQ(kept.back(), max_groups - 1);
  }
}

// Numbers that only the place of a half tells apart, and 0.
TEST(Choice, HalvesAreHashedApart) {
  const Lookup3 lookup;
  std::map<std::uint64_t, std::int64_t> seen;
  for (const std::uint64_t key : {std::uint64_t{0}, std::uint64_t{777}, ~std::uint64_t{0}}) {
    seen.clear();
    for (std::int64_t k = -2000; k <= 2000; ++k)
      for (const std::int64_t value :
           {k, k * (std::int64_t{1} << 32), k * ((std::int64_t{1} << 32) + 1)}) {
        const auto [at, fresh] = seen.emplace(lookup.halves(value, key), value);
        EXPECT_TRUE(fresh || at->second == value)
            << value << " and " << at->second << " by " << key;
      }
    EXPECT_FALSE(seen.contains(key));
  }
}

TEST(Choice, OneByContentAloneIsCaught) {
  EXPECT_GT(chi_square(by_content_alone, 100, 10, 10, false), 1000);
}

// Of rows in several groups, under a limit in all, each is kept as often as any other.
TEST(Choice, ALimitInAllTakesRowsOfEveryGroupAlike) {
  constexpr int kRuns = 4000;
  std::map<Row, double> seen;
  std::vector<Row> rows;
  for (std::uint64_t i = 0; i < 20; ++i) rows.push_back(one_row(5, i < 15 ? 0 : i, i));
  for (int run = 0; run < kRuns; ++run) {
    World world(50, 1000, 4, static_cast<std::uint64_t>(run));
    for (const Row& row : kept_of(world, rows)) ++seen[row];
  }
  double chi = 0;
  const double expect = kRuns * 4.0 / 20;
  for (const Row& row : rows) chi += (seen[row] - expect) * (seen[row] - expect) / expect;
  EXPECT_LT(chi, 70);  // 19 degrees of freedom, and less than independent: one in a million
}

}  // namespace
}  // namespace discreet::bound
