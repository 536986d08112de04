// Weights against their formula in rationals, and against what they promise: on all small units.
#include "discreet/bound/weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "discreet/base/number.h"

namespace discreet::bound {
namespace {

Integer floor_of(const Rational& value) {
  Integer out;
  mpz_fdiv_q(out.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  return out;
}
Integer integer(std::uint64_t value) { return Integer(static_cast<unsigned long>(value)); }

// Rows in each of a unit's groups: all units with up to three groups of up to seven rows.
void each_unit(const std::function<void(const std::vector<std::uint64_t>&)>& visit) {
  for (std::uint64_t a = 1; a <= 7; ++a) {
    visit({a});
    for (std::uint64_t b = 1; b <= 7; ++b) {
      visit({a, b});
      for (std::uint64_t c = 1; c <= 7; ++c) visit({a, b, c});
    }
  }
}

Shape shape_of(unsigned bits, std::uint32_t rows, std::uint32_t total) {
  Shape out;
  out.weight_bits = bits;
  out.max_rows = rows;
  out.max_total = total;
  return out;
}

std::vector<std::uint64_t> weights_of(const Weights& weights, const std::vector<std::uint64_t>& n) {
  std::uint64_t rooms = 0;
  for (const std::uint64_t rows : n) rooms += weights.room(rows);
  std::vector<std::uint64_t> out;
  for (const std::uint64_t rows : n) out.push_back(weights.weight(weights.share(rooms), rows));
  return out;
}

// Do they keep what they promise, in each group and in all?
bool keeps_promise(const std::vector<std::uint64_t>& weights, const std::vector<std::uint64_t>& n,
                   unsigned bits, std::uint32_t rows, std::uint32_t total) {
  Integer sum = 0;
  bool holds = true;
  for (std::size_t g = 0; g < n.size(); ++g) {
    const Integer weighted = integer(weights[g]) * integer(n[g]);
    holds = holds && (rows == kNoLimit || weighted <= integer(rows) << bits);
    sum += weighted;
  }
  return holds && (total == kNoLimit || sum <= integer(total) << bits);
}

template <class Test>
void each_case(Test&& test) {
  for (const unsigned bits : {0u, 1u, 2u, 3u, kWeightBits})
    for (const std::uint32_t rows : {1u, 2u, 3u, 5u, kNoLimit})
      for (const std::uint32_t total : {1u, 2u, 3u, 4u, 6u, 9u, kNoLimit})
        each_unit([&](const std::vector<std::uint64_t>& n) { test(bits, rows, total, n); });
}

TEST(Weights, AreTheFormulaAndKeepTheirPromise) {
  each_case([](unsigned bits, std::uint32_t rows, std::uint32_t total,
               const std::vector<std::uint64_t>& n) {
    const Weights weights(shape_of(bits, rows, total));
    const auto found = weights_of(weights, n);
    ASSERT_TRUE(keeps_promise(found, n, bits, rows, total));
    // F = ⌊2^k · min(n', N) / n'⌋, W = ⌊F · min(n_g, m) / n_g⌋, in rationals.
    Integer rooms = 0;
    for (const std::uint64_t one : n) rooms += std::min(integer(one), integer(rows));
    const Rational share(Rational(Integer(1) << bits) * Rational(std::min(rooms, integer(total))) /
                         Rational(rooms));
    for (std::size_t g = 0; g < n.size(); ++g) {
      const Rational room(std::min(integer(n[g]), integer(rows)));
      ASSERT_EQ(integer(found[g]),
                floor_of(Rational(floor_of(share)) * room / Rational(integer(n[g]))));
    }
    // Rows count wholly where all of them may.
    std::uint64_t all = 0;
    for (const std::uint64_t one : n) all += one;
    if (rooms == integer(all) && rooms <= integer(total)) {
      for (const std::uint64_t one : found) ASSERT_EQ(one, std::uint64_t{1} << bits);
    }
  });
}

// What is lost by rounding is less than 2^(1-k) of a row for each row.
TEST(Weights, LoseLittleByRounding) {
  each_case([](unsigned bits, std::uint32_t rows, std::uint32_t total,
               const std::vector<std::uint64_t>& n) {
    const Weights weights(shape_of(bits, rows, total));
    const auto found = weights_of(weights, n);
    std::uint64_t all = 0, rooms = 0, weighted = 0;
    for (std::size_t g = 0; g < n.size(); ++g) {
      all += n[g];
      rooms += weights.room(n[g]);
      weighted += found[g] * n[g];
    }
    ASSERT_LT((weights.kept(rooms) << bits) - weighted, 2 * all);
  });
}

// Broken twins: each breaks the promise for a unit among those above.
TEST(Weights, BrokenTwinsAreSeen) {
  using Twin = std::function<std::uint64_t(unsigned, std::uint32_t, std::uint32_t,
                                           const std::vector<std::uint64_t>&, std::size_t)>;
  const auto sum = [](const std::vector<std::uint64_t>& n) {
    return std::accumulate(n.begin(), n.end(), std::uint64_t{0});
  };
  const auto breaks = [&](const Twin& twin) {
    bool broken = false;
    each_case([&](unsigned bits, std::uint32_t rows, std::uint32_t total,
                  const std::vector<std::uint64_t>& n) {
      if (rows == kNoLimit || total == kNoLimit) return;
      std::vector<std::uint64_t> weights;
      for (std::size_t g = 0; g < n.size(); ++g) weights.push_back(twin(bits, rows, total, n, g));
      broken = broken || !keeps_promise(weights, n, bits, rows, total);
    });
    return broken;
  };
  const auto capped = [](std::uint64_t a, std::uint64_t b) { return std::min(a, b); };
  const auto honest = [&](unsigned bits, std::uint32_t m, std::uint32_t N,
                          const std::vector<std::uint64_t>& n, std::size_t g) {
    std::uint64_t rooms = 0;
    for (const std::uint64_t one : n) rooms += capped(one, m);
    return ((capped(rooms, N) << bits) / rooms) * capped(n[g], m) / n[g];
  };
  EXPECT_FALSE(breaks(honest));
  // Rounded up.
  EXPECT_TRUE(breaks([&](unsigned bits, std::uint32_t m, std::uint32_t N,
                         const std::vector<std::uint64_t>& n, std::size_t g) {
    std::uint64_t rooms = 0;
    for (const std::uint64_t one : n) rooms += capped(one, m);
    return (((capped(rooms, N) << bits) + rooms - 1) / rooms) * capped(n[g], m) / n[g];
  }));
  // One group's rows instead of all.
  EXPECT_TRUE(breaks([&](unsigned bits, std::uint32_t m, std::uint32_t N,
                         const std::vector<std::uint64_t>& n,
                         std::size_t g) { return (capped(capped(n[g], m), N) << bits) / n[g]; }));
  // No limit in each group.
  EXPECT_TRUE(
      breaks([&](unsigned bits, std::uint32_t, std::uint32_t N, const std::vector<std::uint64_t>& n,
                 std::size_t) { return (capped(sum(n), N) << bits) / sum(n); }));
  // The number of rows saturates: it stays at four.
  EXPECT_TRUE(breaks([&](unsigned bits, std::uint32_t m, std::uint32_t N,
                         const std::vector<std::uint64_t>& n, std::size_t g) {
    std::vector<std::uint64_t> few;
    for (const std::uint64_t one : n) few.push_back(capped(one, 4));
    return honest(bits, m, N, few, g);
  }));
  // Only rows with a value: of each group's the first one has none.
  EXPECT_TRUE(breaks([&](unsigned bits, std::uint32_t m, std::uint32_t N,
                         const std::vector<std::uint64_t>& n, std::size_t g) {
    std::vector<std::uint64_t> present;
    for (const std::uint64_t one : n) present.push_back(std::max<std::uint64_t>(1, one - 1));
    return honest(bits, m, N, present, g);
  }));
}

// Σ W·(x − c) follows from Σ W·x and Σ W, in which W is one and the same number. Were the sum and
// the count divided and rounded each by itself, a centred sum would be far beyond its bound: three
// rows of 1000 in [1000, 1002], one of which counts, in units of 2^-2. The bound is 4.
TEST(Weights, ASumAndItsCountAreRoundedTogether) {
  const Weights weights(shape_of(2, kNoLimit, 1));
  const std::uint64_t n = 3;
  const auto w = static_cast<std::int64_t>(weights.weight(weights.share(n), n));
  const std::int64_t x = 1000, center = 1001, one = 4;
  const auto centered = [&](std::int64_t sum, std::int64_t count) {
    return std::abs(sum - center * count);
  };
  EXPECT_LE(centered(w * 3 * x, w * 3), one * 1);
  // The twin: the sum divided, and the count as if the unit had its one row.
  EXPECT_GT(centered(w * 3 * x, one * 1), one * 1);
}

// The largest numbers there are.
TEST(Weights, NothingOverflows) {
  const std::uint64_t most = (std::uint64_t{1} << 62) + 12345;
  const Weights all(shape_of(kWeightBits, kNoLimit, kNoLimit));
  EXPECT_EQ(all.weight(all.share(most), most), std::uint64_t{1} << kWeightBits);
  const std::uint32_t limit = kNoLimit - 1;
  const Weights some(shape_of(kWeightBits, limit, limit));
  EXPECT_EQ(some.weight(some.share(limit), std::uint64_t{1} << 33), 511u);
  EXPECT_EQ(some.share(std::uint64_t{1} << 33), 511u);
  EXPECT_EQ(some.weight(some.share(limit), most), 0u);
}

}  // namespace
}  // namespace discreet::bound
