// Symmetric matrices that are positive definite, row by row.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace discreet::local {

// L of M = L·Lᵀ, in place of M's lower half; false where M isn't positive definite, or so nearly
// not that the answer would be rounding errors.
bool to_cholesky(std::vector<double>& matrix, std::size_t size);

// x of L·Lᵀ·x = b, in place of b.
void solve_cholesky(const std::vector<double>& lower, std::size_t size, std::span<double> b);

// The lower half of L⁻¹, in place of L.
void invert_lower(std::vector<double>& lower, std::size_t size);

}  // namespace discreet::local
