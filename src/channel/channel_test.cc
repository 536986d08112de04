// Channels themselves: makers, exact ε and δ, repair, files.
#include "discreet/channel/channel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "discreet/channel/csv.h"
#include "discreet/channel/delta.h"
#include "discreet/channel/epsilon.h"
#include "discreet/channel/leakage.h"
#include "discreet/channel/make.h"
#include "discreet/channel/quantise.h"
#include "discreet/channel/structured.h"
#include "discreet/mechanism/laplace.h"
#include "discreet/mechanism/randomized_response.h"
#include "discreet/privacy/hockey_stick.h"

namespace discreet::channel {
namespace {

Rational q(long a, long b) {
  Rational out(a, b);
  out.canonicalize();
  return out;
}
Channel coin() { return *from_coins(q(1, 2), q(1, 2)); }

TEST(Ratio, LogarithmsAreExact) {
  EXPECT_EQ(parse_ratio("", "ln(3)")->lower, 3);
  EXPECT_TRUE(parse_ratio("", "ln(3)")->exact());
  EXPECT_EQ(parse_ratio("", "2*ln(3)")->lower, 9);
  EXPECT_EQ(parse_ratio("", "ln(3/2) * 2")->lower, q(9, 4));
  const Ratio half = *parse_ratio("", "0.5");
  EXPECT_LT(half.lower, half.upper);
  EXPECT_LT(to_double(half.upper / half.lower - 1), 0x1p-59);
  EXPECT_TRUE(surely_less(Ball(half.lower, 200), exp(Ball(q(1, 2), 200), 200)));
  EXPECT_TRUE(surely_less(exp(Ball(q(1, 2), 200), 200), Ball(half.upper, 200)));
  // ln(3)/2 is no logarithm of a fraction: bracketed
  const Ratio root = *parse_ratio("", "ln(3)/2");
  EXPECT_TRUE(root.lower * root.lower < 3 && root.upper * root.upper > 3);
  for (const char* bad : {"0", "-1", "ln(1)", "ln(1/2)", "501", "nan", "", "ln(3", "x"})
    EXPECT_FALSE(parse_ratio("--epsilon", bad)) << bad;
  EXPECT_EQ(parse_ratio("", "0", true)->upper, 1);
}

// Where e^ε lies a hair (2^-399) from a simple fraction, the bounds stay on their sides of it.
TEST(Ratio, BoundsAreOnTheirSidesOfAlmostSimpleNumbers) {
  const Ball logarithm = log(Ball(Rational(3), 600), 600);
  Rational below(logarithm.floor_shifted(400)), above(logarithm.ceil_shifted(400));
  below /= Rational(Integer(1) << 400), above /= Rational(Integer(1) << 400);
  EXPECT_LT(Ratio::of_epsilon(below).lower, 3);
  EXPECT_GE(Ratio::of_epsilon(below).upper, 3);
  EXPECT_LE(Ratio::of_epsilon(above).lower, 3);
  EXPECT_GT(Ratio::of_epsilon(above).upper, 3);
  const Rational tiny = Rational(1) / Rational(Integer(1) << 1000);
  EXPECT_EQ(Ratio::of_epsilon(tiny).lower, 1);
  EXPECT_GT(Ratio::of_epsilon(tiny).upper, 1);
}

// … also where the logarithm itself had to be rounded.
TEST(Ratio, RoundedLogarithmsAreBracketed) {
  for (const std::size_t digits : {20, 40, 80, 160}) {
    const std::string nines(digits, '9'), zeros(digits, '0');
    const auto below = parse_ratio("", "ln(2." + nines + ")/1"),
               above = parse_ratio("", "ln(3." + zeros + "1)/1");
    ASSERT_TRUE(below && above) << digits;
    EXPECT_LT(below->lower, 3) << digits;
    EXPECT_GT(above->upper, 3) << digits;
  }
}

TEST(Ratio, SimplestFraction) {
  EXPECT_EQ(simplest_between(q(31, 100), q(34, 100)), q(1, 3));
  EXPECT_EQ(simplest_between(q(314, 100), q(315, 100)), q(22, 7));
  EXPECT_EQ(simplest_between(2, 2), 2);
  EXPECT_EQ(simplest_between(q(7, 3), q(7, 3)), q(7, 3));
}

TEST(Channel, RowsMustSumToOneExactly) {
  EXPECT_TRUE(Channel::create(1, 3, {q(1, 3), q(1, 3), q(1, 3)}));
  Rational off = q(1, 3);
  off += Rational(1) / Rational(Integer(1) << 300);
  EXPECT_FALSE(Channel::create(1, 3, {q(1, 3), q(1, 3), off}));
  EXPECT_FALSE(Channel::create(1, 2, {q(3, 2), q(-1, 2)}));
  EXPECT_FALSE(Channel::create(0, 0, {}));
  EXPECT_FALSE(Channel::create(2, 2, {1, 0, 1}));
}

TEST(Epsilon, CoinIsLnThree) {
  const Loss loss = epsilon_of(coin(), *Graph::complete(2));
  EXPECT_EQ(loss.ratio, 3);
  EXPECT_EQ(loss.epsilon(), std::log(3));
  EXPECT_EQ(loss.within(Ratio::exactly(3)), true);
}

// The broken twin: one entry moved by 2^-40 is seen, and so is one moved by 2^-300.
TEST(Epsilon, ATinyExcessIsSeen) {
  for (const unsigned bits : {40U, 300U}) {
    const Rational tiny = Rational(1) / Rational(Integer(1) << bits);
    const Channel bent = *Channel::create(2, 2, {q(3, 4) + tiny, q(1, 4) - tiny, q(1, 4), q(3, 4)});
    EXPECT_FALSE(is_within(bent, *Graph::complete(2), 3));
    EXPECT_EQ(epsilon_of(bent, *Graph::complete(2)).within(Ratio::exactly(3)), false);
    EXPECT_TRUE(is_within(coin(), *Graph::complete(2), 3));
  }
}

TEST(Epsilon, GraphsDecide) {
  const Channel geometric = *dense(TruncatedGeometric{6, Ratio::exactly(2)});
  EXPECT_EQ(epsilon_of(geometric, *Graph::path(6)).ratio, 2);
  EXPECT_EQ(epsilon_of(geometric, *Graph::complete(6)).ratio, 32);
  EXPECT_EQ(epsilon_of(geometric, *Graph::cycle(6)).ratio, 32);
  EXPECT_EQ(epsilon_of(geometric, *Graph::edges(6, {{0, 2}, {2, 4}, {4, 5}, {5, 3}, {3, 1}})).ratio,
            4);
  const Channel open = *Channel::create(2, 2, {1, 0, q(1, 2), q(1, 2)});
  EXPECT_TRUE(epsilon_of(open, *Graph::path(2)).infinite);
  EXPECT_TRUE(std::isinf(epsilon_of(open, *Graph::path(2)).epsilon()));
}

// An outcome that one row excludes and another allows, in whichever row: told apart for certain.
TEST(Epsilon, AZeroInAnyRowIsInfinite) {
  for (std::size_t zero = 0; zero < 3; ++zero) {
    std::vector<Rational> entries(6, q(1, 2));
    entries[2 * zero] = 0, entries[2 * zero + 1] = 1;
    const Channel channel = *Channel::create(3, 2, entries);
    for (const Graph& graph : {*Graph::complete(3), *Graph::path(3), *Graph::cycle(3),
                               *Graph::edges(3, {{0, 1}, {1, 2}})}) {
      const Loss loss = epsilon_of(channel, graph);
      EXPECT_TRUE(loss.infinite) << zero;
      EXPECT_EQ(loss.to, zero);
      EXPECT_TRUE(std::isinf(loss.epsilon()));
      EXPECT_EQ(loss.within(Ratio::exactly(1000)), false);
      EXPECT_FALSE(is_within(channel, graph, 1000));
    }
  }
  // excluded by all rows it tells nothing
  const Channel both = *Channel::create(3, 2, {1, 0, 1, 0, 1, 0});
  EXPECT_EQ(epsilon_of(both, *Graph::complete(3)).ratio, 1);
}

// e^ε is only known to lie from 2 to 3: "within" is sure below, "not within" above, else unknown.
// Neighbours of another number of inputs are none of this channel's.
TEST(Epsilon, OfAGraphOfAnotherSizeIsInfinite) {
  const Channel three = *Channel::create(3, 2, std::vector<Rational>(6, q(1, 2)));
  EXPECT_FALSE(epsilon_of(three, *Graph::path(3)).infinite);
  EXPECT_TRUE(epsilon_of(three, *Graph::path(2)).infinite);
  EXPECT_TRUE(epsilon_of(coin(), *Graph::path(3)).infinite);
}

TEST(Epsilon, WithinIsSaidOnlyWhereItIsSure) {
  const Ratio coarse{2, 3}, cubes{8, 27};
  for (const auto& [ratio, expected] :
       std::vector<std::pair<Rational, std::optional<bool>>>{{q(19, 10), true},
                                                             {q(21, 10), {}},
                                                             {q(5, 2), {}},
                                                             {q(29, 10), {}},
                                                             {q(31, 10), false}}) {
    EXPECT_EQ((Loss{.ratio = ratio}.within(coarse)), expected) << ratio;
    EXPECT_EQ((Loss{.ratio = ratio, .power = 3}.within(cubes)), expected) << ratio;
  }
  EXPECT_EQ(Loss{.ratio = 2}.within(coarse), true);
  EXPECT_EQ(Loss{.ratio = 3}.within(coarse), std::nullopt);
}

// Deck 003, exercise 3: over a graph, ε between neighbours is ε a step between any two.
TEST(Epsilon, MetricFormIsTheSame) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 30; ++round) {
    const Graph graph = *Graph::edges(5, {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}});
    std::vector<Rational> entries, metric;
    for (int y = 0; y < 5; ++y) {
      std::vector<Rational> row;
      Rational sum;
      for (int z = 0; z < 4; ++z) row.emplace_back(random() % 20 + 1), sum += row.back();
      for (const Rational& p : row) entries.push_back(p / sum);
      for (int x = 0; x < 5; ++x)
        metric.emplace_back(graph.distance(static_cast<Node>(y), static_cast<Node>(x)));
    }
    const Channel channel = *Channel::create(5, 4, entries);
    EXPECT_NEAR(*metric_epsilon(channel, metric), epsilon_of(channel, graph).epsilon(), 1e-14);
  }
  EXPECT_FALSE(metric_epsilon(coin(), {0, 0, 0, 0}));
}

TEST(Structured, SameAsTheirMatrices) {
  for (const Ratio& ratio : {Ratio::exactly(2), Ratio::exactly(q(11, 10)), Ratio::exactly(50)}) {
    for (const std::size_t n : {1U, 2U, 3U, 7U}) {
      const TruncatedGeometric geometric{n, ratio};
      const Flat flat{n, ratio};
      const Channel a = *dense(geometric), b = *dense(flat);
      for (const auto& graph : {*Graph::path(n), *Graph::cycle(n), *Graph::complete(n)}) {
        const Loss loss = epsilon_of(geometric, graph), full = epsilon_of(a, graph);
        EXPECT_NEAR(loss.epsilon(), full.epsilon(), 1e-12);
        EXPECT_EQ(epsilon_of(flat, graph).epsilon(), epsilon_of(b, graph).epsilon());
      }
      for (std::size_t y = 0; y < n; ++y)
        for (std::size_t z = 0; z < n; ++z) {
          EXPECT_EQ(a.at(y, z), geometric.at(y, z));
          EXPECT_EQ(b.at(y, z), flat.at(y, z));
        }
    }
  }
}

// The matrices are those of the mechanisms that draw.
TEST(Structured, SameAsTheMechanisms) {
  const Rational epsilon = q(1, 2);
  const Ratio ratio = Ratio::of_epsilon(epsilon);
  const auto noise = *mechanism::truncated_geometric({.epsilon = epsilon, .max = 9});
  const TruncatedGeometric matrix{10, ratio};
  const auto response = *mechanism::RandomizedResponse::create(
      {.epsilon = epsilon, .values = mechanism::Candidates::numbered(4)});
  const Flat flat{4, ratio};
  for (std::size_t y = 0; y < 10; ++y)
    for (std::size_t z = 0; z < 10; ++z)
      EXPECT_NEAR(noise.probability(static_cast<long>(y), static_cast<long>(z), 128).middle(),
                  to_double(matrix.at(y, z)), 1e-15);
  for (std::size_t y = 0; y < 4; ++y)
    for (std::size_t z = 0; z < 4; ++z)
      EXPECT_NEAR(response.probability(y, z, 128).middle(), to_double(flat.at(y, z)), 1e-15);
}

TEST(Structured, WritableKeepsEveryPromise) {
  const Ratio ratio = Ratio::of_epsilon(q(1, 2));
  const Channel made = *writable(TruncatedGeometric{60, ratio});
  EXPECT_TRUE(is_within(made, *Graph::path(60), ratio.lower));
  EXPECT_LE(to_decimal(made.at(3, 5)).size(), 32u);
  EXPECT_NEAR(to_double(made.at(3, 5)), to_double(TruncatedGeometric{60, ratio}.at(3, 5)), 1e-25);
  EXPECT_NEAR(epsilon_of(made, *Graph::path(60)).epsilon(), 0.5, 1e-15);
  EXPECT_EQ(*writable(TruncatedGeometric{6, Ratio::exactly(2)}),
            *dense(TruncatedGeometric{6, Ratio::exactly(2)}));
  EXPECT_FALSE(writable(TruncatedGeometric{1'000'000, ratio}));
}

// Entries of many digits are rounded and repaired, and rows are filled up evenly. From a ratio of 2
// on the fill hides a repair for too large a ratio; nearer to 1 it doesn't.
TEST(Structured, WrittenChannelsAreWithinTheLowerRatio) {
  // 2^-60 is all there is between the two.
  for (const Rational& epsilon : {q(1, 10), q(1, 100), q(1, 1000)}) {
    const Ratio ratio = Ratio::of_epsilon(epsilon);
    ASSERT_LT(ratio.lower, ratio.upper);
    for (const std::size_t n : {20, 40}) {
      const auto made = writable(TruncatedGeometric{n, ratio});
      ASSERT_TRUE(made) << epsilon << ' ' << n;
      EXPECT_TRUE(is_within(*made, *Graph::path(n), ratio.lower)) << epsilon << ' ' << n;
    }
  }
  // Whatever the upper one is.
  for (const long more : {2, 10, 100, 1000}) {
    const Ratio wide{1 + q(1, more) + Rational(1, Integer(1) << 300), 3};
    for (const std::size_t n : {2, 3, 6, 20, 50}) {
      const auto geometric = writable(TruncatedGeometric{n, wide});
      const auto flat = writable(Flat{n, wide});
      ASSERT_TRUE(geometric && flat) << more << ' ' << n;
      EXPECT_TRUE(is_within(*geometric, *Graph::path(n), wide.lower)) << more << ' ' << n;
      EXPECT_TRUE(is_within(*flat, *Graph::complete(n), wide.lower)) << more << ' ' << n;
    }
  }
}

TEST(Make, Window) {
  EXPECT_EQ(*geometric_window(6, 0, 5, Ratio::exactly(2)),
            *dense(TruncatedGeometric{6, Ratio::exactly(2)}));
  const Channel wide = *geometric_window(3, -4, 7, Ratio::exactly(2));
  EXPECT_EQ(epsilon_of(wide, *Graph::path(3)).ratio, 2);
  // inputs outside of the window too
  const Channel narrow = *geometric_window(6, 2, 3, Ratio::exactly(2));
  EXPECT_EQ(narrow.at(0, 1), q(1, 12));  // P[noise ≥ 3] = (1/8)/(3/2)
  EXPECT_TRUE(is_within(narrow, *Graph::path(6), 2));
  EXPECT_FALSE(geometric_window(6, 3, 2, Ratio::exactly(2)));
}

TEST(Make, CoinsAndCombinations) {
  EXPECT_EQ(coin().at(0, 0), q(3, 4));
  EXPECT_EQ(*dense(Flat{2, Ratio::exactly(3)}), coin());
  const Graph two = *Graph::complete(2);
  EXPECT_EQ(epsilon_of(*after(coin(), coin()), two).ratio, q(5, 3));
  EXPECT_EQ(epsilon_of(*same_input(coin(), coin()), two).ratio, 9);
  const Channel both = *product(coin(), coin());
  EXPECT_EQ(both.at(0, 0), q(9, 16));
  EXPECT_EQ(epsilon_of(both, *Graph::cycle(4)).ratio, 9);  // 0–3 and 1–2 change both inputs
  EXPECT_EQ(oblivious(coin(), {0, 1, 1})->rows(), 3u);
  EXPECT_FALSE(oblivious(coin(), {0, 2}));
  EXPECT_FALSE(after(coin(), *dense(Flat{3, Ratio::exactly(3)})));
  EXPECT_FALSE(same_input(coin(), *dense(Flat{3, Ratio::exactly(3)})));
  EXPECT_FALSE(from_coins(2, 0));
}

TEST(Make, Exponential) {
  const Graph path = *Graph::path(3);
  ExponentialParameters p{.inputs = 3,
                          .outputs = 2,
                          .scores = {2, 0, 1, 1, 0, 2},
                          .epsilon = 1,
                          .ratio = Ratio::of_epsilon(1)};
  const Channel made = *exponential(p, path);
  EXPECT_NEAR(to_double(made.at(0, 0)), 1 / (1 + std::exp(-1)), 1e-15);
  EXPECT_TRUE(is_within(made, path, p.ratio.lower));
  p.sensitivity = q(1, 2);  // a lie
  EXPECT_FALSE(exponential(p, path));
  p.sensitivity = 2;
  EXPECT_NEAR(to_double(exponential(p, path)->at(0, 0)), 1 / (1 + std::exp(-0.5)), 1e-15);
  p.sensitivity = {};
  p.monotone = true;  // one score rises, the other falls
  EXPECT_FALSE(exponential(p, path));
  p.scores = {0, 0, 1, q(1, 2), 2, 1};
  const Channel monotone = *exponential(p, path);
  EXPECT_NEAR(to_double(monotone.at(1, 0)), 1 / (1 + std::exp(-0.5)), 1e-15);
  EXPECT_TRUE(is_within(monotone, path, p.ratio.lower));
}

// Whatever goes in, what comes out is a channel within the ratio; what was right stays so.
TEST(Quantise, AlwaysExactlyPrivate) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 60; ++round) {
    const std::size_t n = random() % 6 + 2, m = random() % 5 + 1;
    const Graph graph = round % 4 == 0   ? *Graph::path(n)
                        : round % 4 == 1 ? *Graph::cycle(n)
                        : round % 4 == 2 ? *Graph::complete(n)
                                         : *Graph::edges(n, [&] {
                                             std::vector<Edge> star;
                                             for (Node k = 1; k < n; ++k) star.emplace_back(0, k);
                                             return star;
                                           }());
    std::vector<Rational> entries;
    for (std::size_t i = 0; i < n * m; ++i)
      entries.push_back(q(static_cast<long>(random() % 1000), 700));
    const Rational ratio = q(static_cast<long>(random() % 300 + 101), 100);
    for (const Integer& units : {kDoubles, kDecimals}) {
      auto made = quantise(n, m, entries, graph, ratio, units);
      ASSERT_TRUE(made) << made.error().text();
      EXPECT_TRUE(is_within(*made, graph, ratio));
      for (std::size_t z = 0; z < m; ++z)
        EXPECT_EQ(Rational(made->at(0, z) * Rational(units)).get_den(), 1);
    }
  }
  EXPECT_FALSE(quantise(2, 2, {1, 0, 0, 1}, *Graph::path(2), 1, kDoubles));
}

TEST(Quantise, LosesNextToNothing) {
  const TruncatedGeometric geometric{20, Ratio::exactly(2)};
  const Channel exact = *dense(geometric);
  std::vector<Rational> entries;
  for (std::size_t y = 0; y < 20; ++y)
    for (const Rational& p : exact.row(y)) entries.push_back(p);
  const Channel made = *quantise(20, 20, entries, *Graph::path(20), 2, kDoubles);
  for (std::size_t y = 0; y < 20; ++y) {
    double sum = 0;
    for (std::size_t z = 0; z < 20; ++z) {
      EXPECT_NEAR(to_double(made.at(y, z)), to_double(exact.at(y, z)), 2e-14);
      EXPECT_EQ(Rational(to_double(made.at(y, z))), made.at(y, z));  // a double, exactly
      sum += to_double(made.at(y, z));
    }
    EXPECT_EQ(sum, 1.0);  // no rounding in the sum either
  }
}

TEST(Delta, TheErrataCoin) {
  const Channel channel = *Channel::create(2, 2, {q(1, 2), q(1, 2), q(1, 3), q(2, 3)});
  const Delta zero = *delta_of(channel, *Graph::complete(2), Ratio::exactly(1));
  EXPECT_EQ(*zero.exact, q(1, 6));
  EXPECT_EQ(*delta_of(coin(), *Graph::complete(2), Ratio::exactly(3))->exact, 0);
  EXPECT_EQ(*delta_of(coin(), *Graph::complete(2), Ratio::exactly(2))->exact, q(1, 4));
}

// e^ε is only known to lie from 2 to 3: δ lies between its values there, ends included.
TEST(Delta, ContainsEveryValueThatItsRatioAllows) {
  const Channel channel = *Channel::create(
      3, 3,
      {q(7, 10), q(2, 10), q(1, 10), q(1, 10), q(8, 10), q(1, 10), q(1, 7), q(1, 7), q(5, 7)});
  for (const Graph& graph : {*Graph::complete(3), *Graph::path(3)}) {
    const Delta coarse = *delta_of(channel, graph, Ratio{2, 3});
    EXPECT_FALSE(coarse.exact);
    for (const Rational& ratio : {Rational(2), q(5, 2), Rational(3)}) {
      const Rational exact = *delta_of(channel, graph, Ratio::exactly(ratio))->exact;
      EXPECT_LE(Rational(coarse.value.lower()), exact);
      EXPECT_GE(Rational(coarse.value.upper()), exact);
    }
    const Rational most = *delta_of(channel, graph, Ratio::exactly(2))->exact,
                   least = *delta_of(channel, graph, Ratio::exactly(3))->exact;
    EXPECT_LT(to_double(most - least), coarse.value.upper() - coarse.value.lower() + 1e-12);
  }
}

// Entries that differ by less than doubles hold: which pair is worst is decided by fractions.
TEST(Delta, PairsThatDoublesMistakeAreComparedExactly) {
  std::mt19937_64 random(6);
  int mistaken = 0;
  for (int round = 0; round < 400; ++round) {
    const Rational tiny = Rational(1) / Rational(Integer(1) << 60);
    std::vector<Rational> entries;
    for (const auto& [first, second] :
         {std::pair{q(3, 4), q(1, 8)}, {q(1, 2), q(1, 4)}, {q(1, 4), q(3, 8)}}) {
      const Rational a = first + tiny * Rational(random() % 100),
                     b = second - tiny * Rational(random() % 100);
      entries.insert(entries.end(), {a, b, 1 - a - b});
    }
    const Channel channel = *Channel::create(3, 3, entries);
    Rational most;
    double most_seen = -1;
    Rational of_most_seen;
    for (const auto& [a, b] : {std::pair{0U, 1U}, {1U, 0U}, {1U, 2U}, {2U, 1U}}) {
      Rational exact;
      double seen = 0;
      for (std::size_t z = 0; z < 3; ++z) {
        const Rational term = channel.at(a, z) - channel.at(b, z);
        if (sgn(term) > 0) exact += term;
        seen += std::max(0.0, to_double(channel.at(a, z)) - to_double(channel.at(b, z)));
      }
      most = std::max(most, exact);
      if (seen > most_seen) most_seen = seen, of_most_seen = exact;
      if (seen == most_seen) of_most_seen = std::max(of_most_seen, exact);
    }
    mistaken += of_most_seen < most;
    EXPECT_EQ(*delta_of(channel, *Graph::path(3), Ratio::exactly(1))->exact, most) << round;
  }
  EXPECT_GT(mistaken, 5);  // the twin: the largest in doubles
}

TEST(Delta, AgreesWithTheHockeyStick) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 40; ++round) {
    std::vector<Rational> entries;
    std::vector<std::vector<Ball>> rows;
    for (int y = 0; y < 4; ++y) {
      std::vector<Rational> row;
      Rational sum;
      for (int z = 0; z < 5; ++z) row.emplace_back(random() % 9), sum += row.back();
      if (sgn(sum) == 0) row[0] = sum = 1;
      rows.emplace_back();
      for (const Rational& p : row)
        entries.push_back(p / sum), rows.back().emplace_back(p / sum, 128);
    }
    const Channel channel = *Channel::create(4, 5, entries);
    const Rational epsilon = q(static_cast<long>(random() % 20), 10);
    const Delta found = *delta_of(channel, *Graph::complete(4), Ratio::of_epsilon(epsilon));
    Ball truth;
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = 0; b < 4; ++b)
        if (a != b) truth = max(truth, privacy::hockey_stick(rows[a], rows[b], epsilon, 128), 128);
    const double most = truth.middle();
    // an enclosure, and a close one
    EXPECT_LE(found.value.lower(), truth.upper());
    EXPECT_GE(found.value.upper(), truth.lower());
    EXPECT_LT(found.value.upper() - found.value.lower(), 1e-15);
    // and with the trade-off: md ≥ 1 − δ(ε) − e^ε·fa, with equality somewhere
    const auto curve = *tradeoff_of(channel, *Graph::complete(4));
    double least = 1;
    for (const Point& point : curve)
      least = std::min(least, to_double(point.miss) +
                                  std::exp(to_double(epsilon)) * to_double(point.false_alarm));
    EXPECT_NEAR(1 - least, most, 1e-12);
  }
}

TEST(Tradeoff, CoinAndItsBrokenTwin) {
  const auto curve = *tradeoff_of(coin(), *Graph::complete(2));
  const std::vector<Point> expected{{0, 1}, {q(1, 4), q(1, 4)}, {1, 0}};
  EXPECT_EQ(curve, expected);
  EXPECT_EQ(miss_at(curve, q(1, 8)), q(5, 8));
  const Channel open = *Channel::create(2, 2, {1, 0, 0, 1});
  EXPECT_EQ(miss_at(*tradeoff_of(open, *Graph::path(2)), 0), 0);  // told apart for certain
  const Channel shut = *Channel::create(2, 1, {1, 1});
  EXPECT_EQ(miss_at(*tradeoff_of(shut, *Graph::path(2)), q(1, 3)), q(2, 3));
}

TEST(Leakage, CoinAndCapacity) {
  const Leakage leak = *leakage_of(coin(), *uniform_prior(2), *Gain::identity(2));
  EXPECT_EQ(*leak.multiplicative(), q(3, 2));
  EXPECT_EQ(leak.additive(), q(1, 4));
  EXPECT_EQ(multiplicative_capacity(coin()), q(3, 2));
  EXPECT_NEAR(bits_of(q(3, 2)), std::log2(1.5), 1e-15);
  // the capacity bounds what any prior leaks
  std::mt19937_64 random(4);
  for (int round = 0; round < 50; ++round) {
    const Rational p = q(static_cast<long>(random() % 99 + 1), 100);
    const Leakage one = *leakage_of(coin(), {p, 1 - p}, *Gain::identity(2));
    EXPECT_LE(*one.multiplicative(), q(3, 2));
  }
}

struct Bad {
  const char *text, *says;
};

TEST(Csv, SaysWhereAndWhat) {
  for (const auto& [text, says] : std::vector<Bad>{
           {"3/4,1/4\n1/4,2/4\n", "f, line 2, column 2: the row sums to 0.75"},
           {"# coin\n\n3/4,1/4\n-1/4,5/4\n", "f, line 4, column 1: found -0.25"},
           {"1/2,1/2\n1\n", "f, line 2, column 2: found 1 number; accepted are 2, as in line 1"},
           {"1/2,1/2\n1,0,0\n", "f, line 2, column 3: found 3 numbers"},
           {"1/2;1/2\n", "f, line 1, column 1: found '1/2;1/2'"},
           {"1/2,x\n", "f, line 1, column 2: found 'x'"},
           {"a,b\n", "f, line 1, column 1: found 'a'"},
           {"", "f, line 1, column 1: found no numbers"},
           {"1,\n", "f, line 1, column 2: found nothing"},
           {"ln(2),1/2\n", "f, line 1, column 1: found 'ln(2)'; accepted is an exact number"},
           {"1/3,2/3,1e-30\n", "f, line 1, column 3: the row sums to about 1"},
           {"0.33,0.67,0.000000000001\n", "f, line 1, column 3: the row sums to 1.000000000001"},
           {"2,-1\n", "f, line 1, column 1: found 2; accepted is a probability"},
           {"1/0,1\n", "f, line 1, column 1"},
           {"nan,1\n", "f, line 1, column 1: found 'nan'"},
       }) {
    const auto read = read_channel("f", text);
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().message.text().find(says), std::string::npos) << read.error().message;
    EXPECT_EQ(read.error().code, Code::kUsage);
  }
  const std::string zero("1,\0\n", 4);
  EXPECT_FALSE(read_channel("f", zero));
}

TEST(Csv, ReadsWhatPeopleWrite) {
  for (const char* text :
       {"3/4,1/4\n1/4,3/4\n", "0.75,0.25\r\n0.25,.75\r\n", "yes,no\n3/4,1/4\n1/4,3/4",
        "\xEF\xBB\xBF\"3/4\", 1/4 \n 1/4,\"3/4\"\n", "# c\n3/4,1/4\n\n#\n1/4,3/4\n"})
    EXPECT_EQ(*read_channel("f", text), coin()) << text;
  std::size_t rounded = 0;
  const Channel dusty =
      *read_channel("f", "0.3333333333333333,0.6666666666666666\n1/2,1/2\n", &rounded);
  EXPECT_EQ(rounded, 1u);
  EXPECT_NEAR(to_double(dusty.at(0, 0)), 1 / 3.0, 1e-15);
}

// No bytes make the reader do anything but read or refuse.
TEST(Csv, SurvivesNoise) {
  std::mt19937_64 random(5);
  const std::string alphabet = "0123456789./,-+e^*ln() \t\r\n\"#;\\\xff\x00x";
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (std::size_t k = random() % 24; k-- > 0;) text += alphabet[random() % alphabet.size()];
    if (const auto read = read_channel("f", text)) {
      EXPECT_GE(read->rows(), 1u);
    } else {
      EXPECT_EQ(read.error().message.text().find('\n'), std::string::npos);
    }
    (void)read_graph("f", text, 4);
    (void)read_distribution("f", text, 3);
  }
}

TEST(Csv, Graphs) {
  EXPECT_TRUE(read_graph("g", "0,1\n1,2\n", 3)->is_path());
  EXPECT_EQ(read_graph("g", "from,to\n0,1\n1,2\n2,0\n", 3)->shortest_cycle().size(), 3u);
  for (const auto& [text, says] : std::vector<Bad>{
           {"0,1\n2,3\n", "g, line 2, column 1: the graph is disconnected: node 2"},
           {"0,1\n1,2\n", "g, line 3, column 1: the graph is disconnected: node 3"},
           {"0,1\n1,4\n", "g, line 2, column 2: found 4; accepted is a node from 0 to 3"},
           {"0,1\n1,1\n", "g, line 2, column 2: found an edge from node 1 to itself"},
           {"0,1,2\n", "g, line 1, column 3"},
           {"0\n", "g, line 1, column 2"},
           {"0,1/2\n", "g, line 1, column 2: found 0.5"}}) {
    const auto read = read_graph("g", text, 4);
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().message.text().find(says), std::string::npos) << read.error().message;
  }
}

TEST(Csv, Distributions) {
  EXPECT_EQ(read_distribution("p", "1/2,1/4,1/4\n", 3)->at(0), q(1, 2));
  EXPECT_EQ(read_distribution("p", "1/2\n1/4\n1/4\n", 3)->at(2), q(1, 4));
  EXPECT_FALSE(read_distribution("p", "1/2,1/4\n1/4,0\n", 4));
  EXPECT_FALSE(read_distribution("p", "1/2,1/2\n", 3));
  EXPECT_FALSE(read_distribution("p", "1/2,1/4,1/3\n", 3));
}

}  // namespace
}  // namespace discreet::channel
