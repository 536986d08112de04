// Estimates from a collector's state: each method by hand.
#include "discreet/local/estimate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "discreet/local/flat.h"
#include "discreet/local/registry.h"
#include "discreet/local/simplex.h"

namespace discreet::local {
namespace {

// Three values and a fair first coin... of heads ¼: p = ½, q = ¼; 4, 3 and 1 of 8 reports.
struct Three {
  std::unique_ptr<Flat> protocol = *Flat::from_coins({.domain = 3, .heads = Rational(1, 4)});
  State state{*protocol};
  Three() {
    state.counters = {4, 3, 1};
    state.users = 8;
  }
  Result<Estimate> by(Method method) const {
    return estimate_frequencies(*protocol, state, {.method = method});
  }
};

void expect_near(const std::vector<double>& found, const std::vector<double>& wanted,
                 double slack = 1e-14) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t v = 0; v < found.size(); ++v) EXPECT_NEAR(found[v], wanted[v], slack) << v;
}

constexpr double kSteadied = 1.0 / 16;

// Fewer 1s than noise alone brings, so that no inversion is above 0: clipping leaves nothing that
// would tell a value that somebody holds.
TEST(Estimate, WhereNothingIsLeftNoValueIsSurelySomebodys) {
  const auto unary = *find("optimised-unary")->make({.epsilon = 1, .domain = 4});
  State state(*unary);
  state.users = 1000;
  state.counters = {10, 5, 0, 0};
  const auto& protocol = dynamic_cast<const FrequencyProtocol&>(*unary);
  const Estimate clipped = *estimate_frequencies(protocol, state, {.method = Method::kClip});
  EXPECT_TRUE(std::isinf(*clipped.threshold));
  state.counters = {400, 300, 270, 270};
  EXPECT_FALSE(
      std::isinf(*estimate_frequencies(protocol, state, {.method = Method::kClip})->threshold));
}

TEST(Estimate, EachMethodByHand) {
  const Three three;
  // (share − ¼)/¼
  const auto inversion = three.by(Method::kInversion);
  expect_near(inversion->distribution, {1, 0.5, -0.5});
  // f·p(1−p) + (1−f)·q(1−q) of 8 users, over ¼: q(1−q) = 3/16 where nobody holds it; and (2/8)²,
  // since of all who hold it a report has 4 − 3 more than of nobody
  expect_near(inversion->stderr_,
              {std::sqrt(16 * 0.25 / 8 + kSteadied), std::sqrt(16 * 7.0 / 32 / 8 + kSteadied),
               std::sqrt(16 * 3.0 / 16 / 8 + kSteadied)});
  EXPECT_EQ(inversion->stopped, Stopped::kDirect);
  EXPECT_FALSE(inversion->log_likelihood);
  expect_near(three.by(Method::kClip)->distribution, {2.0 / 3, 1.0 / 3, 0});
  // the two that stay each give a quarter
  expect_near(three.by(Method::kSimplex)->distribution, {0.75, 0.25, 0});
  const auto mle = three.by(Method::kMle);
  expect_near(mle->distribution, {5.0 / 7, 2.0 / 7, 0});
  EXPECT_EQ(mle->stopped, Stopped::kDirect);
  EXPECT_EQ(mle->iterations, 0);
  EXPECT_LT(std::abs(*mle->gap), 1e-14);
  // reports have probabilities 3/7, 9/28 and ¼
  EXPECT_NEAR(*mle->log_likelihood, 4 * std::log(3.0 / 7) + 3 * std::log(9.0 / 28) + std::log(0.25),
              1e-13);
  const auto ibu = three.by(Method::kIbu);
  expect_near(ibu->distribution, mle->distribution, 1e-6);
  EXPECT_EQ(ibu->stopped, Stopped::kTolerance);
  EXPECT_GT(ibu->iterations, 0);
  EXPECT_LE(*ibu->gap, 1e-9);
  EXPECT_EQ(ibu->users, 8);
}

// The support is two values; J = c·((p−q)/m)² = 4·(7/12)² = 49/36 and 3·(7/9)² = 49/27. Both move
// together: Var = 1/(J_0 + J_1) = 108/343, less θ(1−θ)/8 = 10/392. The third is at the boundary:
// its error bar is the inversion's.
TEST(Estimate, ErrorBarsByHand) {
  const auto mle = Three().by(Method::kMle);
  const double both = std::sqrt(108.0 / 343 - 10.0 / 392);
  expect_near(mle->stderr_, {both, both, std::sqrt(16 * 3.0 / 16 / 8 + kSteadied)});
  EXPECT_EQ(mle->bars, Bars::kInformation);
}

TEST(Estimate, NobodyReported) {
  const Three three;
  for (const Method method :
       {Method::kInversion, Method::kClip, Method::kSimplex, Method::kIbu, Method::kMle})
    EXPECT_EQ(estimate_frequencies(*three.protocol, State(*three.protocol), {.method = method})
                  .error()
                  .text(),
              "reports: found none; accepted is one at least to estimate from");
}

TEST(Estimate, Names) {
  for (const Method method :
       {Method::kInversion, Method::kClip, Method::kSimplex, Method::kIbu, Method::kMle})
    EXPECT_EQ(*read_method(name_of(method)), method);
  EXPECT_EQ(read_method("inversoin").error().text(),
            "method: found 'inversoin'; accepted is inversion, clip, simplex, ibu or mle (did you "
            "mean 'inversion'?)");
  EXPECT_EQ(name_of(Stopped::kChange), "change");
  EXPECT_EQ(name_of(Bars::kInformation), "information");
}

// The nearest distribution: no other is nearer.
TEST(Simplex, Edges) {
  expect_near(clipped(std::vector<double>{-1, -2}), {0.5, 0.5});
  expect_near(nearest_distribution(std::vector<double>{-1, -2}), {1, 0});
  expect_near(nearest_distribution(std::vector<double>{0.5, 0.5}), {0.5, 0.5});
  expect_near(nearest_distribution(std::vector<double>{2, 2, 0}), {0.5, 0.5, 0});
}

// q is e^−ε or so: nothing of it is lost, and a value that nobody reported has a likelihood.
TEST(Estimate, LargeEpsilonsHaveAQ) {
  for (const int epsilon : {88, 100, 500}) {
    for (const char* name : {"flat", "subset"}) {
      const auto protocol = *find(name)->make({.epsilon = epsilon, .domain = 4});
      const double q = std::exp(-epsilon);
      EXPECT_NEAR(protocol->constants().q / q, 1, 1e-12) << name << epsilon;
      EXPECT_NEAR(protocol->constants().variance / q, 1, 1e-12) << name << epsilon;
    }
    const auto flat = *Flat::create({.epsilon = epsilon, .domain = 4});
    State state(*flat);
    state.counters = {10, 5, 5, 0}, state.users = 20;
    const Estimate mle = *estimate_frequencies(*flat, state, {.method = Method::kMle});
    EXPECT_TRUE(std::isfinite(*mle.log_likelihood)) << epsilon;
    EXPECT_GE(*mle.gap, 0);
    EXPECT_LT(*mle.gap, 1e-9);
  }
}

// Nobody reported a value: with a q this small that surprises nobody, however far below 1 − q a
// double can see.
TEST(Estimate, NoCountIsTooLowWhereNoneIsExpected) {
  for (const int epsilon : {1, 37, 38, 40, 500}) {
    const auto flat = *Flat::create({.epsilon = epsilon, .domain = 4});
    const std::vector<std::uint64_t> counters{10, 20, 0, 70};
    const Reach reach = flat->reach(counters, 100, 1e-6);
    const double q = flat->constants().q, lowest = -q / (flat->constants().p - q);
    EXPECT_EQ(reach.lowest<lowest, epsilon> 1) << epsilon;  // at ε = 1, 17 of 100 are expected
    EXPECT_GT(reach.nobody, 0) << epsilon;
  }
}

// As many as a count may be, in no time: reaches are those of the normal distribution.
TEST(Estimate, ReachesOfManyReports) {
  const auto flat = *Flat::create({.epsilon = 1, .domain = 4});
  const double n = 0x1p53, deviation = std::sqrt(flat->constants().variance / n);
  const Reach reach = flat->reach({}, 1ULL << 53, 1e-6);
  EXPECT_NEAR(reach.nobody / deviation, 4.758, 0.006);
  EXPECT_NEAR(reach.lowest / deviation, -4.758, 0.006);
}

}  // namespace
}  // namespace discreet::local
