// Decks 000 and 002: at which price to sell one item? Alice offers 3, Bob 4. A price p earns p if
// some offer is at least p, else nothing: noise added to the best price, 4, would earn nothing half
// of the time. Choosing among prices by what they earn doesn't fall off that cliff.
#include <discreet/mechanism/exponential.h>
#include <fmt/format.h>

#include <algorithm>

using namespace discreet;
using namespace discreet::mechanism;

int main() {
  // The prices are public, and chosen without looking at the offers. In cents: one buyer can change
  // what a price earns by at most the highest price.
  const std::vector<std::int64_t> prices{300, 301, 400, 401};
  const SelectionParameters parameters{
      .epsilon = 10,
      .sensitivity = 401,
      .candidates = Candidates::named({"3.00", "3.01", "4.00", "4.01"})};
  const std::vector<std::int64_t> offers{300, 400};
  std::vector<std::int64_t> earned;
  for (const std::int64_t price : prices) {
    const bool sold = std::any_of(offers.begin(), offers.end(),
                                  [&](std::int64_t offer) { return offer >= price; });
    earned.push_back(sold ? price : 0);
  }
  const auto mechanism = *Exponential::create(parameters);
  const auto chances = mechanism.pmf(earned, 64);
  for (std::size_t i = 0; i < prices.size(); ++i) {
    fmt::print("{}  earns {:4.2f}  chosen with probability {:.4f}\n", parameters.candidates.name(i),
               static_cast<double>(earned[i]) / 100, chances[i].middle());
  }
  const auto chosen = mechanism.release(Exact<std::vector<std::int64_t>>::from_private(earned));
  if (!chosen) return 1;
  fmt::print("released: {}\n", parameters.candidates.name(chosen->value()));
}
