// The inner loops of learning, compiled three times: for AVX-512, for AVX2 with FMA, and for any
// machine. The one that runs is chosen once, by what the processor has.
//
// Why our own products and not a BLAS: privacy rests on it that an example's numbers don't depend
// on which others are in its tile, or on its place among them. Here every element of a product is
// one chain of additions in the order of k, whatever the shape and the place: true by construction
// (and checked before every training, learn/row_check.h), where a BLAS promises no order at all. It
// also gives the bound γ_k of the error, and training is the same on one core and on two.
#pragma once

#include <cstddef>
#include <cstdint>

namespace discreet::learn {

struct Kernels {
  const char* name;
  std::size_t lanes;  // of a vector; panels of packed matrices are two wide, the last may be one

  // c[i·ldc + j] (= or +=, by `add`) Σ_k a[i·a_row + k·a_col] · b[k][j], b packed (below).
  void (*multiply)(std::size_t m, std::size_t n, std::size_t k, const float* a, std::size_t a_row,
                   std::size_t a_col, const float* packed, float* c, std::size_t ldc, bool add);
  // Puts b (k × n; b[k·b_row + j·b_col]) into panels; `packed` holds packed_size(n)·k floats.
  void (*pack)(std::size_t k, std::size_t n, const float* b, std::size_t b_row, std::size_t b_col,
               float* packed);

  // Σ x², in double: each square is exact, and all terms are positive, so that the relative error
  // is at most n·2^-53.
  double (*squares)(const float* x, std::size_t n);
  // sum[i] (= or +=, by `add`) x[i]·scale rounded to the nearest whole number; |x·scale| < 2^31.
  void (*round_add)(const float* x, std::size_t n, float scale, std::int64_t* sum, bool add);
  // y += s·x
  void (*add_scaled)(float s, const float* x, float* y, std::size_t n);
  // x *= s
  void (*scale)(float s, float* x, std::size_t n);
  // to = from, for stretches so short that a call would cost more
  void (*copy)(const float* from, float* to, std::size_t n);
  // y = max(x, y); where x is y, dx takes what is left of y's slope.
  void (*greatest)(const float* x, float* y, std::size_t n);
  void (*greatest_back)(const float* x, const float* y, float* left, float* dx, std::size_t n);

  // y = max(x, 0), and d = 0 where y isn't above 0.
  void (*relu)(const float* x, float* y, std::size_t n);
  void (*relu_back)(const float* y, float* d, std::size_t n);
  // y = s / (1 + e^-tx) − o, and d *= y' (Papernot et al. 2021; tanh is s = t = 2, o = 1).
  void (*tempered)(const float* x, float* y, std::size_t n, float s, float t, float o);
  void (*tempered_back)(const float* y, float* d, std::size_t n, float s, float t, float o);
};

// n rounded up to whole vectors.
inline std::size_t packed_size(const Kernels& kernels, std::size_t n) {
  return (n + kernels.lanes - 1) / kernels.lanes * kernels.lanes;
}

// The best for this machine.
const Kernels& kernels();
// All that this machine can run, the best first: for tests.
std::size_t runnable_kernels(const Kernels* out[3]);

namespace portable {
const Kernels& table();
}
namespace avx2 {
const Kernels& table();
}
namespace avx512 {
const Kernels& table();
}

}  // namespace discreet::learn
