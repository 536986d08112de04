#include "discreet/ledger/account.h"

#include <fmt/format.h>

#include <cmath>

#include "discreet/privacy/concentrated.h"

namespace discreet::ledger {
namespace {

constexpr long kLargestBudget = 1'000'000;  // as in a policy; more protects nobody
constexpr std::string_view kNames[] = {"approx", "pure", "zcdp"};

// The largest rational of 40 binary places whose square is at most `value`.
Rational root_down(const Rational& value) {
  if (value <= 0) return 0;
  const Integer scaled = (value.get_num() << 80) / value.get_den();
  Integer root;
  mpz_sqrt(root.get_mpz_t(), scaled.get_mpz_t());
  Rational out(root, Integer(1) << 40);
  out.canonicalize();
  return out;
}

Rational positive(const Rational& value) { return value > 0 ? value : Rational(0); }

std::string pair(const Rational& epsilon, const Rational& delta, Rounding rounding) {
  return fmt::format("ε {}, δ {}", short_text(epsilon, rounding), short_text(delta, rounding));
}

Rational power_of_ten(long exponent) {
  Integer ten;
  mpz_ui_pow_ui(ten.get_mpz_t(), 10, static_cast<unsigned long>(std::abs(exponent)));
  return exponent < 0 ? 1 / Rational(ten) : Rational(ten);
}

// A double's shortest text, where that is exactly the value: what people wrote, 0.1, 1e-06, 1500.
std::optional<std::string> as_written(const Rational& value) {
  for (const Rounding side : {Rounding::kDown, Rounding::kUp}) {
    std::string text = to_text(to_double(value, side));
    if (const auto back = parse_number(text, side); back && *back == value) return text;
  }
  return std::nullopt;
}

}  // namespace

Result<Accountant> parse_accountant(std::string_view text) {
  for (const Accountant one : {Accountant::kApprox, Accountant::kPure, Accountant::kZcdp})
    if (text == name_of(one)) return one;
  return fail(Code::kUsage,
              fmt::format("accountant: found '{}'; accepted is approx, pure or zcdp", text));
}

std::string_view name_of(Accountant accountant) {
  return kNames[static_cast<std::size_t>(accountant)];
}

Sums& Sums::operator+=(const Sums& other) {
  epsilon += other.epsilon, delta += other.delta, rho += other.rho, part_delta += other.part_delta;
  return *this;
}

Sums& Sums::operator-=(const Sums& other) {
  epsilon -= other.epsilon, delta -= other.delta, rho -= other.rho, part_delta -= other.part_delta;
  return *this;
}

Result<Sums> cost_of(const Request& request) {
  if (request.epsilon < 0 || request.delta < 0 || request.delta >= 1) {
    return fail(Code::kUsage,
                fmt::format("ledger: found a cost of {}; accepted is ε ≥ 0 and 0 ≤ δ < 1",
                            pair(request.epsilon, request.delta, Rounding::kUp)));
  }
  Sums cost{request.epsilon, request.delta, 0, 0};
  for (const Event& event : request.events) {
    if (event.epsilon < 0 || event.delta < 0 || (event.rho && *event.rho < 0)) {
      return fail(Code::kUsage,
                  fmt::format("ledger: found a negative cost in the event {}", event.expression));
    }
    if (event.rho) {
      cost.rho += *event.rho;
    } else {
      cost.rho += event.epsilon * event.epsilon / 2;
      cost.part_delta += event.delta;
    }
  }
  if (request.events.empty()) {
    cost.rho = request.epsilon * request.epsilon / 2;
    cost.part_delta = request.delta;
  }
  return cost;
}

Result<Limit> make_limit(Accountant accountant, const Rational& epsilon, const Rational& delta) {
  if (epsilon <= 0 || epsilon > kLargestBudget || delta < 0 || delta >= 1) {
    return fail(Code::kUsage, fmt::format("budget: found {}; accepted is 0 < ε ≤ {} and 0 ≤ δ < 1",
                                          pair(epsilon, delta, Rounding::kUp), kLargestBudget));
  }
  Limit limit{accountant, epsilon, accountant == Accountant::kPure ? Rational(0) : delta, 0};
  if (accountant == Accountant::kZcdp) {
    if (delta == 0) {
      return fail(Code::kUsage, "budget: the zcdp accountant found δ = 0; accepted is 0 < δ < 1",
                  "use accountant = \"pure\" for a budget without δ");
    }
    limit.rho = privacy::concentrated_rho(epsilon, delta / 2);
  }
  return limit;
}

Amount limit_of(const Limit& limit) {
  Amount amount{limit.epsilon, limit.delta, {}};
  if (limit.accountant == Accountant::kZcdp) amount.rho = limit.rho;
  return amount;
}

Amount spent_of(const std::optional<Limit>& limit, const Sums& spent) {
  if (!limit || limit->accountant != Accountant::kZcdp) return {spent.epsilon, spent.delta, {}};
  // δ/2 pays for the conversion from the first ρ on.
  const Rational half = limit->delta / 2;
  return {Rational(privacy::concentrated_epsilon(spent.rho, half)),
          spent.part_delta + (spent.rho > 0 ? half : Rational(0)), spent.rho};
}

Amount remaining_of(const Limit& limit, const Sums& spent) {
  if (limit.accountant != Accountant::kZcdp) {
    return {positive(limit.epsilon - spent.epsilon), positive(limit.delta - spent.delta), {}};
  }
  const Rational rho = positive(limit.rho - spent.rho);
  return {root_down(2 * rho), positive(limit.delta / 2 - spent.part_delta), rho};
}

Status check_fits(const std::string& whose, const Limit& limit, const Sums& spent,
                  const Sums& cost) {
  const Amount left = remaining_of(limit, spent);
  const bool zcdp = limit.accountant == Accountant::kZcdp;
  if (limit.accountant == Accountant::kPure && cost.delta > 0) {
    return fail(Code::kBudget,
                fmt::format("{} is kept by the pure accountant, which refuses δ > 0. Requested: "
                            "{}; Remaining: {}; Missing: δ {}",
                            whose, pair(cost.epsilon, cost.delta, Rounding::kUp),
                            pair(left.epsilon, left.delta, Rounding::kDown),
                            short_text(cost.delta, Rounding::kUp)),
                "ask without δ: public group keys and Laplace noise need none");
  }
  const Rational& asked = zcdp ? cost.rho : cost.epsilon;
  const Rational& asked_delta = zcdp ? cost.part_delta : cost.delta;
  const Rational& has = zcdp ? *left.rho : left.epsilon;
  if (asked <= has && asked_delta <= left.delta) return {};

  const std::string unit = zcdp ? "ρ" : "ε";
  std::string missing;
  if (asked > has) missing += fmt::format("{} {}", unit, short_text(asked - has, Rounding::kUp));
  if (asked_delta > left.delta) {
    missing += fmt::format("{}δ {}", missing.empty() ? "" : ", ",
                           short_text(asked_delta - left.delta, Rounding::kUp));
  }
  Phrase hint;
  const auto fitting = [&](const char* parameter, const Rational& value) {
    return given(parameter, short_text(value, Rounding::kDown));
  };
  if (has <= 0) {
    hint = "nothing is left; only its owner can raise the budget: " +
           command("budget set --epsilon EPSILON --delta DELTA --reason TEXT");
  } else if (asked > has) {
    hint = fitting("epsilon", left.epsilon) + " would fit, and is all that is left";
    if (asked_delta > left.delta) hint += ", with " + fitting("delta", left.delta);
  } else {
    hint = fitting("delta", left.delta) + " would fit";
  }
  const auto in_full = [&](const Rational& epsilon, const Rational& delta, const Rational& rho,
                           Rounding rounding) {
    return pair(epsilon, delta, rounding) +
           (zcdp ? fmt::format(", ρ {}", short_text(rho, rounding)) : std::string());
  };
  return fail(Code::kBudget,
              fmt::format("{} does not cover this query. Requested: {}; Remaining: {}; Missing: {}",
                          whose, in_full(cost.epsilon, asked_delta, cost.rho, Rounding::kUp),
                          in_full(left.epsilon, left.delta, left.rho.value_or(0), Rounding::kDown),
                          missing),
              hint);
}

std::string short_text(const Rational& value, Rounding rounding) {
  if (auto text = as_written(value)) return *text;
  // Six significant digits, on the stated side: value = digits · 10^exponent with 10^5 ≤ digits ≤
  // 10^6. GMP counts decimal digits at most one too high, so the search begins below. (A double
  // couldn't tell: the value may be beyond them.)
  const auto places = [](const Integer& whole) {
    return static_cast<long>(mpz_sizeinbase(whole.get_mpz_t(), 10));
  };
  long exponent = places(value.get_num()) - places(value.get_den()) - 8;
  while (abs(value) >= power_of_ten(exponent + 6)) ++exponent;
  const Rational scaled = value / power_of_ten(exponent);
  Integer digits;
  (rounding == Rounding::kUp ? mpz_cdiv_q : mpz_fdiv_q)(digits.get_mpz_t(), scaled.get_num_mpz_t(),
                                                        scaled.get_den_mpz_t());
  if (auto text = as_written(digits * power_of_ten(exponent))) return *text;
  for (; digits % 10 == 0; ++exponent) digits /= 10;
  return fmt::format("{}e{}", digits.get_str(), exponent);
}

}  // namespace discreet::ledger
