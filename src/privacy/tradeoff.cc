#include "discreet/privacy/tradeoff.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "discreet/base/try.h"
#include "discreet/privacy/source.h"

namespace discreet::privacy {
namespace {

double upper_tail(double x) { return 0.5 * std::erfc(x / std::numbers::sqrt2); }

// x with P[N(0,1) > x] = tail.
double quantile(double tail) {
  double low = -40, high = 40;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (upper_tail(middle) > tail ? low : high) = middle;
  }
  return (low + high) / 2;
}

// δ(ε) of an accountant that knows no direction, at four hundred ε from 0 to where it is least;
// below 0 by symmetry.
Result<Curve> sampled(const Event& event, const AccountOptions& options, double least) {
  constexpr int kPoints = 400;
  auto far = TRY(account_epsilon(event, Rational(least), options));
  const double end = std::isfinite(far.value.upper) ? std::max(far.value.upper, 1e-6) : 50;
  Curve up;
  for (int i = 0; i <= kPoints; ++i) {
    const double share = static_cast<double>(i) / kPoints, epsilon = end * share * share;
    AccountOptions same = options;
    same.accountant = far.accountant;
    auto delta = TRY(account_delta(event, Rational(epsilon), same));
    up.epsilon.push_back(epsilon);
    up.delta.push_back(delta.value.upper);
  }
  Curve out;
  for (std::size_t i = up.epsilon.size(); i-- > 1;) {
    out.epsilon.push_back(-up.epsilon[i]);
    out.delta.push_back(std::min(1.0, 1 - std::exp(-up.epsilon[i]) * (1 - up.delta[i]) + 0x1p-50));
  }
  out.epsilon.insert(out.epsilon.end(), up.epsilon.begin(), up.epsilon.end());
  out.delta.insert(out.delta.end(), up.delta.begin(), up.delta.end());
  return out;
}

}  // namespace

Result<Tradeoff> Tradeoff::of(const Event& event, const AccountOptions& options, double least) {
  TRY(check(event));
  Tradeoff out;
  out.least_ = least;
  if (!options.accountant || *options.accountant == Accountant::kPld ||
      *options.accountant == Accountant::kGdp) {
    auto sources = sources_of(event, options.adjacency);
    if (sources && sources->gaussian)
      out.mu_ = std::sqrt(to_double(*sources->gaussian, Rounding::kUp));
    auto curves = options.accountant == Accountant::kGdp && out.mu_ < 0
                      ? Result<std::vector<Curve>>(tl::unexpect, Error{})
                      : pld_curves(event, options.adjacency, least);
    if (curves) {
      out.curves_ = std::move(*curves);
      return out;
    }
    if (options.accountant == Accountant::kPld) return forward_error(curves);
  }
  auto curve = TRY(sampled(event, options, least));
  out.curves_.push_back(std::move(curve));
  return out;
}

double Tradeoff::missed(double false_alarm) const {
  if (mu_ >= 0) {
    if (false_alarm <= 0) return 1;
    if (false_alarm >= 1) return 0;
    return std::max(0.0, upper_tail(mu_ - quantile(false_alarm)) * (1 - 0x1p-40));
  }
  double worst = 1;
  for (const Curve& curve : curves_) {
    double best = 0;
    for (std::size_t i = 0; i < curve.epsilon.size(); ++i) {
      const double alarms = false_alarm > 0 ? std::exp(curve.epsilon[i]) * false_alarm : 0;
      best = std::max(best, 1 - curve.delta[i] - alarms);
    }
    worst = std::min(worst, best);
  }
  return worst;
}

Curve Tradeoff::profile() const {
  Curve out;
  const Curve& lead = curves_.front();
  for (std::size_t i = 0; i < lead.epsilon.size(); ++i) {
    if (lead.epsilon[i] < 0) continue;
    double delta = lead.delta[i];
    for (const Curve& other : curves_) {
      const auto at = std::upper_bound(other.epsilon.begin(), other.epsilon.end(), lead.epsilon[i]);
      if (at != other.epsilon.begin())
        delta =
            std::max(delta, other.delta[static_cast<std::size_t>(at - other.epsilon.begin()) - 1]);
    }
    if (delta < least_) break;
    // Where only a chance of complete loss is left the curve is flat for ever.
    if (!out.delta.empty() && delta > out.delta.back() * (1 - 1e-6)) continue;
    out.epsilon.push_back(lead.epsilon[i]);
    out.delta.push_back(delta);
  }
  return out;
}

}  // namespace discreet::privacy
