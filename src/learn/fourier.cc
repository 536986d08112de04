#include "discreet/learn/fourier.h"

#include <cmath>
#include <numbers>
#include <utility>

// The default machine of the build is the oldest; newer ones get code of their own. What a lane
// computes is the same on one machine whatever the other lanes hold.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define DISCREET_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define DISCREET_CLONES
#endif

namespace discreet::learn {
namespace {

struct Input {
  const float *re, *im;
};
struct Output {
  float *re, *im;
};

// One butterfly of a stage on `width` neighbours: b_j = (Σ_k a_k·ω^{jk})·w_j, ω = e^{∓2πi/r}. The
// a_k are `from` apart, the b_j `to`; `w` are r pairs of cosines and sines, `sign` is −1 forward.
DISCREET_CLONES
void butterfly2(Input a, std::size_t from, Output b, std::size_t to, const float* w, float sign,
                std::size_t width) {
  const float c = w[2], s = sign * w[3];
  for (std::size_t q = 0; q < width; ++q) {
    const float r0 = a.re[q], i0 = a.im[q], r1 = a.re[q + from], i1 = a.im[q + from];
    b.re[q] = r0 + r1;
    b.im[q] = i0 + i1;
    const float r = r0 - r1, i = i0 - i1;
    b.re[q + to] = r * c - i * s;
    b.im[q + to] = r * s + i * c;
  }
}

DISCREET_CLONES
void butterfly3(Input a, std::size_t from, Output b, std::size_t to, const float* w, float sign,
                std::size_t width) {
  constexpr float kHalfRoot = 0.866025403784438647F;  // √3/2
  const float h = sign * kHalfRoot, c1 = w[2], s1 = sign * w[3], c2 = w[4], s2 = sign * w[5];
  for (std::size_t q = 0; q < width; ++q) {
    const float r0 = a.re[q], i0 = a.im[q];
    const float sr = a.re[q + from] + a.re[q + 2 * from];
    const float si = a.im[q + from] + a.im[q + 2 * from];
    const float dr = h * (a.re[q + from] - a.re[q + 2 * from]);
    const float di = h * (a.im[q + from] - a.im[q + 2 * from]);
    b.re[q] = r0 + sr;
    b.im[q] = i0 + si;
    const float mr = r0 - 0.5F * sr, mi = i0 - 0.5F * si;
    const float r1 = mr - di, i1 = mi + dr, r2 = mr + di, i2 = mi - dr;
    b.re[q + to] = r1 * c1 - i1 * s1;
    b.im[q + to] = r1 * s1 + i1 * c1;
    b.re[q + 2 * to] = r2 * c2 - i2 * s2;
    b.im[q + 2 * to] = r2 * s2 + i2 * c2;
  }
}

DISCREET_CLONES
void butterfly4(Input a, std::size_t from, Output b, std::size_t to, const float* w, float sign,
                std::size_t width) {
  const float c1 = w[2], s1 = sign * w[3], c2 = w[4], s2 = sign * w[5], c3 = w[6], s3 = sign * w[7];
  for (std::size_t q = 0; q < width; ++q) {
    const float r02 = a.re[q] + a.re[q + 2 * from], i02 = a.im[q] + a.im[q + 2 * from];
    const float e02 = a.re[q] - a.re[q + 2 * from], f02 = a.im[q] - a.im[q + 2 * from];
    const float r13 = a.re[q + from] + a.re[q + 3 * from];
    const float i13 = a.im[q + from] + a.im[q + 3 * from];
    const float e13 = sign * (a.re[q + from] - a.re[q + 3 * from]);
    const float f13 = sign * (a.im[q + from] - a.im[q + 3 * from]);
    b.re[q] = r02 + r13;
    b.im[q] = i02 + i13;
    const float r1 = e02 - f13, i1 = f02 + e13, r2 = r02 - r13, i2 = i02 - i13;
    const float r3 = e02 + f13, i3 = f02 - e13;
    b.re[q + to] = r1 * c1 - i1 * s1;
    b.im[q + to] = r1 * s1 + i1 * c1;
    b.re[q + 2 * to] = r2 * c2 - i2 * s2;
    b.im[q + 2 * to] = r2 * s2 + i2 * c2;
    b.re[q + 3 * to] = r3 * c3 - i3 * s3;
    b.im[q + 3 * to] = r3 * s3 + i3 * c3;
  }
}

// Any radix, by the definition.
void butterfly(std::size_t radix, const std::vector<float>& roots, Input a, std::size_t from,
               Output b, std::size_t to, const float* w, float sign, std::size_t width) {
  for (std::size_t j = 0; j < radix; ++j) {
    const float c = w[2 * j], s = sign * w[2 * j + 1];
    for (std::size_t q = 0; q < width; ++q) {
      float re = 0, im = 0;
      for (std::size_t k = 0; k < radix; ++k) {
        const std::size_t place = 2 * (j * k % radix);
        const float rc = roots[place], rs = sign * roots[place + 1];
        re += a.re[q + k * from] * rc - a.im[q + k * from] * rs;
        im += a.re[q + k * from] * rs + a.im[q + k * from] * rc;
      }
      b.re[q + j * to] = re * c - im * s;
      b.im[q + j * to] = re * s + im * c;
    }
  }
}

}  // namespace

// Stockham's transform, which sorts as it goes: a stage of radix r takes n = r·m points to r
// transforms of m, y[q + s(rp + j)] = (Σ_k x[q + s(p + mk)]·e^{−2πijk/r})·e^{−2πijp/n}.
Fourier::Fourier(std::size_t length) : length_(length) {
  std::size_t n = length, stride = 1;
  while (n > 1) {
    std::size_t radix = n % 4 == 0 ? 4 : 2;
    while (n % radix != 0) ++radix;
    Stage stage{radix, n / radix, stride, {}};
    // Cosine and sine of e^{2πi·jp/n}, the r pairs of one p beside one another.
    for (std::size_t p = 0; p < stage.rest; ++p)
      for (std::size_t j = 0; j < radix; ++j) {
        const double angle =
            2 * std::numbers::pi * static_cast<double>(j * p % n) / static_cast<double>(n);
        stage.turns.push_back(static_cast<float>(std::cos(angle)));
        stage.turns.push_back(static_cast<float>(std::sin(angle)));
      }
    std::vector<float> roots;
    for (std::size_t k = 0; k < radix; ++k) {
      const double angle =
          2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(radix);
      roots.push_back(static_cast<float>(std::cos(angle)));
      roots.push_back(static_cast<float>(std::sin(angle)));
    }
    roots_.push_back(std::move(roots));
    stride *= radix;
    n = stage.rest;
    stages_.push_back(std::move(stage));
  }
}

void Fourier::along(Plane& plane, Plane& scratch, std::size_t count, std::size_t step,
                    Direction direction) const {
  const float sign = direction == Direction::kForward ? -1.0F : 1.0F;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const Stage& stage = stages_[i];
    const std::size_t width = stage.stride * step, from = stage.rest * width, to = width;
    for (std::size_t c = 0; c < count; ++c) {
      const std::size_t start = c * length_ * step;
      for (std::size_t p = 0; p < stage.rest; ++p) {
        const Input a{plane.re.data() + start + p * width, plane.im.data() + start + p * width};
        const std::size_t place = start + stage.radix * p * width;
        const Output b{scratch.re.data() + place, scratch.im.data() + place};
        const float* w = stage.turns.data() + 2 * p * stage.radix;
        if (stage.radix == 2)
          butterfly2(a, from, b, to, w, sign, width);
        else if (stage.radix == 3)
          butterfly3(a, from, b, to, w, sign, width);
        else if (stage.radix == 4)
          butterfly4(a, from, b, to, w, sign, width);
        else
          butterfly(stage.radix, roots_[i], a, from, b, to, w, sign, width);
      }
    }
    std::swap(plane.re, scratch.re);
    std::swap(plane.im, scratch.im);
  }
}

void Fourier::picture(Plane& plane, Plane& scratch, Direction direction) const {
  along(plane, scratch, length_, plane.lanes, direction);      // the rows
  along(plane, scratch, 1, length_ * plane.lanes, direction);  // the columns, all at once
}

}  // namespace discreet::learn
