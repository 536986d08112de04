#include "discreet/privacy/filter.h"

#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/privacy/concentrated.h"
#include "discreet/privacy/convert.h"
#include "discreet/privacy/cost.h"
#include "discreet/privacy/gaussian.h"
#include "discreet/privacy/renyi.h"

namespace discreet::privacy {
namespace {

Adjacency adjacency_of(Relation relation) {
  return relation == Relation::kSubstitute ? Adjacency::kSubstitute : Adjacency::kAddRemove;
}

const char* kNames[][2] = {{"epsilon", "delta"}, {"rho", ""}, {"mu^2", ""}, {"Renyi epsilon", ""}};

// Exact where that is short, else to about 17 digits.
std::string readable(const Rational& value) {
  const std::string exact = to_decimal(value);
  return exact.size() <= 24 && exact.find('/') == std::string::npos ? exact
                                                                    : to_text(value.get_d());
}

Status not_negative(const char* name, const Rational& value) {
  if (sgn(value) >= 0) return {};
  return fail(Code::kUsage,
              fmt::format("budget: {} is {}, accepted is 0 or more", name, to_decimal(value)));
}

}  // namespace

Filter::Filter(Currency currency, Relation relation, Rational alpha, std::vector<Rational> budget)
    : currency_(currency),
      relation_(relation),
      alpha_(std::move(alpha)),
      budget_(std::move(budget)),
      totals_(budget_.size()) {}

Result<Filter> Filter::approximate(const Guarantee& budget) {
  TRY(not_negative("epsilon", budget.epsilon));
  if (sgn(budget.delta) < 0 || budget.delta > 1) {
    return fail(Code::kUsage, fmt::format("budget: delta is {}, accepted is a number from 0 to 1",
                                          to_decimal(budget.delta)));
  }
  return Filter(Currency::kApproximate, budget.relation, 0, {budget.epsilon, budget.delta});
}

Result<Filter> Filter::concentrated(const Rational& rho, Relation relation) {
  TRY(not_negative("rho", rho));
  return Filter(Currency::kConcentrated, relation, 0, {rho});
}

Result<Filter> Filter::gaussian(const Rational& mu, Relation relation) {
  TRY(not_negative("mu", mu));
  return Filter(Currency::kGaussian, relation, 0, {Rational(mu * mu)});
}

Result<Filter> Filter::renyi(const Rational& alpha, const Rational& epsilon, Relation relation) {
  if (alpha <= 1)
    return fail(Code::kUsage, fmt::format("budget: alpha is {}, accepted is a number above 1",
                                          to_decimal(alpha)));
  TRY(not_negative("epsilon", epsilon));
  return Filter(Currency::kRenyi, relation, alpha, {epsilon});
}

Result<std::vector<Rational>> Filter::price(const Event& event) const {
  TRY(check(event));
  const Adjacency adjacency = adjacency_of(relation_);
  const auto one = [](Result<Rational> cost) -> Result<std::vector<Rational>> {
    if (!cost) return forward_error(cost);
    return std::vector<Rational>{*cost};
  };
  switch (currency_) {
    case Currency::kApproximate: {
      auto cost = TRY(approximate_cost(event, adjacency));
      return std::vector<Rational>{cost.epsilon, cost.delta};
    }
    case Currency::kConcentrated:
      return one(concentrated_cost(event, adjacency));
    case Currency::kGaussian:
      return one(gaussian_cost(event, adjacency));
    case Currency::kRenyi:
      break;
  }
  auto value = TRY(privacy::renyi(event, alpha_, adjacency));
  auto exact = exactly(value);
  if (!exact)
    return fail(Code::kUsage, fmt::format("{} has no finite Renyi divergence at order {}",
                                          describe(event), to_decimal(alpha_)));
  return std::vector<Rational>{*exact};
}

bool Filter::can_spend(const Event& event) const {
  const auto cost = price(event);
  if (!cost) return false;
  for (std::size_t i = 0; i < budget_.size(); ++i)
    if (totals_[i] + (*cost)[i] > budget_[i]) return false;
  return true;
}

Status Filter::spend(const Event& event) {
  auto cost = TRY(price(event));
  for (std::size_t i = 0; i < budget_.size(); ++i) {
    const Rational left = budget_[i] - totals_[i];
    if (cost[i] > left) {
      return fail(
          Code::kBudget,
          fmt::format(
              "the budget doesn't cover {}: {} requested is {}, remaining is {}, {} too much",
              describe(event), kNames[static_cast<int>(currency_)][i], readable(cost[i]),
              readable(left), readable(cost[i] - left)));
    }
  }
  for (std::size_t i = 0; i < budget_.size(); ++i) totals_[i] += cost[i];
  return {};
}

Result<Rational> Filter::convert(const std::vector<Rational>& amount, const Rational& delta,
                                 Rounding rounding) const {
  if (sgn(delta) < 0 || delta >= 1) {
    return fail(Code::kUsage, fmt::format("delta: found {}, accepted is a number from 0 to below 1",
                                          to_decimal(delta)));
  }
  if (currency_ == Currency::kApproximate) return amount[1] <= delta ? amount[0] : Rational(0);
  if (sgn(amount[0]) == 0) return Rational(0);
  if (sgn(delta) == 0)
    return fail(Code::kUsage,
                "delta: found 0, accepted is a number above 0 for this kind of budget");
  const double at_most = to_double(delta, Rounding::kDown),
               cost = to_double(amount[0], Rounding::kUp);
  double epsilon = 0;
  if (currency_ == Currency::kConcentrated) epsilon = concentrated_epsilon(amount[0], delta);
  if (currency_ == Currency::kRenyi) epsilon = single_order_epsilon(alpha_.get_d(), cost, at_most);
  if (currency_ == Currency::kGaussian) {
    const Enclosure range = gaussian_epsilon(delta, amount[0]);
    epsilon = rounding == Rounding::kUp ? range.upper : range.lower;
  } else if (rounding == Rounding::kDown) {
    epsilon *= 1 - 0x1p-38;  // conversions round up by 2^-40
  }
  return exactly(epsilon);
}

Result<Rational> Filter::remaining(const Rational& delta) const {
  std::vector<Rational> left;
  for (std::size_t i = 0; i < budget_.size(); ++i) left.push_back(budget_[i] - totals_[i]);
  if (currency_ == Currency::kApproximate)
    return convert({left[0], Rational(delta > left[1] ? 1 : 0)}, delta, Rounding::kDown);
  return convert(left, delta, Rounding::kDown);
}

Result<Rational> Filter::spent(const Rational& delta) const {
  if (currency_ == Currency::kApproximate && totals_[1] > delta) {
    return fail(Code::kUsage, fmt::format("delta: {} was spent already, accepted is that or more",
                                          to_decimal(totals_[1])));
  }
  return convert(totals_, delta, Rounding::kUp);
}

}  // namespace discreet::privacy
