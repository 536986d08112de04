#include "discreet/mechanism/grid.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

namespace discreet::mechanism {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
const double kInfinity = std::numeric_limits<double>::infinity();

Grid grid(const Rational& step) { return *Grid::create(step); }

TEST(Grid, RoundsToTheNearestPointTiesUpward) {
  struct {
    double x;
    Rational step;
    std::int64_t point;
  } cases[] = {{412, 1, 412},
               {0.5, 1, 1},
               {-0.5, 1, 0},
               {0.49999999999999994, 1, 0},  // x + 1/2 would round to 1 in floating point
               {-1.5, 1, -1},
               {4503599627370497.5, 1, 4503599627370498},
               {0.3333, Rational(1, 1000), 333},
               {1.0 / 3, Rational(1, 1024), 341},
               {5, 2, 3},
               {-0.0, 1, 0},
               {2.7e-312, 1, 0},
               {2.7e-312, Rational(1, 1 << 20), 0},
               {0x1p60, 1, std::int64_t{1} << 60},
               {0x1p63, 1, kMost},
               {-0x1p63, 1, -kMost},
               {-1e300, 1, -kMost},
               {1e300, Rational(1, 1000), kMost},
               {kInfinity, 1, kMost},
               {-kInfinity, Rational(1, 3), -kMost},
               {std::nan(""), 1, 0},
               {std::nan(""), Rational(1, 3), 0}};
  for (const auto& c : cases)
    EXPECT_EQ(grid(c.step).round(c.x), c.point) << c.x << " on " << c.step;
}

TEST(Grid, DoublesAndRationalsAgree) {
  rc::check([] {
    const double x = *rc::gen::arbitrary<double>();
    if (!std::isfinite(x)) return;
    const int exponent = *rc::gen::inRange(-60, 60);
    const Grid g =
        grid(exponent >= 0 ? Rational(Integer(1) << static_cast<unsigned long>(exponent))
                           : Rational(1, Integer(1) << static_cast<unsigned long>(-exponent)));
    RC_ASSERT(g.round(x) == g.round(Rational(x)));
  });
}

TEST(Grid, PointsBecomeNumbersExactly) {
  EXPECT_EQ(grid(Rational(1, 1000)).at(333), Rational(333, 1000));
  EXPECT_EQ(grid(Rational(1, 1000)).nearest_double(333), 0.333);
  EXPECT_EQ(grid(Rational(1, 3)).nearest_double(1), 1.0 / 3);
  EXPECT_EQ(grid(Rational(1, 1024)).nearest_double(-1025), -1025.0 / 1024);
}

// By how far do the roundings of two numbers part that are at most `delta` apart? Found by trying.
std::int64_t worst_parting(const Rational& delta, const Rational& step) {
  const Grid g = grid(step);
  std::int64_t worst = 0;
  for (int k = 0; k <= 400; ++k) {
    const Rational x = step * Rational(k, 200);
    worst = std::max(worst, g.round(x + delta) - g.round(x));
  }
  return worst;
}

TEST(Grid, SensitivityIsThatOfTheRoundedNumbers) {
  for (const auto& [delta, step] : {std::pair<Rational, Rational>{1, 1},
                                    {Rational(1, 2), 1},
                                    {Rational(3, 10), 1},
                                    {Rational(7, 2), 1},
                                    {2, Rational(1, 2)},
                                    {Rational(1, 3), Rational(1, 100)},
                                    {Rational(1, 100), Rational(1, 1000)}}) {
    EXPECT_EQ(grid(step).sensitivity(delta), Integer(static_cast<long>(worst_parting(delta, step))))
        << delta << " on " << step;
  }
  // The broken twin: ⌊Δ/g⌋ says that 0.4 and 0.6 don't part.
  EXPECT_GT(worst_parting(Rational(3, 10), 1), floor_of(Rational(3, 10)).get_si());
}

TEST(Grid, VectorsMayPartInEveryCell) {
  // Three cells move by (Δ − 2η, η, η), and each rounds one point further than it moved.
  const Grid g = grid(1);
  const Rational eta(1, 1000), delta(2);
  const Rational before[] = {Rational(1, 2) - eta, Rational(1, 2) - eta, Rational(1, 2) - eta};
  const Rational after[] = {before[0] + delta - 2 * eta, before[1] + eta, before[2] + eta};
  std::int64_t l1 = 0, l2_squared = 0;
  for (int i = 0; i < 3; ++i) {
    const std::int64_t d = g.round(after[i]) - g.round(before[i]);
    l1 += d, l2_squared += d * d;
  }
  EXPECT_EQ(g.sensitivity_l1(delta, 3), Integer(static_cast<long>(l1)));
  EXPECT_GE(g.sensitivity_l2(delta, 3) * g.sensitivity_l2(delta, 3),
            Rational(static_cast<long>(l2_squared)));
  EXPECT_EQ(g.sensitivity_l1(delta, 1), 2);
  EXPECT_EQ(g.sensitivity_l2(delta, 1), 2);
  EXPECT_EQ(g.sensitivity_on_grid(2), 2);
}

// However little a vector moves, each of its cells may round a whole point apart: √cells in ℓ2.
TEST(Grid, ATinyMoveMayRoundEveryCellApart) {
  const Grid g = grid(1);
  for (const std::uint64_t cells : {2U, 3U, 50U})
    for (const Rational& delta : {Rational(1, 1000), Rational(1, 2), Rational(2)}) {
      const Rational apart = delta / Rational(static_cast<long>(cells));  // in each: ≤ Δ in ℓ1, ℓ2
      const Rational below = Rational(1, 2) - apart / 2;
      const std::int64_t moved = g.round(below + apart) - g.round(below);
      EXPECT_EQ(moved, 1);
      const Rational bound = g.sensitivity_l2(delta, cells);
      EXPECT_GE(bound * bound, Rational(static_cast<long>(cells)));
      // d_i + 1 in every cell is what the proof allows: Δ + √cells, and not less.
      EXPECT_GE((bound - delta) * (bound - delta), Rational(static_cast<long>(cells)));
    }
}

TEST(Grid, TheDefaultIsPublicAndFine) {
  EXPECT_EQ(Grid::suited_to(1, 2).step(), 1);
  EXPECT_EQ(Grid::suited_to(5, Rational(1, 4)).step(), 1);
  EXPECT_EQ(Grid::suited_to(Rational(1, 2), 500).step(), Rational(1, 4));
  EXPECT_EQ(Grid::suited_to(Rational(1, 2), 5000).step(), Rational(1, 2));
  for (const auto& [delta, scale] : {std::pair<Rational, Rational>{Rational(1, 3), 10},
                                     {Rational(401, 100), Rational(1, 50)},
                                     {Rational(1, 1000000), 1},
                                     {Rational(7, 2), 3500},
                                     {Rational(5, 8), Rational(5, 8)}}) {
    const Grid grid = Grid::suited_to(delta, scale);
    EXPECT_LE(grid.step(), scale / 1024);
    // rounding adds less than a thousandth to the sensitivity
    EXPECT_LE(Rational(grid.sensitivity(delta)) * grid.step(), delta * Rational(1025, 1024));
    EXPECT_EQ(mpz_popcount(grid.step().get_num_mpz_t()) + mpz_popcount(grid.step().get_den_mpz_t()),
              2u);
  }
}

TEST(Grid, RefusesAStepThatIsNone) {
  EXPECT_FALSE(Grid::create(0).has_value());
  EXPECT_FALSE(Grid::create(-1).has_value());
}

TEST(Grid, SquareRootsAreRoundedUp) {
  for (const Rational& x : {Rational(2), Rational(1, 3), Rational(1000001), Rational(4)}) {
    const Rational root = sqrt_above(x);
    EXPECT_GE(root * root, x);
    const Rational less = root - Rational(1, Integer(1) << 63);
    EXPECT_LT(less * less, x);
  }
  EXPECT_EQ(sqrt_above(4), 2);
}

}  // namespace
}  // namespace discreet::mechanism
