#include "discreet/local/cholesky.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace discreet::local {
namespace {

// Σ a·b in lanes, since g++ doesn't reorder additions.
double dot(const double* a, const double* b, std::size_t size) {
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> lanes{};
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += a[i + lane] * b[i + lane];
  double sum = 0;
  for (; i < size; ++i) sum += a[i] * b[i];
  for (const double lane : lanes) sum += lane;
  return sum;
}

}  // namespace

bool to_cholesky(std::vector<double>& matrix, std::size_t size) {
  constexpr double kLeast = 1e-12;  // of the diagonal, what must be left of it
  for (std::size_t i = 0; i < size; ++i) {
    double* row = matrix.data() + i * size;
    for (std::size_t j = 0; j < i; ++j) {
      const double* other = matrix.data() + j * size;
      row[j] = (row[j] - dot(row, other, j)) / other[j];
    }
    const double left = row[i] - dot(row, row, i);
    if (!(left > kLeast * row[i])) return false;
    row[i] = std::sqrt(left);
  }
  return true;
}

void solve_cholesky(const std::vector<double>& lower, std::size_t size, std::span<double> b) {
  for (std::size_t i = 0; i < size; ++i) {
    const double* row = lower.data() + i * size;
    b[i] = (b[i] - dot(row, b.data(), i)) / row[i];
  }
  for (std::size_t i = size; i-- > 0;) {
    const double* row = lower.data() + i * size;
    b[i] /= row[i];
    for (std::size_t j = 0; j < i; ++j) b[j] -= row[j] * b[i];
  }
}

// Row i of L⁻¹ is (e_i − Σ_{k<i} L_ik·row k)/L_ii.
void invert_lower(std::vector<double>& lower, std::size_t size) {
  std::vector<double> row(size);
  for (std::size_t i = 0; i < size; ++i) {
    std::fill(row.begin(), row.end(), 0.0);
    row[i] = 1;
    double* own = lower.data() + i * size;
    for (std::size_t k = 0; k < i; ++k)
      for (std::size_t j = 0; j <= k; ++j) row[j] -= own[k] * lower[k * size + j];
    const double pivot = own[i];
    for (std::size_t j = 0; j <= i; ++j) own[j] = row[j] / pivot;
  }
}

}  // namespace discreet::local
