// The maximum likelihood of reports that name one value each, in closed form.
//
//   std::vector<double> shares{0.5, 0.375, 0.125};  // of the reports
//   std::vector<double> theta = most_likely(shares, 0.5, 0.25);  // 5/7, 2/7 and nothing
//
// What is proved: Σ_v c_v·ln(q + (p − q)·θ_v) is strictly concave in each θ_v with c_v > 0. By the
// conditions of Karush, Kuhn and Tucker the maximum on the simplex is θ_v = max(0, c_v·t − a), a =
// q/(p − q), for the one t with Σθ = 1: water filled into vessels of different width. The k largest
// counts stay positive, t = (1 + k·a)/(c_1 + … + c_k), for the largest k with c_k·t > a. O(d log
// d). It is the limit of the iterative Bayesian update (ibu.h).
#pragma once

#include <span>
#include <vector>

namespace discreet::local {

// Counts, or shares of the reports, p > q ≥ 0. Uniform where all are 0.
std::vector<double> most_likely(std::span<const double> counts, double p, double q);

}  // namespace discreet::local
