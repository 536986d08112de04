#include "discreet/privacy/renyi_nodes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "discreet/privacy/quadrature.h"

namespace discreet::privacy {
namespace {

constexpr double kReach = 9.5;  // Φ(−9.5) < 2^-67
constexpr std::size_t kMostNodes = std::size_t{1} << 18;
constexpr double kLong = 20000;  // nodes

// ln N(x; 0, 1)
double log_normal(double x) { return -x * x / 2 - 0.5 * std::log(2 * std::numbers::pi); }

// (1+r)^α − 1 − αr for small αr: α(α−1)r²/2·(1 + (α−2)r/3·(1 + (α−3)r/4·(…))).
double small_power(double alpha, double r) {
  double series = 1;
  for (int k = 14; k >= 3; --k) series = 1 + (alpha - k + 1) * r / k * series;
  return alpha * (alpha - 1) * r * r / 2 * series;
}

// ln Σ Q·(P/Q)^α for the nodes from `first` to `last`.
double log_moment(const Node* first, const Node* last, double alpha) {
  constexpr double kLarge = 200;
  double highest = -HUGE_VAL;
  for (const Node* n = first; n != last; ++n)
    highest = std::max(highest, n->log_weight + alpha * n->log_ratio);
  if (highest > kLarge) {
    double sum = 0;
    for (const Node* n = first; n != last; ++n)
      sum += std::exp(n->log_weight + alpha * n->log_ratio - highest);
    return highest + std::log(sum);
  }
  double sum = 0;
  for (const Node* n = first; n != last; ++n) {
    if (std::fabs(n->excess) * std::max(alpha, 1.0) < 0.1) {
      sum += std::exp(n->log_weight) * small_power(alpha, n->excess);
    } else {
      const double power = std::exp(n->log_weight + alpha * n->log_ratio);
      // Q's own share, where it isn't lost in the tail anyway
      const double rest =
          n->log_weight > -200 ? std::exp(n->log_weight) * (1 + alpha * n->excess) : 0;
      sum += std::isfinite(rest) ? power - rest : power;
    }
  }
  return std::log1p(std::max(0.0, sum));
}

Node outcome(double p, double q) { return {std::log(q), (p - q) / q, std::log(p / q)}; }

// 1 − q + q·(1+r)
double log_mixed(double q, const Node& n) {
  const double r = q * n.excess;
  return std::isfinite(r) ? std::log1p(r) : std::log(q) + n.log_ratio;
}

// ln of e^a(1−q) + e^b·q
double log_mix(double q, double a, double b) {
  const double x = std::log1p(-q) + a, y = std::log(q) + b, high = std::max(x, y);
  return high + std::log1p(std::exp(std::min(x, y) - high));
}

// The pair for replacing at a point where the noise's log-densities are `here` and, for the unit's
// two values, `left`, `right`: P = (1−q)·here + q·left, Q = (1−q)·here + q·right.
Node replaced(double q, double here, double left, double right, double log_weight) {
  const double p = log_mix(q, here, left), other = log_mix(q, here, right);
  // P/Q − 1 = q(left − right)/Q, without cancellation between nearly equal sums
  const double excess = left >= right ? q * std::exp(right - other) * std::expm1(left - right)
                                      : -q * std::exp(left - other) * std::expm1(right - left);
  return {log_weight + other, excess, p - other};
}

// Places where Laplace densities of scale 1 at −d, 0 and d have their kinks, panels between them;
// the rest of the line beyond them has constant ratios and is one outcome on each side.
void laplace_nodes(double epsilon, double q, bool substitute, double largest,
                   std::vector<Node>& out) {
  if (!substitute) {
    // P at 0 and Q at ε: losses ±ε at the ends, ε − 2x between.
    out.push_back({-epsilon - std::log(2.0), std::expm1(epsilon), epsilon});
    out.push_back({-std::log(2.0), std::expm1(-epsilon), -epsilon});
    each_node(0, epsilon, largest, [&](double x, double weight) {
      const double loss = epsilon - 2 * x;
      out.push_back({x - epsilon + std::log(weight / 2), std::expm1(loss), loss});
    });
    return;
  }
  const double half = -std::log(2.0), far = -epsilon;
  // x < −ε: the three densities are e^{x+ε}/2, e^x/2, e^{x−ε}/2; ∫e^x over x < −ε is e^{−ε}.
  out.push_back(replaced(q, half, half + epsilon, half - epsilon, far));
  out.push_back(replaced(q, half, half - epsilon, half + epsilon, far));
  for (const double from : {-epsilon, 0.0}) {
    each_node(from, from + epsilon, largest, [&](double x, double weight) {
      const double at = half - std::fabs(x), left = half - (x + epsilon),
                   right = half - (epsilon - x);
      out.push_back(replaced(q, at, left, right, std::log(weight)));
    });
  }
}

// Noise on the integers with log-density f (up to a constant that makes it sum to 1).
template <class F>
void integer_nodes(F&& f, long reach, long shift, double q, bool substitute,
                   std::vector<Node>& out) {
  for (long z = -reach - shift; z <= reach + shift; ++z) {
    const double here = f(z), left = f(z + shift), right = f(z - shift);
    if (substitute) {
      out.push_back(replaced(q, here, left, right, 0));
    } else {
      const double loss = here - right;
      out.push_back({right, std::expm1(loss), loss});
    }
  }
}

bool discrete_gaussian_nodes(const DiscreteGaussian& e, double q, bool substitute, double largest,
                             std::vector<Node>& out) {
  const double sigma = e.sigma.get_d(), shift = e.sensitivity.get_d();
  const double reach = std::ceil(kReach * sigma + (largest + 1) * shift) + 1;
  if (reach > static_cast<double>(kMostNodes) / 4) return false;
  double sum = 0;
  for (long z = static_cast<long>(40 * sigma) + 40; z >= 1; --z) {
    sum += 2 * std::exp(-static_cast<double>(z) * static_cast<double>(z) / (2 * sigma * sigma));
  }
  const double log_sum = std::log1p(sum);
  const auto density = [&](long z) {
    return -static_cast<double>(z) * static_cast<double>(z) / (2 * sigma * sigma) - log_sum;
  };
  integer_nodes(density, static_cast<long>(reach), static_cast<long>(shift), q, substitute, out);
  return true;
}

bool discrete_laplace_nodes(const DiscreteLaplace& e, double q, bool substitute,
                            std::vector<Node>& out) {
  const double scale = e.scale.get_d(), shift = e.sensitivity.get_d();
  if (shift > static_cast<double>(kMostNodes) / 8) return false;
  // All outcomes at or beyond ±Δ have the same ratios: they are one, with the mass of a geometric
  // tail.
  const double log_one = std::log(std::tanh(0.5 / scale)),
               log_tail = -std::log1p(std::exp(-1 / scale));
  const long d = static_cast<long>(shift);
  const auto density = [&](long z) { return log_one - static_cast<double>(std::labs(z)) / scale; };
  const double fold = log_tail - log_one;  // tail mass over the mass of its first outcome
  for (long z = substitute ? -d : 0; z <= d; ++z) {
    const bool end = z == d || z == (substitute ? -d : 0);
    const double here = density(z), left = density(z + d), right = density(z - d),
                 more = end ? fold : 0;
    if (substitute) {
      out.push_back(replaced(q, here, left, right, more));
    } else {
      out.push_back({right + more, std::expm1(here - right), here - right});
    }
  }
  return true;
}

}  // namespace

std::optional<Nodes> Nodes::of(const Event& event, double q, Adjacency adjacency, double largest) {
  const bool substitute = adjacency == Adjacency::kSubstitute;
  Nodes out;
  bool known = true;
  if (const auto* laplace = std::get_if<Laplace>(&event.what)) {
    const double epsilon = to_double(laplace->sensitivity / laplace->scale, Rounding::kUp);
    known = epsilon * (largest + 1) < static_cast<double>(kMostNodes) / 5;
    if (known) laplace_nodes(epsilon, q, substitute, largest, out.nodes);
  } else if (const auto* gaussian = std::get_if<DiscreteGaussian>(&event.what)) {
    known = discrete_gaussian_nodes(*gaussian, q, substitute, largest, out.nodes);
  } else if (const auto* geometric = std::get_if<DiscreteLaplace>(&event.what)) {
    known = discrete_laplace_nodes(*geometric, q, substitute, out.nodes);
  } else if (substitute) {
    return std::nullopt;
  } else if (const auto* response = std::get_if<RandomizedResponse>(&event.what)) {
    const double e = std::exp(to_double(response->epsilon, Rounding::kUp)), k = response->k.get_d(),
                 all = e + k - 1;
    if (!std::isfinite(e)) return std::nullopt;
    out.nodes = {outcome(e / all, 1 / all), outcome(1 / all, e / all)};
    if (k > 2) out.nodes.push_back(outcome((k - 2) / all, (k - 2) / all));
  } else if (const auto* pure = std::get_if<Approximate>(&event.what);
             pure != nullptr && sgn(pure->delta) == 0) {
    return of(Event{RandomizedResponse{2, pure->epsilon}}, q, adjacency, largest);
  } else {
    known = false;
  }
  if (!known) return std::nullopt;
  return substitute ? out : out.sampled(q, adjacency);
}

Nodes Nodes::two_points(double t, double epsilon) {
  const double q_high = -std::expm1(epsilon - t) /
                        -std::expm1(epsilon);  // P(t) = (e^ε−e^t)/(e^ε−1), Q(t) = P(t)e^{−t}
  Nodes out;
  out.nodes.push_back({std::log(q_high), std::expm1(t), t});
  out.nodes.push_back({std::log1p(-q_high), std::expm1(t - epsilon), t - epsilon});
  return out;
}

// Removing: (1−q)Q + qP against Q. Adding is the reverse, so weights are those of the mixture and
// ratios inverted.
Nodes Nodes::sampled(double q, Adjacency adjacency) const {
  Nodes out;
  for (const Node& n : nodes) {
    if (std::isinf(n.log_weight)) continue;
    const double loss = log_mixed(q, n), r = q * n.excess;
    if (adjacency == Adjacency::kAdd) {
      out.nodes.push_back({n.log_weight + loss, std::isfinite(r) ? -r / (1 + r) : -1, -loss});
    } else {
      out.nodes.push_back({n.log_weight, r, loss});
    }
  }
  return out;
}

double Nodes::renyi(double alpha) const {
  return log_moment(nodes.data(), nodes.data() + nodes.size(), alpha) / (alpha - 1);
}

void GaussianNodes::fill(double step, double from, double to, std::vector<Node>& out) const {
  const double first = std::floor(from / step), last = std::ceil(to / step),
               log_step = std::log(step);
  for (double i = first; i <= last; ++i) {
    const double x = i * step;
    if (adjacency_ == Adjacency::kSubstitute) {
      out.push_back(
          replaced(q_, log_normal(x), log_normal(x + mu_), log_normal(x - mu_), log_step));
      continue;
    }
    const double loss = mu_ * x - mu_ * mu_ / 2;
    const Node plain{log_normal(x) + log_step, std::expm1(loss), loss};
    const double mixed = log_mixed(q_, plain), r = q_ * plain.excess;
    if (adjacency_ == Adjacency::kAdd) {
      out.push_back({plain.log_weight + mixed, std::isfinite(r) ? -r / (1 + r) : -1, -mixed});
    } else {
      out.push_back({plain.log_weight, r, mixed});
    }
  }
}

double GaussianNodes::renyi(double alpha) const {
  const double pi = std::numbers::pi;
  const bool removing = adjacency_ == Adjacency::kRemove || adjacency_ == Adjacency::kAddRemove;
  double step = 0, from = 0, to = 0;
  if (removing) {
    const double c = std::min(0.99 * pi / mu_, 9.0);
    step = std::min(0.7, 2 * pi * c / (40 + c * c / 2));
    from = -kReach;
    to = alpha * mu_ + kReach;
  } else {
    // A ratio in the denominator grows off the real line like cos(μc/2)^{−(α−1)} ≤ e^{(α−1)μ²c²/7}
    // for μc ≤ 1.
    const double curvature = 1 + 2 * alpha * mu_ * mu_ / 7;
    const double c = std::min({1 / mu_, std::sqrt(2 * 40 / curvature), 9.0});
    step = std::min(0.7, 2 * pi * c / (40 + curvature * c * c / 2));
    from = adjacency_ == Adjacency::kAdd ? -(alpha * mu_ + kReach) : -(2 * alpha * mu_ + kReach);
    to = (adjacency_ == Adjacency::kAdd ? kReach + mu_ : 2 * alpha * mu_ + kReach);
  }
  if ((to - from) / step > kLong) {
    if (!removing || kReach / step > kLong) {
      // Convexity bounds it by ln(1−q+q·e^{α(α−1)μ²/2})/(α−1), and far out that is what it is, but
      // for ln(1/q).
      const double shift = adjacency_ == Adjacency::kSubstitute ? 2 * mu_ : mu_;
      const double grown = alpha * (alpha - 1) * shift * shift / 2;
      const double power = grown + std::log(q_);  // ln(1−q+q·e^g) ≤ ln(1+e^{g+ln q})
      if (power > 30) return (power + std::exp(-power)) / (alpha - 1);
      return std::log1p(grown > 700 ? std::exp(power) : q_ * std::expm1(grown)) / (alpha - 1);
    }
    // The integrand has a hill at 0 and one near αμ, and a deep valley between: only the hills
    // count.
    std::vector<Node> hills;
    fill(step, -kReach, kReach, hills);
    fill(step, to - 2 * kReach - 12, to, hills);
    return log_moment(hills.data(), hills.data() + hills.size(), alpha) / (alpha - 1);
  }
  if (step != step_ || from != from_ || to > to_) {
    nodes_.clear();
    fill(step, from, to, nodes_);
    step_ = step;
    from_ = from;
    to_ = to;
  }
  const double used = std::ceil(to / step) - std::floor(from / step) + 1;
  const std::size_t count = std::min(nodes_.size(), static_cast<std::size_t>(used));
  return log_moment(nodes_.data(), nodes_.data() + count, alpha) / (alpha - 1);
}

}  // namespace discreet::privacy
