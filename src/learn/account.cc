#include "discreet/learn/account.h"

#include <fmt/format.h>

#include <cmath>

#include "discreet/base/try.h"
#include "discreet/privacy/accountant.h"
#include "discreet/privacy/calibrate.h"

namespace discreet::learn {
namespace {

// To four digits, up.
Result<Rational> written_up(double value) {
  const int exponent = static_cast<int>(std::floor(std::log10(value))) - 4;
  const auto digits = static_cast<long long>(std::ceil(value / std::pow(10.0, exponent)));
  return parse_number(fmt::format("{}e{}", digits, exponent), Rounding::kUp);
}

}  // namespace

privacy::Event Account::event(const Rational& sigma, std::uint64_t done) const {
  privacy::Composed all{before};
  if (done > 0) all.events.push_back(training(sigma, done));
  if (all.events.size() == 1) return std::move(all.events[0]);
  return {std::move(all)};
}

Result<double> epsilon_of(const privacy::Event& event, const Rational& delta) {
  return TRY(privacy::account_epsilon(event, delta, {})).value.upper;
}

Result<Rational> calibrate_noise(const Account& account, const Rational& epsilon,
                                 const Rational& delta) {
  const double target = to_double(epsilon, Rounding::kDown);
  const auto fits = [&](const Rational& sigma) -> Result<bool> {
    return TRY(epsilon_of(account.event(sigma, account.steps), delta)) <= target;
  };
  if (!account.before.empty() && TRY(epsilon_of(account.event(1, 0), delta)) >= target)
    return bad_parameter("epsilon",
                         fmt::format("found {}, which what is measured before training already "
                                     "takes; accepted is more",
                                     to_decimal(epsilon)));
  // By halving on a logarithmic scale, between noise that is too little and enough.
  double low = 0.02, high = 1;
  while (!TRY(fits(TRY(written_up(high))))) {
    low = high;
    high *= 2;
    if (high > 1e9)
      return bad_parameter("epsilon",
                           fmt::format("no noise up to 10^9 gives {} in {} steps; accepted is "
                                       "more ε or δ, or fewer steps",
                                       to_decimal(epsilon), account.steps));
  }
  while (high / low > 1.0005) {
    const double middle = std::sqrt(low * high);
    (TRY(fits(TRY(written_up(middle)))) ? high : low) = middle;
  }
  return written_up(high);
}

Result<Rational> sigma_of_share(const Rational& epsilon, const Rational& delta,
                                const Rational& share) {
  const auto whole = TRY(privacy::Expression::parse({"gaussian(sigma=?)"}));
  const Rational sigma = TRY(privacy::calibrate(whole, epsilon, delta, {})).value;
  return written_up(to_double(sigma, Rounding::kUp) / std::sqrt(to_double(share)));
}

}  // namespace discreet::learn
