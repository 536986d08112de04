// Noise on numbers (additive.h) as a Mechanism: what the entries of laplace, count, gaussian and
// their like share.
#pragma once

#include <functional>

#include "discreet/mechanism/additive.h"
#include "discreet/mechanism/mechanism.h"

namespace discreet::mechanism {

struct NumberParts {
  Additive additive;     // of one cell
  Rational sensitivity;  // how far a neighbour may be, in the values' unit
  bool whole = false;    // only whole numbers are values
  // What stands beside the exact bound: the decks' and others.
  std::function<Figures(const Additive& additive, const Rational& beta)> figures = {};
};
MechanismPointer number_mechanism(NumberParts parts);

// One cell's distribution on a value (in points), added to a list: the window's points, or all but
// 1e-9 of the probability; at most `most` of them.
Status add_masses(const Additive& additive, std::int64_t value, const Window& window,
                  std::size_t most, const std::optional<Label>& cell, Pmf& pmf);

// Figures of Laplace noise at this ε and sensitivity, and of Gaussian noise.
Figures laplace_figures(const Additive& additive, const Rational& epsilon,
                        const Rational& sensitivity, const Rational& beta);
Figures gaussian_figures(const Additive& additive, const Rational& beta);

}  // namespace discreet::mechanism
