#include "discreet/base/try.h"
#include "discreet/mechanism/entry.h"
#include "discreet/mechanism/laplace.h"
#include "discreet/mechanism/number_mechanism.h"

namespace discreet::mechanism {
namespace {

Result<MechanismPointer> make(const Parameters& p) {
  const Rational epsilon = *p.number("epsilon"), sensitivity = *p.number("sensitivity");
  Additive additive = TRY(laplace({.epsilon = epsilon,
                                   .sensitivity = sensitivity,
                                   .grid = p.number("grid"),
                                   .cells = 1,
                                   .on_grid = false,
                                   .relation = p.relation()}));
  return number_mechanism({std::move(additive), sensitivity, /*whole=*/false,
                           [=](const Additive& made, const Rational& beta) {
                             return laplace_figures(made, epsilon, sensitivity, beta);
                           }});
}

}  // namespace

Entry laplace_entry() {
  return {.name = "laplace",
          .title = "Laplace noise on a grid",
          .deck = "000, 002, 003",
          .input = {"value", Kind::kNumber, "the exact value, which is private"},
          .output = Kind::kNumber,
          .parameters = {required(kEpsilon), required(kSensitivity), kGrid, kRelation},
          .example = "--value 412 --sensitivity 1 --epsilon 0.5",
          .trials = {{{{"epsilon", 1}, {"sensitivity", 1}}, {Rational(5)}, {-120, 130}},
                     {{{"epsilon", 1}, {"sensitivity", Rational(1, 2)}, {"grid", Rational(1, 3)}},
                      {Rational(1, 6), Rational(-7)},
                      {-90, 90}}},
          .maker = make};
}

}  // namespace discreet::mechanism
