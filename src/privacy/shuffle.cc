#include "discreet/privacy/shuffle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "discreet/base/try.h"
#include "discreet/privacy/shuffle_pair.h"

namespace discreet::privacy {
namespace {

constexpr long kBits = 128;
// Beyond, e^ε0 is more than there are people, and nothing is gained.
constexpr long kMostEpsilon = 500;
constexpr std::uint64_t kMostUsers = std::uint64_t{1} << 32;

Ball whole(std::uint64_t value) {
  return Ball(Rational(Integer(static_cast<unsigned long>(value))), kBits);
}

Status check(const Shuffle& shuffle) {
  if (shuffle.epsilon <= 0 || shuffle.epsilon > kMostEpsilon)
    return bad_parameter("epsilon",
                         fmt::format("found {}; accepted is a number above 0 and at most {}",
                                     to_decimal(shuffle.epsilon), kMostEpsilon));
  if (shuffle.users < 1)
    return bad_parameter("users", "found 0; accepted is how many people report, at least 1");
  return {};
}

Status check_delta(const Rational& delta) {
  if (delta >= least_shuffled_delta() && delta < 1) return {};
  if (delta > 0 && delta < 1)
    return bad_parameter("delta", fmt::format("found {}; accepted is a number of at least 1e-200",
                                              to_text(to_written_double(delta, Rounding::kUp))));
  return bad_parameter("delta",
                       fmt::format("found {}; accepted is a number above 0 and below 1: shuffling "
                                   "gains nothing at δ = 0",
                                   to_decimal(delta)));
}

Clones clones_of(const Shuffle& shuffle) {
  return shuffle.one_value_a_report ? response_randomizer(shuffle.epsilon)
                                    : any_randomizer(shuffle.epsilon);
}

}  // namespace

const Rational& least_shuffled_delta() {
  static const Rational least(Integer(1), Integer("1" + std::string(200, '0')));
  return least;
}

Result<double> shuffled_epsilon(const Shuffle& shuffle, const Rational& delta) {
  TRY(check(shuffle));
  TRY(check_delta(delta));
  const double wanted = to_double(delta, Rounding::kDown);
  CloneQuestion question{.users = std::min(shuffle.users, kMostUsers),
                         .clones = clones_of(shuffle),
                         .negligible = wanted * 1e-9};
  const auto holds = [&](double epsilon) { return clones_delta(question, epsilon) <= wanted; };
  if (holds(0)) return 0.0;
  double low = 0, high = to_double(shuffle.epsilon, Rounding::kUp);
  while (high - low > 1e-6 * high) {
    const double middle = low + (high - low) / 2;
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

Result<double> shuffled_delta(const Shuffle& shuffle, const Rational& epsilon) {
  TRY(check(shuffle));
  if (epsilon < 0)
    return bad_parameter("epsilon", fmt::format("found {}; accepted is a number of at least 0",
                                                to_decimal(epsilon)));
  if (epsilon >= shuffle.epsilon) return 0.0;
  const double at = to_double(epsilon, Rounding::kDown);
  CloneQuestion question{.users = std::min(shuffle.users, kMostUsers),
                         .clones = clones_of(shuffle)};
  // once more where so little matters that what was left out shows
  const double first = clones_delta(question, at);
  if (first > 1e9 * question.negligible) return first;
  question.negligible = 1e-100;
  return clones_delta(question, at);
}

Result<std::optional<double>> shuffled_epsilon_closed_form(const Shuffle& shuffle,
                                                           const Rational& delta) {
  TRY(check(shuffle));
  TRY(check_delta(delta));
  const Ball e = exp(Ball(shuffle.epsilon, kBits), kBits), n = whole(shuffle.users), one(1);
  const auto log_of = [&delta](long above) {
    return log(Ball(Rational(above) / delta, kBits), kBits);
  };
  if (!surely_at_most(mul(e, mul(Ball(16), log_of(2), kBits), kBits), n))
    return std::optional<double>{};
  const Ball root = sqrt(div(mul(e, log_of(4), kBits), n, kBits), kBits);
  const Ball reach = mul(Ball(8), add(root, div(e, n, kBits), kBits), kBits);
  const Ball lean = div(sub(e, one, kBits), add(e, one, kBits), kBits);
  return std::optional(log1p(mul(lean, reach, kBits), kBits).upper());
}

}  // namespace discreet::privacy
