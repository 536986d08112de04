// The inverse of a square matrix, and whether it can be relied on.
#pragma once

#include <span>
#include <vector>

#include "discreet/base/error.h"

namespace discreet::local {

// Row by row, by Gauss and Jordan's elimination with the largest pivot of a column. An error where
// the matrix is singular, or so nearly that fewer than four digits of the answer would be right:
// ‖M‖·‖M⁻¹‖ above 10^12, in the norm of the largest row sum.
Result<std::vector<double>> inverse_of(std::vector<double> matrix, std::size_t size);

}  // namespace discreet::local
