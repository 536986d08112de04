#include "discreet/privacy/compose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "discreet/base/try.h"
#include "discreet/privacy/search.h"

namespace discreet::privacy {
namespace {

constexpr double kUp = 1 + 0x1p-36;  // covers the rounding errors of the formulas below

double up(const Rational& value) { return to_double(value, Rounding::kUp); }

// k times randomized response at ε₀: j lies lose (k−2j)ε₀.
class Responses {
 public:
  Responses(double epsilon0, double count) : epsilon0_(epsilon0), count_(count) {
    // ln of C(k,j)·p^{k−j}(1−p)^j in extended precision: ln Γ is large for large k.
    const long double k = count,
                      log_truth = -std::log1p(std::exp(-static_cast<long double>(epsilon0))),
                      log_lie = log_truth - epsilon0;
    const long double all = std::lgamma(k + 1);
    for (long double j = 0; j <= k && (k - 2 * j) * epsilon0 > -1e-9L; ++j) {
      const long double log_mass =
          all - std::lgamma(j + 1) - std::lgamma(k - j + 1) + (k - j) * log_truth + j * log_lie;
      mass_.push_back(static_cast<double>(std::exp(log_mass)));
    }
  }
  double delta(double epsilon) const {
    double sum = 0;
    for (std::size_t j = 0; j < mass_.size(); ++j) {
      const double loss = (count_ - 2 * static_cast<double>(j)) * epsilon0_;
      if (loss <= epsilon) break;
      sum += mass_[j] * -std::expm1(epsilon - loss);
    }
    return sum * kUp;
  }

 private:
  double epsilon0_, count_;
  std::vector<double> mass_;
};

struct Homogeneous {
  double epsilon0 = 0, count = 0, log_kept = 0;  // ln Π(1−δ_i)
};

Result<Homogeneous> homogeneous(std::span<const Equals> events) {
  Homogeneous out;
  for (const Equals& event : events) {
    if (event.epsilon != events[0].epsilon) {
      return fail(
          Code::kUsage,
          fmt::format("the optimal accountant can't handle different epsilons, found {} and {}",
                      to_decimal(events[0].epsilon), to_decimal(event.epsilon)),
          "try " + given("accountant", "pld"));
    }
    out.count += event.count.get_d();
    out.log_kept += event.count.get_d() * std::log1p(-up(event.delta));
  }
  if (out.count > 1e7)
    return fail(Code::kUsage, "the optimal accountant can't handle more than 10^7 events",
                "try " + given("accountant", "pld"));
  out.epsilon0 = events.empty() ? 0 : up(events[0].epsilon);
  return out;
}

double combined(const Homogeneous& all, double delta) {
  return std::min(1.0, (1 - std::exp(all.log_kept) * (1 - delta)) + 0x1p-50);
}

}  // namespace

double implied_delta(const Rational& epsilon0, const Rational& delta0, double epsilon) {
  const double e0 = up(epsilon0), d0 = up(delta0);
  if (epsilon >= e0) return d0;
  return std::min(1.0, d0 + (1 - d0) * -std::expm1(epsilon - e0) / (1 + std::exp(-e0)) * kUp);
}

double implied_epsilon(const Rational& epsilon0, const Rational& delta0, double delta) {
  const double e0 = up(epsilon0), d0 = up(delta0);
  if (d0 > delta) return HUGE_VAL;
  return least([&](double epsilon) { return implied_delta(epsilon0, delta0, epsilon) <= delta; }, 0,
               e0);
}

double advanced_epsilon(std::span<const Equals> events, double delta) {
  Rational squares, deltas;
  double mean = 0;
  for (const Equals& event : events) {
    squares += event.epsilon * event.epsilon * event.count;
    deltas += event.delta * event.count;
    mean += event.count.get_d() * up(event.epsilon) * std::expm1(up(event.epsilon));
  }
  if (sgn(squares) == 0) return up(deltas) <= delta ? 0 : HUGE_VAL;
  const double rest = delta - up(deltas);
  if (!(rest > 0)) return HUGE_VAL;
  return (std::sqrt(2 * std::log(1 / std::min(rest, 1.0)) * up(squares)) + mean) * kUp;
}

double advanced_delta(std::span<const Equals> events, double epsilon) {
  Rational squares, deltas;
  double mean = 0;
  for (const Equals& event : events) {
    squares += event.epsilon * event.epsilon * event.count;
    deltas += event.delta * event.count;
    mean += event.count.get_d() * up(event.epsilon) * std::expm1(up(event.epsilon)) * kUp;
  }
  if (sgn(squares) == 0) return std::min(1.0, up(deltas));
  if (epsilon <= mean) return 1;
  return std::min(
      1.0, up(deltas) + std::exp(-(epsilon - mean) * (epsilon - mean) / (2 * up(squares))) * kUp);
}

Result<double> optimal_delta(std::span<const Equals> events, double epsilon) {
  auto all = TRY(homogeneous(events));
  return combined(all, Responses(all.epsilon0, all.count).delta(epsilon));
}

Result<double> optimal_epsilon(std::span<const Equals> events, double delta) {
  auto all = TRY(homogeneous(events));
  const double most = all.epsilon0 * all.count;
  if (combined(all, 0) > delta && !(all.log_kept == 0)) return HUGE_VAL;
  if (delta <= 0) return most;
  const Responses responses(all.epsilon0, all.count);
  return least([&](double epsilon) { return combined(all, responses.delta(epsilon)) <= delta; }, 0,
               most);
}

}  // namespace discreet::privacy
