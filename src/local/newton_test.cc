// Steps to a parabola's maximum, and the small linear algebra under them.
#include "discreet/local/newton.h"

#include <gtest/gtest.h>

#include <cmath>

#include "discreet/local/cholesky.h"

namespace discreet::local {
namespace {

// A parabola itself: J and the maximum without bounds are given.
class Parabola final : public Likelihood {
 public:
  double steps() const override { return 1e12; }  // no differences of the gradient
  Parabola(std::vector<double> information, std::size_t values)
      : information_(std::move(information)), values_(values) {}
  std::size_t values() const override { return values_; }
  double users() const override { return 1; }
  double gradient(std::span<const double>, std::span<double>) const override { return 0; }
  std::vector<double> information(std::span<const double>,
                                  std::span<const std::size_t>) const override {
    return information_;
  }

 private:
  std::vector<double> information_;
  std::size_t values_;
};

void expect_step(const Parabola& parabola, const std::vector<double>& theta,
                 const std::vector<double>& g, const std::vector<double>& wanted, double slack) {
  std::vector<double> out(theta.size());
  ASSERT_TRUE(newton_step(parabola, theta, g, out));
  for (std::size_t v = 0; v < out.size(); ++v) EXPECT_NEAR(out[v], wanted[v], slack) << v;
}

// J = diag(2, 2, 2), g = (1.2, 1, 0.8): p = (g − mean)/2 = (0.1, 0, −0.1).
TEST(Newton, InsideByHand) {
  expect_step(Parabola({2, 2, 2}, 3), {0.4, 0.3, 0.3}, {1.2, 1, 0.8}, {0.5, 0.3, 0.2}, 1e-14);
  // the same as a matrix, and as one that differs along the sum only
  expect_step(Parabola({2, 0, 0, 0, 2, 0, 0, 0, 2}, 3), {0.4, 0.3, 0.3}, {1.2, 1, 0.8},
              {0.5, 0.3, 0.2}, 1e-14);
  expect_step(Parabola({7, 5, 5, 5, 7, 5, 5, 5, 7}, 3), {0.4, 0.3, 0.3}, {1.2, 1, 0.8},
              {0.5, 0.3, 0.2}, 1e-14);
}

// g = (2, 1, 0): p would be (½, 0, −½), and the third would be negative. It goes to 0 (but for a
// thousandth of what it was); the first two share what it had by x = θ + (g − μ)/2 with μ = 1.2.
TEST(Newton, BoundaryByHand) {
  expect_step(Parabola({2, 2, 2}, 3), {0.4, 0.3, 0.3}, {2, 1, 0}, {0.8, 0.2, 0}, 1e-3);
  std::vector<double> out(3);
  ASSERT_TRUE(newton_step(Parabola({2, 2, 2}, 3), std::vector<double>{0.4, 0.3, 0.3},
                          std::vector<double>{2, 1, 0}, out));
  EXPECT_NEAR(out[2], 0.0003, 1e-6);
  EXPECT_NEAR(out[0] + out[1] + out[2], 1, 1e-15);
  // a value at nothing that would gain comes back
  expect_step(Parabola({2, 2}, 2), {1, 0}, {0.9, 1.1}, {0.95, 0.05}, 1e-14);
}

TEST(Newton, SaysWhereItCannot) {
  std::vector<double> out(2);
  const std::vector<double> theta{0.5, 0.5}, g{1, 1};
  EXPECT_FALSE(newton_step(Parabola({}, 2), theta, g, out));
  EXPECT_FALSE(newton_step(Parabola({1, 1, 1, 1}, 2), theta, g, out));
  // no report tells of the third, which others gain from: it goes
  expect_step(Parabola({2, 2, 0}, 3), {0.4, 0.3, 0.3}, {1.2, 1.2, 0.5}, {0.55, 0.45, 0}, 1e-3);
}

// M = (4 2 | 2 10) = L·Lᵀ with L = (2 0 | 1 3).
TEST(Cholesky, ByHand) {
  std::vector<double> m{4, 2, 2, 10};
  ASSERT_TRUE(to_cholesky(m, 2));
  EXPECT_EQ(m[0], 2);
  EXPECT_EQ(m[2], 1);
  EXPECT_EQ(m[3], 3);
  std::vector<double> b{8, 22};  // M·(1, 2)
  solve_cholesky(m, 2, b);
  EXPECT_NEAR(b[0], 1, 1e-15);
  EXPECT_NEAR(b[1], 2, 1e-15);
  invert_lower(m, 2);
  EXPECT_EQ(m[0], 0.5);
  EXPECT_NEAR(m[2], -1.0 / 6, 1e-15);
  EXPECT_NEAR(m[3], 1.0 / 3, 1e-15);
  std::vector<double> no{1, 2, 2, 1};
  EXPECT_FALSE(to_cholesky(no, 2));
}

}  // namespace
}  // namespace discreet::local
