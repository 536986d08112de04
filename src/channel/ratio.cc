#include "discreet/channel/ratio.h"

#include <fmt/format.h>

#include <optional>

#include "discreet/base/ball.h"
#include "discreet/base/quote.h"

namespace discreet::channel {
namespace {

constexpr long kRatioBits = 60;
constexpr long kLargestEpsilon = 500;
constexpr long kWorkBits = 1200;  // e^500 has 722 bits before the point
constexpr unsigned long kLargestPower = 64;
constexpr std::size_t kLongestRatio = 4096;  // bits

Rational scaled_down(const Integer& value, long shift) {
  Rational out(value);
  mpq_div_2exp(out.get_mpq_t(), out.get_mpq_t(), static_cast<mp_bitcnt_t>(shift));
  return out;
}

Rational below_exp(const Rational& epsilon) {
  const Ball ball = exp(Ball(epsilon, kWorkBits), kWorkBits);
  const Rational high = scaled_down(ball.floor_shifted(kWorkBits / 4), kWorkBits / 4);
  Rational slack = high;
  mpq_div_2exp(slack.get_mpq_t(), slack.get_mpq_t(), kRatioBits + 1);
  return simplest_between(high - slack, high);
}

Rational above_exp(const Rational& epsilon) {
  const Ball ball = exp(Ball(epsilon, kWorkBits), kWorkBits);
  const Rational low = scaled_down(ball.ceil_shifted(kWorkBits / 4), kWorkBits / 4);
  Rational slack = low;
  mpq_div_2exp(slack.get_mpq_t(), slack.get_mpq_t(), kRatioBits + 1);
  return simplest_between(low, low + slack);
}

// A number that involves no logarithm, so that nothing was rounded.
std::optional<Rational> exact_number(std::string_view text) {
  auto down = parse_number(text, Rounding::kDown), up = parse_number(text, Rounding::kUp);
  if (!down || !up || *down != *up) return std::nullopt;
  return *down;
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// ln(q), k*ln(q) or ln(q)*k with a whole k ≥ 1: the ratio q^k.
std::optional<Rational> exact_ratio(std::string_view text) {
  text = trimmed(text);
  unsigned long power = 1;
  const auto take_power = [&](std::string_view word) {
    const auto number = exact_number(trimmed(word));
    if (!number || number->get_den() != 1 || *number < 1 || *number > kLargestPower) return false;
    power = number->get_num().get_ui();
    return true;
  };
  if (const auto star = text.find('*'); star != std::string_view::npos) {
    const std::string_view left = trimmed(text.substr(0, star)),
                           right = trimmed(text.substr(star + 1));
    const bool log_left = left.starts_with("ln(");
    if (!take_power(log_left ? right : left)) return std::nullopt;
    text = log_left ? left : right;
  }
  if (!text.starts_with("ln(") || !text.ends_with(')')) return std::nullopt;
  const auto base = exact_number(text.substr(3, text.size() - 4));
  if (!base || *base <= 1) return std::nullopt;
  const std::size_t bits = mpz_sizeinbase(base->get_num_mpz_t(), 2);
  if (bits * power > kLongestRatio || log_of(*base, power) > kLargestEpsilon) return std::nullopt;
  Rational out;
  mpz_pow_ui(out.get_num_mpz_t(), base->get_num_mpz_t(), power);
  mpz_pow_ui(out.get_den_mpz_t(), base->get_den_mpz_t(), power);
  return out;
}

}  // namespace

Rational simplest_between(const Rational& low, const Rational& high) {
  Integer whole;
  mpz_cdiv_q(whole.get_mpz_t(), low.get_num_mpz_t(), low.get_den_mpz_t());
  if (Rational(whole) <= high) return whole;  // a whole number lies between: the least is simplest
  whole -= 1;
  const Rational rest = simplest_between(1 / (high - Rational(whole)), 1 / (low - Rational(whole)));
  return Rational(whole) + 1 / rest;
}

Ratio Ratio::of_epsilon(const Rational& epsilon) {
  if (sgn(epsilon) == 0) return exactly(1);
  return {below_exp(epsilon), above_exp(epsilon)};
}

Result<Ratio> parse_ratio(const std::string& parameter, const std::string& text, bool zero) {
  const std::string accepted = fmt::format("a number {} and at most {}, such as 0.5 or ln(3)",
                                           zero ? "from 0 on" : "above 0", kLargestEpsilon);
  if (auto ratio = exact_ratio(text)) return Ratio::exactly(*ratio);
  auto low = parse_number(text, Rounding::kDown), high = parse_number(text, Rounding::kUp);
  if (!low || !high) {
    return bad_parameter(parameter, low.error().message + "; accepted is " + accepted,
                         low.error().hint);
  }
  if (sgn(*high) < 0 || *high > kLargestEpsilon || (!zero && sgn(*low) <= 0)) {
    return bad_parameter(parameter, fmt::format("found {}; accepted is {}", quote(text), accepted));
  }
  if (sgn(*low) < 0) *low = 0;
  if (*low == *high) return Ratio::of_epsilon(*low);
  return Ratio{Ratio::of_epsilon(*low).lower, Ratio::of_epsilon(*high).upper};
}

double log_of(const Rational& ratio, unsigned long power) {
  if (ratio == 1) return 0;
  const auto bits = static_cast<long>(192 + mpz_sizeinbase(ratio.get_den_mpz_t(), 2));
  const Ball log_ratio = log(Ball(ratio, bits), bits);
  return mul(Ball(Rational(power), bits), log_ratio, bits).middle();
}

}  // namespace discreet::channel
