// The maximum in closed form: by hand, against the conditions that a maximum meets, and against
// where rounds lead.
#include "discreet/local/mle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "discreet/local/flat_likelihood.h"
#include "discreet/local/ibu.h"
#include "discreet/local/simplex.h"
#include "discreet/local/testing/problems.h"

namespace discreet::local {
namespace {

using random::testing::Seeded;

// a = q/(p − q) = 1. Two stay: t = (1 + 2)/(4 + 3) = 3/7, θ = 4·3/7 − 1 = 5/7 and 3·3/7 − 1 = 2/7;
// with all three t = 4/8, and the third would be ½ − 1 < 0.
TEST(MostLikely, ByHand) {
  const std::vector<double> counts{3, 1, 4};
  const auto theta = most_likely(counts, 0.5, 0.25);
  EXPECT_NEAR(theta[0], 2.0 / 7, 1e-15);
  EXPECT_EQ(theta[1], 0);
  EXPECT_NEAR(theta[2], 5.0 / 7, 1e-15);
  // interior: it is the inversion, (0.7 − ¼)/½
  EXPECT_NEAR(most_likely(std::vector<double>{7, 3}, 0.75, 0.25)[0], 0.9, 1e-15);
  // the truth, where nobody lies
  EXPECT_NEAR(most_likely(std::vector<double>{7, 3, 0}, 1, 0)[0], 0.7, 1e-15);
  EXPECT_EQ(most_likely(std::vector<double>{0, 0}, 0.75, 0.25)[0], 0.5);
  EXPECT_EQ(most_likely(std::vector<double>{9, 0}, 0.75, 0.25)[0], 1);
}

struct Case {
  std::vector<std::uint64_t> counts;
  double p = 0, q = 0;
};
Case random_case(Seeded& source) {
  Case out;
  const std::size_t size = 2 + static_cast<std::size_t>(30 * testing::uniform(source));
  const double ratio = std::exp(0.2 + 3 * testing::uniform(source));
  out.q = 1 / (ratio + static_cast<double>(size) - 1);
  out.p = ratio * out.q;
  for (std::size_t v = 0; v < size; ++v)
    out.counts.push_back(static_cast<std::uint64_t>(1000 * std::pow(testing::uniform(source), 4)));
  ++out.counts[0];
  return out;
}

// By how much θ misses the conditions of a maximum: g = 1 where θ > 0, g ≤ 1 elsewhere, Σθ = 1.
double violation(const Case& each, const std::vector<double>& theta) {
  std::vector<double> g(theta.size());
  FlatLikelihood(each.counts, each.p, each.q).gradient(theta, g);
  double out = std::abs(std::accumulate(theta.begin(), theta.end(), -1.0));
  for (std::size_t v = 0; v < g.size(); ++v)
    out = std::max({out, g[v] - 1, theta[v] > 0 ? 1 - g[v] : 0, -theta[v]});
  return out;
}

TEST(MostLikely, MeetsTheConditions) {
  Seeded source(3);
  double worst = 0, twin = 0;
  int boundary = 0;
  for (int i = 0; i < 1000; ++i) {
    const Case each = random_case(source);
    const std::vector<double> counts(each.counts.begin(), each.counts.end());
    const auto theta = most_likely(counts, each.p, each.q);
    boundary += std::count(theta.begin(), theta.end(), 0.0) > 0 ? 1 : 0;
    worst = std::max(worst, violation(each, theta));
    // The broken twin: the inversion, clipped, is often said to be the maximum.
    const double users = std::accumulate(counts.begin(), counts.end(), 0.0);
    std::vector<double> raw;
    for (const double count : counts) raw.push_back((count / users - each.q) / (each.p - each.q));
    twin = std::max(twin, violation(each, clipped(raw)));
  }
  EXPECT_GT(boundary, 500);
  EXPECT_LT(worst, 1e-11);
  EXPECT_GT(twin, 0.01);
}

TEST(MostLikely, IsWhereRoundsLead) {
  Seeded source(4);
  for (int i = 0; i < 50; ++i) {
    const Case each = random_case(source);
    const FlatLikelihood likelihood(each.counts, each.p, each.q);
    const auto rounds = iterate(likelihood, {.tolerance = 1e-12, .rounds = 100'000});
    ASSERT_EQ(rounds->stopped, Stopped::kTolerance) << *rounds->gap;
    const auto theta = *likelihood.maximum();
    for (std::size_t v = 0; v < theta.size(); ++v)
      EXPECT_NEAR(rounds->distribution[v], theta[v], 2e-6) << v;
    std::vector<double> g(theta.size());
    const double top = likelihood.gradient(theta, g) * likelihood.users();
    EXPECT_NEAR(*rounds->log_likelihood, top, 1e-11 * std::abs(top));
  }
}

}  // namespace
}  // namespace discreet::local
