#include "discreet/privacy/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "discreet/base/try.h"
#include "discreet/privacy/cost.h"
#include "discreet/privacy/source.h"

namespace discreet::privacy {
namespace {

constexpr double kLargest = 1e12, kSmallest = 1e-12;
// Of all that is tried together, and of each try: hard ones get the more the earlier they come.
constexpr double kMostWork = 6e9, kLeastWork = 3e7;

// A decimal of so many digits at or beyond the value, on the side asked for.
Rational short_decimal(double value, int digits, bool up) {
  if (value == 0) return 0;
  const int exponent = static_cast<int>(std::floor(std::log10(value))) - digits + 1;
  Integer power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, static_cast<unsigned long>(std::abs(exponent)));
  const Rational unit = exponent >= 0 ? Rational(power) : Rational(1 / Rational(power));
  const Rational units = Rational(value) / unit;
  Integer count;
  (up ? mpz_cdiv_q : mpz_fdiv_q)(count.get_mpz_t(), units.get_num_mpz_t(), units.get_den_mpz_t());
  return unit * count;
}

class Calibrator {
 public:
  Calibrator(const Expression& expression, const Rational& epsilon, const Rational& delta,
             const AccountOptions& options)
      : expression_(expression),
        unknown_(*expression.unknown()),
        epsilon_(epsilon),
        delta_(delta),
        options_(options) {}

  Result<Calibration> run() {
    TRY(try_out());
    const double top = sgn(unknown_.high) > 0 ? unknown_.high.get_d() : kLargest,
                 bottom = unknown_.low.get_d();
    auto value = TRY(unknown_.whole ? whole(bottom, top) : real(bottom, top));
    return Calibration{value, accountant_};
  }

 private:
  // Which accountant will do, and can it at all?
  Status try_out() {
    auto event = TRY(expression_.at(
        unknown_.whole || sgn(unknown_.low) > 0 ? Rational(unknown_.low + 1) : Rational(1, 2)));
    auto answer = TRY(account_delta(event, epsilon_, options_));
    accountant_ = answer.accountant;
    options_.accountant = accountant_;
    exact_ = accountant_ != Accountant::kPld;
    if (auto sources = sources_of(event, options_.adjacency); sources && sources->gaussian)
      exact_ = true;
    if (sgn(delta_) == 0) exact_ = true;
    if (!exact_) options_.tolerance = std::min(options_.tolerance, 1e-3);
    return {};
  }

  // ln δ(ε) − ln δ: not above 0 where the guarantee holds.
  double excess(const Rational& value) {
    auto event = expression_.at(value);
    if (!event) {
      error_ = event.error();
      return HUGE_VAL;
    }
    if (sgn(delta_) == 0) {  // a pure guarantee, in exact numbers
      auto cost = approximate_cost(*event, options_.adjacency, name_of(accountant_));
      if (!cost) {
        error_ = cost.error();
        return HUGE_VAL;
      }
      return sgn(cost->delta) == 0 && cost->epsilon <= epsilon_ ? -1 : 1;
    }
    options_.most_work = std::max(work_ / 8, kLeastWork);
    options_.target = to_double(delta_, Rounding::kDown);
    auto answer = account_delta(*event, epsilon_, options_);
    if (!answer) {
      error_ = answer.error();
      return HUGE_VAL;
    }
    work_ -= answer->work;
    const double most = to_double(delta_, Rounding::kDown), upper = answer->value.upper;
    if (upper <= most) return std::min(-1e-300, std::log(upper / most));
    return std::log(upper / most);
  }
  bool allowed(const Rational& value) const {
    return value > unknown_.low && (sgn(unknown_.high) == 0 || value <= unknown_.high);
  }
  bool holds(const Rational& value) { return excess(value) <= 0; }

  tl::unexpected<Error> nothing(const std::string& why) {
    if (error_) return tl::unexpected<Error>(*error_);
    return fail(Code::kUsage, fmt::format("{}: {}", unknown_.name, why));
  }

  Result<Rational> whole(double bottom, double top) {
    const bool protects = unknown_.protects;
    // The guarantee holds on one side of a step: below it for counts, above it for k.
    double low = bottom, high = std::max(1.0, bottom + 1);
    if (protects) {
      if (holds(Rational(low))) return Rational(low);
      while (!holds(Rational(high))) {
        low = high;
        high *= 4;
        if (high > top)
          return nothing(fmt::format("no value up to {} gives the guarantee", to_text(top)));
      }
    } else {
      if (!holds(Rational(low)))
        return nothing(fmt::format("not even {} gives the guarantee", to_text(low)));
      while (holds(Rational(high))) {
        low = high;
        high *= 4;
        if (high > top)
          return nothing(fmt::format("every value up to {} gives the guarantee", to_text(top)));
      }
    }
    if (error_) return tl::unexpected<Error>(*error_);
    while (high - low > 1) {
      const double middle = std::floor(low + (high - low) / 2);
      (holds(Rational(middle)) == protects ? high : low) = middle;
    }
    return Rational(protects ? high : low);
  }

  // In logarithms of the distance to the lower end: find a bracket, then regula falsi with the
  // Illinois correction on ln δ, which is smooth.
  Result<Rational> real(double bottom, double top) {
    const bool protects = unknown_.protects;
    const auto value_at = [&](double t) { return std::min(bottom + std::exp(t), top); };
    const auto score = [&](double t) { return excess(Rational(value_at(t))); };
    if (sgn(unknown_.high) > 0 && !protects && holds(unknown_.high)) return unknown_.high;
    double good = sgn(unknown_.high) > 0 ? std::log((top - bottom) / 2) : 0, bad = good,
           good_score = score(good), bad_score = good_score;
    const double away = protects ? 1 : -1;  // towards more privacy
    if (good_score <= 0) {
      for (double step = 0.7; bad_score <= 0; step *= 2) {
        good = bad;
        good_score = bad_score;
        bad -= away * step;
        if (value_at(bad) >= kLargest || value_at(bad) - bottom <= kSmallest ||
            (value_at(bad) >= top && away < 0)) {
          if (value_at(bad) >= top && away < 0 && sgn(unknown_.high) > 0) {
            bad = std::log(top - bottom);
            bad_score = 1;
            break;
          }
          return nothing(fmt::format("every value from {} to {} gives the guarantee",
                                     to_text(kSmallest), to_text(std::min(top, kLargest))));
        }
        bad_score = score(bad);
      }
    } else {
      for (double step = 0.7; good_score > 0; step *= 2) {
        bad = good;
        bad_score = good_score;
        good += away * step;
        if (value_at(good) >= std::min(top, kLargest) || value_at(good) - bottom <= kSmallest) {
          return nothing("no value gives the guarantee");
        }
        good_score = score(good);
      }
    }
    if (error_) return tl::unexpected<Error>(*error_);
    const double close = exact_ ? 1e-13 : std::min(options_.tolerance, 1e-3) * 1e-2;
    int side = 0;
    double good_weight = good_score, bad_weight = bad_score;
    for (int i = 0; i < 200 && std::fabs(good - bad) > close; ++i) {
      double t = (good + bad) / 2;
      const bool smooth =
          std::isfinite(good_weight) && std::isfinite(bad_weight) && bad_weight - good_weight > 0;
      if (smooth && i % 4 != 3) {
        t = good + (bad - good) * (-good_weight / (bad_weight - good_weight));
        // Overshoot a little to close the bracket from both sides.
        const double least = 0.3 * close, from_good = std::fabs(t - good),
                     from_bad = std::fabs(t - bad);
        if (from_good < least) t = good + (bad > good ? least : -least);
        if (from_bad < least) t = bad + (good > bad ? least : -least);
      }
      if (t == good || t == bad) break;
      const double s = score(t);
      if (s <= 0) {
        good = t;
        good_score = good_weight = s;
        if (side == 1) bad_weight /= 2;
        side = 1;
      } else {
        bad = t;
        bad_score = bad_weight = s;
        if (side == -1) good_weight /= 2;
        side = -1;
      }
    }
    const double value = value_at(good);
    // The nearest short number if that will do, else a safer one.
    for (const bool upwards : {protects, !protects}) {
      const Rational rounded = short_decimal(value, exact_ ? 12 : 6, upwards);
      if (std::fabs(rounded.get_d() / value - 1) < (exact_ ? 2e-13 : 2e-6) && allowed(rounded) &&
          holds(rounded))
        return rounded;
    }
    for (const int digits : {exact_ ? 13 : 6, 16}) {
      const Rational rounded = short_decimal(value, digits, protects);
      if (rounded > unknown_.low && (sgn(unknown_.high) == 0 || rounded <= unknown_.high) &&
          holds(rounded))
        return rounded;
    }
    return Rational(value);
  }

  const Expression& expression_;
  const Unknown& unknown_;
  const Rational &epsilon_, &delta_;
  AccountOptions options_;
  Accountant accountant_ = Accountant::kPld;
  bool exact_ = false;
  std::optional<Error> error_;
  double work_ = kMostWork;  // that is left
};

}  // namespace

Result<Calibration> calibrate(const Expression& expression, const Rational& epsilon,
                              const Rational& delta, const AccountOptions& options) {
  if (!expression.unknown()) {
    return fail(Code::kUsage,
                "found no unknown in the expression, accepted is one number written '?'",
                "such as gaussian(sigma=?)*20");
  }
  return Calibrator(expression, epsilon, delta, options).run();
}

}  // namespace discreet::privacy
