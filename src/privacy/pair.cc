#include "discreet/privacy/pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "discreet/base/try.h"
#include "discreet/privacy/cost.h"
#include "discreet/privacy/noise_pair.h"

namespace discreet::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnit = 0x1p-53;

// The exponential mechanism at ε: for each α the worst of the pairs with two outcomes that lose t
// and t − ε gives δ = (e^{ε/2} − √α)²/(e^ε−1) for e^{−ε} ≤ α ≤ e^ε, a smooth convex curve, hence
// the profile of one pair (t from Dong, Durfee and Rogers 2020). Q[L ≥ l] = (e^{(ε−l)/2}−1)/(e^ε−1)
// and P[L ≥ l] = e^{ε/2}(e^{ε/2}−e^{l/2})/(e^ε−1).
class BoundedRangePair : public Pair {
 public:
  explicit BoundedRangePair(double epsilon) : epsilon_(epsilon) {}
  Mass between(double a, double b) const override {
    a = std::max(a, -epsilon_);
    b = std::min(b, epsilon_);
    if (!(a < b)) return {};
    const double width = std::expm1((b - a) / 2) / -std::expm1(-epsilon_);
    return Mass::of(width * std::exp((a - epsilon_) / 2), width * std::exp((-b - epsilon_) / 2));
  }
  double low() const override { return -epsilon_; }
  double high() const override { return epsilon_; }
  double error() const override { return (32 + 4 * epsilon_) * kUnit; }
  bool smooth() const override { return true; }

 private:
  double epsilon_;
};

// (1−q)Q + qP against Q. It leads by q times what P leads, which is known to full precision where
// the sum is not: with a unit of q times the pair's own, errors stay in proportion to the losses.
class SampledPair : public Pair {
 public:
  SampledPair(SharedPair inner, double q) : inner_(std::move(inner)), q_(q) {}

  Mass between(double a, double b) const override {
    // A loss l after sampling was ln(1 + (e^l−1)/q) before; where P had nothing it is ln(1−q) now.
    const Mass inside = inner_->between(before(a), before(b));
    Mass out{(1 - q_) * inside.q + q_ * inside.p, inside.q, q_ * inside.lead};
    const double lost = inner_->q_only(), bottom = std::log1p(-q_);
    if (lost > 0 && a <= bottom && bottom < b) out += {(1 - q_) * lost, lost, -q_ * lost};
    return out;
  }
  void between_all(std::span<const double> edges, std::span<Mass> out) const override {
    std::vector<double> inside(edges.size());
    for (std::size_t j = 0; j < edges.size(); ++j) inside[j] = before(edges[j]);
    inner_->between_all(inside, out);
    const double lost = inner_->q_only(), bottom = std::log1p(-q_);
    for (std::size_t j = 0; j + 1 < edges.size(); ++j) {
      const Mass& mass = out[j];
      out[j] = {(1 - q_) * mass.q + q_ * mass.p, mass.q, q_ * mass.lead};
      if (lost > 0 && edges[j] <= bottom && bottom < edges[j + 1])
        out[j] += {(1 - q_) * lost, lost, -q_ * lost};
    }
  }
  double low() const override {
    return inner_->q_only() > 0 ? std::log1p(-q_) : after(inner_->low());
  }
  double high() const override { return after(inner_->high()); }
  double error() const override { return inner_->error() + 8 * kUnit; }
  double unit() const override { return q_ * inner_->unit(); }
  // 1 − q + q·e^L = e^l, so dl/dL = 1 − (1−q)e^{−l}; an error of u in e^L moves l by at most qu.
  double edge(double loss) const override {
    const double inside = before(loss), slope = -std::expm1(std::log1p(-q_) - loss);
    const double own = 8 * kUnit * (std::fabs(loss) + q_);
    return std::isfinite(inside) ? own + 2 * slope * inner_->edge(inside) : own;
  }
  bool smooth() const override { return inner_->smooth(); }
  double lattice() const override { return only_ends() ? high() - low() : 0; }
  double anchor() const override { return only_ends() ? low() : 0; }
  bool only_ends() const override { return inner_->only_ends() && inner_->q_only() == 0; }
  double p_only() const override { return q_ * inner_->p_only(); }

 private:
  double before(double loss) const {
    if (loss > 30) return loss - std::log(q_) + std::log1p((q_ - 1) * std::exp(-loss));
    const double ratio = std::expm1(loss) / q_;
    if (std::isinf(ratio)) return ratio > 0 ? std::log(std::expm1(loss)) - std::log(q_) : ratio;
    return ratio > -1 ? std::log1p(ratio) : -kInfinity;
  }
  double after(double loss) const {
    return loss > 30 ? loss + std::log(q_) + std::log1p((1 - q_) / q_ * std::exp(-loss))
                     : std::log1p(q_ * std::expm1(loss));
  }

  SharedPair inner_;
  double q_;
};

Result<SharedPair> response_pair(double k, double epsilon) {
  TRY(bounded_loss("randomized-response", epsilon));
  const double scale = 1 + (k - 1) * std::exp(-epsilon), truth = 1 / scale,
               lie = std::exp(-epsilon) / scale;
  std::vector<Atom> atoms{
      {-epsilon, lie, truth}, {0, (k - 2) * lie, (k - 2) * lie}, {epsilon, truth, lie}};
  return std::make_shared<AtomPair>(std::move(atoms), 0, 0, (32 + 4 * epsilon) * kUnit, epsilon);
}

tl::unexpected<Error> refuse(const Event& event, Phrase hint) {
  return fail(Code::kUsage, fmt::format("the pld accountant can't handle {}", describe(event)),
              std::move(hint));
}

double up(const Rational& value) { return to_double(value, Rounding::kUp); }

Result<SharedPair> replaced_sample(const Event& event, const Poisson& sample) {
  if (auto pair = replaced_pair(*sample.event, up(sample.rate))) return pair;
  // A pure or approximate guarantee of the sampled event for adding or removing, twice over.
  auto cost = approximate_cost(event, Adjacency::kSubstitute, "pld");
  if (!cost)
    return refuse(event, "no dominating pair is proved for it under substitution; try " +
                             given("relation", "add-remove"));
  return approximate_pair(up(cost->epsilon), up(cost->delta));
}

}  // namespace

Powers powers_of(double loss) {
  if (std::fabs(loss) < 0.5) {
    const double more = std::expm1(loss);
    return {1 + more, more};
  }
  const double ratio = std::exp(loss);
  return {ratio, ratio - 1};
}

Surplus surplus_of(const Mass& mass, double loss, double error, double unit) {
  if (loss <= 700) return surplus_of(mass, powers_of(loss), error, unit);
  const double own = mass.q < kLeastMass ? kInfinity : std::log(mass.p / mass.q);
  return {mass.p * -std::expm1(loss - own), 4 * error * mass.p};
}

Surplus surplus_of(const Mass& mass, const Powers& powers, double error, double unit) {
  error *= 2;
  const double more = powers.more, all = powers.ratio * mass.q;
  const double small = error * (std::fabs(mass.lead) + (2 * unit + std::fabs(more)) * mass.q);
  const double plain = error * (mass.p + all);
  if (small < plain) return {mass.lead - more * mass.q, small};
  return {mass.p - all, plain};
}

void Pair::between_all(std::span<const double> edges, std::span<Mass> out) const {
  for (std::size_t j = 0; j + 1 < edges.size(); ++j) out[j] = between(edges[j], edges[j + 1]);
}

AtomPair::AtomPair(std::vector<Atom> atoms, double p_only, double q_only, double error,
                   double lattice, double unit)
    : atoms_(std::move(atoms)),
      p_only_(p_only),
      q_only_(q_only),
      error_(error),
      lattice_(lattice),
      unit_(unit) {
  std::erase_if(atoms_, [](const Atom& atom) { return !(atom.p > 0) && !(atom.q > 0); });
  std::sort(atoms_.begin(), atoms_.end(),
            [](const Atom& a, const Atom& b) { return a.loss < b.loss; });
}

Mass AtomPair::between(double a, double b) const {
  auto at = std::lower_bound(atoms_.begin(), atoms_.end(), a,
                             [](const Atom& atom, double loss) { return atom.loss < loss; });
  Mass out;
  for (; at != atoms_.end() && at->loss < b; ++at) out += {at->p, at->q, at->lead};
  return out;
}

Status bounded_loss(const char* event, double loss) {
  if (loss <= kLargestLoss) return {};
  return fail(
      Code::kUsage,
      fmt::format("the pld accountant can't handle {} with a loss of {}, accepted is at most "
                  "{}",
                  event, to_text(loss), to_text(kLargestLoss)),
      "try " + given("accountant", "rdp") + ", zcdp or basic");
}

Result<SharedPair> approximate_pair(double epsilon, double delta) {
  TRY(bounded_loss("dp", epsilon));
  const double truth = 1 / (1 + std::exp(-epsilon)),
               lie = std::exp(-epsilon) / (1 + std::exp(-epsilon));
  std::vector<Atom> atoms{{-epsilon, (1 - delta) * lie, (1 - delta) * truth},
                          {epsilon, (1 - delta) * truth, (1 - delta) * lie}};
  if (epsilon == 0) atoms = {{0, 1 - delta, 1 - delta}};
  return std::make_shared<AtomPair>(std::move(atoms), delta, delta, (32 + 4 * epsilon) * kUnit,
                                    epsilon);
}

SharedPair sampled_pair(SharedPair pair, double q) {
  return std::make_shared<SampledPair>(std::move(pair), q);
}

Result<SharedPair> dominating_pair(const Event& event, Adjacency adjacency) {
  using Out = Result<SharedPair>;
  return std::visit(
      Overloaded{
          [](const Gaussian& e) -> Out { return gaussian_pair(up(e.sensitivity / e.sigma)); },
          [](const Laplace& e) -> Out { return laplace_pair(up(e.sensitivity / e.scale)); },
          [](const DiscreteGaussian& e) -> Out { return discrete_gaussian_pair(e); },
          [](const DiscreteLaplace& e) -> Out { return discrete_laplace_pair(e); },
          [](const RandomizedResponse& e) -> Out {
            return response_pair(e.k.get_d(), up(e.epsilon));
          },
          [](const Exponential& e) -> Out {
            if (sgn(e.epsilon) == 0) return approximate_pair(0, 0);
            TRY(bounded_loss("exponential", up(e.epsilon)));
            return std::make_shared<BoundedRangePair>(up(e.epsilon));
          },
          [](const Approximate& e) -> Out { return approximate_pair(up(e.epsilon), up(e.delta)); },
          [&](const Poisson& e) -> Out {
            if (sgn(e.rate) == 0) return approximate_pair(0, 0);
            if (adjacency == Adjacency::kSubstitute) return replaced_sample(event, e);
            auto inner = dominating_pair(*e.event, adjacency);
            if (!inner || e.rate == 1) return inner;
            return sampled_pair(*inner, up(e.rate));
          },
          [&](const auto&) -> Out {
            return refuse(event, "only its guarantee is known, not its loss; try " +
                                     given("accountant", "rdp") + " or zcdp");
          },
      },
      event.what);
}

}  // namespace discreet::privacy
