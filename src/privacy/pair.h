// Dominating pairs (Zhu, Dong and Wang 2022): two distributions P and Q whose hockey-stick
// divergence is, at every ε, at least that of the event's outputs on neighbours. What matters of
// them is how likely each privacy loss L = ln(P/Q) is under P and under Q. A pair stands for the
// direction that removes a unit; adding one is the same pair the other way round.
//
//   #include "discreet/privacy/expression.h"
//   auto pair = *dominating_pair(*parse_event("laplace(scale=1)"), Adjacency::kAddRemove);
//   double likely = pair->between(-0.5, 0.5).p;  // P[−0.5 ≤ L < 0.5]
//
// Poisson sampling under substitution: with A, B, C the outputs without the unit, with it and with
// its replacement, the pair is (1−q)A+qB against (1−q)A+qC. By Balle, Barthe and Gaboardi's
// advanced joint convexity its divergence at 1+q(α−1) is q times that of B against a mixture of A
// and C at α, E_B[(1−α·Σw_i·dX_i/dB)₊], a convex function of a sum. For noise with a log-concave
// density, each likelihood ratio grows in convex order with the distance of its centre, and a sum
// of variables of given distributions is largest in convex order where all rise together (Dhaene et
// al. 2002): on a line, with B, A, C at 0, Δ and 2Δ. So the worst case is the mixture of centre 0
// with −Δ against that with +Δ, for Gaussian noise in any dimension.
#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "discreet/privacy/event.h"
#include "discreet/privacy/guarantee.h"

namespace discreet::privacy {

// What a set of losses weighs. P − Q has digits of its own: where the two nearly agree, as in a
// small sample, a difference of the sums would have none left.
struct Mass {
  double p = 0, q = 0;
  double lead = 0;  // p − q

  static Mass of(double p, double q) { return {p, q, p - q}; }
  Mass& operator+=(const Mass& other) {
    p += other.p;
    q += other.q;
    lead += other.lead;
    return *this;
  }
};

// e^l and e^l − 1, both to a few units in their last place.
struct Powers {
  double ratio, more;
};
Powers powers_of(double loss);

// P − e^l·Q of some outcomes, and how far off that may be, given the errors of a Pair. Where P and
// Q nearly agree it is (P−Q) − (e^l−1)·Q: both parts are as small as the losses are, and so are
// their errors.
struct Surplus {
  double value, doubt;
};
Surplus surplus_of(const Mass& mass, double loss, double error, double unit);
Surplus surplus_of(const Mass& mass, const Powers& powers, double error, double unit);

// A mass below this is not told from 0: doubles lose their relative precision there.
constexpr double kLeastMass = 0x1p-960;

class Pair {
 public:
  virtual ~Pair() = default;

  // P and Q of {a ≤ L < b}; a and b may be infinite. Relative error at most error(), that of the
  // lead at most error()·(|lead| + 2·unit()·q); where an end lies is good to edge(L).
  virtual Mass between(double a, double b) const = 0;
  // The same for adjoining intervals, one for each pair of neighbours among the rising edges.
  virtual void between_all(std::span<const double> edges, std::span<Mass> out) const;
  // All finite losses lie in [low(), high()].
  virtual double low() const = 0;
  virtual double high() const = 0;
  virtual double error() const = 0;
  virtual double unit() const { return 1; }
  virtual double edge(double loss) const { return 0x1p-48 * (unit() + std::fabs(loss)); }
  // No loss has a probability of its own.
  virtual bool smooth() const { return false; }
  // All losses that have a probability of their own lie at anchor() or multiples of this from it; 0
  // where there are none, or no such number.
  virtual double lattice() const { return 0; }
  virtual double anchor() const { return 0; }
  // Only low() and high() have a probability of their own.
  virtual bool only_ends() const { return false; }
  // P where Q is 0, Q where P is 0.
  virtual double p_only() const { return 0; }
  virtual double q_only() const { return 0; }
};

using SharedPair = std::shared_ptr<const Pair>;

// Losses one by one.
struct Atom {
  double loss, p, q;
  double lead = p - q;
};
class AtomPair : public Pair {
 public:
  AtomPair(std::vector<Atom> atoms, double p_only, double q_only, double error, double lattice = 0,
           double unit = 1);
  Mass between(double a, double b) const override;
  double low() const override { return atoms_.empty() ? 0 : atoms_.front().loss; }
  double high() const override { return atoms_.empty() ? 0 : atoms_.back().loss; }
  double error() const override { return error_; }
  double unit() const override { return unit_; }
  double lattice() const override { return lattice_; }
  bool only_ends() const override { return atoms_.size() == 2; }
  double p_only() const override { return p_only_; }
  double q_only() const override { return q_only_; }

 private:
  std::vector<Atom> atoms_;  // rising
  double p_only_, q_only_, error_, lattice_, unit_;
};

// Losses above this are refused by name: whatever is released says nearly all, and a grid that
// holds them is too coarse for anything else.
constexpr double kLargestLoss = 1e12;

// N(μ, 1) against N(0, 1).
Result<SharedPair> gaussian_pair(double mu);
// (ε, δ) itself (Kairouz, Oh and Viswanath 2015): δ is lost altogether, the rest is randomized
// response.
Result<SharedPair> approximate_pair(double epsilon, double delta);
// Refuses losses above kLargestLoss (and what is not a number).
Status bounded_loss(const char* event, double loss);

// (1−q)Q + qP against Q.
SharedPair sampled_pair(SharedPair pair, double q);

// The pair of a single event: no Repeated, Composed or Parallel at the top or below Poisson (those
// need a grid; see pld.h). None is known for zcdp and rdp, which are refused by name.
Result<SharedPair> dominating_pair(const Event& event, Adjacency adjacency);

}  // namespace discreet::privacy
