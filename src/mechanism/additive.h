// Mechanisms that add noise to numbers. One class; the functions below make it with the noise that
// a guarantee asks for.
//
//   #include "discreet/mechanism/laplace.h"
//   auto mechanism = *laplace({.epsilon = Rational(1, 2), .sensitivity = 1});
//   auto answer = *mechanism.release(Exact<std::int64_t>::from_private(412));
//
// Everything happens on integers: an exact value is rounded to the public grid (grid.h), integer
// noise is added, the sum is clamped to the range of outputs, and scaled back. Nothing wraps: sums
// that leave 64 bits, or of wide values 2^120, saturate.
//
// Privacy: clamping and scaling are post-processing, and the noise is calibrated to the sensitivity
// on the grid. Why each kind of noise gives its guarantee stands where it is made (laplace.h,
// gaussian.h).
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "discreet/base/wide.h"
#include "discreet/mechanism/door.h"
#include "discreet/mechanism/grid.h"
#include "discreet/mechanism/noise.h"
#include "discreet/mechanism/released.h"
#include "discreet/mechanism/select.h"
#include "discreet/random/generator.h"

namespace discreet::mechanism {

// The outputs, in points of the grid. Without a range of its own a mechanism has that of 64 bits.
struct Range {
  std::int64_t lowest = -std::numeric_limits<std::int64_t>::max();
  std::int64_t highest = std::numeric_limits<std::int64_t>::max();

  friend bool operator==(const Range&, const Range&) = default;
};

class Additive : private Door {
 public:
  struct Parts {
    Grid grid = Grid::integers();
    NoisePointer noise;
    privacy::Guarantee guarantee;
    std::uint64_t cells = 1;  // a vector has so many numbers
    bool on_grid = false;     // made for values that are on the grid already; others are refused
    Range range;
    std::optional<privacy::Event> event = {};  // none: dp(ε, δ) of the guarantee
  };
  explicit Additive(Parts parts)
      : parts_(std::move(parts)), margin_(std::make_shared<KeptMargin>()) {}

  // What it costs.
  const privacy::Guarantee& guarantee() const { return parts_.guarantee; }
  // The same for an accountant, who can gain from knowing which noise it was.
  privacy::Event event() const {
    return parts_.event.value_or(
        privacy::Event{privacy::Approximate{guarantee().epsilon, guarantee().delta}});
  }
  const Grid& grid() const { return parts_.grid; }
  const Noise& noise() const { return *parts_.noise; }
  std::uint64_t cells() const { return parts_.cells; }
  const Range& range() const { return parts_.range; }

  // How it samples. Integers are points of the grid, in and out.
  Result<Released<std::int64_t>> release(const Exact<std::int64_t>& value,
                                         random::Source& source = random::thread_generator()) const;
  // The noise goes into the vector that was handed over: move it in.
  Result<Released<std::vector<std::int64_t>>> release(
      Exact<std::vector<std::int64_t>> values,
      random::Source& source = random::thread_generator()) const;
  // Sums wider than 64 bits, on the grid. Beyond ±2^120 they saturate. A mechanism with a range of
  // its own has no room for them.
  Result<Released<std::vector<Wide>>> release(
      Exact<std::vector<Wide>> values, random::Source& source = random::thread_generator()) const;
  // Real numbers are rounded to the grid first. The result is on the grid; as a double, its
  // nearest.
  Result<Released<Rational>> release(const Exact<Rational>& value,
                                     random::Source& source = random::thread_generator()) const;
  Result<Released<double>> release(const Exact<double>& value,
                                   random::Source& source = random::thread_generator()) const;
  Result<Released<std::vector<double>>> release(
      const Exact<std::vector<double>>& values,
      random::Source& source = random::thread_generator()) const;

  // How accurate it is: the least bound with P[some cell is further than that from its exact value
  // on the grid] ≤ beta, whatever the exact value is. (A value off the grid is at most half a step
  // from it.) 0 < beta < 1.
  Rational accuracy(const Rational& beta) const;

  // Its distribution: P[output | value], both points of the grid, for one cell.
  Ball probability(std::int64_t value, std::int64_t output, long bits) const;

 private:
  Status add_noise(std::span<std::int64_t> values, random::Source& source) const;
  Status check_cells(std::size_t found) const;
  Status check_real() const;
  Margin margin() const;  // in the values' unit
  Margin steps_margin() const;

  // The margin is a quantile, which takes a while: it is found when first asked for.
  struct KeptMargin {
    std::once_flag found;
    Rational error;
  };

  Parts parts_;
  std::shared_ptr<KeptMargin> margin_;
};

// a + b, at the nearest of ±(2^63 − 1) where it leaves 64 bits; in the same time for all.
inline std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  std::int64_t sum = 0;
  const std::uint64_t overflow = mask_of(__builtin_add_overflow(a, b, &sum));
  const std::int64_t end = select(mask_of(a < 0), -kMost, kMost);
  sum = select(overflow, end, sum);
  return select(mask_of(sum < -kMost), -kMost, sum);
}

}  // namespace discreet::mechanism
