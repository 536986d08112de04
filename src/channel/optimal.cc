#include "discreet/channel/optimal.h"

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/channel/epsilon.h"
#include "discreet/channel/linear.h"
#include "discreet/channel/quantise.h"

namespace discreet::channel {
namespace {

// Σ_y max_w |payoff(w, y)|: what the gap is measured against.
Rational size_of(const Problem& problem) {
  Rational sum;
  for (std::size_t y = 0; y < problem.size(); ++y) {
    Rational most;
    for (std::size_t w = 0; w < problem.guesses; ++w) {
      const Rational size = abs(problem.payoff(w, y));
      if (size > most) most = size;
    }
    sum += most;
  }
  return sum;
}

bool is_tight(const Problem& problem, const Rational& gap) {
  return gap <= size_of(problem) * Rational(kTight);
}

Result<Channel> repaired(const Problem& problem, std::vector<Rational> entries) {
  return quantise(problem.size(), problem.guesses, std::move(entries), problem.graph,
                  problem.ratio.lower, kDoubles);
}

Result<Optimum> by_closed_form(const Problem& problem) {
  auto form = TRY(closed_form(problem));
  const Rational value = form.value;
  auto channel = TRY(repaired(problem, std::move(form.entries)));
  auto certificate = TRY(certify(problem, channel, form.multipliers));
  Optimum out{std::move(channel),
              std::move(certificate),
              std::move(form.multipliers),
              Method::kClosedForm,
              {}};
  if (problem.ratio.exact() && out.certificate.dual == value) out.exact = value;
  return out;
}

// The simplest fraction near a number: what a solver meant by 0.33333333333.
Rational meant(double value) {
  const Rational near(value), slack(1, 1'000'000'000);
  if (near <= slack) return 0;
  return simplest_between(near - slack, near + slack);
}

// Small programs have solutions in small fractions. Where those are private and add up, they are
// the exact solution; where not, nothing is lost by having tried.
std::optional<std::vector<Rational>> in_fractions(const Problem& problem,
                                                  const std::vector<double>& entries) {
  constexpr std::size_t kMost = 2500;
  if (entries.size() > kMost) return std::nullopt;
  std::vector<Rational> out;
  out.reserve(entries.size());
  for (const double entry : entries) out.push_back(meant(entry));
  auto channel = Channel::create(problem.size(), problem.guesses, out);
  if (!channel || !is_within(*channel, problem.graph, problem.ratio.lower)) return std::nullopt;
  return out;
}

Multipliers in_fractions(const Problem& problem, Multipliers multipliers) {
  for (auto& edges : multipliers.edges)
    for (auto& edge : edges) edge.amount = meant(to_double(edge.amount));
  for (auto& pool : multipliers.pools) {
    Rational owed;
    for (std::size_t y = 0; y < pool.over.size(); ++y) {
      pool.over[y] = meant(to_double(pool.over[y]));
      pool.under[y] = meant(to_double(pool.under[y]));
      owed += problem.ratio.upper * pool.over[y] - pool.under[y];
    }
    if (sgn(owed) > 0) pool.under[0] += owed;
  }
  return multipliers;
}

// One solution, both sides repaired: the better of what the solver said and what it meant.
Result<Optimum> settled(const Problem& problem, const LinearSolution& solution) {
  std::vector<Rational> entries;
  auto fractions = in_fractions(problem, solution.entries);
  if (fractions) {
    entries = *fractions;
  } else {
    for (const double entry : solution.entries) entries.emplace_back(entry);
  }
  auto channel = TRY(repaired(problem, std::move(entries)));
  auto found = TRY(certify(problem, channel, solution.multipliers));
  Optimum out{
      std::move(channel), std::move(found), solution.multipliers, Method::kLinearProgram, {}};
  Multipliers simpler = in_fractions(problem, solution.multipliers);
  auto bound = TRY(dual_bound(problem, simpler));
  if (bound < out.certificate.dual) {
    out.certificate.dual = std::move(bound);
    out.multipliers = std::move(simpler);
  }
  if (fractions && problem.ratio.exact()) {
    auto exact = TRY(Channel::create(problem.size(), problem.guesses, std::move(*fractions)));
    auto value = value_of(problem, exact);
    if (value && *value == out.certificate.dual) out.exact = std::move(*value);
  }
  return out;
}

// The best primal and the best dual of any road: they need not come from the same.
Result<Optimum> by_linear_program(const Problem& problem) {
  constexpr Road kRoads[] = {{.primal = false, .scaled = false},
                             {.primal = false, .scaled = true},
                             {.primal = true, .scaled = false},
                             {.primal = true, .scaled = true}};
  std::optional<Optimum> best;
  Error first;
  for (const Road& road : kRoads) {
    auto solution = solve_linear(problem, road);
    if (!solution) {
      if (!best) first = solution.error();
      continue;
    }
    auto found = TRY(settled(problem, *solution));
    if (!best) {
      best = std::move(found);
    } else {
      if (found.certificate.primal > best->certificate.primal) {
        best->channel = std::move(found.channel);
        best->certificate.primal = std::move(found.certificate.primal);
      }
      if (found.certificate.dual < best->certificate.dual) {
        best->certificate.dual = std::move(found.certificate.dual);
        best->multipliers = std::move(found.multipliers);
      }
      if (found.exact) best->exact = std::move(found.exact);
    }
    if (is_tight(problem, best->certificate.gap())) break;
  }
  if (!best) return tl::unexpected<Error>(std::move(first));
  return std::move(*best);
}

}  // namespace

Result<Optimum> optimal(const Problem& problem, Method method) {
  switch (method) {
    case Method::kClosedForm:
      return by_closed_form(problem);
    case Method::kLinearProgram:
      return by_linear_program(problem);
    case Method::kAutomatic:
      break;
  }
  if (problem.graph.is_path()) {
    auto found = by_closed_form(problem);
    if (!found || is_tight(problem, found->certificate.gap())) return found;
  }
  return by_linear_program(problem);
}

}  // namespace discreet::channel
