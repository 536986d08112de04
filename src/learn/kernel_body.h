// The loops themselves, included by kernel_portable.cc, kernel_avx2.cc and kernel_avx512.cc, which
// say how wide a vector is (KERNEL_LANES) and how many rows are held in registers (KERNEL_ROWS).
// Nothing of the standard library is used here: a function of it that was compiled for AVX-512
// might be the one that the linker keeps for all.

// NOLINTBEGIN(bugprone-macro-parentheses): KERNEL_NAME is a namespace
namespace discreet::learn::KERNEL_NAME {
namespace {

constexpr std::size_t kLanes = KERNEL_LANES;
constexpr int kRows = KERNEL_ROWS;

typedef float Vector __attribute__((vector_size(kLanes * sizeof(float))));
typedef std::int32_t Ints __attribute__((vector_size(kLanes * sizeof(std::int32_t))));
typedef double HalfDoubles __attribute__((vector_size(kLanes * sizeof(float))));
typedef float HalfFloats __attribute__((vector_size(kLanes / 2 * sizeof(float))));
typedef std::int32_t HalfInts __attribute__((vector_size(kLanes / 2 * sizeof(std::int32_t))));
typedef std::int64_t HalfLongs __attribute__((vector_size(kLanes * sizeof(float))));

template <class V, class T>
inline V load(const T* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
template <class V, class T>
inline void store(T* to, const V& v) {
  __builtin_memcpy(to, &v, sizeof v);
}
// The first n elements, zeros after them.
inline Vector load_some(const float* from, std::size_t n) {
  Vector v = {};
  __builtin_memcpy(&v, from, n * sizeof(float));
  return v;
}
inline void store_some(float* to, const Vector& v, std::size_t n) {
  __builtin_memcpy(to, &v, n * sizeof(float));
}

struct Product {
  std::size_t k;
  const float* a;
  std::size_t a_row, a_col;
  const float* panel;
  float* c;
  std::size_t ldc, columns;  // of this panel that are there
  bool add;
};

// R rows by V vectors: the sums stay in registers while k goes by.
template <int R, int V>
inline void block(const Product& p, std::size_t row) {
  Vector sums[R][V] = {};
  const float* a = p.a + row * p.a_row;
  const float* b = p.panel;
  for (std::size_t k = 0; k < p.k; ++k) {
    Vector columns[V];
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) columns[v] = load<Vector>(b + static_cast<std::size_t>(v) * kLanes);
#pragma GCC unroll 32
    for (int r = 0; r < R; ++r) {
      const float factor = a[static_cast<std::size_t>(r) * p.a_row];
#pragma GCC unroll 2
      for (int v = 0; v < V; ++v) sums[r][v] += factor * columns[v];
    }
    a += p.a_col;
    b += V * kLanes;
  }
  for (int r = 0; r < R; ++r) {
    float* c = p.c + (row + static_cast<std::size_t>(r)) * p.ldc;
    for (int v = 0; v < V; ++v) {
      const std::size_t done = static_cast<std::size_t>(v) * kLanes;
      if (done + kLanes <= p.columns) {
        store(c + done, p.add ? load<Vector>(c + done) + sums[r][v] : sums[r][v]);
      } else if (done < p.columns) {
        const std::size_t n = p.columns - done;
        store_some(c + done, p.add ? load_some(c + done, n) + sums[r][v] : sums[r][v], n);
      }
    }
  }
}

template <int V, int R>
inline void rows(const Product& p, std::size_t& row, std::size_t m) {
  for (; row + R <= m; row += R) block<R, V>(p, row);
  if constexpr (R > 1) rows<V, R / 2>(p, row, m);
}

void multiply(std::size_t m, std::size_t n, std::size_t k, const float* a, std::size_t a_row,
              std::size_t a_col, const float* packed, float* c, std::size_t ldc, bool add) {
  for (std::size_t j = 0; j < n; j += 2 * kLanes) {
    const std::size_t left = n - j;
    Product p{k, a, a_row, a_col, packed + j * k, c + j, ldc, left, add};
    std::size_t row = 0;
    if (left > kLanes)
      rows<2, kRows>(p, row, m);
    else
      rows<1, kRows>(p, row, m);
  }
}

void pack(std::size_t k, std::size_t n, const float* b, std::size_t b_row, std::size_t b_col,
          float* packed) {
  for (std::size_t j = 0; j < n; j += 2 * kLanes) {
    const std::size_t left = n - j;
    const std::size_t width = left > kLanes ? 2 * kLanes : kLanes;
    const std::size_t there = left < width ? left : width;
    float* to = packed + j * k;
    for (std::size_t i = 0; i < k; ++i, to += width) {
      const float* from = b + i * b_row + j * b_col;
      if (b_col == 1 && there == width) {
        __builtin_memcpy(to, from, width * sizeof(float));
      } else {
        for (std::size_t c = 0; c < there; ++c) to[c] = from[c * b_col];
        for (std::size_t c = there; c < width; ++c) to[c] = 0;
      }
    }
  }
}

double squares(const float* x, std::size_t n) {
  // Four sums at once: one alone would wait for each addition before the next.
  constexpr std::size_t kHalf = kLanes / 2;
  HalfDoubles sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 * kHalf <= n; i += 4 * kHalf) {
#pragma GCC unroll 4
    for (std::size_t part = 0; part < 4; ++part) {
      const auto wide =
          __builtin_convertvector(load<HalfFloats>(x + i + part * kHalf), HalfDoubles);
      sums[part] += wide * wide;
    }
  }
  for (; i + kHalf <= n; i += kHalf) {
    const auto wide = __builtin_convertvector(load<HalfFloats>(x + i), HalfDoubles);
    sums[0] += wide * wide;
  }
  sums[0] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  double out = 0;
  for (std::size_t lane = 0; lane < kHalf; ++lane) out += sums[0][lane];
  for (; i < n; ++i) out += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  return out;
}

// 1.5·2^52 added to a double leaves the nearest whole number in its low bits; the difference of the
// bits is that number. Exact for |x·scale| < 2^51.
template <bool kAdd>
inline void round_to(const float* x, std::size_t n, float scale, std::int64_t* sum) {
  constexpr double kMagic = 6755399441055744.0;
  const HalfLongs magic_bits = (HalfLongs)(HalfDoubles{} + kMagic);
  const double factor = static_cast<double>(scale);
  std::size_t i = 0;
  for (; i + kLanes / 2 <= n; i += kLanes / 2) {
    const auto wide = __builtin_convertvector(load<HalfFloats>(x + i), HalfDoubles);
    const HalfLongs whole = (HalfLongs)(wide * factor + kMagic) - magic_bits;
    store(sum + i, kAdd ? load<HalfLongs>(sum + i) + whole : whole);
  }
  for (; i < n; ++i) {
    const double moved = static_cast<double>(x[i]) * factor + kMagic;
    std::int64_t bits = 0, base = 0;
    __builtin_memcpy(&bits, &moved, sizeof bits);
    __builtin_memcpy(&base, &kMagic, sizeof base);
    sum[i] = (kAdd ? sum[i] : 0) + (bits - base);
  }
}

void round_add(const float* x, std::size_t n, float scale, std::int64_t* sum, bool add) {
  if (add)
    round_to<true>(x, n, scale, sum);
  else
    round_to<false>(x, n, scale, sum);
}

void add_scaled(float s, const float* x, float* y, std::size_t n) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(y + i, load<Vector>(y + i) + s * load<Vector>(x + i));
  if (i < n) store_some(y + i, load_some(y + i, n - i) + s * load_some(x + i, n - i), n - i);
}

void scale(float s, float* x, std::size_t n) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(x + i, s * load<Vector>(x + i));
  if (i < n) store_some(x + i, s * load_some(x + i, n - i), n - i);
}

void copy(const float* from, float* to, std::size_t n) {
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) __builtin_memcpy(to + i, from + i, 4 * sizeof(float));
  for (; i < n; ++i) __builtin_memcpy(to + i, from + i, sizeof(float));
}

void greatest(const float* x, float* y, std::size_t n) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const auto a = load<Vector>(x + i), b = load<Vector>(y + i);
    store(y + i, a > b ? a : b);
  }
  for (; i < n; ++i) y[i] = x[i] > y[i] ? x[i] : y[i];
}

void greatest_back(const float* x, const float* y, float* left, float* dx, std::size_t n) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const auto here = load<Vector>(x + i) == load<Vector>(y + i);
    const auto rest = load<Vector>(left + i);
    store(dx + i, load<Vector>(dx + i) + (here ? rest : Vector{}));
    store(left + i, here ? Vector{} : rest);
  }
  for (; i < n; ++i) {
    const bool here = x[i] == y[i];
    dx[i] += here ? left[i] : 0.0F;
    left[i] = here ? 0.0F : left[i];
  }
}

inline Vector relu_of(const Vector& x) { return x < 0 ? Vector{} : x; }
inline Vector relu_slope(const Vector& y, const Vector& d) { return y > 0 ? d : Vector{}; }

void relu(const float* x, float* y, std::size_t n) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(y + i, relu_of(load<Vector>(x + i)));
  if (i < n) store_some(y + i, relu_of(load_some(x + i, n - i)), n - i);
}

void relu_back(const float* y, float* d, std::size_t n) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    store(d + i, relu_slope(load<Vector>(y + i), load<Vector>(d + i)));
  if (i < n) store_some(d + i, relu_slope(load_some(y + i, n - i), load_some(d + i, n - i)), n - i);
}

// e^x to about 2 units in the last place: 2^n·e^r, |r| ≤ ln(2)/2, Taylor's polynomial of degree 7.
inline Vector exponential(Vector x) {
  constexpr float kEnd = 87.0F;
  x = x > kEnd ? Vector{} + kEnd : x;
  x = x < -kEnd ? Vector{} - kEnd : x;
  constexpr float kMagic = 12582912.0F;  // 1.5·2^23
  const Vector n = (x * 1.44269504F + kMagic) - kMagic;
  const Vector r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
  Vector e = 1.0F / 5040 * r + 1.0F / 720;
  e = e * r + 1.0F / 120;
  e = e * r + 1.0F / 24;
  e = e * r + 1.0F / 6;
  e = e * r + 0.5F;
  e = e * r + 1.0F;
  e = e * r + 1.0F;
  const Ints whole = __builtin_convertvector(n == n ? n : Vector{}, Ints);
  return e * (Vector)((whole + 127) << 23);
}

inline Vector tempered_of(const Vector& x, float s, float t, float o) {
  return s / (1.0F + exponential(-t * x)) - o;
}
inline Vector tempered_slope(const Vector& y, const Vector& d, float s, float t, float o) {
  const Vector up = y + o;
  return d * (t * up * (1.0F - up * (1.0F / s)));
}

void tempered(const float* x, float* y, std::size_t n, float s, float t, float o) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(y + i, tempered_of(load<Vector>(x + i), s, t, o));
  if (i < n) store_some(y + i, tempered_of(load_some(x + i, n - i), s, t, o), n - i);
}

void tempered_back(const float* y, float* d, std::size_t n, float s, float t, float o) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    store(d + i, tempered_slope(load<Vector>(y + i), load<Vector>(d + i), s, t, o));
  if (i < n)
    store_some(d + i, tempered_slope(load_some(y + i, n - i), load_some(d + i, n - i), s, t, o),
               n - i);
}

#define KERNEL_TEXT_OF(name) #name
#define KERNEL_TEXT(name) KERNEL_TEXT_OF(name)
constexpr Kernels kTable{KERNEL_TEXT(KERNEL_NAME),
                         kLanes,
                         multiply,
                         pack,
                         squares,
                         round_add,
                         add_scaled,
                         scale,
                         copy,
                         greatest,
                         greatest_back,
                         relu,
                         relu_back,
                         tempered,
                         tempered_back};

}  // namespace

const Kernels& table() { return kTable; }

}  // namespace discreet::learn::KERNEL_NAME
// NOLINTEND(bugprone-macro-parentheses)
