#include "discreet/channel/universal.h"

#include <fmt/format.h>

namespace discreet::channel {
namespace {

constexpr std::size_t kLargest = 8;

Prior between(std::size_t size, const Edge& inputs) {
  Prior out(size);
  out[inputs.first] = out[inputs.second] = Rational(1, 2);
  return out;
}

Result<Certificate> best_for(const Graph& graph, const Ratio& ratio,
                             const std::vector<Prior>& priors) {
  auto gain = Gain::identity(graph.size());
  if (!gain) return forward_error(gain);
  std::vector<User> users;
  for (const Prior& prior : priors) users.push_back({prior, *gain});
  auto problem = make_problem(graph, ratio, users);
  if (!problem) return forward_error(problem);
  auto best = optimal(*problem);
  if (!best) return forward_error(best);
  return std::move(best->certificate);
}

}  // namespace

Result<Universality> universality(const Graph& graph, const Ratio& ratio) {
  const std::size_t n = graph.size();
  Universality out;
  out.path = graph.is_some_path();
  if (out.path) return out;
  if (n > kLargest) {
    return fail(Code::kUsage, fmt::format("a search over pairs of users on {} inputs; accepted are "
                                          "at most {}",
                                          n, kLargest));
  }
  std::vector<Edge> supports;
  std::vector<Prior> priors;
  std::vector<Certificate> alone;
  for (Node a = 0; a < n; ++a)
    for (Node b = a + 1; b < n; ++b) {
      supports.emplace_back(a, b);
      priors.push_back(between(n, supports.back()));
      auto found = best_for(graph, ratio, {priors.back()});
      if (!found) return forward_error(found);
      alone.push_back(std::move(*found));
    }
  const auto overlap = [&](std::size_t i, std::size_t k) {
    const auto [a, b] = supports[i];
    const auto [c, d] = supports[k];
    return a == c || a == d || b == c || b == d;
  };
  for (const bool shared : {false, true}) {  // users who care about different inputs first
    for (std::size_t i = 0; i < priors.size(); ++i)
      for (std::size_t k = i + 1; k < priors.size(); ++k) {
        if (overlap(i, k) != shared) continue;
        auto together = best_for(graph, ratio, {priors[i], priors[k]});
        if (!together) return forward_error(together);
        ++out.tried;
        // a difference that is no rounding
        if (alone[i].primal + alone[k].primal <= together->dual + Rational(1, 1'000'000)) continue;
        out.witness = Witness{priors[i], priors[k], alone[i], alone[k], std::move(*together)};
        return out;
      }
  }
  return out;
}

}  // namespace discreet::channel
