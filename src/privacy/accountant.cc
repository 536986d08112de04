#include "discreet/privacy/accountant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/ball.h"
#include "discreet/base/suggest.h"
#include "discreet/base/try.h"
#include "discreet/privacy/compose.h"
#include "discreet/privacy/concentrated.h"
#include "discreet/privacy/convert.h"
#include "discreet/privacy/cost.h"
#include "discreet/privacy/gaussian.h"
#include "discreet/privacy/renyi.h"

namespace discreet::privacy {
namespace {

constexpr const char* kNames[] = {"basic", "advanced", "optimal", "zcdp", "rdp", "gdp", "pld"};
constexpr const char* kRelations[] = {"add", "remove", "add-remove", "substitute"};

// The number that is given; the other one is asked for. Both roundings are at hand: bounds round
// against themselves.
struct Given {
  bool delta;  // δ is given, ε asked for
  const Rational& value;
  double down() const { return to_double(value, Rounding::kDown); }
};

Result<std::vector<Equals>> equals_of(const Event& event, Adjacency adjacency,
                                      std::string_view accountant) {
  std::vector<Equals> out;
  for (const Part& part : parts_of(event)) {
    auto cost = TRY(approximate_cost(part.event, adjacency, accountant));
    out.push_back({cost.epsilon, cost.delta, part.count});
  }
  return out;
}

Result<Interval> upper(Result<double> value) {
  if (!value) return forward_error(value);
  return Interval{0, *value};
}

Result<Interval> basic(const Event& event, const Given& given, Adjacency adjacency) {
  auto cost = TRY(approximate_cost(event, adjacency, "basic"));
  if (!given.delta) return Interval{0, implied_delta(cost.epsilon, cost.delta, given.down())};
  if (cost.delta > given.value) return Interval{0, HUGE_VAL};
  // The sum itself, not what it implies for a larger δ: that is what basic composition says.
  return Interval{0, to_double(cost.epsilon, Rounding::kUp)};
}

Result<Interval> concentrated(const Event& event, const Given& given, Adjacency adjacency) {
  auto rho = TRY(concentrated_cost(event, adjacency));
  return Interval{0, given.delta ? concentrated_epsilon(rho, given.value)
                                 : concentrated_delta(rho, given.value)};
}

Result<Interval> gaussian(const Event& event, const Given& given, Adjacency adjacency) {
  auto squares = TRY(gaussian_cost(event, adjacency));
  if (!given.delta) {
    const Ball delta = gaussian_delta(given.value, squares, 64);
    return Interval{std::max(0.0, delta.lower()), delta.upper()};
  }
  if (sgn(given.value) == 0) return sgn(squares) == 0 ? Interval{} : Interval{HUGE_VAL, HUGE_VAL};
  const Enclosure epsilon = gaussian_epsilon(given.value, squares);
  return Interval{epsilon.lower, epsilon.upper};
}

void collect_orders(const Event& event, std::vector<double>& out) {
  std::visit(Overloaded{
                 [&](const RenyiBound& e) { out.push_back(to_double(e.alpha, Rounding::kDown)); },
                 [&](const Poisson& e) { collect_orders(*e.event, out); },
                 [&](const Repeated& e) { collect_orders(*e.event, out); },
                 [&](const Composed& e) {
                   for (const Event& part : e.events) collect_orders(part, out);
                 },
                 [&](const Parallel& e) {
                   for (const Event& part : e.events) collect_orders(part, out);
                 },
                 [](const auto&) {},
             },
             event.what);
}

// How far apart the orders around one are, as the ratio of α − 1.
double neighbour_ratio(const std::vector<double>& rising, double order) {
  const auto at = std::lower_bound(rising.begin(), rising.end(), order);
  double ratio = 1;
  if (at != rising.begin()) ratio = (order - 1) / (*(at - 1) - 1);
  if (at + 1 < rising.end()) ratio = std::max(ratio, (*(at + 1) - 1) / (order - 1));
  return std::min(ratio, 2.0);
}

// Rényi DP over the grid of orders. What (ε, δ) events lose altogether has no Rényi divergence; it
// is set aside and added to δ.
Result<Interval> renyi_bound(const Event& event, const Given& given, Adjacency adjacency) {
  std::vector<Event> events;
  Rational aside;
  for (const Part& part : parts_of(event)) {
    Event kept = part.event;
    if (auto* approximate = std::get_if<Approximate>(&kept.what)) {
      aside += approximate->delta * part.count;
      approximate->delta = 0;
    }
    events.push_back(Event{Repeated{share(std::move(kept)), part.count}});
  }
  const Event rest_of_it{Composed{std::move(events)}};
  const double away = to_double(aside, Rounding::kUp), rest = given.down() - away;
  std::vector<double> orders = renyi_orders();
  const std::size_t usual = orders.size();
  collect_orders(event, orders);
  // Where a single order is all that is known, the tight conversion.
  const auto value_of = [&](double order, double divergence, bool single) {
    if (given.delta) {
      if (!(rest > 0)) return rest == 0 && divergence == 0 ? 0 : HUGE_VAL;
      const double simple = renyi_epsilon(order, divergence, rest);
      return single ? std::min(simple, single_order_epsilon(order, divergence, rest)) : simple;
    }
    return away + (single ? single_order_delta(order, divergence, given.down())
                          : renyi_delta(order, divergence, given.down()));
  };
  double best = given.delta ? HUGE_VAL : 1, best_order = orders[0];
  bool finite = false;
  const auto take = [&](std::span<const double> some, std::size_t plain) -> Status {
    auto values = TRY(renyi(rest_of_it, some, adjacency));
    for (std::size_t i = 0; i < some.size(); ++i) {
      finite = finite || std::isfinite(values[i]);
      const double value = value_of(some[i], values[i], i >= plain);
      if (value < best) best = value, best_order = some[i];
    }
    return {};
  };
  TRY(take(orders, usual));
  if (!finite) {
    return fail(Code::kUsage, fmt::format("the rdp accountant can't handle {}", describe(event)),
                "its Renyi divergence is infinite at every order; try " +
                    discreet::given("accountant", "pld"));
  }
  // Any order gives a valid bound: closer and closer ones around the best.
  std::sort(orders.begin(), orders.end());
  for (double ratio = neighbour_ratio(orders, best_order); ratio > 1.0005 && best > 0;
       ratio = std::pow(ratio, 0.3)) {
    std::vector<double> closer;
    for (const double share : {-0.75, -0.5, -0.25, 0.25, 0.5, 0.75})
      closer.push_back(1 + (best_order - 1) * std::pow(ratio, share));
    TRY(take(closer, closer.size()));
  }
  return Interval{0, best};
}

std::optional<Event> plainest(const Event& event);

// Of several parts: those that have a plainest instance are replaced.
template <class Parts>
std::optional<Event> plainest_parts(Parts out) {
  bool any = false;
  for (Event& part : out.events) {
    auto inner = plainest(part);
    any = any || inner;
    if (inner) part = *inner;
  }
  if (!any) return std::nullopt;
  return Event{std::move(out)};
}

// The event with every exponential mechanism replaced by its plainest instance, two candidates
// whose scores move against each other: randomized response at ε/2. Its cost is a lower bound. None
// if there is nothing to replace.
std::optional<Event> plainest(const Event& event) {
  return std::visit(Overloaded{
                        [](const Exponential& e) -> std::optional<Event> {
                          return Event{RandomizedResponse{2, e.epsilon / 2}};
                        },
                        [](const Poisson& e) -> std::optional<Event> {
                          auto inner = plainest(*e.event);
                          if (!inner) return std::nullopt;
                          return Event{Poisson{e.rate, share(*inner)}};
                        },
                        [](const Repeated& e) -> std::optional<Event> {
                          auto inner = plainest(*e.event);
                          if (!inner) return std::nullopt;
                          return Event{Repeated{share(*inner), e.count}};
                        },
                        [](const Composed& e) { return plainest_parts(e); },
                        [](const Parallel& e) { return plainest_parts(e); },
                        [](const auto&) -> std::optional<Event> { return std::nullopt; },
                    },
                    event.what);
}

Result<PldAnswer> by_pld(const Event& event, const Given& given, const AccountOptions& options) {
  PldOptions pld;
  pld.tolerance = options.tolerance;
  pld.most_work = options.most_work;
  pld.progress = options.progress;
  const auto run = [&](const Event& e) {
    return given.delta ? pld_epsilon(e, given.value, options.adjacency, pld)
                       : pld_delta(e, given.value, options.adjacency, pld);
  };
  auto found = TRY(run(event));
  // One exponential mechanism has the pair's own profile. Many are cheaper than as many of that
  // pair, which is the worst of a family at each ε: there Rényi divergences may say more, and the
  // interval begins at the cost of a member of the family.
  const auto plain = plainest(event);
  const auto parts = parts_of(event);
  const bool family = plain && !(parts.size() == 1 && parts[0].count == 1);
  if (options.target && !given.delta &&
      (found.value.upper <= *options.target || (!family && found.value.lower > *options.target)))
    return found;
  if (family) {
    if (auto member = run(*plain))
      found.value.lower = std::min(found.value.lower, member->value.lower);
  }
  if (family || !found.met) {
    // An interval that stayed wide may be cut by a bound that needs no grid.
    Interval& value = found.value;
    for (auto* other : {&renyi_bound, &concentrated, &basic}) {
      if (auto bound = other(event, given, options.adjacency))
        value.upper = std::min(value.upper, std::max(bound->upper, value.lower));
    }
    const double gap = value.upper - value.lower;
    found.met = found.met || value.upper == value.lower ||
                gap <= std::max(options.tolerance * value.upper, given.delta ? 0.0 : kNegligible);
  }
  return found;
}

Result<Answer> one(const Event& event, const Given& given, Accountant accountant,
                   const AccountOptions& options) {
  const Adjacency adjacency = options.adjacency;
  Answer answer{{}, accountant, true};
  Result<Interval> value = Interval{};
  switch (accountant) {
    case Accountant::kBasic:
      value = basic(event, given, adjacency);
      break;
    case Accountant::kAdvanced:
    case Accountant::kOptimal: {
      auto events = TRY(equals_of(event, adjacency, name_of(accountant)));
      if (accountant == Accountant::kAdvanced) {
        value = Interval{0, given.delta ? advanced_epsilon(events, given.down())
                                        : advanced_delta(events, given.down())};
      } else {
        value = upper(given.delta ? optimal_epsilon(events, given.down())
                                  : optimal_delta(events, given.down()));
      }
      break;
    }
    case Accountant::kZcdp:
      value = concentrated(event, given, adjacency);
      break;
    case Accountant::kRdp:
      value = renyi_bound(event, given, adjacency);
      break;
    case Accountant::kGdp:
      value = gaussian(event, given, adjacency);
      break;
    case Accountant::kPld: {
      auto found = TRY(by_pld(event, given, options));
      answer.met = found.met;
      answer.work = found.work;
      value = found.value;
      break;
    }
  }
  if (!value) return forward_error(value);
  answer.value = *value;
  return answer;
}

Result<Answer> account(const Event& event, const Given& given, const AccountOptions& options) {
  TRY(check(event));
  if (options.accountant) return one(event, given, *options.accountant, options);
  auto best = one(event, given, Accountant::kPld, options);
  if (best) return best;
  for (Accountant accountant : kAccountants) {
    if (accountant == Accountant::kPld) continue;
    auto other = one(event, given, accountant, options);
    const auto rank = [](const Answer& answer) {
      return std::pair(answer.value.upper, -answer.value.lower);
    };
    if (other && (!best || rank(*other) < rank(*best))) best = other;
  }
  return best;
}

}  // namespace

std::string_view name_of(Accountant accountant) { return kNames[static_cast<int>(accountant)]; }

Result<Accountant> accountant_named(std::string_view name) {
  for (Accountant accountant : kAccountants)
    if (name_of(accountant) == name) return accountant;
  const std::vector<std::string> names(std::begin(kNames), std::end(kNames));
  return bad_parameter(
      "accountant", fmt::format("found '{}', accepted is one of {}", name, fmt::join(names, ", ")),
      did_you_mean(name, names));
}

Result<Adjacency> adjacency_named(std::string_view name) {
  for (int i = 0; i < 4; ++i)
    if (name == kRelations[i]) return static_cast<Adjacency>(i);
  const std::vector<std::string> names(std::begin(kRelations), std::end(kRelations));
  return bad_parameter(
      "relation", fmt::format("found '{}', accepted is one of {}", name, fmt::join(names, ", ")),
      did_you_mean(name, names));
}

Result<Answer> account_epsilon(const Event& event, const Rational& delta,
                               const AccountOptions& options) {
  return account(event, {true, delta}, options);
}

// P − e^{−ε}Q of the outcomes where it is positive, and Q − e^ε·P of the others, have one sum: at a
// negative ε, δ_{P,Q}(ε) = 1 − e^ε(1 − δ_{Q,P}(−ε)).
Result<Answer> account_delta(const Event& event, const Rational& epsilon,
                             const AccountOptions& options) {
  if (sgn(epsilon) >= 0) return account(event, {false, epsilon}, options);
  const Rational positive = -epsilon;
  AccountOptions other = options;
  if (options.adjacency == Adjacency::kAdd) other.adjacency = Adjacency::kRemove;
  if (options.adjacency == Adjacency::kRemove) other.adjacency = Adjacency::kAdd;
  auto answer = TRY(account(event, {false, positive}, other));
  constexpr long kBits = 128;
  const auto mirrored = [&](double delta) {
    const Ball kept(Rational(1) - Rational(delta), kBits);
    return sub(Ball(1), mul(exp(Ball(epsilon, kBits), kBits), kept, kBits), kBits);
  };
  Interval& value = answer.value;
  value = {std::max(0.0, mirrored(value.lower).lower()),
           std::min(1.0, mirrored(value.upper).upper())};
  return answer;
}

Result<double> largest_divergence(const Event& event, Adjacency adjacency) {
  AccountOptions options;
  options.adjacency = adjacency;
  auto answer = TRY(account_epsilon(event, 0, options));
  return answer.value.upper;
}

}  // namespace discreet::privacy
