#include "discreet/learn/scattering.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <mutex>
#include <numbers>
#include <thread>

#include "discreet/base/try.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define DISCREET_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define DISCREET_CLONES
#endif

namespace discreet::learn {
namespace {

constexpr std::size_t kLanes = 8;   // pictures at a time
constexpr std::size_t kMirror = 4;  // points at an edge
constexpr double kSigma = 0.8, kXi = 0.75 * std::numbers::pi, kSlant = 4.0 / Scattering::kAngles;

using Complex = std::complex<double>;

// A Gaussian bell, turned by θ, `slant` times as narrow along θ as it would be across, times a wave
// of frequency ξ along θ; summed over the copies of the period that reach into the square.
std::vector<Complex> bell(std::size_t side, double sigma, double theta, double xi, double slant) {
  const double c = std::cos(theta), s = std::sin(theta), n = static_cast<double>(side);
  std::vector<Complex> out(side * side);
  for (int ex = -2; ex <= 2; ++ex)
    for (int ey = -2; ey <= 2; ++ey)
      for (std::size_t i = 0; i < side; ++i)
        for (std::size_t k = 0; k < side; ++k) {
          const double x = static_cast<double>(i) + ex * n, y = static_cast<double>(k) + ey * n;
          const double along = x * c + y * s, across = slant * (y * c - x * s);
          const double weight = std::exp(-(along * along + across * across) / (2 * sigma * sigma));
          out[i * side + k] += weight * std::polar(1.0, xi * along);
        }
  const double mass = 2 * std::numbers::pi * sigma * sigma / slant;
  for (Complex& value : out) value /= mass;
  return out;
}

// Morlet's wavelet: the wave under the bell, less as much of the bell that the sum is 0.
std::vector<Complex> wavelet(std::size_t side, int scale, std::size_t angle) {
  const double theta =
      (3.0 - static_cast<double>(angle)) * std::numbers::pi / double(Scattering::kAngles);
  const double sigma = kSigma * (1 << scale), xi = kXi / (1 << scale);
  std::vector<Complex> out = bell(side, sigma, theta, xi, kSlant);
  const std::vector<Complex> plain = bell(side, sigma, theta, 0, kSlant);
  Complex sum = 0, mass = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    sum += out[i];
    mass += plain[i];
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] -= sum / mass * plain[i];
  return out;
}

// The spectrum of a picture that equals its own mirror, conjugated: it is real.
std::vector<float> spectrum(const std::vector<Complex>& values, std::size_t side) {
  const auto turn = [side](std::size_t k) {
    return std::polar(
        1.0, -2 * std::numbers::pi * static_cast<double>(k % side) / static_cast<double>(side));
  };
  std::vector<Complex> rows(side * side);
  for (std::size_t i = 0; i < side; ++i)
    for (std::size_t v = 0; v < side; ++v)
      for (std::size_t k = 0; k < side; ++k)
        rows[i * side + v] += values[i * side + k] * turn(v * k);
  std::vector<float> out(side * side);
  const double count = static_cast<double>(side * side);
  for (std::size_t u = 0; u < side; ++u)
    for (std::size_t v = 0; v < side; ++v) {
      Complex sum = 0;
      for (std::size_t i = 0; i < side; ++i) sum += rows[i * side + v] * turn(u * i);
      out[u * side + v] = static_cast<float>(sum.real() / count);
    }
  return out;
}

// φ is a product of two bells of one dimension: row o has its weights about the point 4(o + 1) of
// the mirrored line, of which every `step`-th point is a sample.
std::vector<float> smoothing(std::size_t side, std::size_t outputs, std::size_t step) {
  const double sigma = 2 * kSigma;
  const std::size_t samples = side / step;
  std::vector<float> out(outputs * samples);
  for (std::size_t o = 0; o < outputs; ++o)
    for (std::size_t i = 0; i < samples; ++i) {
      double sum = 0;
      for (int e = -2; e <= 2; ++e) {
        const double d = static_cast<double>(kMirror * (o + 1)) - static_cast<double>(i * step) +
                         e * static_cast<double>(side);
        sum += std::exp(-d * d / (2 * sigma * sigma));
      }
      out[o * samples + i] = static_cast<float>(sum * static_cast<double>(step) /
                                                (std::sqrt(2 * std::numbers::pi) * sigma));
    }
  return out;
}

// Point i of a line of `length` mirrored at its ends: −1 is 1, `length` is length − 2.
std::size_t mirrored(std::ptrdiff_t i, std::ptrdiff_t length) {
  if (i < 0) i = -i;
  if (i >= length) i = 2 * (length - 1) - i;
  return static_cast<std::size_t>(i);
}

// out = spectrum × filter, everywhere.
DISCREET_CLONES
void weigh(const Plane& in, const std::vector<float>& filter, Plane& out) {
  for (std::size_t s = 0; s < filter.size(); ++s) {
    const float f = filter[s];
    const float *re = in.re.data() + s * kLanes, *im = in.im.data() + s * kLanes;
    float *to_re = out.re.data() + s * kLanes, *to_im = out.im.data() + s * kLanes;
    for (std::size_t l = 0; l < kLanes; ++l) {
      to_re[l] = f * re[l];
      to_im[l] = f * im[l];
    }
  }
}

// The same with every second point kept, which adds up four frequencies to each.
DISCREET_CLONES
void weigh_halved(const Plane& in, const std::vector<float>& filter, std::size_t half, Plane& out) {
  const std::size_t side = 2 * half;
  for (std::size_t u = 0; u < half; ++u)
    for (std::size_t v = 0; v < half; ++v) {
      const std::size_t places[4] = {u * side + v, u * side + v + half, (u + half) * side + v,
                                     (u + half) * side + v + half};
      float re[kLanes] = {}, im[kLanes] = {};
      for (const std::size_t place : places) {
        const float f = filter[place];
        const float* from_re = in.re.data() + place * kLanes;
        const float* from_im = in.im.data() + place * kLanes;
        for (std::size_t l = 0; l < kLanes; ++l) {
          re[l] += f * from_re[l];
          im[l] += f * from_im[l];
        }
      }
      const std::size_t to = (u * half + v) * kLanes;
      std::copy_n(re, kLanes, out.re.data() + to);
      std::copy_n(im, kLanes, out.im.data() + to);
    }
}

// |z|, with 0 as imaginary part.
DISCREET_CLONES
void modulus(Plane& plane, std::size_t samples) {
  float *re = plane.re.data(), *im = plane.im.data();
  for (std::size_t i = 0; i < samples * kLanes; ++i) {
    re[i] = std::sqrt(re[i] * re[i] + im[i] * im[i]);
    im[i] = 0;
  }
}

// out = A·in·Aᵀ, A of outputs × samples.
DISCREET_CLONES
void smooth(const float* in, const std::vector<float>& a, std::size_t samples, std::size_t outputs,
            float* between, float* out) {
  const std::size_t width = samples * kLanes;
  for (std::size_t o = 0; o < outputs; ++o) {
    float* line = between + o * width;
    std::fill_n(line, width, 0.0F);
    for (std::size_t i = 0; i < samples; ++i) {
      const float weight = a[o * samples + i];
      const float* from = in + i * width;
      for (std::size_t k = 0; k < width; ++k) line[k] += weight * from[k];
    }
    for (std::size_t p = 0; p < outputs; ++p) {
      float sums[kLanes] = {};
      for (std::size_t k = 0; k < samples; ++k) {
        const float weight = a[p * samples + k];
        for (std::size_t l = 0; l < kLanes; ++l) sums[l] += weight * line[k * kLanes + l];
      }
      std::copy_n(sums, kLanes, out + (o * outputs + p) * kLanes);
    }
  }
}

}  // namespace

struct Scattering::Work {
  Work(std::size_t side, std::size_t half)
      : input(side * side, kLanes),
        first(side * side, kLanes),
        scratch(side * side, kLanes),
        second(half * half, kLanes),
        small_scratch(half * half, kLanes),
        between(side * side * kLanes),
        out(side * side * kLanes) {}
  Plane input, first, scratch, second, small_scratch;
  std::vector<float> between, out;
};

Scattering::Scattering(const Shape& picture)
    : picture_(picture),
      side_(picture.height + 2 * kMirror),
      half_(side_ / 2),
      whole_(side_),
      halved_(half_) {
  for (const int scale : {0, 1})
    for (std::size_t angle = 0; angle < kAngles; ++angle)
      wavelets_.push_back(spectrum(wavelet(side_, scale, angle), side_));
  smooth_whole_ = smoothing(side_, picture.height / 4, 1);
  smooth_half_ = smoothing(side_, picture.height / 4, 2);
}

Result<Scattering> Scattering::create(const Shape& picture) {
  if (picture.height != picture.width || picture.height % 4 != 0 || picture.height < 8 ||
      picture.height > 128 || picture.channels == 0 || picture.channels > 64)
    return fail(
        Code::kUsage,
        fmt::format("scattering: found pictures of {} × {} points and {} channels; accepted "
                    "are square ones whose side is a multiple of 4 from 8 to 128, of 1 to "
                    "64 channels",
                    picture.height, picture.width, picture.channels));
  return Scattering(picture);
}

Shape Scattering::shape() const {
  return {picture_.channels * kChannels, picture_.height / 4, picture_.width / 4};
}

void Scattering::some(const float* pictures, float* features, std::size_t count, Work& work) const {
  const auto height = static_cast<std::ptrdiff_t>(picture_.height);
  const std::size_t points = picture_.height * picture_.width, outputs = picture_.height / 4;
  const std::size_t cells = outputs * outputs;
  for (std::size_t i = 0; i < side_; ++i)
    for (std::size_t k = 0; k < side_; ++k) {
      const std::size_t from =
          mirrored(static_cast<std::ptrdiff_t>(i) - std::ptrdiff_t(kMirror), height) *
              picture_.width +
          mirrored(static_cast<std::ptrdiff_t>(k) - std::ptrdiff_t(kMirror), height);
      for (std::size_t l = 0; l < kLanes; ++l)
        work.input.re[(i * side_ + k) * kLanes + l] =
            l < count ? pictures[l * points + from] : 0.0F;
    }
  std::fill(work.input.im.begin(), work.input.im.end(), 0.0F);
  const auto put = [&](const Plane& plane, bool halved, std::size_t channel) {
    smooth(plane.re.data(), halved ? smooth_half_ : smooth_whole_, halved ? half_ : side_, outputs,
           work.between.data(), work.out.data());
    for (std::size_t l = 0; l < count; ++l)
      for (std::size_t c = 0; c < cells; ++c)
        features[(l * kChannels + channel) * cells + c] = work.out[c * kLanes + l];
  };
  put(work.input, false, 0);
  whole_.picture(work.input, work.scratch, Fourier::Direction::kForward);
  for (std::size_t theta = 0; theta < kAngles; ++theta) {
    weigh(work.input, wavelets_[theta], work.first);
    whole_.picture(work.first, work.scratch, Fourier::Direction::kInverse);
    modulus(work.first, side_ * side_);
    put(work.first, false, 1 + theta);
    whole_.picture(work.first, work.scratch, Fourier::Direction::kForward);
    for (std::size_t other = 0; other < kAngles; ++other) {
      weigh_halved(work.first, wavelets_[kAngles + other], half_, work.second);
      halved_.picture(work.second, work.small_scratch, Fourier::Direction::kInverse);
      modulus(work.second, half_ * half_);
      put(work.second, true, 1 + 2 * kAngles + theta * kAngles + other);
    }
    weigh_halved(work.input, wavelets_[kAngles + theta], half_, work.second);
    halved_.picture(work.second, work.small_scratch, Fourier::Direction::kInverse);
    modulus(work.second, half_ * half_);
    put(work.second, true, 1 + kAngles + theta);
  }
}

void Scattering::transform(std::span<const float> pictures, std::span<float> features) const {
  // A channel is a picture of its own; both are row-major, so nothing has to be moved.
  const std::size_t points = picture_.height * picture_.width;
  const std::size_t each = kChannels * (picture_.height / 4) * (picture_.width / 4);
  Work work(side_, half_);
  const std::size_t count = pictures.size() / points;
  for (std::size_t i = 0; i < count; i += kLanes)
    some(pictures.data() + i * points, features.data() + i * each, std::min(kLanes, count - i),
         work);
}

void normalise_groups(std::span<float> features, std::size_t groups) {
  constexpr double kFloor = 1e-5;
  const std::size_t each = features.size() / groups;
  for (std::size_t g = 0; g < groups; ++g) {
    const std::span<float> group = features.subspan(g * each, each);
    double mean = 0, variance = 0;
    for (const float x : group) mean += x;
    mean /= static_cast<double>(each);
    for (const float x : group) variance += (x - mean) * (x - mean);
    const double scale = 1 / std::sqrt(variance / static_cast<double>(each) + kFloor);
    for (float& x : group) x = static_cast<float>((x - mean) * scale);
  }
}

Result<Examples> scatter(Examples examples, const Watching& watching, std::size_t groups) {
  const Scattering scattering = TRY(Scattering::create(examples.shape));
  if (groups == 0 || scattering.shape().channels % groups != 0)
    return fail(Code::kUsage,
                fmt::format("scattering: found {} groups; accepted is a divisor of {} "
                            "channels",
                            groups, scattering.shape().channels));
  Examples out;
  out.shape = scattering.shape();
  out.count = examples.count;
  out.y = std::move(examples.y);
  out.classes = examples.classes;
  const std::size_t in = examples.shape.size(), each = out.shape.size();
  if (examples.x.size() != examples.count * in)
    return fail(Code::kFailure, "scattering: the pictures aren't as many as they are said to be");
  out.x.resize(out.count * each);
  constexpr std::size_t kPiece = 64;
  std::atomic<std::size_t> next = 0, done = 0;
  std::mutex telling;
  const auto stopped = [&] { return watching.stop != nullptr && watching.stop->load(); };
  const auto work = [&] {
    for (std::size_t start; !stopped() && (start = next.fetch_add(kPiece)) < out.count;) {
      const std::size_t count = std::min(kPiece, out.count - start);
      scattering.transform({examples.x.data() + start * in, count * in},
                           {out.x.data() + start * each, count * each});
      for (std::size_t i = start; i < start + count; ++i)
        normalise_groups({out.x.data() + i * each, each}, groups);
      const std::size_t now = done += count;
      if (!watching.progress) continue;
      const std::scoped_lock lock(telling);
      watching.progress(now, out.count);
    }
  };
  const unsigned threads =
      watching.threads > 0 ? watching.threads : std::max(1U, std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> others;
    for (unsigned t = 1; t < threads; ++t) others.emplace_back(work);
    work();
  }
  if (stopped()) return fail(Code::kInterrupted, "stopped");
  return out;
}

}  // namespace discreet::learn
