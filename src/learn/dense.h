// Small dense matrices of released numbers: what regression and PCA do with noisy moments. All of
// it is post-processing; only accuracy depends on it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace discreet::learn {

// Row-major, size × size, symmetric.
struct Symmetric {
  std::size_t size = 0;
  std::vector<double> values;
  double& at(std::size_t i, std::size_t k) { return values[i * size + k]; }
  double at(std::size_t i, std::size_t k) const { return values[i * size + k]; }
};

// (A + ridge·I)x = b by Cholesky's factors; nothing where A + ridge·I isn't positive definite.
std::optional<std::vector<double>> solve(const Symmetric& a, double ridge,
                                         const std::vector<double>& b);

// The least eigenvalue, to a 2^-20th of the largest entry's sum.
double least_eigenvalue(const Symmetric& a);

// The eigenvectors of the `count` largest eigenvalues, the largest first: count × size,
// orthonormal. `noise` is about how far below 0 eigenvalues may lie.
std::vector<double> leading(const Symmetric& a, std::size_t count, double noise);

}  // namespace discreet::learn
