// The best ε-private mechanism for a graph, a prior and a gain, with a proof.
//
//   const Graph count = *Graph::path(6);  // how many of five people
//   const User user{*uniform_prior(6), *Gain::identity(6)};
//   Problem problem = *make_problem(count, Ratio::exactly(2), {user});
//   Optimum best = *optimal(problem);
//   double value = to_double(best.certificate.primal);  // 4/9, to sixteen digits
//   Rational most = best.certificate.dual;              // 4/9: nothing ε-private does better
//
// The channel that comes back has doubles for entries, rows that sum to exactly 1, and neighbouring
// rows within e^ε of each other, exactly (quantise.h). The certificate holds for it, not for what a
// solver meant.
//
// On a path (counting queries) no program is solved: the truncated geometric mechanism with the
// best remap is optimal for every prior and monotone gain (Ghosh, Roughgarden and Sundararajan
// 2009). Nor is that believed: closed_form() builds the dual solution too, and where the
// certificate isn't tight (gains that aren't monotone) the linear program decides.
#pragma once

#include <optional>

#include "discreet/channel/problem.h"

namespace discreet::channel {

enum class Method { kAutomatic, kClosedForm, kLinearProgram };

struct Optimum {
  Channel channel;  // a row for each input, a column for each guess
  Certificate certificate;
  Multipliers multipliers;  // what the dual side was computed from: anybody can do it again
  Method method;
  // The value before entries were rounded to doubles, if that is known exactly and proved best.
  std::optional<Rational> exact;
};

Result<Optimum> optimal(const Problem& problem, Method method = Method::kAutomatic);

// How far certificates are pursued: relative to the largest payoffs of each input.
inline constexpr double kTight = 1e-9;

// The closed form for a path, whatever the gain: truncated geometric and best remap, with the dual
// solution that goes with it. Let b(z) = max_w Σ_y α^|z−y|·payoff(w, y). Where the closed form is
// optimal, complementary slackness leaves one choice for the dual values of the rows: Σ_y
// α^|z−y|·u(y) = b(z) for all z, a system whose inverse is tridiagonal. Multipliers for each guess
// then follow from left to right: what h(y) = payoff(w, y) − u(y) leaves over below zero is handed
// on to the right at 1/e^ε of its worth, what it lacks is asked from the right.
struct ClosedForm {
  std::vector<Rational> entries;  // of the exact channel, inputs × guesses
  Rational value;                 // its utility
  Multipliers multipliers;
};
Result<ClosedForm> closed_form(const Problem& problem);

}  // namespace discreet::channel
