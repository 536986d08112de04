#include "discreet/privacy/fft.h"

#include <bit>
#include <cmath>
#include <numbers>

// The inner loops run twice as fast with 256-bit vectors; the loader picks. (Sanitizers can't run
// before the loader is done.)
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define DISCREET_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define DISCREET_CLONES
#endif

namespace discreet::privacy {
namespace {

constexpr std::size_t kCached = 4096;  // elements; depth first above, level by level below
constexpr double kUnit = 0x1p-53;

// One level splits z^m − r² into z^{m/2} − r and z^{m/2} + r: (lo, hi) becomes lo + r·hi and lo −
// r·hi. Two levels at once: r, and below it s and −is, for quarters of n elements.
DISCREET_CLONES void split_four(double* __restrict re, double* __restrict im, std::size_t n,
                                double rr, double ri, double sr, double si) {
  double *re1 = re + n, *re2 = re + 2 * n, *re3 = re + 3 * n, *im1 = im + n, *im2 = im + 2 * n,
         *im3 = im + 3 * n;
  for (std::size_t j = 0; j < n; ++j) {
    const double ar = rr * re2[j] - ri * im2[j], ai = rr * im2[j] + ri * re2[j];
    const double br = rr * re3[j] - ri * im3[j], bi = rr * im3[j] + ri * re3[j];
    const double u0r = re[j] + ar, u0i = im[j] + ai, v0r = re[j] - ar, v0i = im[j] - ai;
    const double u1r = re1[j] + br, u1i = im1[j] + bi, v1r = re1[j] - br, v1i = im1[j] - bi;
    const double cr = sr * u1r - si * u1i, ci = sr * u1i + si * u1r;
    const double dr = sr * v1i + si * v1r, di = si * v1i - sr * v1r;  // −is·v1
    re[j] = u0r + cr;
    im[j] = u0i + ci;
    re1[j] = u0r - cr;
    im1[j] = u0i - ci;
    re2[j] = v0r + dr;
    im2[j] = v0i + di;
    re3[j] = v0r - dr;
    im3[j] = v0i - di;
  }
}

DISCREET_CLONES void join_four(double* __restrict re, double* __restrict im, std::size_t n,
                               double rr, double ri, double sr, double si) {
  double *re1 = re + n, *re2 = re + 2 * n, *re3 = re + 3 * n, *im1 = im + n, *im2 = im + 2 * n,
         *im3 = im + 3 * n;
  for (std::size_t j = 0; j < n; ++j) {
    const double u0r = re[j] + re1[j], u0i = im[j] + im1[j], cr = re[j] - re1[j],
                 ci = im[j] - im1[j];
    const double v0r = re2[j] + re3[j], v0i = im2[j] + im3[j], dr = re2[j] - re3[j],
                 di = im2[j] - im3[j];
    const double u1r = sr * cr + si * ci, u1i = sr * ci - si * cr;     // conj(s)·c
    const double v1r = -(sr * di - si * dr), v1i = sr * dr + si * di;  // conj(−is)·d
    const double ar = u0r - v0r, ai = u0i - v0i, br = u1r - v1r, bi = u1i - v1i;
    re[j] = u0r + v0r;
    im[j] = u0i + v0i;
    re1[j] = u1r + v1r;
    im1[j] = u1i + v1i;
    re2[j] = rr * ar + ri * ai;
    im2[j] = rr * ai - ri * ar;
    re3[j] = rr * br + ri * bi;
    im3[j] = rr * bi - ri * br;
  }
}

DISCREET_CLONES void split_two(double* __restrict re, double* __restrict im, std::size_t n,
                               double rr, double ri) {
  for (std::size_t j = 0; j < n; ++j) {
    const double ar = rr * re[j + n] - ri * im[j + n], ai = rr * im[j + n] + ri * re[j + n];
    re[j + n] = re[j] - ar;
    im[j + n] = im[j] - ai;
    re[j] += ar;
    im[j] += ai;
  }
}

DISCREET_CLONES void join_two(double* __restrict re, double* __restrict im, std::size_t n,
                              double rr, double ri) {
  for (std::size_t j = 0; j < n; ++j) {
    const double ar = re[j] - re[j + n], ai = im[j] - im[j + n];
    re[j] += re[j + n];
    im[j] += im[j + n];
    re[j + n] = rr * ar + ri * ai;
    im[j + n] = rr * ai - ri * ar;
  }
}

bool is_odd_power(std::size_t size) { return std::countr_zero(size) % 2 == 1; }

class Transform {
 public:
  Transform(const double* cos, const double* sin, double* re, double* im)
      : cos_(cos), sin_(sin), re_(re), im_(im) {}

  void split(std::size_t at, std::size_t size, std::size_t block) {
    if (size > kCached) {
      const std::size_t n = size / 4;
      split_four(re_ + at, im_ + at, n, cos_[block], sin_[block], cos_[2 * block], sin_[2 * block]);
      for (std::size_t i = 0; i < 4; ++i) split(at + i * n, n, 4 * block + i);
      return;
    }
    std::size_t piece = size, pieces = 1;
    if (is_odd_power(size)) {
      split_two(re_ + at, im_ + at, size / 2, cos_[block], sin_[block]);
      piece /= 2;
      pieces = 2;
    }
    for (; piece > 1; piece /= 4, pieces *= 4) {
      for (std::size_t i = 0; i < pieces; ++i) {
        const std::size_t b = block * pieces + i;
        split_four(re_ + at + i * piece, im_ + at + i * piece, piece / 4, cos_[b], sin_[b],
                   cos_[2 * b], sin_[2 * b]);
      }
    }
  }

  void join(std::size_t at, std::size_t size, std::size_t block) {
    if (size > kCached) {
      const std::size_t n = size / 4;
      for (std::size_t i = 0; i < 4; ++i) join(at + i * n, n, 4 * block + i);
      join_four(re_ + at, im_ + at, n, cos_[block], sin_[block], cos_[2 * block], sin_[2 * block]);
      return;
    }
    const bool odd = is_odd_power(size);
    const std::size_t largest = odd ? size / 2 : size;
    for (std::size_t piece = 4; piece <= largest; piece *= 4) {
      const std::size_t pieces = size / piece;
      for (std::size_t i = 0; i < pieces; ++i) {
        const std::size_t b = block * pieces + i;
        join_four(re_ + at + i * piece, im_ + at + i * piece, piece / 4, cos_[b], sin_[b],
                  cos_[2 * b], sin_[2 * b]);
      }
    }
    if (odd) join_two(re_ + at, im_ + at, size / 2, cos_[block], sin_[block]);
  }

 private:
  const double *cos_, *sin_;
  double *re_, *im_;
};

// Where the frequency −k stands if k stands at p: the top half of each power of two in reverse.
std::size_t mirror(std::size_t p) { return p < 2 ? p : 3 * std::bit_floor(p) - 1 - p; }

}  // namespace

// e^{−iπt} for t = 0.b₀b₁b₂… in binary, b₀ the lowest bit of the index: e^{−iπ/2^{j+1}} for each
// bit, multiplied up from exact factors; the product of at most two table entries keeps the error
// within 4u.
Fft::Fft(std::size_t length) : length_(length), cos_(length / 2), sin_(length / 2) {
  const std::size_t half = length / 2, low = std::min<std::size_t>(half, 1024), high = half / low;
  const auto fraction = [](std::size_t index) {
    double t = 0, bit = 0.5;
    for (; index > 0; index >>= 1, bit /= 2) t += static_cast<double>(index & 1) * bit;
    return t;
  };
  std::vector<double> high_cos(high), high_sin(high);
  for (std::size_t i = 0; i < high; ++i) {
    const double angle = -std::numbers::pi * fraction(i * low);
    high_cos[i] = std::cos(angle);
    high_sin[i] = std::sin(angle);
  }
  for (std::size_t j = 0; j < low; ++j) {
    const double angle = -std::numbers::pi * fraction(j);
    cos_[j] = std::cos(angle);
    sin_[j] = std::sin(angle);
  }
  for (std::size_t i = 1; i < high; ++i) {
    for (std::size_t j = 0; j < low; ++j) {
      cos_[i * low + j] = cos_[j] * high_cos[i] - sin_[j] * high_sin[i];
      sin_[i * low + j] = cos_[j] * high_sin[i] + sin_[j] * high_cos[i];
    }
  }
}

double Fft::error() const {
  return 10 * kUnit * (static_cast<double>(std::countr_zero(length_)) + 1);
}

void Fft::forward(std::span<const double> values, Spectrum& out) const {
  const std::size_t half = length_ / 2;
  out.re.resize(half + 1);
  out.im.resize(half + 1);
  double *re = out.re.data(), *im = out.im.data();
  for (std::size_t j = 0; j < half; ++j) {
    re[j] = values[2 * j];
    im[j] = values[2 * j + 1];
  }
  Transform(cos_.data(), sin_.data(), re, im).split(0, half, 0);
  // With Z the transform of x(2j) + i·x(2j+1): X(k) = E + e^{−2πik/length}·O, E = (Z(k)+Z̄(−k))/2, O
  // = (Z(k)−Z̄(−k))/2i.
  const double even = re[0], odd = im[0];
  re[0] = even + odd;
  im[0] = 0;
  re[half] = even - odd;
  im[half] = 0;
  for (std::size_t p = 1; p < half; ++p) {
    const std::size_t m = mirror(p);
    if (m < p) continue;
    const double er = (re[p] + re[m]) / 2, ei = (im[p] - im[m]) / 2, orr = (im[p] + im[m]) / 2,
                 oi = (re[m] - re[p]) / 2;
    re[p] = er + (cos_[p] * orr - sin_[p] * oi);
    im[p] = ei + (cos_[p] * oi + sin_[p] * orr);
    if (m != p) {
      re[m] = er + (cos_[m] * orr + sin_[m] * oi);
      im[m] = -ei + (-cos_[m] * oi + sin_[m] * orr);
    }
  }
}

void Fft::inverse(Spectrum& spectrum, std::span<double> values) const {
  const std::size_t half = length_ / 2;
  double *re = spectrum.re.data(), *im = spectrum.im.data();
  const double first = re[0], last = re[half];
  re[0] = (first + last) / 2;
  im[0] = (first - last) / 2;
  for (std::size_t p = 1; p < half; ++p) {
    const std::size_t m = mirror(p);
    if (m < p) continue;
    const double er = (re[p] + re[m]) / 2, ei = (im[p] - im[m]) / 2, dr = (re[p] - re[m]) / 2,
                 di = (im[p] + im[m]) / 2;
    const double orr = cos_[p] * dr + sin_[p] * di, oi = cos_[p] * di - sin_[p] * dr;
    // Z(k) = E + iO, Z(−k) = Ē + iŌ
    re[p] = er - oi;
    im[p] = ei + orr;
    if (m != p) {
      re[m] = er + oi;
      im[m] = -ei + orr;
    }
  }
  Transform(cos_.data(), sin_.data(), re, im).join(0, half, 0);
  const double scale = 1 / static_cast<double>(half);
  for (std::size_t j = 0; j < half; ++j) {
    values[2 * j] = re[j] * scale;
    values[2 * j + 1] = im[j] * scale;
  }
}

}  // namespace discreet::privacy
