// Utility, the best mechanism, and the proofs that go with it.
#include "discreet/channel/optimal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "discreet/channel/epsilon.h"
#include "discreet/channel/make.h"
#include "discreet/channel/structured.h"
#include "discreet/channel/sweep.h"
#include "discreet/channel/universal.h"
#include "discreet/channel/utility.h"

namespace discreet::channel {
namespace {

Rational q(long a, long b) {
  Rational out(a, b);
  out.canonicalize();
  return out;
}

Prior random_prior(std::mt19937_64& random, std::size_t n, bool zeros = true) {
  Prior out;
  Rational sum;
  for (std::size_t i = 0; i < n; ++i) {
    out.emplace_back(random() % 20 + (zeros ? 0 : 1));
    sum += out.back();
  }
  if (sgn(sum) == 0) out[0] = sum = 1;
  for (Rational& p : out) p /= sum;
  return out;
}

// For each truth any values that never grow away from it.
Gain random_monotone(std::mt19937_64& random, std::size_t n) {
  std::vector<Rational> table(n * n);
  for (std::size_t y = 0; y < n; ++y) {
    Rational value(random() % 10 + 10);
    table[y * n + y] = value;
    for (std::size_t w = y; w-- > 0;) table[w * n + y] = value -= Rational(random() % 4);
    value = table[y * n + y];
    for (std::size_t w = y + 1; w < n; ++w) table[w * n + y] = value -= Rational(random() % 4);
  }
  return *Gain::table(n, n, table);
}

Rational by_brute_force(const Channel& channel, const Prior& prior, const Gain& gain) {
  Rational sum;
  for (std::size_t z = 0; z < channel.columns(); ++z) {
    Rational best;
    for (std::size_t w = 0; w < gain.guesses(); ++w) {
      Rational value;
      for (std::size_t y = 0; y < prior.size(); ++y)
        value += prior[y] * channel.at(y, z) * gain.at(w, y);
      if (w == 0 || value > best) best = value;
    }
    sum += best;
  }
  return sum;
}

// Deck 003, exercise 4: n = 5, ε = ln 2.
TEST(Utility, GeometricOnSix) {
  const Channel channel = *dense(TruncatedGeometric{6, Ratio::exactly(2)});
  const Utility use = *utility_of(channel, *uniform_prior(6), *Gain::identity(6));
  EXPECT_EQ(use.value, q(4, 9));
  EXPECT_EQ(use.remap, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5}));
}

// Guesses that doubles can't tell apart are compared exactly, wherever the best of them stands.
TEST(Utility, IsExactBetweenGuessesThatLookAlike) {
  const Rational tiny = Rational(1) / Rational(Integer("1000000000000000000000000"));
  const Channel channel = *Channel::create(1, 1, {1});
  const Prior prior = *uniform_prior(1);
  for (std::size_t best = 0; best < 4; ++best) {
    std::vector<Rational> table(4, 1);
    table[best] += tiny;
    const Utility use = *utility_of(channel, prior, *Gain::table(4, 1, table));
    EXPECT_EQ(use.value, 1 + tiny);
    EXPECT_EQ(use.remap, std::vector<std::size_t>{best});
  }
}

TEST(Utility, IsTheBestOfAllRemaps) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 40; ++round) {
    const std::size_t n = random() % 5 + 1;
    const Channel channel = *dense(TruncatedGeometric{n, Ratio::exactly(q(3, 2))});
    const Prior prior = random_prior(random, n);
    std::vector<Rational> table;
    for (std::size_t i = 0; i < 3 * n; ++i)
      table.push_back(q(static_cast<long>(random() % 11) - 5, 3));
    for (const Gain& gain :
         {*Gain::identity(n), *Gain::distance(*Graph::path(n)), *Gain::table(3, n, table)}) {
      const Utility use = *utility_of(channel, prior, gain);
      EXPECT_EQ(use.value, by_brute_force(channel, prior, gain));
      EXPECT_EQ(use.value, *utility_with(channel, prior, gain, use.remap));
    }
  }
}

// Exercise 5: remapping an answer that was already best loses, and the loss is seen.
TEST(Utility, AWorseRemapIsWorse) {
  const Channel channel = *dense(TruncatedGeometric{6, Ratio::exactly(2)});
  const Prior prior = *uniform_prior(6);
  const Gain gain = *Gain::identity(6);
  EXPECT_EQ(*utility_with(channel, prior, gain, {0, 0, 0, 0, 0, 0}), q(1, 6));
  EXPECT_FALSE(utility_with(channel, prior, gain, {0, 0, 0, 0, 0, 6}));
  EXPECT_FALSE(utility_with(channel, prior, gain, {0}));
}

TEST(Sweep, AgreesWithFractions) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = random() % 12 + 1;
    const Ratio ratio = Ratio::exactly(q(static_cast<long>(random() % 400 + 101), 100));
    const Prior prior = random_prior(random, n);
    for (const Gain& gain : {*Gain::identity(n), *Gain::distance(*Graph::path(n))}) {
      const auto agree = [&](const auto& structured) {
        const Channel channel = *dense(structured);
        const Swept swept = *sweep_utility(structured, in_doubles(prior), gain);
        const double exact = to_double(utility_of(channel, prior, gain)->value);
        EXPECT_LE(swept.lower, exact);
        EXPECT_GE(swept.upper, exact);
        EXPECT_LT(swept.upper - swept.lower, 1e-12);
        const std::vector<std::size_t> remap(swept.remap.begin(), swept.remap.end());
        EXPECT_NEAR(to_double(*utility_with(channel, prior, gain, remap)), exact, 1e-13);
      };
      agree(TruncatedGeometric{n, ratio});
      agree(Flat{n, ratio});
    }
  }
}

TEST(Sweep, AMillionInputs) {
  const TruncatedGeometric count{1'000'000, Ratio::exactly(2)};
  const Swept use = *sweep_utility(count, uniform_doubles(count.size), *Gain::identity(count.size));
  EXPECT_LT(use.lower, (1.0 / 3 * 999'998 + 4.0 / 3) / 1e6);
  EXPECT_GT(use.upper, (1.0 / 3 * 999'998 + 4.0 / 3) / 1e6);
  // outputs that can't be seen in doubles take their neighbours' guess
  const Swept bell = *sweep_utility(count, binomial_doubles(count.size, q(1, 2)),
                                    *Gain::distance(*Graph::path(count.size)));
  EXPECT_TRUE(std::is_sorted(bell.remap.begin(), bell.remap.end()));
  EXPECT_GT(bell.remap.front(), 400'000u);
  EXPECT_FALSE(sweep_utility(count, {1}, *Gain::identity(count.size)));
  EXPECT_FALSE(sweep_utility(TruncatedGeometric{3, count.ratio}, uniform_doubles(3),
                             *Gain::distance(*Graph::cycle(3))));
}

Problem problem_of(const Graph& graph, const Ratio& ratio, const Prior& prior, const Gain& gain) {
  return *make_problem(graph, ratio, {{prior, gain}});
}

TEST(Optimal, FourNinthsFromBothWays) {
  const Problem problem =
      problem_of(*Graph::path(6), Ratio::exactly(2), *uniform_prior(6), *Gain::identity(6));
  for (const Method method : {Method::kClosedForm, Method::kLinearProgram}) {
    const Optimum best = *optimal(problem, method);
    EXPECT_EQ(best.method, method);
    EXPECT_EQ(best.exact, q(4, 9));
    EXPECT_NEAR(to_double(best.certificate.primal), 4.0 / 9, 1e-14);
    EXPECT_EQ(best.certificate.dual, q(4, 9));
    EXPECT_TRUE(is_within(best.channel, *Graph::path(6), 2));
  }
}

// The promise of Ghosh et al., on many priors and monotone gains: the closed form's own certificate
// is tight, exactly, and the linear program finds the same.
TEST(Optimal, UniversalOnPaths) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 150; ++round) {
    const std::size_t n = random() % 7 + 1;
    const Ratio ratio = Ratio::exactly(q(static_cast<long>(random() % 300 + 105), 100));
    const Gain gain = round % 3 == 0   ? *Gain::identity(n)
                      : round % 3 == 1 ? *Gain::distance(*Graph::path(n))
                                       : random_monotone(random, n);
    ASSERT_TRUE(is_monotone(gain));
    const Problem problem = problem_of(*Graph::path(n), ratio, random_prior(random, n), gain);
    const ClosedForm form = *closed_form(problem);
    EXPECT_EQ(*dual_bound(problem, form.multipliers), form.value);
    const Channel exact = *Channel::create(n, problem.guesses, form.entries);
    EXPECT_EQ(*value_of(problem, exact), form.value);
    if (round % 5 == 0) {
      const Optimum program = *optimal(problem, Method::kLinearProgram);
      EXPECT_LE(program.certificate.primal, form.value);
      EXPECT_GE(program.certificate.dual, form.value);
      EXPECT_LT(to_double(program.certificate.gap()), 1e-8);
    }
  }
}

// … and where it ends: a gain that isn't monotone, and a cycle.
TEST(Optimal, NotUniversalElsewhere) {
  std::vector<Rational> parity;
  for (int w = 0; w < 3; ++w)
    for (int y = 0; y < 3; ++y) parity.emplace_back(w % 2 == y % 2 ? 1 : 0);
  const Gain gain = *Gain::table(3, 3, parity);
  EXPECT_FALSE(is_monotone(gain));
  const Prior prior{q(1, 4), q(1, 2), q(1, 4)};
  const Problem problem = problem_of(*Graph::path(3), Ratio::exactly(2), prior, gain);
  const ClosedForm form = *closed_form(problem);
  EXPECT_EQ(form.value, q(7, 12));
  EXPECT_GT(*dual_bound(problem, form.multipliers), form.value);  // and it doesn't claim otherwise
  const Optimum best = *optimal(problem);
  EXPECT_EQ(best.method, Method::kLinearProgram);
  EXPECT_EQ(best.exact, q(2, 3));
  EXPECT_FALSE(closed_form(
      problem_of(*Graph::cycle(4), Ratio::exactly(2), *uniform_prior(4), *Gain::identity(4))));
}

// Brenner and Nissim on C4: 3/4 + 3/4 alone, 4/3 together.
TEST(Optimal, NoMechanismForTwo) {
  const Graph cycle = *Graph::cycle(4);
  const Gain gain = *Gain::identity(4);
  const User even{{q(1, 2), 0, q(1, 2), 0}, gain}, odd{{0, q(1, 2), 0, q(1, 2)}, gain};
  const Ratio two = Ratio::exactly(2);
  EXPECT_EQ(optimal(*make_problem(cycle, two, {even}))->exact, q(3, 4));
  EXPECT_EQ(optimal(*make_problem(cycle, two, {odd}))->exact, q(3, 4));
  const Optimum together = *optimal(*make_problem(cycle, two, {even, odd}));
  EXPECT_EQ(together.exact, q(4, 3));
  EXPECT_LT(together.certificate.dual, q(3, 2));

  const Universality found = *universality(cycle, two);
  ASSERT_TRUE(found.witness);
  EXPECT_GT(found.witness->first_alone.primal + found.witness->second_alone.primal,
            found.witness->together.dual);
  EXPECT_TRUE(universality(*Graph::complete(3), two)->witness);
  EXPECT_TRUE(universality(*Graph::path(4), two)->path);
  EXPECT_TRUE(universality(*Graph::edges(4, {{2, 0}, {0, 3}, {3, 1}}), two)->path);
}

// A refutation takes what is proved of both together (dual), not what happened to be reached
// (primal), and what was reached alone, not what might be; by more than a millionth.
TEST(Optimal, OnlyProofsRefute) {
  const Certificate alone{q(3, 4), q(4, 5)};
  EXPECT_TRUE(refutes(alone, alone, {q(4, 3), q(4, 3)}));
  EXPECT_FALSE(refutes(alone, alone, {q(4, 3), q(3, 2)}));
  EXPECT_FALSE(refutes(alone, alone, {q(4, 3), q(31, 20)}));
  EXPECT_FALSE(refutes(alone, alone, {q(4, 3), q(3, 2) - q(1, 1'000'000)}));
  EXPECT_TRUE(refutes(alone, alone, {q(4, 3), q(3, 2) - q(1, 999'999)}));
}

// The same search on a path finds nobody: the check can come out either way.
TEST(Optimal, TwoUsersOnAPathAreBothServed) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 20; ++round) {
    const Graph path = *Graph::path(4);
    const Gain gain = *Gain::identity(4);
    const User first{random_prior(random, 4), gain}, second{random_prior(random, 4), gain};
    const Ratio two = Ratio::exactly(2);
    const Rational alone = optimal(*make_problem(path, two, {first}))->certificate.primal +
                           optimal(*make_problem(path, two, {second}))->certificate.primal;
    EXPECT_LE(alone, optimal(*make_problem(path, two, {first, second}))->certificate.dual);
  }
}

// Any graph, any gain: the channel is exactly private, the bound is above, the gap is small.
TEST(Optimal, CertificatesHoldEverywhere) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 60; ++round) {
    const std::size_t n = random() % 6 + 2;
    const Graph graph = round % 4 == 0   ? *Graph::cycle(n)
                        : round % 4 == 1 ? *Graph::complete(n)
                        : round % 4 == 2
                            ? *Graph::path(n)
                            : *Graph::edges(n, [&] {
                                std::vector<Edge> tree;
                                for (Node k = 1; k < n; ++k)
                                  tree.emplace_back(static_cast<Node>(random() % k), k);
                                return tree;
                              }());
    std::vector<Rational> table;
    for (std::size_t i = 0; i < 3 * n; ++i)
      table.push_back(q(static_cast<long>(random() % 21) - 10, 7));
    const Rational epsilon = q(static_cast<long>(random() % 300 + 1), 100);
    const Problem problem = problem_of(graph, Ratio::of_epsilon(epsilon), random_prior(random, n),
                                       *Gain::table(3, n, table));
    const Optimum best = *optimal(problem);
    EXPECT_TRUE(is_within(best.channel, graph, problem.ratio.lower));
    EXPECT_GE(sgn(best.certificate.gap()), 0);
    EXPECT_LT(to_double(best.certificate.gap()), 1e-8);
    EXPECT_EQ(*value_of(problem, best.channel), best.certificate.primal);
    for (std::size_t y = 0; y < n; ++y)
      for (const Rational& p : best.channel.row(y)) EXPECT_EQ(Rational(to_double(p)), p);
  }
}

// Known optima: on a complete graph with a uniform prior the flat mechanism is best.
TEST(Optimal, FlatIsBestForCompleteGraphs) {
  for (const std::size_t n : {2U, 3U, 5U, 8U}) {
    const Problem problem =
        problem_of(*Graph::complete(n), Ratio::exactly(3), *uniform_prior(n), *Gain::identity(n));
    EXPECT_EQ(optimal(problem)->exact, Rational(3) / Rational(2 + n));
  }
}

// Wrong certificates are refused, one kind after the other.
TEST(Certificate, BrokenTwins) {
  const Graph path = *Graph::path(3);
  const Problem problem =
      problem_of(path, Ratio::exactly(2), *uniform_prior(3), *Gain::identity(3));
  const ClosedForm form = *closed_form(problem);
  const Channel exact = *Channel::create(3, 3, form.entries);
  const Certificate proof = *certify(problem, exact, form.multipliers);
  EXPECT_EQ(proof.gap(), 0);

  Multipliers wrong = form.multipliers;
  wrong.edges[0].push_back({0, 1, q(-1, 1000)});
  EXPECT_FALSE(dual_bound(problem, wrong));
  wrong = form.multipliers;
  wrong.edges[0].push_back({0, 2, q(1, 1000)});  // not neighbours
  EXPECT_FALSE(dual_bound(problem, wrong));
  wrong = form.multipliers;
  wrong.edges.pop_back();
  EXPECT_FALSE(dual_bound(problem, wrong));
  wrong = form.multipliers;
  wrong.pools.resize(3, {std::vector<Rational>(3), std::vector<Rational>(3)});
  EXPECT_FALSE(dual_bound(problem, wrong));  // no pools on a path
  wrong = form.multipliers;
  for (auto& edge : wrong.edges[1]) edge.amount /= 2;  // allowed, and a worse bound
  EXPECT_GT(*dual_bound(problem, wrong), proof.dual);

  const Rational tiny = Rational(1) / Rational(Integer(1) << 40);
  std::vector<Rational> bent = form.entries;
  bent[0] += tiny, bent[1] -= tiny;
  EXPECT_FALSE(certify(problem, *Channel::create(3, 3, bent), form.multipliers));

  const Problem all =
      problem_of(*Graph::complete(3), Ratio::exactly(2), *uniform_prior(3), *Gain::identity(3));
  Multipliers pool = Multipliers::none(all);
  pool.pools.resize(3, {std::vector<Rational>(3), std::vector<Rational>(3)});
  EXPECT_EQ(*dual_bound(all, pool), 1);
  pool.pools[0].over[0] = q(1, 10), pool.pools[0].under[1] = q(1, 5);
  EXPECT_TRUE(dual_bound(all, pool));
  pool.pools[0].under[1] = q(19, 100);  // covers too little
  EXPECT_FALSE(dual_bound(all, pool));
}

// Two ε so close that only exact arithmetic tells: what is private for one isn't for the other.
TEST(Certificate, UpperAndLowerSidesOfEpsilon) {
  const Rational epsilon = q(7, 10);
  const Problem problem = problem_of(*Graph::path(5), Ratio::of_epsilon(epsilon),
                                     *binomial_prior(5, q(1, 3)), *Gain::identity(5));
  const Optimum best = *optimal(problem);
  EXPECT_LT(problem.ratio.lower, problem.ratio.upper);
  EXPECT_TRUE(is_within(best.channel, *Graph::path(5), problem.ratio.lower));
  EXPECT_GT(sgn(best.certificate.gap()), 0);
  EXPECT_LT(to_double(best.certificate.gap()), 1e-13);
}

// … and where e^ε is only known to lie from 2 to 3, the channel is private for 2, and the bound
// holds for 3.
TEST(Certificate, HoldsForEveryRatioThatEpsilonMayHave) {
  const auto problem = [](const Ratio& ratio) {
    return problem_of(*Graph::path(5), ratio, *binomial_prior(5, q(1, 3)), *Gain::identity(5));
  };
  const auto best = optimal(problem(Ratio{2, 3}));
  ASSERT_TRUE(best);
  EXPECT_TRUE(is_within(best->channel, *Graph::path(5), 2));
  const Rational at_3 = optimal(problem(Ratio::exactly(3)))->certificate.primal;
  EXPECT_GE(best->certificate.primal + best->certificate.gap(), at_3);
}

// Near 1 what is rounded to doubles stays within a ratio only where it is repaired for that ratio;
// a channel that isn't private has no value, and nothing comes back.
TEST(Optimal, IsPrivateForTheLowerRatioWhereverItIsRounded) {
  for (const long more : {10, 100, 1000}) {
    const Ratio ratio{1 + q(1, more), 2};
    for (const std::size_t n : {5, 8, 12})
      for (const Graph& graph : {*Graph::path(n), *Graph::cycle(n), *Graph::complete(n)}) {
        const auto best = optimal(problem_of(graph, ratio, *uniform_prior(n), *Gain::identity(n)));
        ASSERT_TRUE(best) << more << ' ' << n;
        EXPECT_TRUE(is_within(best->channel, graph, ratio.lower)) << more << ' ' << n;
        EXPECT_GE(sgn(best->certificate.gap()), 0) << more << ' ' << n;
      }
  }
}

TEST(Optimal, RefusesWhatIsBeyondIt) {
  const Graph path = *Graph::path(3);
  const User user{*uniform_prior(3), *Gain::identity(3)};
  EXPECT_FALSE(make_problem(path, Ratio::of_epsilon(31), {user}));
  EXPECT_FALSE(make_problem(path, Ratio::of_epsilon(q(1, 10'000'000)), {user}));
  EXPECT_FALSE(make_problem(path, Ratio::exactly(2), {}));
  EXPECT_FALSE(make_problem(path, Ratio::exactly(2), {{*uniform_prior(4), *Gain::identity(3)}}));
  EXPECT_FALSE(make_problem(*Graph::path(300), Ratio::exactly(2),
                            {{*uniform_prior(300), *Gain::identity(300)}}));
  for (const char* epsilon : {"1e-6", "30"}) {
    const auto problem = make_problem(path, *parse_ratio("", epsilon), {user});
    ASSERT_TRUE(problem);
    for (const Method method : {Method::kClosedForm, Method::kLinearProgram})
      EXPECT_LT(to_double(optimal(*problem, method)->certificate.gap()), 1e-8) << epsilon;
  }
}

TEST(Prior, Kinds) {
  EXPECT_EQ(binomial_prior(3, q(1, 2))->at(1), q(1, 2));
  EXPECT_EQ(binomial_prior(4, q(1, 3))->at(0), q(8, 27));
  const Prior exact = *binomial_prior(50, q(1, 7));
  const auto doubles = binomial_doubles(50, q(1, 7));
  for (std::size_t k = 0; k < 50; ++k) EXPECT_EQ(doubles[k], to_double(exact[k]));
  EXPECT_EQ(binomial_doubles(3, 1), (std::vector<double>{0, 0, 1}));
  EXPECT_FALSE(binomial_prior(3, 2));
  EXPECT_FALSE(uniform_prior(0));
  EXPECT_FALSE(check_prior({q(1, 2), q(1, 3)}, 2));
}

}  // namespace
}  // namespace discreet::channel
