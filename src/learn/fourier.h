// Fourier transforms of small pictures, many at a time: the samples of several pictures stand
// beside one another, so that one instruction works on all of them. Any length; quick where it has
// no prime factor above 5.
//
//   Fourier fourier(36);
//   Plane plane(36 * 36, 8);            // 8 pictures of 36 × 36
//   Plane scratch(36 * 36, 8);
//   fourier.picture(plane, scratch, Fourier::Direction::kForward);
//
// A picture's result depends on that picture alone, bit by bit: each lane goes through the same
// operations, whatever stands in the others.
#pragma once

#include <cstddef>
#include <vector>

namespace discreet::learn {

// Complex numbers: sample s of picture l is at s·lanes + l.
struct Plane {
  Plane(std::size_t samples, std::size_t lane_count)
      : lanes(lane_count), re(samples * lane_count), im(samples * lane_count) {}
  std::size_t lanes;
  std::vector<float> re, im;
};

class Fourier {
 public:
  enum class Direction { kForward, kInverse };  // the inverse is not divided by the length
  explicit Fourier(std::size_t length);         // at least 1

  std::size_t length() const { return length_; }
  // X(u, v) = Σ x(s, t)·e^{∓2πi(us + vt)/length}, in place; row-major squares of length².
  void picture(Plane& plane, Plane& scratch, Direction direction) const;

 private:
  struct Stage {
    std::size_t radix, rest, stride;  // of a transform of radix·rest points, `stride` of them
    std::vector<float> turns;         // cos and sin of 2π·jp/(radix·rest), at 2(p·radix + j)
  };
  // `count` transforms of sequences whose elements are `step` floats wide.
  void along(Plane& plane, Plane& scratch, std::size_t count, std::size_t step,
             Direction direction) const;

  std::size_t length_;
  std::vector<Stage> stages_;
  std::vector<std::vector<float>> roots_;  // of the stages: cos and sin of 2πk/radix, interleaved
};

}  // namespace discreet::learn
