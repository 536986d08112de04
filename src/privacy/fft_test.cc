#include "discreet/privacy/fft.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <numbers>

namespace discreet::privacy {
namespace {

double pseudo(std::size_t i) { return std::sin(static_cast<double>(i * i % 1009)) + 0.5; }

std::size_t reversed_bits(std::size_t p, std::size_t half) {
  std::size_t k = 0;
  for (std::size_t bit = 1; bit < half; bit <<= 1, p >>= 1) k = 2 * k + (p & 1);
  return k;
}

TEST(Fft, IsTheSumItSaysItIs) {
  for (std::size_t length = 4; length <= 512; length *= 2) {
    std::vector<double> values(length);
    for (std::size_t i = 0; i < length; ++i) values[i] = pseudo(i);
    Spectrum spectrum;
    Fft(length).forward(values, spectrum);
    for (std::size_t p = 0; p <= length / 2; ++p) {
      const std::size_t k = p == length / 2 ? p : reversed_bits(p, length / 2);
      double re = 0, im = 0;
      for (std::size_t t = 0; t < length; ++t) {
        const double angle = -2 * std::numbers::pi * static_cast<double>(k * t % length) /
                             static_cast<double>(length);
        re += values[t] * std::cos(angle);
        im += values[t] * std::sin(angle);
      }
      EXPECT_NEAR(spectrum.re[p], re, 1e-12 * static_cast<double>(length)) << length << ' ' << k;
      EXPECT_NEAR(spectrum.im[p], im, 1e-12 * static_cast<double>(length)) << length << ' ' << k;
    }
  }
}

TEST(Fft, ComesBackWithinItsBound) {
  for (std::size_t length :
       {std::size_t{4}, std::size_t{1024}, std::size_t{1} << 15, std::size_t{1} << 18}) {
    const Fft fft(length);
    std::vector<double> values(length), back(length);
    double norm = 0, off = 0;
    for (std::size_t i = 0; i < length; ++i) values[i] = pseudo(i);
    Spectrum spectrum;
    fft.forward(values, spectrum);
    fft.inverse(spectrum, back);
    for (std::size_t i = 0; i < length; ++i) {
      norm += values[i] * values[i];
      off += (back[i] - values[i]) * (back[i] - values[i]);
    }
    EXPECT_LE(std::sqrt(off / norm), 2 * fft.error());
    EXPECT_GT(std::sqrt(off / norm) * 1e4, fft.error()) << "a bound so far off says nothing";
  }
}

}  // namespace
}  // namespace discreet::privacy
