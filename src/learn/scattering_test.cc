#include "discreet/learn/scattering.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <random>

namespace discreet::learn {
namespace {

using Complex = std::complex<double>;
using Picture = std::vector<double>;

// The transform as its header says it, by convolutions in space and in doubles: nothing is shared
// with the product but the formula.
class Plain {
 public:
  explicit Plain(std::size_t height) : height_(height), side_(height + 8) {}

  // A filter at a displacement, with the copies of the period added up.
  template <class F>
  std::vector<Complex> periodic(F&& filter) const {
    std::vector<Complex> out(side_ * side_);
    const int n = int(side_);
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k)
        for (int a = -2; a <= 2; ++a)
          for (int b = -2; b <= 2; ++b)
            out[std::size_t(i * n + k)] += filter(double(i + a * n), double(k + b * n));
    return out;
  }

  std::vector<Complex> wavelet(int scale, int angle, double xi) const {
    const double sigma = 0.8 * (1 << scale), theta = (3 - angle) * std::numbers::pi / 8;
    const double frequency = xi / (1 << scale);
    const auto bell = [&](double x, double y, double wave) {
      const double along = x * std::cos(theta) + y * std::sin(theta);
      const double across = (y * std::cos(theta) - x * std::sin(theta)) / 2;
      return std::exp(-(along * along + across * across) / (2 * sigma * sigma)) *
             std::polar(1.0, wave * along) / (4 * std::numbers::pi * sigma * sigma);
    };
    auto wave = periodic([&](double x, double y) { return bell(x, y, frequency); });
    const auto plain = periodic([&](double x, double y) { return bell(x, y, 0); });
    Complex sum = 0, mass = 0;
    for (std::size_t i = 0; i < wave.size(); ++i) sum += wave[i], mass += plain[i];
    for (std::size_t i = 0; i < wave.size(); ++i) wave[i] -= sum / mass * plain[i];
    return wave;
  }

  std::vector<Complex> low() const {
    const double s2 = 2 * 1.6 * 1.6;
    return periodic([&](double x, double y) {
      return Complex(std::exp(-(x * x + y * y) / s2) / (std::numbers::pi * s2));
    });
  }

  std::vector<Complex> convolve(const std::vector<Complex>& x,
                                const std::vector<Complex>& filter) const {
    const std::size_t n = side_;
    std::vector<Complex> out(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t s = 0; s < n; ++s)
          for (std::size_t t = 0; t < n; ++t)
            out[i * n + k] += x[s * n + t] * filter[(i + n - s) % n * n + (k + n - t) % n];
    return out;
  }

  static std::vector<Complex> modulus(std::vector<Complex> x) {
    for (Complex& z : x) z = std::abs(z);
    return x;
  }

  // x ∗ φ at every fourth point of the picture. `step`: of |x ∗ ψ| only every step-th point is
  // known, which the coarser scale allows for.
  Picture smooth(const std::vector<Complex>& x, std::size_t step) const {
    std::vector<Complex> known(x.size());
    for (std::size_t i = 0; i < side_; i += step)
      for (std::size_t k = 0; k < side_; k += step)
        known[i * side_ + k] = x[i * side_ + k] * double(step * step);
    const auto all = convolve(known, low());
    Picture out;
    for (std::size_t o = 0; o < height_ / 4; ++o)
      for (std::size_t p = 0; p < height_ / 4; ++p)
        out.push_back(all[4 * (o + 1) * side_ + 4 * (p + 1)].real());
    return out;
  }

  Picture scatter(const float* picture, double xi = 0.75 * std::numbers::pi) const {
    std::vector<Complex> x(side_ * side_);
    const auto mirror = [&](std::size_t i) {
      const int h = int(height_);
      int at = std::abs(int(i) - 4);
      if (at >= h) at = 2 * (h - 1) - at;
      return std::size_t(at);
    };
    for (std::size_t i = 0; i < side_; ++i)
      for (std::size_t k = 0; k < side_; ++k)
        x[i * side_ + k] = picture[mirror(i) * height_ + mirror(k)];
    std::vector<Picture> parts = {smooth(x, 1)};
    std::vector<std::vector<Complex>> first;
    for (int angle = 0; angle < 8; ++angle) {
      first.push_back(modulus(convolve(x, wavelet(0, angle, xi))));
      parts.push_back(smooth(first.back(), 1));
    }
    for (int angle = 0; angle < 8; ++angle)
      parts.push_back(smooth(modulus(convolve(x, wavelet(1, angle, xi))), 2));
    for (int one = 0; one < 8; ++one)
      for (int two = 0; two < 8; ++two)
        parts.push_back(smooth(modulus(convolve(first[std::size_t(one)], wavelet(1, two, xi))), 2));
    Picture out;
    for (const Picture& part : parts) out.insert(out.end(), part.begin(), part.end());
    return out;
  }

 private:
  std::size_t height_, side_;
};

std::vector<float> some_pictures(std::size_t count, std::size_t points) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> uniform(0, 1);
  std::vector<float> out(count * points);
  for (float& x : out) x = uniform(random) < 0.3F ? uniform(random) : 0.0F;
  return out;
}

double furthest(const Picture& want, std::span<const float> got) {
  double out = 0;
  for (std::size_t i = 0; i < want.size(); ++i) out = std::max(out, std::abs(want[i] - got[i]));
  return out;
}

TEST(ScatteringTest, IsTheTransformByConvolutions) {
  constexpr std::size_t kHeight = 8;
  const auto scattering = Scattering::create({1, kHeight, kHeight});
  ASSERT_TRUE(scattering);
  const auto pictures = some_pictures(2, kHeight * kHeight);
  std::vector<float> features(2 * scattering->shape().size());
  scattering->transform(pictures, features);
  const Plain plain(kHeight);
  for (std::size_t p = 0; p < 2; ++p) {
    const auto got =
        std::span(features).subspan(p * scattering->shape().size(), scattering->shape().size());
    const Picture want = plain.scatter(pictures.data() + p * kHeight * kHeight);
    EXPECT_LT(furthest(want, got), 2e-5);
    // The twin: wavelets of a frequency that is a little off.
    const Picture twin =
        plain.scatter(pictures.data() + p * kHeight * kHeight, 0.74 * std::numbers::pi);
    EXPECT_GT(furthest(twin, got), 2e-5);
  }
}

TEST(ScatteringTest, APicturesFeaturesAreItsOwn) {
  const auto scattering = Scattering::create({1, 12, 12});
  ASSERT_TRUE(scattering);
  auto pictures = some_pictures(11, 144);
  pictures[144 * 4 + 7] = std::numeric_limits<float>::quiet_NaN();  // somebody else's
  std::vector<float> together(11 * scattering->shape().size()), alone(scattering->shape().size());
  scattering->transform(pictures, together);
  for (const std::size_t p : {0, 3, 7, 8, 10}) {
    scattering->transform(std::span(pictures).subspan(p * 144, 144), alone);
    for (std::size_t i = 0; i < alone.size(); ++i)
      ASSERT_EQ(alone[i], together[p * alone.size() + i]) << p << " " << i;  // to the last bit
  }
}

// The same picture in every place of a batch, whatever stands beside it: the same bits.
TEST(ScatteringTest, PlacesDontMatter) {
  const auto scattering = Scattering::create({1, 12, 12});
  ASSERT_TRUE(scattering);
  constexpr std::size_t kPlaces = 37;
  const std::size_t size = scattering->shape().size();
  const auto others = some_pictures(kPlaces, 144);
  std::vector<float> first, all(kPlaces * size);
  for (std::size_t place = 0; place < kPlaces; ++place) {
    auto pictures = others;
    std::copy_n(others.begin() + 144, 144,
                pictures.begin() + static_cast<std::ptrdiff_t>(place * 144));
    scattering->transform(pictures, all);
    const std::vector<float> here(all.begin() + static_cast<std::ptrdiff_t>(place * size),
                                  all.begin() + static_cast<std::ptrdiff_t>((place + 1) * size));
    if (first.empty()) first = here;
    ASSERT_EQ(here, first) << place;
  }
}

TEST(ScatteringTest, ChannelsAreScatteredEachByItself) {
  const auto one = Scattering::create({1, 8, 8}), two = Scattering::create({2, 8, 8});
  ASSERT_TRUE(one && two);
  EXPECT_EQ(two->shape(), (Shape{162, 2, 2}));
  const auto pictures = some_pictures(2, 64);
  std::vector<float> apart(2 * one->shape().size()), together(two->shape().size());
  one->transform(pictures, apart);
  two->transform(pictures, together);
  EXPECT_EQ(apart, together);
}

TEST(ScatteringTest, RefusesWhatItCannotMirror) {
  for (const Shape& shape :
       {Shape{1, 28, 24}, Shape{1, 30, 30}, Shape{1, 4, 4}, Shape{0, 8, 8}, Shape{1, 256, 256}})
    EXPECT_FALSE(Scattering::create(shape)) << shape.height << " " << shape.width;
}

TEST(ScatterTest, KeepsLabelsAndNormalisesGroups) {
  Examples examples;
  examples.shape = {1, 8, 8};
  examples.count = 130;
  examples.classes = 3;
  examples.x = some_pictures(130, 64);
  for (std::size_t i = 0; i < 130; ++i) examples.y.push_back(float(i % 3));
  const auto labels = examples.y;
  std::atomic<std::size_t> told = 0;
  const auto out =
      scatter(examples, {.progress = [&](std::size_t done, std::size_t) { told = done; }});
  ASSERT_TRUE(out);
  EXPECT_EQ(out->y, labels);
  EXPECT_EQ(out->classes, 3U);
  EXPECT_EQ(out->shape, (Shape{81, 2, 2}));
  EXPECT_EQ(told, 130U);
  for (std::size_t g = 0; g < kFeatureGroups; ++g) {
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < 12; ++i) {
      const double x = out->row(5)[g * 12 + i];
      sum += x;
      squares += x * x;
    }
    EXPECT_NEAR(sum, 0, 1e-4);
    EXPECT_LE(squares, 12.001);  // and less where 10^-5 is not small against the variance
  }
}

TEST(ScatterTest, CanBeStopped) {
  Examples examples;
  examples.shape = {1, 8, 8};
  examples.count = 1;
  examples.x = some_pictures(1, 64);
  examples.y = {0};
  const std::atomic<bool> stop = true;
  const auto out = scatter(examples, {.stop = &stop});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().code, Code::kInterrupted);
}

}  // namespace
}  // namespace discreet::learn
