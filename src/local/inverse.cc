#include "discreet/local/inverse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace discreet::local {
namespace {

constexpr double kWorstCondition = 1e12;

double largest_row_sum(std::span<const double> matrix, std::size_t size) {
  double out = 0;
  for (std::size_t i = 0; i < size; ++i) {
    double sum = 0;
    for (const double each : matrix.subspan(i * size, size)) sum += std::abs(each);
    out = std::max(out, sum);
  }
  return out;
}

tl::unexpected<Error> singular(std::string_view found) {
  return fail(Code::kUsage,
              fmt::format("channel: found one whose matrix is {}; accepted for an inversion is one "
                          "that tells all distributions apart",
                          found),
              advise("method", "ibu"));
}

}  // namespace

Result<std::vector<double>> inverse_of(std::vector<double> matrix, std::size_t size) {
  const double norm = largest_row_sum(matrix, size);
  std::vector<double> out(size * size);
  for (std::size_t i = 0; i < size; ++i) out[i * size + i] = 1;
  for (std::size_t k = 0; k < size; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < size; ++i)
      if (std::abs(matrix[i * size + k]) > std::abs(matrix[pivot * size + k])) pivot = i;
    const double top = matrix[pivot * size + k];
    if (top == 0) return singular("singular");
    for (auto* each : {&matrix, &out}) {
      double* row = each->data() + k * size;
      if (pivot != k) std::swap_ranges(row, row + size, each->data() + pivot * size);
      for (std::size_t j = 0; j < size; ++j) row[j] /= top;
    }
    for (std::size_t i = 0; i < size; ++i) {
      const double factor = matrix[i * size + k];
      if (i == k || factor == 0) continue;
      // columns up to k of the matrix are done
      for (std::size_t j = k; j < size; ++j) matrix[i * size + j] -= factor * matrix[k * size + j];
      for (std::size_t j = 0; j < size; ++j) out[i * size + j] -= factor * out[k * size + j];
    }
  }
  const double condition = norm * largest_row_sum(out, size);
  if (!(condition <= kWorstCondition))
    return singular(fmt::format("singular, or nearly so (its condition is {:.0e})", condition));
  return out;
}

}  // namespace discreet::local
