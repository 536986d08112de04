#include "discreet/learn/fourier.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <random>

namespace discreet::learn {
namespace {

using Complex = std::complex<double>;

// X(u, v) by the definition.
std::vector<Complex> plain(const std::vector<Complex>& x, std::size_t n, double sign) {
  std::vector<Complex> out(n * n);
  for (std::size_t u = 0; u < n; ++u)
    for (std::size_t v = 0; v < n; ++v)
      for (std::size_t s = 0; s < n; ++s)
        for (std::size_t t = 0; t < n; ++t)
          out[u * n + v] += x[s * n + t] * std::polar(1.0, sign * 2 * std::numbers::pi *
                                                               double(u * s + v * t) / double(n));
  return out;
}

class FourierTest : public testing::TestWithParam<std::size_t> {};

TEST_P(FourierTest, IsTheDefinition) {
  const std::size_t n = GetParam(), lanes = 3;
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const Fourier fourier(n);
  for (const auto direction : {Fourier::Direction::kForward, Fourier::Direction::kInverse}) {
    Plane plane(n * n, lanes), scratch(n * n, lanes);
    std::vector<std::vector<Complex>> exact(lanes);
    for (std::size_t s = 0; s < n * n; ++s)
      for (std::size_t l = 0; l < lanes; ++l) {
        plane.re[s * lanes + l] = float(normal(random));
        plane.im[s * lanes + l] = float(normal(random));
        exact[l].emplace_back(plane.re[s * lanes + l], plane.im[s * lanes + l]);
      }
    fourier.picture(plane, scratch, direction);
    for (std::size_t l = 0; l < lanes; ++l) {
      const auto want = plain(exact[l], n, direction == Fourier::Direction::kForward ? -1 : 1);
      for (std::size_t s = 0; s < n * n; ++s) {
        const Complex got(plane.re[s * lanes + l], plane.im[s * lanes + l]);
        ASSERT_LT(std::abs(got - want[s]), 2e-5 * double(n)) << n << " at " << s;
      }
    }
  }
}

// Every radix: 2, 3, 4, 5 and a prime that has no code of its own.
INSTANTIATE_TEST_SUITE_P(Lengths, FourierTest, testing::Values(1, 2, 4, 6, 9, 10, 12, 14, 18, 36));

}  // namespace
}  // namespace discreet::learn
