#include "discreet/channel/universal.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "discreet/base/try.h"

namespace discreet::channel {
namespace {

constexpr std::size_t kLargest = 8;
constexpr std::size_t kMostPairs = 1000;

// Every set of two inputs or more, small ones first.
std::vector<unsigned> supports_of(std::size_t size) {
  std::vector<unsigned> out;
  for (unsigned set = 0; set < 1U << size; ++set)
    if (std::popcount(set) >= 2) out.push_back(set);
  std::stable_sort(out.begin(), out.end(),
                   [](unsigned a, unsigned b) { return std::popcount(a) < std::popcount(b); });
  return out;
}

Prior even_over(std::size_t size, unsigned set) {
  Prior out(size);
  for (std::size_t y = 0; y < size; ++y)
    if ((set >> y & 1U) != 0) out[y] = Rational(1, std::popcount(set));
  return out;
}

Result<Certificate> best_for(const Graph& graph, const Ratio& ratio,
                             const std::vector<Prior>& priors) {
  auto gain = TRY(Gain::identity(graph.size()));
  std::vector<User> users;
  for (const Prior& prior : priors) users.push_back({prior, gain});
  auto problem = TRY(make_problem(graph, ratio, users));
  auto best = TRY(optimal(problem));
  return std::move(best.certificate);
}

}  // namespace

bool refutes(const Certificate& first_alone, const Certificate& second_alone,
             const Certificate& together) {
  return first_alone.primal + second_alone.primal > together.dual + Rational(1, 1'000'000);
}

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
  struct Candidate {
    Prior prior;
    std::optional<Certificate> alone;
  };
  const auto supports = supports_of(n);
  std::vector<Candidate> users;
  for (const unsigned set : supports) users.push_back({even_over(n, set), {}});
  const auto alone = [&](std::size_t i) -> Status {
    if (users[i].alone) return {};
    auto found = TRY(best_for(graph, ratio, {users[i].prior}));
    users[i].alone = std::move(found);
    return {};
  };
  // Pairs in the order of how many inputs they care about; among those, disjoint ones first.
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < users.size(); ++i)
    for (std::size_t k = i + 1; k < users.size(); ++k) pairs.emplace_back(i, k);
  std::stable_sort(pairs.begin(), pairs.end(), [&](const auto& a, const auto& b) {
    const auto weight = [&](const auto& pair) {
      const unsigned first = supports[pair.first], second = supports[pair.second];
      return 2 * (std::popcount(first) + std::popcount(second)) + ((first & second) != 0 ? 1 : 0);
    };
    return weight(a) < weight(b);
  });
  for (const auto& [i, k] : pairs) {
    if (out.tried == kMostPairs) break;
    for (const std::size_t user : {i, k}) TRY(alone(user));
    auto together = TRY(best_for(graph, ratio, {users[i].prior, users[k].prior}));
    ++out.tried;
    if (!refutes(*users[i].alone, *users[k].alone, together)) continue;
    out.witness = Witness{users[i].prior, users[k].prior, *users[i].alone, *users[k].alone,
                          std::move(together)};
    return out;
  }
  return out;
}

}  // namespace discreet::channel
