// Rényi divergences of Poisson-sampled events, from the dominating pair outcome by outcome. A node
// is a (quadrature) outcome with its probability under Q and its ratio P/Q; then e^{(α−1)D_α} − 1 =
// Σ Q·((1+r)^α − 1 − αr) with r = P/Q − 1, a sum of positive terms that loses no digits however
// small the divergence is.
#pragma once

#include <optional>
#include <vector>

#include "discreet/privacy/event.h"
#include "discreet/privacy/guarantee.h"

namespace discreet::privacy {

struct Node {
  double log_weight;  // ln Q
  double excess;      // P/Q − 1; may be infinite where log_ratio is large
  double log_ratio;   // ln(P/Q)
};

class Nodes {
 public:
  // The pair of poisson(q, event); none for events without one. `largest` is the largest order that
  // will be asked for.
  static std::optional<Nodes> of(const Event& event, double q, Adjacency adjacency, double largest);
  // Two outcomes that lose t and t − ε.
  static Nodes two_points(double t, double epsilon);

  // The pair after Poisson sampling, given that before it in the direction that removes.
  Nodes sampled(double q, Adjacency adjacency) const;
  double renyi(double alpha) const;

  std::vector<Node> nodes;
};

// The Poisson-sampled Gaussian. Removing: A = E_{x~N(0,1)}[(1−q+q·e^{μx−μ²/2})^α]. Replacing: the
// mixtures of N(0,1) with N(−μ,1) and with N(μ,1) (see pair.h). The trapezoidal rule with step s
// errs by e^{c²/2−2πc/s}, relative, for any c below the height π/μ of the first zero of
// 1−q+q·e^{μx−μ²/2} in the complex plane: s is chosen so that this is below 2^-56.
class GaussianNodes {
 public:
  GaussianNodes(double mu, double q, Adjacency adjacency) : mu_(mu), q_(q), adjacency_(adjacency) {}
  double renyi(double alpha) const;

 private:
  void fill(double step, double from, double to, std::vector<Node>& out) const;

  double mu_, q_;
  Adjacency adjacency_;
  mutable double step_ = 0, from_ = 0, to_ = 0;
  mutable std::vector<Node> nodes_;  // of the last call: orders that share a step share their nodes
};

}  // namespace discreet::privacy
