#include "discreet/local/promise.h"

#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/local/flat.h"
#include "discreet/local/subset.h"
#include "discreet/privacy/shuffle.h"

namespace discreet::local {
namespace {

Rational times(const Rational& value, std::uint64_t factor) {
  return value * Rational(Integer(static_cast<unsigned long>(factor)));
}

Status check(const Collection& collection) {
  if (collection.epsilons.empty())
    return bad_parameter("epsilons", "found none; accepted is a list of numbers of at least 0");
  for (const Rational& epsilon : collection.epsilons)
    if (epsilon < 0)
      return bad_parameter("epsilons", fmt::format("found {}; accepted are numbers of at least 0",
                                                   to_decimal(epsilon)));
  if (collection.reports < 1)
    return bad_parameter("reports", "found 0; accepted is how many each user sends, at least 1");
  if (collection.permanent && *collection.permanent < 0)
    return bad_parameter("permanent", fmt::format("found {}; accepted is a number of at least 0",
                                                  to_decimal(*collection.permanent)));
  if (collection.group < 1)
    return bad_parameter("group", "found 0; accepted is a number of users, at least 1");
  if (collection.users.has_value() != collection.delta.has_value())
    return bad_parameter(collection.users ? "delta" : "users",
                         "none was given; shuffled reports promise something only with both a "
                         "number of users and a δ",
                         collection.users ? advise("delta", "1e-6") : advise("users", "1e6"));
  return {};
}

// Of k users, one after the other: kε, and δ·(1 + e^ε + … + e^((k−1)ε)) = δ·(e^(kε) − 1)/(e^ε − 1).
// Nothing where that is no δ.
std::optional<Promise::Group> group_of(const Promise::Shuffled& one, std::uint64_t size) {
  constexpr long kBits = 256;  // ε may be small: the differences lose digits
  const Rational epsilon(one.epsilon), all = times(epsilon, size);
  if (all > 1000) return {};
  const auto above_one = [](const Rational& exponent) {
    return sub(exp(Ball(exponent, kBits), kBits), Ball(1), kBits);
  };
  const Ball sum =
      epsilon == 0 ? Ball(times(1, size), kBits) : div(above_one(all), above_one(epsilon), kBits);
  const Ball delta = mul(Ball(one.delta, kBits), sum, kBits);
  if (!(delta.upper() < 1)) return {};
  return Promise::Group{to_double(all, Rounding::kUp), delta.upper()};
}

// Each round with its share of δ.
Result<Promise::Shuffled> shuffled(const Collection& collection, const Rational& epsilon) {
  // reports that tell nothing tell nothing in any order
  if (epsilon == 0) return Promise::Shuffled{.epsilon = 0, .delta = *collection.delta};
  const privacy::Shuffle shuffle{epsilon, *collection.users, collection.hides_well};
  const Rational each =
      *collection.delta / Rational(Integer(static_cast<unsigned long>(collection.reports)));
  if (each < privacy::least_shuffled_delta() && *collection.delta > 0)
    return bad_parameter(
        "delta",
        fmt::format(
            "found {}{}; accepted is a number of at least 1e-200{}",
            to_text(to_written_double(*collection.delta, Rounding::kUp)),
            collection.reports > 1 ? fmt::format(" for {} reports", collection.reports) : "",
            collection.reports > 1 ? " for each" : ""));
  const double numerical = TRY(privacy::shuffled_epsilon(shuffle, each));
  const auto closed = TRY(privacy::shuffled_epsilon_closed_form(shuffle, each));
  const auto all_rounds = [&collection](double one) {
    return to_double(times(Rational(one), collection.reports), Rounding::kUp);
  };
  Promise::Shuffled out{.epsilon = all_rounds(numerical), .delta = *collection.delta};
  if (closed) out.closed = all_rounds(*closed);
  if (closed && *closed < numerical) {
    out.epsilon = *out.closed;
    out.closed_form = true;
  }
  return out;
}

}  // namespace

Result<Promise> promise_of(const Collection& collection) {
  TRY(check(collection));
  const auto [least, most] =
      std::minmax_element(collection.epsilons.begin(), collection.epsilons.end());
  const Rational central =
      collection.permanent ? *collection.permanent : times(*most, collection.reports);
  Promise out{.report = *most, .central = central, .group = times(central, collection.group)};
  if (collection.absentees_report) out.add_remove = out.central;
  if (!collection.users) return out;
  if (*least != *most)
    return bad_parameter("users",
                         fmt::format("found together with reports of ε from {} to {}; nothing is "
                                     "proved of shuffled reports unless all have the same ε",
                                     to_decimal(*least), to_decimal(*most)),
                         "shuffle and count each kind by itself");
  out.shuffled = TRY(shuffled(collection, *most));
  out.shuffled->group = group_of(*out.shuffled, collection.group);
  return out;
}

bool one_value_a_report(const Protocol& protocol) {
  const auto* subset = dynamic_cast<const Subset*>(&protocol);
  return dynamic_cast<const Flat*>(&protocol) != nullptr ||
         (subset != nullptr && subset->constants().words == 1);  // a set of one is the flat report
}

}  // namespace discreet::local
