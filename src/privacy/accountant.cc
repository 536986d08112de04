#include "discreet/privacy/accountant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/suggest.h"
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
    auto cost = approximate_cost(part.event, adjacency, accountant);
    if (!cost) return forward_error(cost);
    out.push_back({cost->epsilon, cost->delta, part.count});
  }
  return out;
}

Result<Interval> upper(Result<double> value) {
  if (!value) return forward_error(value);
  return Interval{0, *value};
}

Result<Interval> basic(const Event& event, const Given& given, Adjacency adjacency) {
  auto cost = approximate_cost(event, adjacency, "basic");
  if (!cost) return forward_error(cost);
  if (!given.delta) return Interval{0, implied_delta(cost->epsilon, cost->delta, given.down())};
  if (cost->delta > given.value) return Interval{0, HUGE_VAL};
  // The sum itself, not what it implies for a larger δ: that is what basic composition says.
  return Interval{0, to_double(cost->epsilon, Rounding::kUp)};
}

Result<Interval> concentrated(const Event& event, const Given& given, Adjacency adjacency) {
  auto rho = concentrated_cost(event, adjacency);
  if (!rho) return forward_error(rho);
  return Interval{0, given.delta ? concentrated_epsilon(*rho, given.value)
                                 : concentrated_delta(*rho, given.value)};
}

Result<Interval> gaussian(const Event& event, const Given& given, Adjacency adjacency) {
  auto squares = gaussian_cost(event, adjacency);
  if (!squares) return forward_error(squares);
  if (!given.delta) {
    const Ball delta = gaussian_delta(given.value, *squares, 64);
    return Interval{std::max(0.0, delta.lower()), delta.upper()};
  }
  if (sgn(given.value) == 0) return sgn(*squares) == 0 ? Interval{} : Interval{HUGE_VAL, HUGE_VAL};
  const Enclosure epsilon = gaussian_epsilon(given.value, *squares);
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
  std::vector<double> orders = renyi_orders();
  const std::size_t usual = orders.size();
  collect_orders(event, orders);
  const bool known_orders = orders.size() > usual;
  auto values = renyi(Event{Composed{std::move(events)}}, orders, adjacency);
  if (!values) return forward_error(values);
  if (std::all_of(values->begin(), values->end(), [](double v) { return std::isinf(v); })) {
    return fail(Code::kUsage, fmt::format("the rdp accountant can't handle {}", describe(event)),
                "its Renyi divergence is infinite at every order; try --accountant pld");
  }
  const double away = to_double(aside, Rounding::kUp), rest = given.down() - away;
  double best = given.delta ? HUGE_VAL : 1;
  if (given.delta && std::all_of(values->begin(), values->end(), [](double v) { return v == 0; }) &&
      rest >= 0)
    best = 0;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (given.delta) {
      if (rest > 0) best = std::min(best, renyi_epsilon(orders[i], (*values)[i], rest));
      // Where a single order is all that is known, the tight conversion.
      if (rest > 0 && i >= usual)
        best = std::min(best, single_order_epsilon(orders[i], (*values)[i], rest));
    } else {
      const double delta = known_orders && i >= usual
                               ? single_order_delta(orders[i], (*values)[i], given.down())
                               : renyi_delta(orders[i], (*values)[i], given.down());
      best = std::min(best, delta + away);
    }
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
  const auto run = [&](const Event& e) {
    return given.delta ? pld_epsilon(e, given.value, options.adjacency, pld)
                       : pld_delta(e, given.value, options.adjacency, pld);
  };
  auto found = run(event);
  if (!found) return found;
  // One exponential mechanism has the pair's own profile. Many are cheaper than as many of that
  // pair, which is the worst of a family at each ε: there Rényi divergences may say more, and the
  // interval begins at the cost of a member of the family.
  const auto plain = plainest(event);
  const auto parts = parts_of(event);
  const bool family = plain && !(parts.size() == 1 && parts[0].count == 1);
  if (family) {
    if (auto member = run(*plain))
      found->value.lower = std::min(found->value.lower, member->value.lower);
  }
  if (family ||
      !found->met) {  // an interval that stayed wide may be cut by a bound that needs no grid
    if (auto other = renyi_bound(event, given, options.adjacency)) {
      Interval& value = found->value;
      value.upper = std::min(value.upper, std::max(other->upper, value.lower));
      const double gap = value.upper - value.lower;
      found->met = found->met || gap <= std::max(options.tolerance * value.upper,
                                                 given.delta ? 0.0 : kNegligible);
    }
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
      auto events = equals_of(event, adjacency, name_of(accountant));
      if (!events) return forward_error(events);
      if (accountant == Accountant::kAdvanced) {
        value = Interval{0, given.delta ? advanced_epsilon(*events, given.down())
                                        : advanced_delta(*events, given.down())};
      } else {
        value = upper(given.delta ? optimal_epsilon(*events, given.down())
                                  : optimal_delta(*events, given.down()));
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
      auto found = by_pld(event, given, options);
      if (!found) return forward_error(found);
      answer.met = found->met;
      value = found->value;
      break;
    }
  }
  if (!value) return forward_error(value);
  answer.value = *value;
  return answer;
}

Result<Answer> account(const Event& event, const Given& given, const AccountOptions& options) {
  if (auto ok = check(event); !ok) return forward_error(ok);
  if (options.accountant) return one(event, given, *options.accountant, options);
  auto best = one(event, given, Accountant::kPld, options);
  if (best) return best;
  for (Accountant accountant : kAccountants) {
    if (accountant == Accountant::kPld) continue;
    auto other = one(event, given, accountant, options);
    if (other && (!best || other->value.upper < best->value.upper)) best = other;
  }
  return best;
}

}  // namespace

std::string_view name_of(Accountant accountant) { return kNames[static_cast<int>(accountant)]; }

Result<Accountant> accountant_named(std::string_view name) {
  for (Accountant accountant : kAccountants)
    if (name_of(accountant) == name) return accountant;
  const std::vector<std::string> names(std::begin(kNames), std::end(kNames));
  return fail(
      Code::kUsage,
      fmt::format("--accountant: found '{}', accepted is one of {}", name, fmt::join(names, ", ")),
      did_you_mean(name, names));
}

Result<Adjacency> adjacency_named(std::string_view name) {
  for (int i = 0; i < 4; ++i)
    if (name == kRelations[i]) return static_cast<Adjacency>(i);
  const std::vector<std::string> names(std::begin(kRelations), std::end(kRelations));
  return fail(
      Code::kUsage,
      fmt::format("--relation: found '{}', accepted is one of {}", name, fmt::join(names, ", ")),
      did_you_mean(name, names));
}

Result<Answer> account_epsilon(const Event& event, const Rational& delta,
                               const AccountOptions& options) {
  return account(event, {true, delta}, options);
}

Result<Answer> account_delta(const Event& event, const Rational& epsilon,
                             const AccountOptions& options) {
  return account(event, {false, epsilon}, options);
}

}  // namespace discreet::privacy
