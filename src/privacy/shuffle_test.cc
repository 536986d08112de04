#include "discreet/privacy/shuffle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "discreet/privacy/shuffle_binomial.h"
#include "discreet/privacy/shuffle_pair.h"

namespace discreet::privacy {
namespace {

double delta_of(const Shuffle& shuffle, double epsilon) {
  return *shuffled_delta(shuffle, Rational(epsilon));
}

// Every histogram of the reports of users with these rows (how likely each report is), and how
// likely it is.
using Row = std::vector<double>;
std::map<std::vector<int>, double> histograms(const std::vector<Row>& users) {
  std::map<std::vector<int>, double> out{{std::vector<int>(users.front().size()), 1.0}};
  for (const Row& row : users) {
    std::map<std::vector<int>, double> next;
    for (const auto& [histogram, chance] : out)
      for (std::size_t report = 0; report < row.size(); ++report) {
        std::vector<int> more = histogram;
        ++more[report];
        next[more] += chance * row[report];
      }
    out = std::move(next);
  }
  return out;
}

// δ of the shuffled collection where one user's row is one or the other and the rest are given.
double shuffled(std::vector<Row> rows, const Row& one, const Row& other, double epsilon) {
  rows.push_back(one);
  const auto p = histograms(rows);
  rows.back() = other;
  const auto q = histograms(rows);
  double there = 0, back = 0;
  for (const auto& [histogram, chance] : p) {
    const double against = q.at(histogram);
    there += std::max(0.0, chance - std::exp(epsilon) * against);
    back += std::max(0.0, against - std::exp(epsilon) * chance);
  }
  return std::max(there, back);
}

Row response(int value, int k, double epsilon0) {
  const double e = std::exp(epsilon0);
  Row row(static_cast<std::size_t>(k), 1 / (e + k - 1));
  row[static_cast<std::size_t>(value)] *= e;
  return row;
}

// The clones' pair written out: every number of reports from Q0 and Q1.
double pair_written_out(int users, double epsilon0, double clone, double epsilon) {
  const int m = users - 1;
  const auto log_factorial = [](int k) { return std::lgamma(static_cast<long double>(k + 1)); };
  const auto clones = [&](int a, int b) -> long double {
    if (a < 0 || b < 0 || a + b > m) return 0;
    const auto share = static_cast<long double>(clone);
    return std::exp(log_factorial(m) - log_factorial(a) - log_factorial(b) -
                    log_factorial(m - a - b) +
                    static_cast<long double>(a + b) * std::log(share / 2) +
                    static_cast<long double>(m - a - b) * std::log1p(-share));
  };
  const auto e = std::exp(static_cast<long double>(epsilon0)),
             less = std::exp(static_cast<long double>(epsilon));
  long double sum = 0;
  for (int a = 0; a <= users; ++a)
    for (int b = 0; a + b <= users; ++b) {
      const long double p = (e * clones(a - 1, b) + clones(a, b - 1)) / (e + 1);
      const long double q = (clones(a - 1, b) + e * clones(a, b - 1)) / (e + 1);
      sum += std::max(0.0L, p - less * q);
    }
  return static_cast<double>(sum);
}

TEST(ShuffleBinomial, ChancesAreThoseOfSmallAndLargeBinomials) {
  const Ball third(Rational(1, 3), 192), half(Rational(1, 2), 192);
  EXPECT_NEAR(static_cast<double>(binomial_chance(5, 2, third)), 80.0 / 243, 1e-16);
  // the middle of 10^9 tosses: (1 − 1/(4n) + …)·√(2/(πn))
  const double n = 1e9;
  EXPECT_NEAR(static_cast<double>(binomial_chance(1'000'000'000, 500'000'000, half)) /
                  (std::sqrt(2 / (M_PI * n)) * (1 - 1 / (4 * n))),
              1, 1e-15);
  // 2^-10000 is no double
  EXPECT_NEAR(static_cast<double>(std::log2(binomial_chance(10'000, 0, half))), -10'000, 1e-9);
}

TEST(ShuffleBinomial, StirlingAgreesWithTheProduct) {
  const Ball direct = log_factorial(1024, 192), next = log_factorial(1025, 192);
  const Ball step = sub(next, direct, 192);
  const Ball truth = log(Ball(1025), 192);
  EXPECT_TRUE(surely_at_most(sub(step, truth, 192), Ball(Rational(1, 1'000'000'000), 192)));
  EXPECT_NEAR(step.middle(), truth.middle(), 1e-16);
  EXPECT_FALSE(surely_less(step, truth) || surely_less(truth, step));
}

// The written sum is good to 1e-12 of itself, and to 1e-16 beside it.
TEST(ShufflePair, IsThePairWrittenOut) {
  for (const int users : {1, 2, 3, 10, 60, 200})
    for (const double epsilon0 : {0.125, 1.0, 4.0})
      for (const double part : {0.0, 0.1, 0.5, 0.9}) {
        const double epsilon = part * epsilon0;
        const auto n = static_cast<std::uint64_t>(users);
        const double any = pair_written_out(users, epsilon0, std::exp(-epsilon0), epsilon);
        const double found = clones_delta({n, any_randomizer(Rational(epsilon0)), 1e-30}, epsilon);
        EXPECT_NEAR(found, any, 1e-11 * any + 1e-16) << users << " " << epsilon0 << " " << part;
        EXPECT_GE(found, any * (1 - 1e-12) - 1e-16) << users << " " << epsilon0 << " " << part;
        const double own = pair_written_out(users, epsilon0, 2 / (std::exp(epsilon0) + 1), epsilon);
        const double better =
            clones_delta({n, response_randomizer(Rational(epsilon0)), 1e-30}, epsilon);
        EXPECT_NEAR(better, own, 1e-11 * own + 1e-16) << users << " " << epsilon0 << " " << part;
        EXPECT_LE(better, found);
      }
}

// The worst of some collections: one user's value is 0 or 1, the others' all alike or mixed.
double worst_response(int users, int k, double epsilon0, double epsilon) {
  double worst = 0;
  for (int other = 0; other <= k; ++other) {
    std::vector<Row> others;
    for (int i = 0; i + 1 < users; ++i)
      others.push_back(response(other < k ? other : i % k, k, epsilon0));
    worst = std::max(worst,
                     shuffled(others, response(0, k, epsilon0), response(1, k, epsilon0), epsilon));
  }
  return worst;
}

TEST(Shuffle, NoCollectionOfRandomizedResponseIsWorse) {
  double nearest = 0;
  for (const int k : {2, 3, 4})
    for (const int users : {1, 2, 4, 6})
      for (const double epsilon0 : {0.5, 1.0, 2.0, 3.0})
        for (const double part : {0.0, 0.2, 0.6}) {
          const double epsilon = part * epsilon0;
          const double bound =
              delta_of({Rational(epsilon0), static_cast<std::uint64_t>(users), true}, epsilon);
          const double worst = worst_response(users, k, epsilon0, epsilon);
          EXPECT_LE(worst, bound * (1 + 1e-12)) << k << " " << users << " " << epsilon0;
          nearest = std::max(nearest, users == 1 ? 0 : worst / bound);
        }
  EXPECT_GT(nearest, 0.9);  // the bound is no empty one
}

// Reports that are likely from both of the user's values and unlikely from the others' hide less:
// for these only the bound for any randomizer is claimed.
TEST(Shuffle, NoCollectionOfAnyRandomizerIsWorse) {
  for (const int users : {2, 4, 6})
    for (const double epsilon0 : {0.5, 1.0, 2.0, 3.0})
      for (const double part : {0.0, 0.2, 0.6})
        for (const double apart : {0.1, 0.4, 0.7, 0.95}) {
          // columns e·s, s, s; s, e·s, s; r, r, r/e; t, t, e·t
          const double e = std::exp(epsilon0), epsilon = part * epsilon0, s = apart / (e + 1);
          const double both = 1 - s * (e + 1), t = (1 - 2 * s - both / e) / (e - 1 / e);
          const double r = both - t;
          if (r < 0 || t < 0) continue;
          const Row one{e * s, s, r, t}, other{s, e * s, r, t}, rest{s, s, r / e, e * t};
          const std::vector<Row> others(static_cast<std::size_t>(users - 1), rest);
          const double bound =
              delta_of({Rational(epsilon0), static_cast<std::uint64_t>(users)}, epsilon);
          EXPECT_LE(shuffled(others, one, other, epsilon), bound * (1 + 1e-12));
        }
}

// By plain sums over all outcomes, in another program.
TEST(Shuffle, FiguresAreThoseOfPlainSums) {
  const Rational delta(1, 1'000'000);
  EXPECT_NEAR(*shuffled_epsilon({4, 10'000}, delta), 0.600909, 2e-6);
  EXPECT_NEAR(*shuffled_epsilon({4, 10'000, true}, delta), 0.410812, 2e-6);
  EXPECT_NEAR(*shuffled_epsilon({2, 100'000}, delta), 0.045026, 2e-6);
}

// The ε that is told holds, and little less would not.
TEST(Shuffle, EpsilonIsTheEndThatHolds) {
  for (const char* text : {"1e-9", "1e-6", "1e-3"})
    for (const int epsilon0 : {1, 4}) {
      const Shuffle shuffle{epsilon0, 10'000};
      const Rational delta = *parse_number(text, Rounding::kDown);
      const double epsilon = *shuffled_epsilon(shuffle, delta);
      EXPECT_LE(Rational(delta_of(shuffle, epsilon)), delta) << text << ' ' << epsilon0;
      EXPECT_GT(Rational(delta_of(shuffle, epsilon * (1 - 3e-6))), delta)
          << text << ' ' << epsilon0;
    }
}

// The broken twin: clones that are half as frequent again promise what isn't so.
TEST(Shuffle, TooManyClonesAreCaught) {
  int caught = 0;
  for (const int users : {2, 4, 6})
    for (const int epsilon0 : {2, 3})
      for (const double part : {0.0, 0.2, 0.6}) {
        const Real right = response_randomizer(epsilon0).probability;
        const Clones twin{epsilon0, [right](long bits) {
                            return mul(right(bits), Ball(Rational(3, 2), bits), bits);
                          }};
        const double epsilon = part * epsilon0;
        const double claimed = clones_delta({static_cast<std::uint64_t>(users), twin}, epsilon);
        caught += claimed < worst_response(users, 3, epsilon0, epsilon) ? 1 : 0;
      }
  EXPECT_GT(caught, 0);
}

TEST(Shuffle, MoreUsersOrMoreDeltaNeverCostMore) {
  double before = 3;
  for (const std::uint64_t users :
       {1ULL, 10ULL, 100ULL, 1'000ULL, 10'000ULL, 1'000'000ULL, 1'000'000'000ULL}) {
    const double epsilon = *shuffled_epsilon({2, users}, Rational(1, 1'000'000));
    EXPECT_LE(epsilon, before) << users;
    EXPECT_LE(epsilon, 2);
    before = epsilon;
  }
  double more = 3;
  for (const char* delta : {"1e-30", "1e-12", "1e-9", "1e-6", "1e-3", "0.1"}) {
    const double epsilon = *shuffled_epsilon({2, 10'000}, *parse_number(delta, Rounding::kDown));
    EXPECT_LE(epsilon, more) << delta;
    more = epsilon;
  }
}

// What the pair proves is never more than the theorem, wherever the theorem holds.
TEST(Shuffle, TheClosedFormIsNeverBelow) {
  int compared = 0;
  for (const std::uint64_t users : {500ULL, 10'000ULL, 1'000'000ULL})
    for (const Rational& epsilon0 : {Rational(1, 4), Rational(1), Rational(3), Rational(8)})
      for (const char* text : {"1e-9", "1e-6", "1e-3"}) {
        const Rational delta = *parse_number(text, Rounding::kDown);
        const auto closed = *shuffled_epsilon_closed_form({epsilon0, users}, delta);
        const bool proved = epsilon0.get_d() <= std::log(static_cast<double>(users) /
                                                         (16 * std::log(2 / delta.get_d())));
        EXPECT_EQ(closed.has_value(), proved);
        if (!closed) continue;
        ++compared;
        EXPECT_LE(*shuffled_epsilon({epsilon0, users}, delta), *closed);
        // by hand, in doubles
        const double e = std::exp(epsilon0.get_d()), n = static_cast<double>(users);
        const double hand = std::log1p(
            (e - 1) / (e + 1) * (8 * std::sqrt(e * std::log(4 / delta.get_d()) / n) + 8 * e / n));
        EXPECT_NEAR(*closed, hand, 1e-12 * hand);
      }
  EXPECT_GE(compared, 15);
}

Rational tiny(const char* text) { return *parse_number(text, Rounding::kDown); }

// Chances that underflow aren't chances of 0: no bound is made of them.
TEST(Shuffle, WhatIsTooSmallToAddUpPromisesNothing) {
  // the whole range is followed, and its first chance is (1 − κ)^m
  EXPECT_GT(clones_delta({100'000, response_randomizer(1), 1e-308}, 0), 0.001);
  // hardly anybody is no clone
  for (const char* epsilon : {"1e-12", "1e-20", "1e-29", "1e-40", "1e-300"}) {
    const Shuffle few{tiny(epsilon), 600, true};
    const double own = few.epsilon.get_d();
    const double shuffled = *shuffled_epsilon(few, tiny("1e-200"));
    EXPECT_GT(shuffled, 0.01 * own) << epsilon;
    EXPECT_LE(shuffled, own * (1 + 1e-15)) << epsilon;
    EXPECT_LE(clones_delta({600, response_randomizer(few.epsilon)}, 0), 1);
    EXPECT_GE(clones_delta({600, response_randomizer(few.epsilon)}, 0), own / 100) << epsilon;
  }
}

TEST(Shuffle, ExtremesAreAnswered) {
  // so many users that all chances underflow near ε0, and so large an ε0 that there are no clones
  EXPECT_LE(delta_of({4, 1'000'000'000}, 3.99), 1e-99);
  EXPECT_NEAR(*shuffled_epsilon({200, 1000}, Rational(1, 1000)), 200, 0.01);
  EXPECT_EQ(*shuffled_epsilon({1, ~0ULL}, Rational(1, 2)), 0);
  EXPECT_FALSE(shuffled_epsilon({1, 1000}, 0).has_value());
  EXPECT_FALSE(shuffled_epsilon({1, 100'000, true}, tiny("1e-299")).has_value());
  EXPECT_TRUE(shuffled_epsilon({1, 100'000, true}, tiny("1e-200")).has_value());
  EXPECT_FALSE(shuffled_epsilon({1, 0}, Rational(1, 2)).has_value());
  EXPECT_FALSE(shuffled_epsilon({0, 10}, Rational(1, 2)).has_value());
}

}  // namespace
}  // namespace discreet::privacy
