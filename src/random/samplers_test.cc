// Every sampler against its distribution, and the proof that the test would notice: scales 3 % off
// must be rejected.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "discreet/random/gaussian.h"
#include "discreet/random/geometric.h"
#include "discreet/random/testing/chi_square.h"
#include "discreet/random/testing/sources.h"

namespace discreet::random {
namespace {

using testing::Counting;
using testing::fits_cdf;
using testing::kFalseAlarm;
using testing::Seeded;

constexpr std::size_t kSamples = 1 << 20;

// Cumulative distribution functions, written independently of the samplers: P[Z ≤ z], z an integer.
double geometric_cdf(double scale, double z) { return z < 0 ? 0 : -std::expm1(-(z + 1) / scale); }
double discrete_laplace_cdf(double scale, double z) {
  const double alpha = std::exp(-1 / scale);
  return z < 0 ? std::exp(z / scale) / (1 + alpha) : 1 - std::exp(-(z + 1) / scale) / (1 + alpha);
}
double rounded_laplace_cdf(double scale, double z) {
  const double x = z + 0.5;
  return x < 0 ? std::exp(x / scale) / 2 : 1 - std::exp(-x / scale) / 2;
}
double rounded_gaussian_cdf(double sigma, double z) {
  return std::erfc(-(z + 0.5) / (sigma * std::numbers::sqrt2)) / 2;
}
double discrete_gaussian_cdf(double sigma, double z) {
  // from σ = 20000 on the sum is the integral to 12 digits (midpoint rule); below it is summed
  if (sigma > 20000) return rounded_gaussian_cdf(sigma, z);
  static double cached_sigma = 0;
  static std::vector<double> cumulative;
  const double most = std::ceil(12 * sigma) + 1;
  if (sigma != cached_sigma) {
    cached_sigma = sigma;
    cumulative.clear();
    double sum = 0;
    for (double k = -most; k <= most; ++k)
      cumulative.push_back(sum += std::exp(-k * k / (2 * sigma * sigma)));
    for (double& c : cumulative) c /= sum;
  }
  if (z < -most) return 0;
  return z > most ? 1 : cumulative[static_cast<std::size_t>(z + most)];
}

using Cdf = double (*)(double scale, double z);

struct Case {
  const char* name;
  Result<std::vector<std::int64_t>> (*draw)(const Rational& scale, std::size_t count);
  Cdf cdf;
};

template <class Sampler>
Result<std::vector<std::int64_t>> draw(const Rational& scale, std::size_t count) {
  auto sampler = Sampler::create(scale);
  if (!sampler) return forward_error(sampler);
  Seeded source(20261115);
  std::vector<std::int64_t> out(count);
  if (auto status = sampler->fill(source, out); !status) return forward_error(status);
  return out;
}

const Case kCases[] = {
    {"geometric", draw<Geometric>, geometric_cdf},
    {"discrete Laplace", draw<DiscreteLaplace>, discrete_laplace_cdf},
    {"rounded Laplace", draw<RoundedLaplace>, rounded_laplace_cdf},
    {"rounded Gaussian", draw<RoundedGaussian>, rounded_gaussian_cdf},
    {"discrete Gaussian", draw<DiscreteGaussian>, discrete_gaussian_cdf},
};

class Samplers : public ::testing::TestWithParam<std::tuple<Case, const char*>> {};

TEST_P(Samplers, FollowTheirDistributionAndNoOther) {
  const auto& [sampler, text] = GetParam();
  const Rational scale = *parse_number(text, Rounding::kUp);
  const double b = scale.get_d();
  const auto samples = sampler.draw(scale, kSamples);
  ASSERT_TRUE(samples.has_value());
  const auto fits = [&](double claimed) {
    return fits_cdf(*samples, [&](double z) { return sampler.cdf(claimed, z); });
  };
  EXPECT_GT(fits(b), kFalseAlarm) << sampler.name << " at " << text;
  EXPECT_LT(fits(b * 0.97), kFalseAlarm)
      << sampler.name << " at " << text << " must not pass for 0.97 times the scale";
  EXPECT_LT(fits(b * 1.03), kFalseAlarm)
      << sampler.name << " at " << text << " must not pass for 1.03 times the scale";
}

INSTANTIATE_TEST_SUITE_P(Scales, Samplers,
                         ::testing::Combine(::testing::ValuesIn(kCases),
                                            ::testing::Values("1/3", "0.7", "1", "3/2", "10",
                                                              "15.99", "16", "31.999", "32", "1000",
                                                              "65537/3", "1e6", "2^40")));

// Quantile bins look at the high digits; the low ones must be right too. Modulo m ≪ scale all
// residues are equally likely (to within 1e-6 at scale 10^6, far below what a million samples see).
TEST(Samplers, LowDigitsAreRightToo) {
  for (const Case& sampler : kCases) {
    const auto samples = sampler.draw(Rational(1000000), kSamples);
    ASSERT_TRUE(samples.has_value());
    for (const int modulus : {2, 7, 64, 511, 512}) {
      const auto m = static_cast<std::size_t>(modulus);
      std::vector<double> counts(m), probabilities(m, 1.0 / modulus);
      for (const std::int64_t z : *samples)
        ++counts[static_cast<std::size_t>(((z % modulus) + modulus) % modulus)];
      EXPECT_GT(testing::goodness_of_fit(counts, probabilities), kFalseAlarm)
          << sampler.name << " modulo " << modulus;
      counts[0] +=
          static_cast<double>(kSamples) / modulus * 0.6;  // the twin: one residue too frequent
      EXPECT_LT(testing::goodness_of_fit(counts, probabilities), kFalseAlarm)
          << sampler.name << " modulo " << modulus;
    }
  }
}

// The digits of one variable are independent of each other: the pair (z mod 511, z div 511) as a
// product.
TEST(Samplers, DigitsAreIndependent) {
  const auto samples = draw<Geometric>(Rational(700), kSamples);
  ASSERT_TRUE(samples.has_value());
  std::vector<double> counts(8 * 4), probabilities;
  const double alpha = std::exp(-1.0 / 700);
  const auto mass = [&](double from, double to) {
    return std::pow(alpha, from) - std::pow(alpha, to);
  };
  for (int high = 0; high < 4; ++high)
    for (int low = 0; low < 8; ++low) {
      const double from = 511.0 * high + 64.0 * low, to = std::min(from + 64, 511.0 * (high + 1));
      probabilities.push_back(mass(from, to));
    }
  double beyond = 1 - std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
  probabilities.push_back(beyond);
  counts.push_back(0);
  for (const std::int64_t z : *samples) {
    const auto high = static_cast<std::size_t>(z / 511),
               low = static_cast<std::size_t>(z % 511 / 64);
    ++counts[high < 4 ? high * 8 + low : 32];
  }
  EXPECT_GT(testing::goodness_of_fit(counts, probabilities), kFalseAlarm);
}

struct Moments {
  double mean, variance;
};
Moments moments(const std::vector<std::int64_t>& samples) {
  double sum = 0, squares = 0;
  for (const std::int64_t z : samples) sum += static_cast<double>(z);
  const double mean = sum / static_cast<double>(samples.size());
  for (const std::int64_t z : samples)
    squares += (static_cast<double>(z) - mean) * (static_cast<double>(z) - mean);
  return {mean, squares / static_cast<double>(samples.size())};
}

TEST(Samplers, Moments) {
  for (const char* text : {"1", "65537/3", "1e6"}) {
    const Rational scale = *parse_number(text, Rounding::kUp);
    const double b = scale.get_d(), n = kSamples;
    const double alpha = std::exp(-1 / b);
    // discrete Laplace: mean 0, variance 2α/(1−α)²; kurtosis at most 6 (Laplace), a little more
    // when discrete
    const double variance = 2 * alpha / ((1 - alpha) * (1 - alpha));
    const Moments laplace = moments(*draw<DiscreteLaplace>(scale, kSamples));
    EXPECT_NEAR(laplace.mean, 0, 6 * std::sqrt(variance / n)) << text;
    EXPECT_NEAR(laplace.variance, variance, 6 * variance * std::sqrt(6 / n)) << text;
    // rounded Gaussian: Sheppard's correction, variance σ² + 1/12
    const Moments gaussian = moments(*draw<RoundedGaussian>(scale, kSamples));
    EXPECT_NEAR(gaussian.mean, 0, 6 * b / std::sqrt(n)) << text;
    EXPECT_NEAR(gaussian.variance, b * b + 1.0 / 12, 6 * b * b * std::sqrt(2.5 / n)) << text;
    const Moments discrete = moments(*draw<DiscreteGaussian>(scale, kSamples));
    EXPECT_NEAR(discrete.variance, b * b, 6 * b * b * std::sqrt(2.5 / n)) << text;
    // geometric: mean α/(1−α)
    const double mean = alpha / (1 - alpha);
    EXPECT_NEAR(moments(*draw<Geometric>(scale, kSamples)).mean, mean,
                6 * std::sqrt(mean * (mean + 1) / n))
        << text;
  }
}

TEST(Samplers, SingleDrawsFollowTheSameDistribution) {
  Seeded source(4);
  auto laplace = DiscreteLaplace::create(Rational(5));
  auto gaussian = RoundedGaussian::create(Rational(100));
  std::vector<std::int64_t> z, x;
  for (int i = 0; i < 200000; ++i) {
    z.push_back(*laplace->sample(source));
    x.push_back(*gaussian->sample(source));
  }
  EXPECT_GT(fits_cdf(z, [](double v) { return discrete_laplace_cdf(5, v); }), kFalseAlarm);
  EXPECT_GT(fits_cdf(x, [](double v) { return rounded_gaussian_cdf(100, v); }), kFalseAlarm);
  EXPECT_LT(fits_cdf(x, [](double v) { return rounded_gaussian_cdf(97, v); }), kFalseAlarm);
}

TEST(Samplers, ATinyScaleIsAllZeros) {
  for (const Case& sampler : kCases) {
    const auto samples = sampler.draw(*parse_number("2^-20", Rounding::kUp), 1000);
    ASSERT_TRUE(samples.has_value()) << sampler.name;
    for (const std::int64_t z : *samples) EXPECT_EQ(z, 0) << sampler.name;
  }
}

TEST(Samplers, ADoubleIsTakenExactly) {
  // 0.1 as a double is a little more than a tenth; both have samplers, and they are not the same
  // number
  EXPECT_TRUE(DiscreteLaplace::create(*exactly(0.1)).has_value());
  EXPECT_TRUE(RoundedGaussian::create(*exactly(0x1.fffffffffffffp-20)).has_value());
  EXPECT_TRUE(RoundedGaussian::create(*exactly(12345.6789)).has_value());
}

TEST(Samplers, RefuseScalesOutOfRange) {
  for (const char* text : {"0", "-1", "2^-21", "2^41", "1e400"}) {
    const Rational scale = *parse_number(text, Rounding::kUp);
    for (const Case& sampler : kCases) {
      const auto samples = sampler.draw(scale, 1);
      ASSERT_FALSE(samples.has_value()) << sampler.name << " " << text;
      EXPECT_EQ(samples.error().code, Code::kUsage);
    }
  }
}

TEST(Samplers, PassOnAFailureOfTheirSource) {
  for (const std::uint64_t after : {0u, 100u, 1000u}) {
    testing::Failing source(after);
    std::vector<std::int64_t> out(5000);
    EXPECT_FALSE(DiscreteLaplace::create(Rational(1000))->fill(source, out).has_value());
    testing::Failing again(after);
    EXPECT_FALSE(RoundedGaussian::create(Rational(1000))->fill(again, out).has_value());
    testing::Failing small(after);
    EXPECT_FALSE(DiscreteGaussian::create(Rational(2))->fill(small, out).has_value());
  }
}

// The number of words a draw takes must not tell the value.
template <class Sampler>
void expect_constant_words(const char* text) {
  Seeded seeded(9);
  Counting source(seeded);
  auto sampler = Sampler::create(*parse_number(text, Rounding::kUp));
  std::uint64_t words = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t before = source.count();
    ASSERT_TRUE(sampler->sample(source).has_value());
    if (i == 0) words = source.count() - before;
    ASSERT_EQ(source.count() - before, words) << "draw " << i << " at " << text;
  }
}

TEST(Work, ADrawTakesTheSameWordsWhateverItIs) {
  for (const char* text : {"1/3", "1", "1000", "65537/3", "1e6", "2^40"}) {
    expect_constant_words<DiscreteLaplace>(text);
    expect_constant_words<RoundedLaplace>(text);
    expect_constant_words<Geometric>(text);
  }
  for (const char* text : {"1/3", "1", "15.99"}) {
    expect_constant_words<RoundedGaussian>(text);
    expect_constant_words<DiscreteGaussian>(text);
  }
}

// A rejection sampler takes a random number of trials. Given that number the value has the same
// distribution: compare the values of draws that needed one trial with those that needed more.
template <class Sampler>
double homogeneity(const Sampler& sampler, bool broken) {
  Seeded seeded(11);
  Counting source(seeded);
  std::vector<double> once(40), more(40);
  double n_once = 0, n_more = 0;
  for (int i = 0; i < 400000; ++i) {
    const std::uint64_t before = source.count();
    const double z = static_cast<double>(*sampler.sample(source)) / 50;
    auto bin = static_cast<std::size_t>(std::clamp(z * 8 + 20, 0.0, 39.0));
    const bool first = source.count() - before == 3;
    if (broken && !first && bin > 25)
      bin = 20;  // the twin: values that needed more trials are pulled inwards
    ++(first ? once : more)[bin];
    ++(first ? n_once : n_more);
  }
  double statistic = 0, bins = 0;
  for (std::size_t i = 0; i < once.size(); ++i) {
    const double share = (once[i] + more[i]) / (n_once + n_more);
    if (share * n_more < 10) continue;
    statistic += std::pow(once[i] - share * n_once, 2) / (share * n_once) +
                 std::pow(more[i] - share * n_more, 2) / (share * n_more);
    ++bins;
  }
  EXPECT_GT(n_more, 1000);
  return testing::chi_square_tail(statistic, bins - 1);
}

TEST(Work, TheNumberOfTrialsTellsNothingAboutAGaussian) {
  EXPECT_GT(homogeneity(*RoundedGaussian::create(Rational(50)), false), kFalseAlarm);
  EXPECT_GT(homogeneity(*DiscreteGaussian::create(Rational(50)), false), kFalseAlarm);
  EXPECT_LT(homogeneity(*RoundedGaussian::create(Rational(50)), true), kFalseAlarm);
}

}  // namespace
}  // namespace discreet::random
