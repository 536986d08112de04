// The exponential mechanism with gaps (deck 004): where one candidate is far ahead of all others,
// it can be named without choosing among them. How far, does not depend on how many there are.
#include <discreet/mechanism/exponential.h>
#include <discreet/mechanism/gap/stability.h>
#include <fmt/format.h>

#include <algorithm>

using namespace discreet;
using namespace discreet::mechanism;

// Which of many rules makes the fewest mistakes? A person who comes or goes moves each rule's score
// by 1 at most, either way, and a lead by 2: half of it, rounded up, is a distance.
gap::Stable<std::size_t> leader(const std::vector<std::int64_t>& scores) {
  const auto best = std::max_element(scores.begin(), scores.end());
  std::int64_t lead = INT64_MAX;
  for (auto each = scores.begin(); each != scores.end(); ++each)
    if (each != best) lead = std::min(lead, *best - *each);
  return {static_cast<std::size_t>(best - scores.begin()), (lead + 1) / 2};
}

int main() {
  const Rational epsilon = 1, beta(1, 20);
  const auto stability = *gap::Stability::create({epsilon, *parse_number("1e-9", Rounding::kDown)});

  std::vector<std::int64_t> scores(1000, 400);
  scores[77] = 600;  // 200 people ahead
  const auto told =
      stability.release(Exact<gap::Stable<std::size_t>>::from_private(leader(scores)));
  if (!told) return 1;
  fmt::print("the best rule: {}\n", told->value() ? std::to_string(*told->value()) : "not told");

  // The lead from which each is right 19 times in 20.
  const std::int64_t far = 2 * stability.test().distance_for(1 - beta);
  fmt::print("candidates   lead needed: exponential   with a gap test, delta = 1e-9\n");
  for (const std::int64_t count :
       {10L, 1'000'000L, 1'000'000'000'000L, 1'000'000'000'000'000'000L}) {
    // e^(lead/2) against count − 1 others: right with 1/(1 + (count − 1)·e^(−ε·lead/2)).
    const auto right = [&](std::int64_t lead) {
      const Ball others =
          mul(Ball(count - 1), exp(-Ball(epsilon * Rational(lead) / 2, 96), 96), 96);
      return div(Ball(1), add(Ball(1), others, 96), 96).lower();
    };
    std::int64_t lead = 0;
    while (right(lead) < 0.95) ++lead;
    fmt::print("{:>10.0e}   {:>24}   {:>29}\n", static_cast<double>(count), lead, far);
  }
}
