#include "discreet/privacy/noise_pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "discreet/base/try.h"
#include "discreet/privacy/cost.h"
#include "discreet/privacy/normal.h"

namespace discreet::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnit = 0x1p-53;
constexpr double kMostAtoms = 1 << 24;
// A sample replaced: P leads by q·(right − left). On either side of 0 the farther of the two
// densities is at most that in the middle, so the error of that difference is in proportion to
// this.
double replaced_unit(double q) { return q < 0.5 ? q / (1 - q) : 1; }

constexpr double kFurthest = 40;  // deviations; the normal tail beyond is below the least double

// N(μ,1) against N(0,1): L = μx − μ²/2.
class GaussianPair : public Pair {
 public:
  explicit GaussianPair(double mu) : mu_(mu) {}
  Mass between(double a, double b) const override {
    const TwoMasses mass = normal_masses(at(a), at(b), mu_);
    return Mass::of(mass.shifted, mass.centred);
  }
  double low() const override { return -kInfinity; }
  double high() const override { return kInfinity; }
  double error() const override { return normal_error(16) + 16 * (mu_ * mu_ + 32 * mu_) * kUnit; }
  bool smooth() const override { return true; }

 private:
  double at(double loss) const { return loss / mu_ + mu_ / 2; }
  double mu_;
};

// The Gaussian, replaced: P ∝ (1−q)φ(y) + qφ(y−μ), Q ∝ (1−q)φ(y) + qφ(y+μ). With c =
// (1−q)/q·e^{μ²/2}, e^L = (c + e^{μy})/(c + e^{−μy}), so μy = L/2 + asinh(c·sinh(L/2)).
class ReplacedGaussianPair : public Pair {
 public:
  ReplacedGaussianPair(double mu, double q)
      : mu_(mu), q_(q), log_c_(std::log1p(-q) - std::log(q) + mu * mu / 2) {}
  Mass between(double a, double b) const override {
    const double from = at(a), to = at(b);
    const TwoMasses up = normal_masses(from, to, mu_), down = normal_masses(from, to, -mu_);
    return {(1 - q_) * up.centred + q_ * up.shifted, (1 - q_) * up.centred + q_ * down.shifted,
            q_ * (up.shifted - down.shifted)};
  }
  double low() const override { return -kInfinity; }
  double high() const override { return kInfinity; }
  double error() const override { return normal_error(16) + 16 * (mu_ * mu_ + 32 * mu_) * kUnit; }
  double unit() const override { return replaced_unit(q_); }
  // y is good to its own last digits, and dL/dy ≤ |L|·(1/y + μ).
  double edge(double loss) const override {
    return 0x1p-47 * std::fabs(loss) * (1 + std::fabs(loss) + std::fabs(log_c_));
  }
  bool smooth() const override { return true; }

 private:
  double at(double loss) const {
    if (std::isinf(loss)) return loss;
    if (loss < 0) return -at(-loss);
    if (q_ == 1) return loss / (2 * mu_);
    if (loss == 0) return 0;
    // asinh(c·sinh(L/2)), where c or sinh may not be a double any more
    const double log_s =
        log_c_ + (loss > 2 ? loss / 2 - std::numbers::ln2 + std::log1p(-std::exp(-loss))
                           : std::log(std::sinh(loss / 2)));
    const double arc = log_s > 20 ? log_s + std::numbers::ln2 : std::asinh(std::exp(log_s));
    return (loss / 2 + arc) / mu_;
  }
  double mu_, q_, log_c_;
};

// Laplace(0,1) against Laplace(ε,1): for 0 < x < ε the loss is ε − 2x; all x ≤ 0 lose ε, all x ≥ ε
// lose −ε. Between the atoms the density of L is e^{(L−ε)/2}/4 under P and e^{−(L+ε)/2}/4 under Q.
class LaplacePair : public Pair {
 public:
  explicit LaplacePair(double epsilon) : epsilon_(epsilon) {}
  Mass between(double a, double b) const override {
    Mass out;
    const double far = 0.5 * std::exp(-epsilon_);
    if (a <= -epsilon_ && -epsilon_ < b) out += Mass::of(far, 0.5);
    if (a <= epsilon_ && epsilon_ < b) out += Mass::of(0.5, far);
    a = std::max(a, -epsilon_);
    b = std::min(b, epsilon_);
    if (a < b) {
      const double width = 0.5 * std::expm1((b - a) / 2);
      out += Mass::of(width * std::exp((a - epsilon_) / 2), width * std::exp((-b - epsilon_) / 2));
    }
    return out;
  }
  double low() const override { return -epsilon_; }
  double high() const override { return epsilon_; }
  double error() const override { return (32 + 4 * epsilon_) * kUnit; }
  double lattice() const override { return epsilon_; }
  bool only_ends() const override { return true; }

 private:
  double epsilon_;
};

// Laplace, replaced, scale 1: the noise at 0 mixed with that at ε (P) or −ε (Q). For 0 ≤ y ≤ ε, e^L
// = (c+e^{2y})/(c+1) with c = (1−q)/q·e^ε; L is odd in y, and constant beyond ±ε.
class ReplacedLaplacePair : public Pair {
 public:
  ReplacedLaplacePair(double epsilon, double q)
      : epsilon_(epsilon), q_(q), c_((1 - q) / q * std::exp(epsilon)) {
    top_ = std::log1p(std::expm1(2 * epsilon_) / (c_ + 1));
  }
  Mass between(double a, double b) const override {
    Mass out;
    const double tail = 0.5 * std::exp(-epsilon_), far = 0.5 * std::exp(-2 * epsilon_);
    const Mass end{(1 - q_) * tail + q_ * 0.5, (1 - q_) * tail + q_ * far, q_ * (0.5 - far)};
    if (a <= -top_ && -top_ < b) out += {end.q, end.p, -end.lead};
    if (a <= top_ && top_ < b) out += end;
    const double from = at(a), to = at(b), split_from = std::clamp(0.0, from, to);
    for (const auto& [y, z] : {std::pair(from, split_from), std::pair(split_from, to)}) {
      if (!(y < z)) continue;
      const double up = std::expm1(z - y),
                   here = z <= 0 ? 0.5 * std::exp(y) * up : 0.5 * std::exp(-z) * up;
      const double right = 0.5 * std::exp(y - epsilon_) * up,
                   left = 0.5 * std::exp(-z - epsilon_) * up;
      out += {(1 - q_) * here + q_ * right, (1 - q_) * here + q_ * left, q_ * (right - left)};
    }
    return out;
  }
  double low() const override { return -top_; }
  double high() const override { return top_; }
  double error() const override { return (64 + 8 * epsilon_) * kUnit; }
  double unit() const override { return replaced_unit(q_); }
  // As above: dL/dy ≤ |L|·(1/y + 2).
  double edge(double loss) const override { return 0x1p-48 * std::fabs(loss) * (1 + 2 * epsilon_); }
  double lattice() const override { return 2 * top_; }
  double anchor() const override { return -top_; }
  bool only_ends() const override { return true; }

 private:
  double at(double loss) const {
    if (loss >= top_) return epsilon_;
    if (loss <= -top_) return -epsilon_;
    return loss < 0 ? -at(-loss)
                    : std::min(epsilon_, 0.5 * std::log1p((c_ + 1) * std::expm1(loss)));
  }
  double epsilon_, q_, c_, top_;
};

// Geometric noise at 0 against at Δ, x = e^{−1/b}: z = 0 … Δ loses (Δ−2z)/b, where z ≤ 0 and z ≥ Δ
// are one outcome each.
class DiscreteLaplacePair : public Pair {
 public:
  DiscreteLaplacePair(double scale, double shift) : scale_(scale), shift_(shift) {}
  Mass between(double a, double b) const override {
    const double first = std::max(0.0, last_with(b) + 1), last = std::min(shift_, last_with(a));
    if (first > last) return {};
    return Mass::of(mass(first, last), mass(shift_ - last, shift_ - first));
  }
  double low() const override { return -shift_ / scale_; }
  double high() const override { return shift_ / scale_; }
  double error() const override { return (64 + 8 * shift_ / scale_) * kUnit; }
  double lattice() const override { return 1 / scale_; }
  bool only_ends() const override { return shift_ == 1; }

 private:
  // The largest z that loses at least this.
  double last_with(double loss) const {
    return std::isinf(loss) ? -loss : std::floor((shift_ - scale_ * loss) / 2);
  }
  // P of first ≤ z ≤ last: a geometric sum, with a tail at each end that it includes.
  double mass(double first, double last) const {
    const double one_more = 1 + std::exp(-1 / scale_);
    if (first == 0 && last == shift_) return 1;
    const double start = std::exp(-first / scale_) / one_more;
    if (last == shift_) return start;  // the whole tail
    const double sum = start * -std::expm1(-(last - first + 1) / scale_);
    return first == 0 ? sum + std::exp(-1 / scale_) / one_more : sum;
  }
  double scale_, shift_;
};

// Σ e^{−z²/2σ²} over whole z from first to last, over σ√(2π). Term by term where they are few; else
// the integral over [first−½, last+½] with the Euler-Maclaurin corrections for midpoints, f' /24
// and 7f'''/5760, after which the error is below 2^-55 of the sum for σ ≥ 1000.
class DiscreteGaussianPair : public Pair {
 public:
  DiscreteGaussianPair(double sigma, double shift) : sigma_(sigma), shift_(shift) {
    double sum = 0;
    if (sigma < kSmooth) {
      for (double z = std::ceil(kFurthest * sigma); z >= 1; --z)
        sum += 2 * std::exp(-z * z / (2 * sigma * sigma));
      norm_ = 1 + sum;
    } else {
      norm_ = sigma * std::sqrt(2 * std::numbers::pi);
    }
  }
  Mass between(double a, double b) const override {
    const double reach = std::ceil(kFurthest * sigma_);
    const double first = std::max(-reach, last_with(b) + 1),
                 last = std::min(reach + shift_, last_with(a));
    if (first > last) return {};
    return Mass::of(sum(first, last), sum(first - shift_, last - shift_));
  }
  double low() const override { return -kInfinity; }
  double high() const override { return kInfinity; }
  double error() const override {
    return (256 + 16 * 13 * 13 + sigma_ / 8 + 16 * shift_ * shift_ / (sigma_ * sigma_)) * kUnit;
  }
  // Losses are (Δ−2z)·Δ/2σ²: whole multiples, odd ones if Δ is odd.
  double lattice() const override { return shift_ / (2 * sigma_ * sigma_); }

 private:
  static constexpr double kSmooth = 1000, kFew = 256;
  // P at 0, Q at Δ: L = (Δ² − 2zΔ)/2σ².
  double last_with(double loss) const {
    return std::isinf(loss) ? -loss : std::floor(shift_ / 2 - loss * sigma_ * sigma_ / shift_);
  }
  double sum(double first, double last) const {
    if (sigma_ < kSmooth || last - first < kFew) {
      const double from = std::max(first, -kFurthest * sigma_ - 1),
                   to = std::min(last, kFurthest * sigma_ + 1);
      double total = 0;
      for (double z = std::ceil(from); z <= to; ++z)
        total += std::exp(-z * z / (2 * sigma_ * sigma_));
      return total / norm_;
    }
    const double a = (first - 0.5) / sigma_, b = (last + 0.5) / sigma_, h = 1 / sigma_;
    const auto slopes = [&](double x) {  // h·φ'/24 − 7h³φ'''/5760, φ' = −xφ, φ''' = −(x³−3x)φ
      return std::exp(-x * x / 2) *
             (-x * h * h / 24 + 7 * (x * x * x - 3 * x) * h * h * h * h / 5760) /
             std::sqrt(2 * std::numbers::pi);
    };
    return normal_mass(a, b) - (slopes(b) - slopes(a));
  }
  double sigma_, shift_, norm_ = 1;
};

// Discrete noise, replaced: every whole outcome is an atom.
template <class LogDensity>
SharedPair replaced_atoms(LogDensity&& f, double reach, double shift, double q, double error) {
  std::vector<Atom> atoms;
  for (double z = -reach; z <= reach; ++z) {
    const double here = (1 - q) * std::exp(f(z)), right = q * std::exp(f(z - shift)),
                 left = q * std::exp(f(z + shift));
    const double p = here + right, other = here + left, lead = right - left;
    if (p > 0 && other > 0) atoms.push_back({std::log1p(lead / other), p, other, lead});
  }
  return std::make_shared<AtomPair>(std::move(atoms), 0, 0, error, 0, replaced_unit(q));
}

tl::unexpected<Error> too_large(const char* event) {
  return fail(Code::kUsage,
              fmt::format("the pld accountant can't handle {} with so many outcomes", event),
              "try " + given("accountant", "rdp") + " or zcdp");
}

}  // namespace

Result<SharedPair> gaussian_pair(double mu) {
  if (mu == 0) return std::make_shared<AtomPair>(std::vector<Atom>{{0, 1, 1}}, 0, 0, 0);
  TRY(bounded_loss("gaussian", mu * mu / 2));
  return std::make_shared<GaussianPair>(mu);
}

Result<SharedPair> laplace_pair(double epsilon) {
  if (epsilon == 0) return std::make_shared<AtomPair>(std::vector<Atom>{{0, 1, 1}}, 0, 0, 0);
  TRY(bounded_loss("laplace", epsilon));
  return std::make_shared<LaplacePair>(epsilon);
}

Result<SharedPair> discrete_gaussian_pair(const DiscreteGaussian& event) {
  const double sigma = event.sigma.get_d(), shift = event.sensitivity.get_d();
  if (shift == 0) return gaussian_pair(0);
  if (sigma > 1e12 || shift > 1e12) return too_large("discrete-gaussian");
  const double ratio = shift / sigma;
  TRY(bounded_loss("discrete-gaussian", ratio * ratio / 2));
  return std::make_shared<DiscreteGaussianPair>(sigma, shift);
}

Result<SharedPair> discrete_laplace_pair(const DiscreteLaplace& event) {
  const double scale = event.scale.get_d(), shift = event.sensitivity.get_d();
  if (shift == 0) return laplace_pair(0);
  if (shift > 1e12) return too_large("discrete-laplace");
  TRY(bounded_loss("discrete-laplace", shift / scale));
  return std::make_shared<DiscreteLaplacePair>(scale, shift);
}

Result<SharedPair> replaced_pair(const Event& event, double q) {
  if (auto squares = gaussian_cost(event, Adjacency::kAddRemove)) {
    const double mu = std::sqrt(to_double(*squares, Rounding::kUp));
    if (mu == 0) return gaussian_pair(0);
    TRY(bounded_loss("gaussian", 2 * mu * mu));
    return std::make_shared<ReplacedGaussianPair>(mu, q);
  }
  if (const auto* laplace = std::get_if<Laplace>(&event.what)) {
    const double epsilon = to_double(laplace->sensitivity / laplace->scale, Rounding::kUp);
    if (epsilon == 0) return laplace_pair(0);
    if (epsilon > 300) return too_large("laplace");
    return std::make_shared<ReplacedLaplacePair>(epsilon, q);
  }
  if (const auto* gaussian = std::get_if<DiscreteGaussian>(&event.what)) {
    const double sigma = gaussian->sigma.get_d(), shift = gaussian->sensitivity.get_d(),
                 reach = std::ceil(kFurthest * sigma) + shift;
    if (reach > kMostAtoms) return too_large("discrete-gaussian");
    double sum = 1;
    for (double z = 1; z <= reach; ++z) sum += 2 * std::exp(-z * z / (2 * sigma * sigma));
    const double norm = std::log(sum);
    return replaced_atoms([&](double z) { return -z * z / (2 * sigma * sigma) - norm; }, reach,
                          shift, q, 4096 * kUnit);
  }
  if (const auto* geometric = std::get_if<DiscreteLaplace>(&event.what)) {
    const double scale = geometric->scale.get_d(), shift = geometric->sensitivity.get_d();
    const double reach = shift + std::ceil(740 * scale);
    if (reach > kMostAtoms) return too_large("discrete-laplace");
    const double norm = std::log(std::tanh(0.5 / scale));
    return replaced_atoms([&](double z) { return norm - std::fabs(z) / scale; }, reach, shift, q,
                          4096 * kUnit);
  }
  return fail(Code::kUsage, "no such pair");
}

}  // namespace discreet::privacy
