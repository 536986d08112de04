// Fourier transforms of real sequences whose length is a power of two, with a proved bound on their
// rounding error.
//
//   Fft fft(1 << 16);
//   std::vector<double> values(1 << 16, 1.0);
//   Spectrum spectrum;                // in the order of Fft::frequency
//   fft.forward(values, spectrum);
//   fft.inverse(spectrum, values);    // the spectrum is overwritten
//
// The transform works in place on separate real and imaginary parts, from natural to bit-reversed
// order and back; as the frequencies are only ever multiplied pointwise, they are never put in
// order. (kissfft gives no bound on its twiddle factors.)
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace discreet::privacy {

// X(f) for f = 0 … length/2, in bit-reversed order: entry 0 holds X(0), entry `length/2` is
// X(length/2); both are real.
struct Spectrum {
  std::vector<double> re, im;
};

class Fft {
 public:
  explicit Fft(std::size_t length);  // a power of two, at least 4

  std::size_t length() const { return length_; }
  // X(f) = Σ x(t)·e^{−2πift/length}.
  void forward(std::span<const double> values, Spectrum& out) const;
  // x(t), divided by the length; the spectrum is used up.
  void inverse(Spectrum& spectrum, std::span<double> values) const;

  // ‖computed − exact‖₂ ≤ error()·‖exact‖₂, for either direction. Each of the log2(length) levels
  // and the step between half-length complex and real adds a complex product ((√5 + 4)u with a
  // twiddle good to 4u) and a sum (u), to first order (Higham, "Accuracy and Stability of Numerical
  // Algorithms", Theorem 24.2).
  double error() const;

 private:
  std::size_t length_;
  std::vector<double> cos_,
      sin_;  // e^{−iπ·rev(b)/…} in bit-reversed order: one table for all levels
};

}  // namespace discreet::privacy
