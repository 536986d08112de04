#include "discreet/learn/dense.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace discreet::learn {
namespace {

double dot(const double* a, const double* b, std::size_t size) {
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += a[i] * b[i];
  return sum;
}

// A + ridge·I = LLᵀ; false where it isn't positive definite.
bool cholesky(const Symmetric& a, double ridge, Symmetric& l) {
  l = {a.size, std::vector<double>(a.size * a.size)};
  for (std::size_t i = 0; i < a.size; ++i)
    for (std::size_t k = 0; k <= i; ++k) {
      const double* left = l.values.data() + i * a.size;
      const double rest =
          a.at(i, k) + (i == k ? ridge : 0) - dot(left, l.values.data() + k * a.size, k);
      if (i == k) {
        if (!(rest > 0)) return false;
        l.at(i, i) = std::sqrt(rest);
      } else {
        l.at(i, k) = rest / l.at(k, k);
      }
    }
  return true;
}

// Jacobi's rotations: all eigenvalues and, as rows, their vectors.
struct Eigen {
  std::vector<double> values;
  Symmetric vectors;  // row i belongs to value i; not symmetric
};
Eigen jacobi(Symmetric a) {
  const std::size_t n = a.size;
  Symmetric v{n, std::vector<double>(n * n)};
  for (std::size_t i = 0; i < n; ++i) v.at(i, i) = 1;
  constexpr int kSweeps = 60;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double off = 0, all = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k) (i == k ? all : off) += a.at(i, k) * a.at(i, k);
    if (!(off > 1e-26 * (all + off))) break;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        if (a.at(p, q) == 0) continue;
        const double theta = (a.at(q, q) - a.at(p, p)) / (2 * a.at(p, q));
        const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::hypot(1, theta));
        const double c = 1 / std::hypot(1, t), s = t * c;
        for (std::size_t k = 0; k < n; ++k) {
          const double x = a.at(k, p), y = a.at(k, q);
          a.at(k, p) = c * x - s * y;
          a.at(k, q) = s * x + c * y;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const double x = a.at(p, k), y = a.at(q, k);
          a.at(p, k) = c * x - s * y;
          a.at(q, k) = s * x + c * y;
          const double vx = v.at(p, k), vy = v.at(q, k);
          v.at(p, k) = c * vx - s * vy;
          v.at(q, k) = s * vx + c * vy;
        }
      }
  }
  Eigen out{{}, std::move(v)};
  for (std::size_t i = 0; i < n; ++i) out.values.push_back(a.at(i, i));
  return out;
}

// The rows made orthonormal, one after the other; twice, which is enough.
void orthonormalise(std::vector<double>& rows, std::size_t count, std::size_t size) {
  for (std::size_t i = 0; i < count; ++i) {
    double* row = rows.data() + i * size;
    for (int again = 0; again < 2; ++again)
      for (std::size_t k = 0; k < i; ++k) {
        const double* other = rows.data() + k * size;
        const double along = dot(row, other, size);
        for (std::size_t j = 0; j < size; ++j) row[j] -= along * other[j];
      }
    const double norm = std::sqrt(dot(row, row, size));
    for (std::size_t j = 0; j < size; ++j) row[j] = norm > 0 ? row[j] / norm : 0;
  }
}

// out = rows·(A + shift·I).
void multiply(const Symmetric& a, double shift, const std::vector<double>& rows, std::size_t count,
              std::vector<double>& out) {
  const std::size_t n = a.size;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < n; ++j) out[i * n + j] = shift * rows[i * n + j];
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < count; ++i) {
      const double weight = rows[i * n + k];
      const double* line = a.values.data() + k * n;
      double* to = out.data() + i * n;
      for (std::size_t j = 0; j < n; ++j) to[j] += weight * line[j];
    }
}

std::vector<std::size_t> order_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t k) { return values[i] > values[k]; });
  return order;
}

}  // namespace

std::optional<std::vector<double>> solve(const Symmetric& a, double ridge,
                                         const std::vector<double>& b) {
  Symmetric l;
  if (!cholesky(a, ridge, l)) return std::nullopt;
  std::vector<double> x = b;
  for (std::size_t i = 0; i < a.size; ++i)
    x[i] = (x[i] - dot(l.values.data() + i * a.size, x.data(), i)) / l.at(i, i);
  for (std::size_t i = a.size; i-- > 0;) {
    for (std::size_t k = i + 1; k < a.size; ++k) x[i] -= l.at(k, i) * x[k];
    x[i] /= l.at(i, i);
  }
  return x;
}

double least_eigenvalue(const Symmetric& a) {
  double most = 0;  // no eigenvalue is further from 0 (Gershgorin)
  for (std::size_t i = 0; i < a.size; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size; ++k) sum += std::abs(a.at(i, k));
    most = std::max(most, sum);
  }
  // A − sI is positive definite just below the least one.
  double low = -most, high = most;
  Symmetric l;
  for (int i = 0; i < 22; ++i) {
    const double middle = (low + high) / 2;
    (cholesky(a, -middle, l) ? low : high) = middle;
  }
  return (low + high) / 2;
}

std::vector<double> leading(const Symmetric& a, std::size_t count, double noise) {
  constexpr std::size_t kDirect = 96, kMore = 16;
  constexpr int kRounds = 60;
  const std::size_t n = a.size;
  count = std::min(count, n);
  if (n <= kDirect) {
    const Eigen all = jacobi(a);
    const std::vector<std::size_t> order = order_of(all.values);
    std::vector<double> out;
    for (std::size_t i = 0; i < count; ++i) {
      const double* row = all.vectors.values.data() + order[i] * n;
      out.insert(out.end(), row, row + n);
    }
    return out;
  }
  // Orthogonal iteration on a few vectors more than are asked for, from a start that is the same
  // every time; then Rayleigh and Ritz among them.
  const std::size_t block = std::min(n, count + kMore);
  std::vector<double> rows(block * n), next(block * n);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint64_t mixed = (i + 1) * 0x9E3779B97F4A7C15ULL;
    rows[i] = static_cast<double>((mixed ^ (mixed >> 29)) & 0xFFFFFF) / 0x1p24 - 0.5;
  }
  orthonormalise(rows, block, n);
  for (int round = 0; round < kRounds; ++round) {
    multiply(a, noise, rows, block, next);
    std::swap(rows, next);
    orthonormalise(rows, block, n);
  }
  multiply(a, 0, rows, block, next);
  Symmetric small{block, std::vector<double>(block * block)};
  for (std::size_t i = 0; i < block; ++i)
    for (std::size_t k = 0; k < block; ++k)
      small.at(i, k) = dot(rows.data() + std::max(i, k) * n, next.data() + std::min(i, k) * n, n);
  const Eigen inner = jacobi(small);
  const std::vector<std::size_t> order = order_of(inner.values);
  std::vector<double> out(count * n);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < block; ++k)
      for (std::size_t j = 0; j < n; ++j)
        out[i * n + j] += inner.vectors.at(order[i], k) * rows[k * n + j];
  return out;
}

}  // namespace discreet::learn
