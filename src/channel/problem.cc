#include "discreet/channel/problem.h"

#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/channel/epsilon.h"

namespace discreet::channel {
namespace {

constexpr std::size_t kMostVariables = 40'000;

Status check_user(const User& user, std::size_t size) {
  TRY(check_prior(user.prior, size));
  if (user.gain.size() == size) return {};
  return fail(Code::kUsage,
              fmt::format("the gain is about {} true values; accepted are {}, one for "
                          "each node of the graph",
                          user.gain.size(), size));
}

}  // namespace

Result<Problem> make_problem(const Graph& graph, const Ratio& ratio,
                             const std::vector<User>& users) {
  if (users.empty()) return fail(Code::kUsage, "a best mechanism needs a user to be best for");
  const double epsilon = log_of(ratio.lower);
  if (epsilon < 1e-6 * (1 - 1e-9) || epsilon > 30 * (1 + 1e-9)) {
    return bad_parameter(
        "epsilon",
        fmt::format("found {}; accepted here is a number from 1e-6 to 30", to_text(epsilon)));
  }
  constexpr std::size_t kLargest = 1000;
  if (graph.size() > kLargest) {
    return fail(Code::kUsage, fmt::format("a program over {} inputs; accepted are at most {}",
                                          graph.size(), kLargest));
  }
  Problem out{graph, ratio, 1, {}};
  for (const User& user : users) {
    TRY(check_user(user, graph.size()));
    if (user.gain.guesses() > kMostVariables / graph.size() / out.guesses) {
      return fail(
          Code::kUsage,
          fmt::format("a program of more than {} variables (inputs × guesses); accepted is a "
                      "smaller one",
                      kMostVariables));
    }
    out.guesses *= user.gain.guesses();
  }
  out.payoffs.resize(out.guesses * graph.size());
  for (std::size_t w = 0; w < out.guesses; ++w) {
    std::size_t rest = w;  // the last user's guess changes fastest
    for (std::size_t k = users.size(); k-- > 0;) {
      const std::size_t guess = rest % users[k].gain.guesses();
      rest /= users[k].gain.guesses();
      for (std::size_t y = 0; y < graph.size(); ++y)
        out.payoffs[w * graph.size() + y] += users[k].prior[y] * users[k].gain.at(guess, y);
    }
  }
  return out;
}

Result<Rational> value_of(const Problem& problem, const Channel& channel) {
  if (channel.rows() != problem.size() || channel.columns() != problem.guesses) {
    return fail(Code::kUsage,
                fmt::format("a channel of {} × {}; accepted is {} × {}", channel.rows(),
                            channel.columns(), problem.size(), problem.guesses));
  }
  if (!is_within(channel, problem.graph, problem.ratio.lower))
    return fail(Code::kUsage,
                "the channel isn't private enough: two neighbours differ by more than "
                "e^epsilon");
  Rational sum;
  for (std::size_t y = 0; y < channel.rows(); ++y)
    for (std::size_t w = 0; w < channel.columns(); ++w)
      if (sgn(problem.payoff(w, y)) != 0) sum += channel.at(y, w) * problem.payoff(w, y);
  return sum;
}

Multipliers Multipliers::none(const Problem& problem) {
  return {std::vector<std::vector<OnEdge>>(problem.guesses), {}};
}

Result<Rational> dual_bound(const Problem& problem, const Multipliers& multipliers) {
  const std::size_t n = problem.size();
  const Rational& ratio = problem.ratio.upper;
  if (multipliers.edges.size() != problem.guesses ||
      (!multipliers.pools.empty() && multipliers.pools.size() != problem.guesses))
    return fail(Code::kUsage, "a certificate for another number of guesses");
  if (!multipliers.pools.empty() && problem.graph.edge_count() != n * (n - 1) / 2)
    return fail(Code::kUsage, "a certificate with pools; accepted only for a complete graph");
  std::vector<Rational> most(n);
  std::vector<Rational> sums(n);
  for (std::size_t w = 0; w < problem.guesses; ++w) {
    for (std::size_t y = 0; y < n; ++y) sums[y] = problem.payoff(w, y);
    for (const auto& [from, to, amount] : multipliers.edges[w]) {
      if (sgn(amount) < 0 || !problem.graph.adjacent(from, to))
        return fail(Code::kUsage, fmt::format("a certificate with a negative multiplier, or one "
                                              "between {} and {}, which aren't neighbours",
                                              from, to));
      sums[from] -= amount;
      sums[to] += ratio * amount;
    }
    if (!multipliers.pools.empty()) {
      const auto& [over, under] = multipliers.pools[w];
      Rational owed;
      if (over.size() != n || under.size() != n)
        return fail(Code::kUsage, "a certificate with a pool of another size");
      for (std::size_t y = 0; y < n; ++y) {
        if (sgn(over[y]) < 0 || sgn(under[y]) < 0)
          return fail(Code::kUsage, "a certificate with a negative multiplier");
        owed += ratio * over[y] - under[y];
        sums[y] += under[y] - over[y];
      }
      if (sgn(owed) > 0) return fail(Code::kUsage, "a certificate whose pool doesn't cover");
    }
    for (std::size_t y = 0; y < n; ++y)
      if (w == 0 || sums[y] > most[y]) most[y] = sums[y];
  }
  Rational bound;
  for (const Rational& value : most) bound += value;
  return bound;
}

Result<Certificate> certify(const Problem& problem, const Channel& channel,
                            const Multipliers& multipliers) {
  auto primal = TRY(value_of(problem, channel));
  auto dual = TRY(dual_bound(problem, multipliers));
  return Certificate{std::move(primal), std::move(dual)};
}

}  // namespace discreet::channel
