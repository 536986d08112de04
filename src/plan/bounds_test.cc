// Bounds against all ways in which one unit can fill its groups; and what a plan says that a unit
// changes, against units that do their worst.
#include "discreet/plan/bounds.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "discreet/bound/bounder.h"
#include "discreet/mechanism/door.h"
#include "discreet/plan/charges.h"
#include "discreet/plan/shape.h"
#include "discreet/plan/testing/planned.h"
#include "discreet/random/testing/sources.h"

namespace discreet::plan {
namespace {

// The most that any unit within the bounds reaches.
struct Worst {
  long rows = 0, groups = 0, in_one = 0, squares = 0;
  friend bool operator==(const Worst&, const Worst&) = default;
};

// Every number of rows in every group, one after the other.
Worst by_trying_all(const Bounds& bounds) {
  Worst out;
  const std::function<void(std::int64_t, Worst)> fill = [&](std::int64_t left, Worst so_far) {
    if (left == 0) {
      if (bounds.total && so_far.rows > *bounds.total) return;
      out.rows = std::max(out.rows, so_far.rows);
      out.groups = std::max(out.groups, so_far.groups);
      out.in_one = std::max(out.in_one, so_far.in_one);
      out.squares = std::max(out.squares, so_far.squares);
      return;
    }
    for (long here = 0; here <= bounds.rows; ++here)
      fill(left - 1, {so_far.rows + here, so_far.groups + (here > 0), std::max(so_far.in_one, here),
                      so_far.squares + here * here});
  };
  fill(bounds.groups, {});
  return out;
}

template <class Visit>
void each_small(Visit&& visit) {
  for (std::int64_t groups = 1; groups <= 5; ++groups)
    for (std::int64_t rows = 1; rows <= 5; ++rows) {
      visit(Bounds{groups, rows, {}});
      for (std::int64_t total = 1; total <= groups * rows + 2; ++total)
        visit(Bounds{groups, rows, total});
    }
}

TEST(Bounds, AreWhatTheWorstUnitReaches) {
  each_small([](const Bounds& bounds) {
    const Worst worst = by_trying_all(bounds);
    const auto where = ::testing::Message() << bounds.groups << " groups of " << bounds.rows
                                            << " rows, " << bounds.total.value_or(-1) << " in all";
    EXPECT_EQ(bounds.most_rows(), worst.rows) << where;
    EXPECT_EQ(bounds.most_groups(), worst.groups) << where;
    EXPECT_EQ(bounds.most_in_one(), worst.in_one) << where;
    EXPECT_EQ(bounds.rows_squared(), worst.squares) << where;
  });
}

// Formulas that are almost right are below the worst unit somewhere (noise by them would be too
// small), or above it (it would be larger than it has to be).
TEST(Bounds, OtherFormulasAreSeenToBeWrong) {
  const auto differs = [](bool below, const std::function<Integer(const Bounds&)>& formula) {
    int found = 0;
    each_small([&](const Bounds& bounds) {
      const Integer squares = by_trying_all(bounds).squares;
      found += below ? formula(bounds) < squares : formula(bounds) > squares;
    });
    return found;
  };
  // The rest in the last group is forgotten.
  EXPECT_GT(differs(true,
                    [](const Bounds& bounds) {
                      const Integer full = bounds.most_in_one();
                      return Integer(bounds.most_rows() / full * full * full);
                    }),
            0);
  // Rows spread evenly over the groups.
  EXPECT_GT(differs(true,
                    [](const Bounds& bounds) {
                      const Integer most = bounds.most_rows();
                      return Integer(most * most / static_cast<long>(bounds.groups));
                    }),
            0);
  // The total is ignored.
  EXPECT_GT(differs(false,
                    [](const Bounds& bounds) {
                      return Integer(static_cast<long>(bounds.groups * bounds.rows * bounds.rows));
                    }),
            0);
  EXPECT_EQ(differs(true, [](const Bounds& bounds) { return bounds.rows_squared(); }), 0);
}

// Numbers whose products have more than 64 bits.
TEST(Bounds, OfLargeNumbers) {
  constexpr std::int64_t kLarge = 4'000'000'000;
  const Bounds wide{kLarge, kLarge, {}};
  EXPECT_EQ(wide.most_rows(), Integer("16000000000000000000"));
  EXPECT_EQ(wide.rows_squared(), Integer("64000000000000000000000000000"));
  EXPECT_EQ((Bounds{kLarge, kLarge, 7}.rows_squared()), 49);
}

// Tests look behind the barrier.
struct Opened : mechanism::Door {
  template <class T>
  static const T& look(const mechanism::Exact<T>& exact) {
    return open(exact);
  }
};

class PlanBounds : public testing::Planned {
 protected:
  static constexpr std::int64_t kGroups = 6;

  Result<Plan> plan(const std::string& about, const char* query, const char* delta = "0") {
    return Planned::plan(testing::kRanges + about, query, delta);
  }

  // One unit's rows: a group and a number each.
  using Rows = std::vector<std::pair<std::int64_t, std::int64_t>>;

  // What the unit changes, as the bounding adds it up: nobody else is there, so that its own totals
  // are the change.
  struct Change {
    std::vector<std::vector<std::int64_t>> totals;   // [statistic][group]
    std::vector<std::vector<std::int64_t>> tallies;  // [count][bin]
  };
  static Change change(const PlanPart& part, const Rows& rows, std::uint64_t seed) {
    random::testing::Seeded source(seed);
    const bound::Shape shape = shape_of(part);
    bound::Bounder bounder(shape, *bound::Secret::draw(source), 1 << 30);
    EXPECT_TRUE(close_groups(part, bounder.groups()));
    std::vector<std::int64_t> unit(rows.size(), 7), groups, whole;
    std::vector<double> real;
    std::vector<std::string> texts;
    for (const auto& [group, n] : rows) {
      groups.push_back(group);
      whole.push_back(n);
      real.push_back(static_cast<double>(n));
      texts.push_back(std::to_string(n));
    }
    std::vector<bound::Text> text;
    for (const std::string& one : texts) text.emplace_back(one);
    bound::Batch batch;
    batch.rows = rows.size();
    batch.unit = {.kind = bound::Column::Kind::kWhole, .whole = unit.data()};
    if (shape.keys > 0)
      batch.keys = {{.kind = bound::Column::Kind::kWhole, .whole = groups.data()}};
    for (const Slot& slot : part.slots)
      batch.slots.push_back({.kind = slot_column(slot),
                             .whole = whole.data(),
                             .real = real.data(),
                             .text = text.data()});
    bounder.start_pass(0, 1);
    bounder.add(batch);
    bounder.finish_pass(1);
    const bound::Contributions added = bounder.finish();
    std::vector<std::size_t> all(added.groups());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    Change out;
    for (std::size_t s = 0; s < part.statistics.size(); ++s) {
      const auto exact = *added.total(s, all);
      out.totals.push_back(Opened::look(exact));
    }
    for (std::size_t t = 0; t < part.left_out.size(); ++t) {
      const auto exact = *added.tally(t);
      out.tallies.push_back(Opened::look(exact));
    }
    return out;
  }

  // Units that do their worst: rows in as many groups, of as extreme a value, as there are.
  static std::vector<Rows> units() {
    std::vector<Rows> out;
    std::mt19937_64 draw(5);
    for (const std::int64_t n : {-100, 100}) {
      for (std::int64_t groups = 1; groups <= kGroups; ++groups)
        for (const int each : {1, 3, 20}) {
          Rows rows;
          for (std::int64_t group = 0; group < groups; ++group)
            for (int i = 0; i < each; ++i) rows.push_back({group, n});
          out.push_back(rows);
          // Different values, for those that are counted once.
          for (std::size_t i = 0; i < rows.size(); ++i)
            rows[i].second = static_cast<std::int64_t>(draw() % 1000);
          out.push_back(rows);
        }
      // As many rows as may count, which all count wholly: some groups full, one with the rest.
      for (const int full : {1, 2, 3, 4, 7, 8})
        for (std::int64_t groups = 0; groups < kGroups; ++groups)
          for (int rest = 0; rest <= 2; ++rest) {
            Rows rows;
            for (std::int64_t group = 0; group < groups; ++group)
              for (int i = 0; i < full; ++i) rows.push_back({group, n});
            for (int i = 0; i < rest; ++i) rows.push_back({groups, n});
            if (!rows.empty()) out.push_back(rows);
          }
    }
    return out;
  }

  struct Size {
    Integer one, total, squares;
  };
  // In units of 2^-bits.
  static Size size_of(const std::vector<std::int64_t>& change) {
    Size out;
    for (const std::int64_t value : change) {
      const Integer size = abs(Integer(static_cast<long>(value)));
      out.one = std::max(out.one, size);
      out.total += size;
      out.squares += size * size;
    }
    return out;
  }
};

const char* const kDeclared[] = {
    "max_rows = 7\n",
    "max_rows = 1\n",
    "max_rows = 5\nmax_groups = 3\nmax_rows_per_group = 2\n",
    "max_rows = 3\nmax_groups = 5\nmax_rows_per_group = 3\n",
    "max_rows = 100\nmax_groups = 2\nmax_rows_per_group = 3\n",
    "max_rows = 4\nmax_groups = 2\n",
    "max_groups = 4\nmax_rows_per_group = 2\n",
};
const char* const kQueries[] = {
    "SELECT g, COUNT(*), SUM(n), COUNT(DISTINCT who) FROM t GROUP BY g",
    "SELECT g, AVG(n), COUNT(n), COUNT(DISTINCT n) FROM t GROUP BY g",
    "SELECT g, VAR_POP(n) FROM t GROUP BY g",
    "SELECT g, COUNT(DISTINCT who), SUM(n, contribution_bounds_per_group => (0, 4)) FROM t GROUP "
    "BY g",
    "SELECT COUNT(*), SUM(n), AVG(n) FROM t",
};

TEST_F(PlanBounds, NoUnitChangesMoreThanThePlanSays) {
  for (const char* about : kDeclared)
    for (const char* query : kQueries)
      for (const char* delta : {"0", "1e-2"}) {
        const auto made = plan(about, query, delta);
        ASSERT_TRUE(made) << made.error().text();
        const PlanPart& part = made->parts[0];
        std::vector<Size> most(part.statistics.size());
        std::uint64_t seed = 0;
        for (const Rows& rows : units()) {
          const Change found = change(part, rows, ++seed);
          for (std::size_t s = 0; s < part.statistics.size(); ++s) {
            const Size size = size_of(found.totals[s]);
            most[s].one = std::max(most[s].one, size.one);
            most[s].total = std::max(most[s].total, size.total);
            most[s].squares = std::max(most[s].squares, size.squares);
          }
          // A unit is in one bin of a histogram, and in a sum with no more than it is said to keep.
          for (std::size_t t = 0; t < part.left_out.size(); ++t) {
            const Size size = size_of(found.tallies[t]);
            EXPECT_LE(size.total, part.left_out[t].sensitivity) << about << query;
          }
        }
        for (std::size_t s = 0; s < part.statistics.size(); ++s) {
          const Statistic& one = part.statistics[s];
          const Integer by = Integer(1) << static_cast<unsigned>(one.weight_bits);
          EXPECT_LE(most[s].one, one.sensitivity * by) << about << query << s;
          EXPECT_LE(most[s].total, one.total * by) << about << query << s;
          EXPECT_LE(most[s].squares, one.squares * by * by) << about << query << s;
          // What is paid for can happen: the units above do reach it. (A rounded square and a mean
          // of a finer grid don't quite.)
          const bool exact =
              one.kind != Statistic::Kind::kSquares && one.kind != Statistic::Kind::kHistogram;
          if (exact) {
            EXPECT_EQ(most[s].total, one.total * by) << about << query << s;
            EXPECT_EQ(most[s].squares, one.squares * by * by) << about << query << s;
          }
        }
      }
}

// Of two declared bounds the one that needs less noise counts; a promise of the owner's is a bound.
TEST_F(PlanBounds, TheSmallerBoundCounts) {
  const char* query = "SELECT g, COUNT(*) FROM t GROUP BY g";
  const auto bounds = [&](const char* about) {
    const auto made = plan(about, query);
    EXPECT_TRUE(made) << made.error().text();
    return made->parts[0].bounds;
  };
  EXPECT_EQ(bounds("max_rows = 5\nmax_groups = 3\nmax_rows_per_group = 2\n").most_rows(), 5);
  EXPECT_EQ(bounds("max_rows = 7\nmax_groups = 3\nmax_rows_per_group = 2\n").most_rows(), 6);
  EXPECT_EQ(bounds("rows_per_unit = 2\nmax_groups = 5\nmax_rows_per_group = 5\n"),
            (Bounds{2, 2, {}}));
  EXPECT_EQ(bounds("max_groups = 5\nmax_rows_per_group = 4\n"), (Bounds{5, 4, {}}));
  EXPECT_EQ(bounds("max_groups = 50\nmax_rows_per_group = 1\n"), (Bounds{kGroups, 1, {}}));
}

// Of several tables the larger bound counts, whichever is named last.
TEST_F(PlanBounds, TheLargerBoundOfSeveralTablesCounts) {
  const auto rows = [&](long here, long there) {
    const auto made =
        plan("max_rows = " + std::to_string(here) +
                 "\n[tables.u]\nsource = \"t.csv\"\nkey = \"who\"\ncolumns.who = { type = "
                 "\"integer\" }\nmax_rows = " +
                 std::to_string(there) + "\n",
             "SELECT COUNT(*) FROM t JOIN u ON t.who = u.who");
    EXPECT_TRUE(made) << made.error().text();
    return made->parts[0].bounds.most_rows();
  };
  EXPECT_EQ(rows(5, 3), 5);
  EXPECT_EQ(rows(3, 5), 5);
}

// The engine adds up by itself only where there is nothing to bound: one row a unit.
TEST_F(PlanBounds, OneRowAUnitNeedsNoBounding) {
  const auto direct = [&](const char* about, const char* query) {
    const auto made = plan(about, query);
    EXPECT_TRUE(made) << made.error().text();
    return made->parts[0].direct;
  };
  const char* query = "SELECT g, COUNT(*), SUM(n) FROM t GROUP BY g";
  EXPECT_TRUE(direct("rows_per_unit = 1\n", query));
  EXPECT_FALSE(direct("rows_per_unit = 2\n", query));
  EXPECT_FALSE(direct("max_groups = 1\nmax_rows_per_group = 1\n", query));
  EXPECT_FALSE(direct("rows_per_unit = 1\n", "SELECT COUNT(DISTINCT n) FROM t"));
  EXPECT_FALSE(direct("rows_per_unit = 1\nmax_rows = 1\n", query));
}

// The same with a bounding that forgets one of the bounds.
TEST_F(PlanBounds, AForgottenBoundIsSeen) {
  const auto made = plan(kDeclared[2], kQueries[0]);
  ASSERT_TRUE(made) << made.error().text();
  const PlanPart& honest = made->parts[0];
  ASSERT_TRUE(honest.bounds.total);
  const auto exceeds = [&](const PlanPart& broken) {
    bool found_more = false;
    std::uint64_t seed = 0;
    for (const Rows& rows : units()) {
      const Change found = change(broken, rows, ++seed);
      for (std::size_t s = 0; s < honest.statistics.size(); ++s) {
        const Statistic& one = honest.statistics[s];
        found_more |=
            size_of(found.totals[s]).total > one.total << static_cast<unsigned>(one.weight_bits);
      }
    }
    return found_more;
  };
  EXPECT_FALSE(exceeds(honest));
  PlanPart broken = honest;
  broken.bounds.total.reset();
  EXPECT_TRUE(exceeds(broken));
  broken = honest;
  ++*broken.bounds.total;
  EXPECT_TRUE(exceeds(broken));
  broken = honest;
  broken.slots.at(0).high *= 2;
  EXPECT_TRUE(exceeds(broken));
  // Weights of a bit more than the noise knows of.
  broken = honest;
  ASSERT_TRUE(broken.weight_bits);
  ++*broken.weight_bits;
  EXPECT_TRUE(exceeds(broken));
}

// A unit that may count with three rows is in all of its six groups, a little in each: what counts
// it once in a group is limited to three of them all the same. (`max_groups` alone is none.)
TEST_F(PlanBounds, ManyLightRowsAreNotManyUnits) {
  const auto made =
      plan("max_rows = 3\n", "SELECT g, COUNT(*), COUNT(DISTINCT who) FROM t GROUP BY g");
  ASSERT_TRUE(made) << made.error().text();
  const PlanPart& part = made->parts[0];
  ASSERT_TRUE(part.weight_bits);
  Rows rows;
  for (std::int64_t group = 0; group < kGroups; ++group) rows.push_back({group, 1});
  EXPECT_EQ(size_of(change(part, rows, 1).totals.at(1)).total, 3);
  EXPECT_EQ(shape_of(part).max_groups, 3u);
  // Groups that are shown by how many units they have limit them too.
  const auto shown = plan("max_rows = 3\n", "SELECT n, COUNT(*) FROM t GROUP BY n", "1e-2");
  ASSERT_TRUE(shown) << shown.error().text();
  EXPECT_EQ(shape_of(shown->parts[0]).max_groups, 3u);
  // A row of each that decides is a unit of each; the rows that are said to be kept are still
  // bounded.
  const auto decided = plan("max_groups = 3\nmax_rows_per_group = 1\n",
                            "SELECT n, COUNT(*) FROM t GROUP BY n", "1e-6");
  ASSERT_TRUE(decided) << decided.error().text();
  ASSERT_TRUE(decided->parts[0].selection && decided->parts[0].selection->by);
  EXPECT_EQ(decided->parts[0].statistics[0].kind, Statistic::Kind::kUnits);
  EXPECT_EQ(shape_of(decided->parts[0]).max_groups, 3u);
  EXPECT_EQ(shape_of(decided->parts[0]).max_rows, 1u);
  // Nothing does where there are no more groups than that, and one more is one too many.
  for (const std::int64_t most : {kGroups - 1, kGroups}) {
    const auto some = plan("max_groups = " + std::to_string(most) + "\nmax_rows_per_group = 1\n",
                           "SELECT g, COUNT(DISTINCT who) FROM t GROUP BY g");
    ASSERT_TRUE(some) << some.error().text();
    EXPECT_EQ(shape_of(some->parts[0]).max_groups,
              most < kGroups ? static_cast<std::uint32_t>(most) : bound::kNoLimit);
  }
  // Without the number of units nothing limits them, and an accountant is told no more than ε: it
  // is unknown over how many groups three rows are spread.
  const auto sums = plan("max_rows = 3\n", "SELECT g, COUNT(*), SUM(n) FROM t GROUP BY g");
  ASSERT_TRUE(sums) << sums.error().text();
  EXPECT_EQ(shape_of(sums->parts[0]).max_groups, bound::kNoLimit);
  EXPECT_FALSE(limits_groups(sums->parts[0]));
  const auto each = plan("max_rows = 1\n", "SELECT g, COUNT(*) FROM t GROUP BY g");
  ASSERT_TRUE(each) << each.error().text();
  const Statistic& one = each->parts[0].statistics[0];
  ASSERT_EQ(one.total, one.sensitivity);
  for (const Charge& charge : charges_of(*each)) {
    const bool is_approximate = std::holds_alternative<privacy::Approximate>(charge.event.what);
    EXPECT_TRUE(is_approximate || charge.epsilon != one.epsilon);
  }
}

}  // namespace
}  // namespace discreet::plan
