#include "discreet/learn/measure.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "discreet/base/try.h"
#include "discreet/mechanism/grid.h"
#include "discreet/random/gaussian.h"

namespace discreet::learn {
namespace {

// Doubling bins: 2^e ≤ |x| < 2^(e+1) for e from kLeast to kMost, what is nearer to 0 in one bin,
// what is beyond in the last.
constexpr int kLeast = -16, kMost = 40, kSide = kMost - kLeast + 1;
constexpr std::size_t kDoubling = 2 * kSide + 1, kEqual = 64;
constexpr std::size_t kClasses = kMostClass - kLeastClass + 1;

std::optional<std::size_t> doubling_bin(double x) {
  if (std::isnan(x)) return std::nullopt;
  const double size = std::abs(x);
  if (size < std::ldexp(1.0, kLeast)) return kSide;
  const int exponent = std::isinf(size) ? kMost : std::min(std::ilogb(size), kMost);
  const int place = exponent - kLeast + 1;
  return static_cast<std::size_t>(x < 0 ? kSide - place : kSide + place);
}

Range doubling_range(std::size_t bin) {
  const int place = static_cast<int>(bin) - kSide;
  if (place == 0) return {0, 0};
  const int exponent = kLeast + std::abs(place) - 1;
  const double near = std::ldexp(1.0, exponent), far = std::ldexp(1.0, exponent + 1);
  return place > 0 ? Range{near, far} : Range{-far, -near};
}

std::optional<std::size_t> equal_bin(double x, const Range& range) {
  if (std::isnan(x) || x < range.low || x > range.high) return std::nullopt;
  const double place = (x - range.low) / (range.high - range.low) * double(kEqual);
  return std::min(static_cast<std::size_t>(std::max(place, 0.0)), kEqual - 1);
}

std::optional<std::size_t> class_bin(double x) {
  if (!(x >= double(kLeastClass) && x <= double(kMostClass)) || x != std::floor(x))
    return std::nullopt;
  return static_cast<std::size_t>(static_cast<std::int64_t>(x) - kLeastClass);
}

class Histograms {
 public:
  // `all`: how many histograms there are.
  Histograms(const random::RoundedGaussian& noise, double sigma, std::size_t all,
             random::Source& source)
      : noise_(noise), sigma_(sigma), all_(all), source_(source) {}

  // How many deviations of noise are too many to be noise, in any of `bins` of any histogram, in
  // 999 of 1000 trainings.
  double deviations(std::size_t bins) const {
    return std::max(1.0, sigma_) * std::sqrt(2 * std::log(1000.0 * double(bins) * double(all_)));
  }

  template <class BinOf>
  Result<std::vector<double>> counts(const std::vector<double>& values, std::size_t bins,
                                     BinOf&& bin_of) const {
    std::vector<std::int64_t> counts(bins), noise(bins);
    for (const double value : values)
      if (const auto bin = bin_of(value)) ++counts[*bin];
    TRY(noise_.fill(source_, noise));
    std::vector<double> out;
    for (std::size_t i = 0; i < bins; ++i) out.push_back(static_cast<double>(counts[i] + noise[i]));
    return out;
  }

  // The bins that stand out of the noise.
  template <class BinOf>
  Result<std::vector<std::size_t>> found(const std::vector<double>& values, std::size_t bins,
                                         BinOf&& bin_of) const {
    const std::vector<double> all = TRY(counts(values, bins, bin_of));
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < bins; ++i)
      if (all[i] > deviations(bins)) out.push_back(i);
    return out;
  }

 private:
  const random::RoundedGaussian& noise_;
  double sigma_;
  std::size_t all_;
  random::Source& source_;
};

// How many bins come before many people do, less one for safety: where Σ (count − a third of the
// mean count) is least.
std::size_t beginning(const std::vector<double>& counts, double people) {
  const double third = people / double(3 * counts.size());
  double sum = 0, least = 0;
  std::size_t out = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    sum += counts[i] - third;
    if (sum < least) {
      least = sum;
      out = i + 1;
    }
  }
  return out > 0 ? out - 1 : 0;
}

Result<Range> range_of(const std::vector<double>& values, const Histograms& histograms) {
  Range rough{0, 1};
  const auto where = TRY(histograms.found(values, kDoubling, doubling_bin));
  if (!where.empty()) {
    rough.low = doubling_range(where.front()).low;
    rough.high = doubling_range(where.back()).high;
  }
  if (rough.low == rough.high) rough = {rough.low - 1, rough.high + 1};
  std::vector<double> close = TRY(histograms.counts(
      values, kEqual, [&rough](double value) { return equal_bin(value, rough); }));
  const double people = std::accumulate(close.begin(), close.end(), 0.0);
  // Noise of a sum grows with the root of its bins.
  if (!(people > histograms.deviations(kEqual) * std::sqrt(double(kEqual)))) return rough;
  const std::size_t first = beginning(close, people);
  std::ranges::reverse(close);
  const std::size_t last = kEqual - beginning(close, people);
  if (last <= first) return rough;
  const double width = (rough.high - rough.low) / double(kEqual);
  return Range{rough.low + width * double(first), rough.low + width * double(last)};
}

}  // namespace

privacy::Event Measuring::event(const Rational& sigma) const {
  return privacy::Event{privacy::Gaussian{sigma, 1}};
}

Rational Measuring::noise(const Rational& sigma) const {
  return sigma * mechanism::sqrt_above(Rational(static_cast<unsigned long>(histograms())));
}

Result<Measures> measure(const Measuring& measuring, const Rational& sigma,
                         const std::vector<const std::vector<double>*>& columns,
                         const std::vector<double>* labels, random::Source& source) {
  if (columns.size() != measuring.ranges || (labels != nullptr) != measuring.classes)
    return fail(Code::kFailure, "measuring: found other columns than were paid for");
  Measures out;
  if (measuring.empty()) return out;
  const Rational each = measuring.noise(sigma);
  const auto noise = TRY(random::RoundedGaussian::create(each));
  const Histograms histograms(noise, to_double(each, Rounding::kUp), measuring.histograms(),
                              source);
  for (const std::vector<double>* column : columns)
    out.ranges.push_back(TRY(range_of(*column, histograms)));
  if (labels != nullptr)
    for (const std::size_t bin : TRY(histograms.found(*labels, kClasses, class_bin)))
      out.classes.push_back(static_cast<std::int64_t>(bin) + kLeastClass);
  return out;
}

}  // namespace discreet::learn
