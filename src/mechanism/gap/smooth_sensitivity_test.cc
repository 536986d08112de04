#include "discreet/mechanism/gap/smooth_sensitivity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "discreet/mechanism/gap/reach.h"
#include "discreet/mechanism/gap/window.h"
#include "discreet/mechanism/testing/small_data.h"

namespace discreet::mechanism::gap {
namespace {

using mechanism::testing::all_data;
using mechanism::testing::all_neighbours;
using mechanism::testing::SmallData;
using privacy::Relation;

constexpr long kBits = 128;
const Rational kQuantiles[] = {
    0, Rational(1, 4), Rational(1, 3), Rational(1, 2), Rational(3, 5), Rational(9, 10), 1};

using Bound = std::function<double(const Ordered& rows, const Quantile& quantile)>;

// How often a bound is below what a neighbour changes, or e^β times as large as a neighbour's.
struct Found {
  int too_small = 0, not_smooth = 0;
};
Found search(std::int64_t highest, std::size_t most, const Rational& p, const Unit& unit,
             const Rational& beta, const Bound& bound) {
  const Quantile quantile = *Quantile::create(p);
  const Range range = *Range::create(0, highest);
  struct Known {
    double answer, bound;
  };
  std::map<SmallData, Known> known;
  const auto at = [&](const SmallData& data) {
    const auto found = known.find(data);
    if (found != known.end()) return found->second;
    const Ordered rows = Ordered::of(data, range);
    const Known out{static_cast<double>(rows.at(quantile.rank(rows.size()))),
                    bound(rows, quantile)};
    known[data] = out;
    return out;
  };
  Found out;
  const double factor = std::exp(beta.get_d()) * (1 + 1e-12);
  for (const SmallData& data : all_data(highest, most)) {
    const Known here = at(data);
    for (const SmallData& other : all_neighbours(data, highest, unit)) {
      const Known there = at(other);
      const double change = std::fabs(here.answer - there.answer);
      out.too_small += here.bound < change * (1 - 1e-12) ? 1 : 0;
      out.not_smooth += here.bound > factor * there.bound || there.bound > factor * here.bound;
    }
  }
  return out;
}

Bound smooth(const Unit& unit, const Rational& beta) {
  return [=](const Ordered& rows, const Quantile& quantile) {
    return smooth_sensitivity(rows, quantile, unit, beta).enclose(kBits).middle();
  };
}

TEST(SmoothSensitivity, BoundsEveryChangeAndIsSmooth) {
  for (const Relation relation : {Relation::kAddRemove, Relation::kSubstitute}) {
    for (const std::int64_t rows : {1, 2}) {
      const Unit unit{rows, relation};
      for (const Rational& beta : {Rational(1, 20), Rational(1, 2), Rational(2)}) {
        for (const Rational& p : kQuantiles) {
          const Found found = search(4, rows == 1 ? 5 : 3, p, unit, beta, smooth(unit, beta));
          EXPECT_EQ(found.too_small, 0) << p << " rows " << rows << " beta " << beta;
          EXPECT_EQ(found.not_smooth, 0) << p << " rows " << rows << " beta " << beta;
        }
      }
    }
  }
}

// The search finds what is wrong with bounds that look right.
TEST(SmoothSensitivity, BrokenTwinsAreCaught) {
  const Rational beta(1, 2), median(1, 2);
  for (const Relation relation : {Relation::kAddRemove, Relation::kSubstitute}) {
    const Unit unit{1, relation};
    // local sensitivity itself
    const Found local =
        search(3, 5, median, unit, beta, [](const Ordered& rows, const Quantile& q) {
          return static_cast<double>(window_gap(rows, q, 1));
        });
    EXPECT_EQ(local.too_small, 0);
    EXPECT_GT(local.not_smooth, 0);
    // windows that are narrower by one
    const Found narrow =
        search(3, 5, median, unit, beta, [&](const Ordered& rows, const Quantile& q) {
          double out = 0;
          for (int k = 0; k <= 8; ++k)
            out = std::max(out, std::exp(-0.5 * k) * static_cast<double>(window_gap(rows, q, k)));
          return out;
        });
    EXPECT_GT(narrow.too_small, 0);
    // windows that start at the rank: smooth, it seems, but a rank moves
    const Found onesided =
        search(3, 5, median, unit, beta, [&](const Ordered& rows, const Quantile& q) {
          double out = 0;
          const std::int64_t rank = q.rank(rows.size());
          for (int k = 0; k <= 8; ++k) {
            const std::int64_t gap = std::max(rows.at(rank + k + 1) - rows.at(rank),
                                              rows.at(rank) - rows.at(rank - k - 1));
            out = std::max(out, std::exp(-0.5 * k) * static_cast<double>(gap));
          }
          return out;
        });
    EXPECT_GT(onesided.not_smooth, 0);
  }
  // reach, under substitute
  const Unit substitute{1, Relation::kSubstitute};
  EXPECT_GT(search(3, 5, median, substitute, beta, smooth(Unit{}, beta)).too_small, 0);
  // units of two rows with the bound for one
  EXPECT_GT(search(3, 3, median, Unit{2}, beta, smooth(Unit{1}, beta)).too_small, 0);
}

// The lowest and highest values of the quantile, over all data sets that so many rows make.
TEST(SmoothSensitivity, ReachIsExact) {
  for (const Rational& p : kQuantiles) {
    const Quantile quantile = *Quantile::create(p);
    const Range range = *Range::create(0, 3);
    for (const SmallData& data : all_data(3, 4)) {
      const Ordered rows = Ordered::of(data, range);
      const Reach reach(rows, quantile);
      std::vector<SmallData> ball = {data};
      for (std::int64_t moved = 0; moved <= 3; ++moved) {
        std::int64_t low = 3, high = 0;
        std::map<SmallData, bool> next;
        for (const SmallData& other : ball) {
          const Ordered there = Ordered::of(other, range);
          const std::int64_t value = there.at(quantile.rank(there.size()));
          low = std::min(low, value), high = std::max(high, value);
          next[other] = true;
          for (const SmallData& further : all_neighbours(other, 3, Unit{})) next[further] = true;
        }
        EXPECT_EQ(rows.at(reach.lowest(moved)), low) << p << " " << moved;
        EXPECT_EQ(rows.at(reach.highest(moved)), high) << p << " " << moved;
        ball.clear();
        for (const auto& [other, there] : next) ball.push_back(other);
        if (moved == 2 && data.size() > 2) break;
      }
    }
  }
}

double by_definition(const Ordered& rows, const Quantile& quantile, std::int64_t per_unit,
                     double beta, bool substitute) {
  const std::int64_t n = rows.size(), rank = quantile.rank(n);
  const auto unit = static_cast<double>(per_unit);
  double window = 0, reach = 0;
  for (std::int64_t i = 0; i <= rank; ++i) {
    for (std::int64_t j = rank; j <= n + 1; ++j) {
      const double steps = std::max(0.0, static_cast<double>(j - i) / unit - 1);
      window =
          std::max(window, std::exp(-beta * steps) * static_cast<double>(rows.at(j) - rows.at(i)));
    }
  }
  for (std::int64_t k = 0; k <= n + 1; ++k) {
    const auto gap = static_cast<double>(Reach(rows, quantile).gap((k + 1) * per_unit));
    reach = std::max(reach, std::exp(-beta * static_cast<double>(k)) * gap);
  }
  return substitute ? window : std::min(window, reach);
}

TEST(SmoothSensitivity, AgreesWithTheDefinition) {
  std::mt19937 random(5);  // NOLINT(cert-msc51-cpp): the same cases on every run
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  for (int round = 0; round < 1500; ++round) {
    const std::int64_t high = round % 3 == 0 ? 12 : 1'000'000;
    SmallData data(static_cast<std::size_t>(below(60)));
    for (std::int64_t& row : data)
      row = round % 2 == 0 ? below(high + 1) : high / 2 + below(high / 4);
    const Ordered rows = Ordered::of(data, *Range::create(0, high));
    const Quantile quantile = *Quantile::create(kQuantiles[static_cast<std::size_t>(below(7))]);
    const Unit unit{1 + below(4), round % 5 == 0 ? Relation::kSubstitute : Relation::kAddRemove};
    const Rational beta(Integer(static_cast<long>(1 + below(200))), 100);
    const double expected = by_definition(rows, quantile, unit.rows, beta.get_d(),
                                          unit.relation == Relation::kSubstitute);
    EXPECT_NEAR(smooth(unit, beta)(rows, quantile), expected, 1e-12 * expected) << round;
  }
}

TEST(SmoothSensitivity, OfAUsersFunction) {
  // LS at distance k of a count of rows above a limit, capped: 1 everywhere
  EXPECT_EQ(smooth_of([](std::int64_t) { return 1; }, 5, 1).enclose(kBits).middle(), 1);
  const auto growing = smooth_of([](std::int64_t k) { return k + 1; }, 1000, Rational(1, 100));
  EXPECT_NEAR(growing.enclose(kBits).middle(), 100 * std::exp(-0.99), 1e-9);
  EXPECT_EQ(smooth_of([](std::int64_t) { return 0; }, 3, 1).enclose(kBits).upper(), 0);
}

TEST(Damping, NearTiesAreDecidedRightly) {
  // m·e^(−m/n) is largest at m = n: its neighbours are below by half a square of 1/n
  for (const std::int64_t n : {10LL, 1'000'000LL, 1'000'000'000'000LL}) {
    const Damping damping(Rational(1, Integer(static_cast<long>(n))));
    for (const std::int64_t other : {n - 1, n + 1, n - 2, n + 2}) {
      EXPECT_TRUE(damping.less({other, other}, {n, n})) << n << " " << other;
      EXPECT_FALSE(damping.less({n, n}, {other, other})) << n << " " << other;
    }
  }
  const Damping damping(Rational(1, 3));
  EXPECT_FALSE(damping.less({7, 2}, {7, 2}));
  EXPECT_TRUE(damping.less({0, 0}, {1, 1'000'000'000}));
  EXPECT_FALSE(damping.less({0, 0}, {0, 5}));
  EXPECT_EQ(damping.steps_below(100, {100, 0}), 1);
  EXPECT_EQ(damping.steps_below(100, {1, 0}), 14);  // 3·ln 100 = 13.8
  for (const auto& [a, b] : {std::pair{3LL, 1LL}, {5LL, 4LL}, {1LL << 62, 1LL}, {7LL, 1LL << 40}})
    EXPECT_NEAR(log_ratio(a, b), std::log(static_cast<double>(a) / static_cast<double>(b)), 1e-13);
}

// λ just above and just below ln(far/near), by 2^-90 of it: beyond what doubles tell apart, which
// alone would decide many of these wrongly.
TEST(Damping, TiesBeyondDoublesAreDecidedRightly) {
  int misled = 0;
  for (std::int64_t i = 0; i < 60; ++i) {
    const std::int64_t n = 1'000'000'000'000'000 + 7'777'777'777'777 * i, m = n + n / 5 + i;
    Rational ratio(Integer(static_cast<long>(m)), Integer(static_cast<long>(n)));
    ratio.canonicalize();
    Rational exact(log(Ball(ratio, 400), 400).floor_shifted(300));
    exact /= Rational(Integer(1) << 300);
    for (const int side : {-1, 1}) {
      const Rational rate = exact * (1 + Rational(side, Integer(1) << 90));
      const Damping damping(rate);
      const Damped near{n, 5}, far{m, 6};  // near < far where λ is below the logarithm
      EXPECT_EQ(damping.less(near, far), side < 0) << n;
      EXPECT_EQ(damping.less(far, near), side > 0) << n;
      const double gain = log_ratio(m, n), loss = to_double(rate);
      misled += gain != loss && (gain > loss) != (side < 0);
    }
  }
  EXPECT_GT(misled, 5);  // the twin: whoever trusts doubles
}

TEST(Ordered, RowsInOrder) {
  const Range range = *Range::create(0, 100);
  const Ordered rows = Ordered::of({3, 99, 7, -4, 7, 250}, range);
  EXPECT_EQ(rows.size(), 6);
  EXPECT_EQ(rows.distinct(), 5U);
  const std::int64_t expected[] = {0, 0, 0, 3, 7, 7, 99, 100, 100, 100};
  for (std::int64_t rank = -1; rank <= 8; ++rank)
    EXPECT_EQ(rows.at(rank), expected[rank + 1]) << rank;
  EXPECT_EQ(rows.sum(2, 5), 116);
  EXPECT_EQ(rows.sum(4, 4), 7);
  EXPECT_EQ(rows.sum(3, 2), 0);
  const Ordered same =
      Ordered::counted({{99, 1}, {7, 2}, {3, 1}, {200, 1}, {-4, 1}, {50, 0}}, range);
  for (std::int64_t rank = -1; rank <= 8; ++rank) EXPECT_EQ(same.at(rank), rows.at(rank));
  EXPECT_EQ(Ordered::of({}, range).at(0), 0);

  const Quantile tenth = *Quantile::create(Rational(1, 10));
  EXPECT_EQ(tenth.rank(0), 0);
  EXPECT_EQ(tenth.rank(1), 1);
  EXPECT_EQ(tenth.rank(20), 2);
  EXPECT_EQ(tenth.rank(21), 3);
  EXPECT_FALSE(Quantile::create(Rational(11, 10)).has_value());
  EXPECT_FALSE(Quantile::create(-1).has_value());
  EXPECT_FALSE(Range::create(5, 5).has_value());
  EXPECT_FALSE(Range::create(0, kMostPoint + 1).has_value());
}

// The widest range there is: its width is a number, and what a row can change is all of it.
TEST(SmoothSensitivity, OfTheWidestRange) {
  EXPECT_FALSE(Range::create(-kMostPoint - 1, kMostPoint).has_value());
  EXPECT_FALSE(Range::create(-kMostPoint, kMostPoint + 1).has_value());
  const Range range = *Range::create(-kMostPoint, kMostPoint);
  EXPECT_GT(range.width(), 0);
  const Quantile median = *Quantile::create(Rational(1, 2));
  for (const auto relation : {privacy::Relation::kAddRemove, privacy::Relation::kSubstitute}) {
    const Ordered rows = Ordered::of({-kMostPoint}, range);
    const auto s = smooth_sensitivity(rows, median, Unit{.relation = relation}, Rational(1, 10));
    EXPECT_GT(s.enclose(64).middle(), 0.5 * static_cast<double>(range.width()));
  }
}

}  // namespace
}  // namespace discreet::mechanism::gap
