#include "discreet/privacy/shuffle_pair.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "discreet/privacy/shuffle_binomial.h"

namespace discreet::privacy {
namespace {

constexpr long kBits = 192;
constexpr long double kUnit = LDBL_EPSILON;
// Below this a chance is no longer followed; room is left for what is multiplied with it.
constexpr long double kLeastChance = 1e-4800L;
// Where 1 − κ is smaller, 192 bits hold it, and what is divided by it, too roughly.
constexpr double kLeastApart = 0x1p-100;

// With c clones and T = c + 1 = n0 + n1, P exceeds e^ε·Q where n1 is below T·f,
//     f = (e^ε0 − e^ε)/((e^ε0 − 1)(e^ε + 1)) ≤ 1/2.
// For a the least such n0, h = P[Bin(c, ½) = a−1] and t = P[Bin(c, ½) ≥ a], the surplus is
//     (e^ε0 − e^ε)/(e^ε0 + 1)·h − (e^ε − 1)·t,
// its expectation over C the divergence.
struct Factors {
  long double gain, loss;  // of h, rounded up, and of t, rounded down
  long double share;       // f
  long double odds;        // κ/(1 − κ)
};

Factors factors_of(const CloneQuestion& q, double epsilon) {
  const Ball loss(Rational(epsilon), kBits), own(q.clones.epsilon, kBits), one(1);
  const Ball e = exp(loss, kBits), more = expm1(loss, kBits), e0 = exp(own, kBits);
  const Ball kappa = q.clones.probability(kBits);
  const Ball scale = mul(expm1(own, kBits), add(e, one, kBits), kBits);
  return {.gain = div(sub(e0, e, kBits), add(e0, one, kBits), kBits).upper(),
          .loss = std::max(0.0, more.lower()),
          .share = closest(div(sub(e0, e, kBits), scale, kBits)),
          .odds = closest(div(kappa, sub(one, kappa, kBits), kBits))};
}

// Bernstein: |C − mean| is above this with probability at most 2·e^−k.
double width(double variance, double k) { return k / 3 + std::sqrt(k * k / 9 + 2 * variance * k); }

// h = P[Bin(c, ½) = a−1] and t = P[Bin(c, ½) ≥ a] as c and a grow by one, in a few operations each.
class Walk {
 public:
  Walk(std::uint64_t c, std::uint64_t a) : c_(c), a_(a) { start(); }

  // A bound where the chance is too small to be followed; it is looked at again now and then, since
  // it may rise later.
  bool far() const { return h_ < kLeastChance; }
  long double far_chance() const {
    // Hoeffding: P[Bin(c, ½) ≥ c/2 + x] ≤ e^(−2x²/c)
    const long double c = real(c_), x = real(a_) - 1 - c / 2;
    return x <= 0 || c <= 0 ? 1 : std::exp(-1.999L * x * x / c);
  }
  long double h() const { return h_; }
  long double t() const { return t_; }
  // Of h, in parts of it; of t, absolute.
  long double h_error() const {
    return kChanceError + 6 * kUnit * static_cast<long double>(steps_ + 4);
  }
  long double t_error() const { return wrong_; }

  // One more clone: t' = t + h/2.
  void add_clone() {
    t_ += h_ / 2;
    wrong_ += h_ * h_error() + 2 * kUnit * t_;
    h_ *= (real(c_) + 1) / (2 * (real(c_) + 2 - real(a_)));
    ++c_;
    ++steps_;
    if (far() && steps_ >= 1024) start();
  }
  // One more is wanted: t' = t − P[Bin(c, ½) = a].
  void want_more() {
    h_ *= (real(c_) + 1 - real(a_)) / real(a_);
    t_ = std::max(0.0L, t_ - h_);
    wrong_ += h_ * h_error() + 2 * kUnit * t_;
    ++a_;
    // an error that was small beside a larger t is made afresh
    if (t_ < 0x1p-16L * first_) start();
  }

 private:
  static long double real(std::uint64_t value) { return static_cast<long double>(value); }

  // The ratios of what is added up fall, so what is left out is at most a geometric series, and
  // added.
  void start() {
    h_ = c_ == 0 ? 1 : binomial_chance(c_, a_ - 1, Ball(Rational(1, 2), kBits));
    t_ = 0;
    steps_ = 0;
    long double term = h_;
    for (std::uint64_t k = a_; k <= c_; ++k) {
      const long double ratio = real(c_ - k + 1) / real(k);
      term *= ratio;
      t_ += term;
      ++steps_;
      if (ratio < 1 && term <= 0x1p-70L * (1 - ratio) * t_) {
        t_ += term * ratio / (1 - ratio);
        break;
      }
    }
    wrong_ = t_ * h_error();
    first_ = t_;
  }

  std::uint64_t c_, a_, steps_ = 0;
  long double h_ = 0, t_ = 0, wrong_ = 0, first_ = 0;
};

}  // namespace

Clones any_randomizer(const Rational& epsilon) {
  return {epsilon, [epsilon](long bits) { return exp(-Ball(epsilon, bits), bits); }};
}

Clones response_randomizer(const Rational& epsilon) {
  return {epsilon, [epsilon](long bits) {
            const Ball e = exp(Ball(epsilon, bits), bits);
            return div(Ball(2), add(e, Ball(1), bits), bits);
          }};
}

double clones_delta(const CloneQuestion& q, double epsilon) {
  if (Rational(epsilon) >= q.clones.epsilon) return 0;
  const std::uint64_t m = q.users - 1;
  const Ball clone = q.clones.probability(kBits);
  const Ball apart = sub(Ball(1), clone, kBits);
  // what can't be computed is bounded by what is true of any two distributions
  if (apart.lower() < kLeastApart) return 1;
  const Factors f = factors_of(q, epsilon);
  const double mean = static_cast<double>(m) * clone.middle();
  // k as a difference: 2/negligible needn't be a double
  const double k = std::log(2.0) - std::log(q.negligible);
  const double half = 1.0001 * width(mean * apart.upper(), k) + 2;
  const auto low = static_cast<std::uint64_t>(std::max(0.0, mean - half));
  const auto high =
      static_cast<std::uint64_t>(std::min(static_cast<double>(m), std::ceil(mean + half)));
  long double sum = low > 0 || high < m ? q.negligible : 0.0, doubt = 0;

  const auto threshold = [&f](std::uint64_t c) {  // a
    const long double end = std::ceil(f.share * static_cast<long double>(c + 1));
    return c + 1 - static_cast<std::uint64_t>(std::max(0.0L, end - 1));
  };
  std::uint64_t a = threshold(low);
  Walk walk(low, a);
  long double w = m == 0 ? 1 : binomial_chance(m, low, clone);  // P[C = c]
  // all later ones are products with the first: one that underflowed would make them all vanish
  if (w < LDBL_MIN) return 1;
  for (std::uint64_t c = low;; ++c) {
    const long double h = walk.h(), t = walk.t();
    if (walk.far()) {
      sum += w * walk.far_chance();
    } else {
      sum += w * (f.gain * h - f.loss * t);
      // an outcome beside the threshold, which a rounded f may put on the wrong side, weighs less
      // than three errors of h
      const long double error =
          walk.h_error() + kChanceError + 6 * kUnit * static_cast<long double>(c - low + 4);
      doubt += w * ((4 * h + f.loss * t) * error + f.loss * walk.t_error());
    }
    if (c == high) break;
    w *= f.odds * (static_cast<long double>(m - c) / static_cast<long double>(c + 1));
    walk.add_clone();
    if (threshold(c + 1) > a) {
      walk.want_more();
      ++a;
    }
  }
  const long double upper = (sum + doubt) * (1 + 0x1p-50L) + 1e-300L;
  if (!(upper < 1)) return 1;  // nor is what isn't a number any bound
  return std::nextafter(std::max(0.0, static_cast<double>(upper)), 2.0);
}

}  // namespace discreet::privacy
