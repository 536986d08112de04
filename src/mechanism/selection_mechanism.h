// Choices by score (selection.h) as a Mechanism: what the entries of exponential, permute-and-flip
// and noisy-max share.
#pragma once

#include <functional>

#include "discreet/mechanism/entry.h"
#include "discreet/mechanism/selection.h"

namespace discreet::mechanism {

// One of the three, whatever its class is.
struct Chooser {
  using Scores = std::vector<std::int64_t>;
  std::function<Result<std::vector<Ball>>(const SelectionParameters&, const Scores&, long bits)>
      chances;
  std::function<Result<std::size_t>(const SelectionParameters&, const Exact<Scores>&,
                                    random::Source&)>
      choose;
  std::function<privacy::Event(const Rational& epsilon)> event;
  // Scores are taken as they are written, to six decimals, unless there is a grid: the
  // probabilities are those of the textbook formula. Noise needs a grid.
  bool as_written = true;
  bool deck_theorem = true;  // deck 000's bound holds
};

template <class M>
Chooser chooser() {
  Chooser out;
  out.chances = [](const SelectionParameters& p, const Chooser::Scores& scores,
                   long bits) -> Result<std::vector<Ball>> {
    auto mechanism = M::create(p);
    if (!mechanism) return forward_error(mechanism);
    return mechanism->pmf(scores, bits);
  };
  out.choose = [](const SelectionParameters& p, const Exact<Chooser::Scores>& scores,
                  random::Source& source) -> Result<std::size_t> {
    auto mechanism = M::create(p);
    if (!mechanism) return forward_error(mechanism);
    auto chosen = mechanism->release(scores, source);
    if (!chosen) return forward_error(chosen);
    return chosen->value();
  };
  out.event = M::event_at;
  return out;
}

Result<MechanismPointer> selection_mechanism(Chooser chooser, const Parameters& p);

// What all three take, and the cases that show them at their worst.
InputDescription scores_input();
std::vector<Parameter> selection_parameters();
std::vector<Trial> selection_trials();

}  // namespace discreet::mechanism
