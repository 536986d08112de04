// The inner loops against plain loops in double, on every processor's version that runs here.
#include "discreet/learn/kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "discreet/learn/initial.h"
#include "discreet/random/testing/sources.h"

namespace discreet::learn {
namespace {

std::vector<float> numbers(std::size_t n, std::uint64_t seed) {
  random::testing::Seeded source(seed);
  std::vector<float> out(n);
  EXPECT_TRUE(fill_initial(source, 6, out));
  return out;
}

std::vector<const Kernels*> all() {
  const Kernels* found[3] = {};
  return {found, found + runnable_kernels(found)};
}

struct Size {
  std::size_t m, n, k;
};
constexpr Size kSizes[] = {{1, 1, 1},   {1, 16, 3},  {3, 17, 5},    {12, 32, 64}, {13, 33, 7},
                           {25, 10, 9}, {64, 48, 1}, {31, 100, 31}, {7, 1, 200},  {50, 15, 16}};

// |fl(Σ) − Σ| ≤ γ_k Σ|a||b|: the bound that the sensitivity counts on (learn/sensitivity.h).
TEST(Kernel, ProductsAreGoodToGamma) {
  for (const Kernels* kernels : all())
    for (const Size& size : kSizes) {
      const auto a = numbers(size.m * size.k, 1), b = numbers(size.k * size.n, 2);
      std::vector<float> packed(packed_size(*kernels, size.n) * size.k), c(size.m * size.n);
      kernels->pack(size.k, size.n, b.data(), size.n, 1, packed.data());
      kernels->multiply(size.m, size.n, size.k, a.data(), size.k, 1, packed.data(), c.data(),
                        size.n, false);
      const double gamma = static_cast<double>(size.k + 1) * 0x1p-24 * 1.001;
      for (std::size_t i = 0; i < size.m; ++i)
        for (std::size_t j = 0; j < size.n; ++j) {
          double exact = 0, sizes = 0;
          for (std::size_t k = 0; k < size.k; ++k) {
            const double term =
                static_cast<double>(a[i * size.k + k]) * static_cast<double>(b[k * size.n + j]);
            exact += term;
            sizes += std::abs(term);
          }
          ASSERT_LE(std::abs(static_cast<double>(c[i * size.n + j]) - exact), gamma * sizes)
              << kernels->name;
        }
    }
}

// Transposed operands, and adding to what is there: the same bits as the straight product.
TEST(Kernel, StridesDontChangeABit) {
  for (const Kernels* kernels : all())
    for (const Size& size : kSizes) {
      const auto a = numbers(size.m * size.k, 3), b = numbers(size.k * size.n, 4);
      std::vector<float> at(a.size()), bt(b.size());
      for (std::size_t i = 0; i < size.m; ++i)
        for (std::size_t k = 0; k < size.k; ++k) at[k * size.m + i] = a[i * size.k + k];
      for (std::size_t k = 0; k < size.k; ++k)
        for (std::size_t j = 0; j < size.n; ++j) bt[j * size.k + k] = b[k * size.n + j];
      std::vector<float> packed(packed_size(*kernels, size.n) * size.k), one(size.m * size.n),
          two(size.m * size.n, 0.0F);
      kernels->pack(size.k, size.n, b.data(), size.n, 1, packed.data());
      kernels->multiply(size.m, size.n, size.k, a.data(), size.k, 1, packed.data(), one.data(),
                        size.n, false);
      kernels->pack(size.k, size.n, bt.data(), 1, size.k, packed.data());
      kernels->multiply(size.m, size.n, size.k, at.data(), 1, size.m, packed.data(), two.data(),
                        size.n, true);
      ASSERT_EQ(one, two) << kernels->name;
    }
}

// A row's products are its own, whatever rows stand beside it.
TEST(Kernel, RowsAreTheirOwn) {
  for (const Kernels* kernels : all())
    for (const Size& size : kSizes) {
      const auto a = numbers(size.m * size.k, 5), b = numbers(size.k * size.n, 6);
      std::vector<float> packed(packed_size(*kernels, size.n) * size.k), together(size.m * size.n),
          alone(size.n);
      kernels->pack(size.k, size.n, b.data(), size.n, 1, packed.data());
      kernels->multiply(size.m, size.n, size.k, a.data(), size.k, 1, packed.data(), together.data(),
                        size.n, false);
      for (std::size_t i = 0; i < size.m; ++i) {
        kernels->multiply(1, size.n, size.k, a.data() + i * size.k, size.k, 1, packed.data(),
                          alone.data(), size.n, false);
        ASSERT_TRUE(std::equal(alone.begin(), alone.end(),
                               together.begin() + static_cast<std::ptrdiff_t>(i * size.n)))
            << kernels->name;
      }
    }
}

TEST(Kernel, RoundingIsToTheNearest) {
  for (const Kernels* kernels : all()) {
    const auto x = numbers(1003, 7);
    const float scale = 0x1p20F;
    std::vector<std::int64_t> sum(x.size(), 5);
    kernels->round_add(x.data(), x.size(), scale, sum.data(), true);
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_LE(std::abs(static_cast<double>(sum[i] - 5) - static_cast<double>(x[i]) * 0x1p20),
                0.5);
    // The ends of what a tile may hold: 64 rows of C.
    const float ends[] = {64.0F, -64.0F, 63.99999F, 0.0F, -0.0F, 1e-45F};
    std::vector<std::int64_t> far(6);
    kernels->round_add(ends, 6, 0x1p24F, far.data(), true);
    EXPECT_EQ(far[0], std::int64_t{1} << 30);
    EXPECT_EQ(far[1], -(std::int64_t{1} << 30));
    EXPECT_EQ(far[2], static_cast<std::int64_t>(63.99999F * 0x1p24F));
    EXPECT_EQ(far[5], 0);
  }
}

// round_add as its header has it: in place of what is there, or added to it, and nothing beyond n.
// Says whether `round_add` does so for every rest of a vector.
bool rounds_as_it_says(decltype(Kernels::round_add) round_add) {
  constexpr std::int64_t kThere = 1'000'000'007;
  for (std::size_t n = 0; n <= 70; ++n)
    for (const bool add : {false, true}) {
      auto x = numbers(n + 3, 20 + n);
      if (n > 1) x[0] = 2.5F * 0x1p-20F, x[n - 1] = -3.5F * 0x1p-20F;  // ties, to the even one
      std::vector<std::int64_t> sum(n + 3, kThere);
      round_add(x.data(), n, 0x1p20F, sum.data(), add);
      for (std::size_t i = 0; i < sum.size(); ++i) {
        const auto rounded =
            static_cast<std::int64_t>(std::nearbyint(static_cast<double>(x[i]) * 0x1p20));
        const std::int64_t expected = i >= n ? kThere : rounded + (add ? kThere : 0);
        if (sum[i] != expected) return false;
      }
    }
  return true;
}

TEST(Kernel, RoundingReplacesOrAdds) {
  for (const Kernels* kernels : all())
    EXPECT_TRUE(rounds_as_it_says(kernels->round_add)) << kernels->name;
  // The twins: always added; replaced, but for the rest of a vector of 8; cut off, not rounded.
  using Size = std::size_t;
  EXPECT_FALSE(rounds_as_it_says([](const float* x, Size n, float scale, std::int64_t* sum, bool) {
    portable::table().round_add(x, n, scale, sum, true);
  }));
  EXPECT_FALSE(
      rounds_as_it_says([](const float* x, Size n, float scale, std::int64_t* sum, bool add) {
        const Size whole = n / 8 * 8;
        portable::table().round_add(x, whole, scale, sum, add);
        portable::table().round_add(x + whole, n - whole, scale, sum + whole, true);
      }));
  EXPECT_FALSE(
      rounds_as_it_says([](const float* x, Size n, float scale, std::int64_t* sum, bool add) {
        for (Size i = 0; i < n; ++i)
          sum[i] = (add ? sum[i] : 0) + static_cast<std::int64_t>(double{x[i]} * double{scale});
      }));
}

TEST(Kernel, SquaresAreGoodToMinusFifty) {
  for (const Kernels* kernels : all())
    for (const std::size_t n : {0U, 1U, 15U, 16U, 17U, 784U, 5000U}) {
      const auto x = numbers(n, 8 + n);
      long double exact = 0;
      for (const float v : x) exact += static_cast<long double>(v) * static_cast<long double>(v);
      EXPECT_LE(std::abs(static_cast<double>(exact) - kernels->squares(x.data(), n)),
                static_cast<double>(exact) * static_cast<double>(n) * 0x1p-53 + 0x1p-60);
    }
}

TEST(Kernel, ActivationsAndTheirSlopes) {
  for (const Kernels* kernels : all()) {
    std::vector<float> x;
    for (int i = -4000; i <= 4000; ++i) x.push_back(static_cast<float>(i) * 0.01F);
    std::vector<float> y(x.size()), d(x.size(), 1.0F);
    kernels->tempered(x.data(), y.data(), x.size(), 2, 2, 1);
    kernels->tempered_back(y.data(), d.data(), x.size(), 2, 2, 1);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double t = std::tanh(static_cast<double>(x[i]));
      ASSERT_NEAR(static_cast<double>(y[i]), t, 3e-7);
      ASSERT_NEAR(static_cast<double>(d[i]), 1 - t * t, 1e-6);
    }
    kernels->relu(x.data(), y.data(), x.size());
    std::fill(d.begin(), d.end(), 3.0F);
    kernels->relu_back(y.data(), d.data(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(y[i], std::max(x[i], 0.0F));
      ASSERT_EQ(d[i], x[i] > 0 ? 3.0F : 0.0F);
    }
    const float odd[] = {INFINITY, -INFINITY, NAN};
    float out[3];
    kernels->tempered(odd, out, 3, 2, 2, 1);
    EXPECT_EQ(out[0], 1.0F);
    EXPECT_EQ(out[1], -1.0F);
    EXPECT_TRUE(std::isnan(out[2]));  // not finite: the example is taken out
  }
}

}  // namespace
}  // namespace discreet::learn
