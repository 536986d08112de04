// The best mechanism for a count among five people, for a user who expects few: with its proof.
#include <discreet/channel/optimal.h>

#include <iostream>
using namespace discreet::channel;
int main() {
  const Graph count = *Graph::path(6);  // 0 – 1 – … – 5: one person changes a count by one
  const User user{*binomial_prior(6, discreet::Rational(1, 5)), *Gain::identity(6)};
  const Problem problem = *make_problem(count, *parse_ratio("epsilon", "ln(2)"), {user});
  const Optimum best = *optimal(problem);
  std::cout << "right with probability " << discreet::to_double(best.certificate.primal)
            << ", and no ln(2)-private mechanism is right more often than "
            << discreet::to_double(best.certificate.dual) << '\n';
}
