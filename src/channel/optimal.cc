#include "discreet/channel/optimal.h"

#include <algorithm>

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
  auto form = closed_form(problem);
  if (!form) return forward_error(form);
  const Rational value = form->value;
  auto channel = repaired(problem, std::move(form->entries));
  if (!channel) return forward_error(channel);
  auto certificate = certify(problem, *channel, form->multipliers);
  if (!certificate) return forward_error(certificate);
  Optimum out{std::move(*channel), std::move(*certificate), Method::kClosedForm, {}};
  if (problem.ratio.exact() && out.certificate.dual == value) out.exact = value;
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
    std::vector<Rational> entries;
    entries.reserve(solution->entries.size());
    for (const double entry : solution->entries) entries.emplace_back(entry);
    auto channel = repaired(problem, std::move(entries));
    if (!channel) return forward_error(channel);
    auto found = certify(problem, *channel, solution->multipliers);
    if (!found) return forward_error(found);
    if (!best) {
      best = Optimum{std::move(*channel), std::move(*found), Method::kLinearProgram, {}};
    } else {
      if (found->primal > best->certificate.primal) {
        best->channel = std::move(*channel);
        best->certificate.primal = std::move(found->primal);
      }
      if (found->dual < best->certificate.dual) best->certificate.dual = std::move(found->dual);
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
