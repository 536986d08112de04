// The linear program of problem.h, solved in floating point by CLP. What comes back is near the
// truth and proves nothing: optimal.h repairs both sides into a certificate.
#pragma once

#include "discreet/channel/problem.h"

namespace discreet::channel {

// How the solver is asked. Different roads end with different dust: optimal.cc tries them in turn
// until the certificate is tight.
struct Road {
  bool primal = false;  // the primal simplex method instead of the dual one
  bool scaled = false;  // variables in units of e^(−ε·distance to where their guess pays most)
};

struct LinearSolution {
  std::vector<double> entries;  // x[y][w], row by row
  Multipliers multipliers;      // cleaned of negative dust; fit for dual_bound
};
Result<LinearSolution> solve_linear(const Problem& problem, const Road& road);

}  // namespace discreet::channel
