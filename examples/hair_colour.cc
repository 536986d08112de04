// Deck 000's example: which hair colour is the most common? 500 people are dark, 399 each brown,
// blond and red; ε = 0.1.
#include <discreet/mechanism/exponential.h>
#include <discreet/mechanism/permute_and_flip.h>
#include <fmt/format.h>

using namespace discreet;
using namespace discreet::mechanism;

int main() {
  const SelectionParameters parameters{
      .epsilon = Rational(1, 10),
      .sensitivity = 1,
      .candidates = Candidates::named({"dark", "brown", "blond", "red"})};
  const std::vector<std::int64_t> counts{500, 399, 399, 399};
  const auto exponential = *Exponential::create(parameters);
  const auto flip = *PermuteAndFlip::create(parameters);

  const auto colour = exponential.release(Exact<std::vector<std::int64_t>>::from_private(counts));
  if (!colour) return 1;
  fmt::print("released: {}\n", parameters.candidates.name(colour->value()));
  fmt::print("chance of dark, the deck's bound:  at least {:.3f}\n",
             deck_selection_chance(parameters, counts));
  fmt::print("chance of dark, exponential:       {:.5f}\n",
             exponential.pmf(counts, 64)[0].middle());
  fmt::print("chance of dark, permute-and-flip:  {:.5f}\n", (*flip.pmf(counts, 64))[0].middle());
}
