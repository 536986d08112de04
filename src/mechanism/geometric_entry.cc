#include "discreet/base/try.h"
#include "discreet/mechanism/entry.h"
#include "discreet/mechanism/laplace.h"
#include "discreet/mechanism/number_mechanism.h"

namespace discreet::mechanism {
namespace {

Result<MechanismPointer> make(const Parameters& p) {
  const Rational epsilon = *p.number("epsilon"), sensitivity = p.number("sensitivity").value_or(1);
  Additive additive = TRY(geometric(
      {.epsilon = epsilon, .sensitivity = sensitivity, .cells = 1, .relation = p.relation()}));
  return number_mechanism({std::move(additive),
                           Rational(Grid::integers().sensitivity_on_grid(sensitivity)),
                           /*whole=*/true, [=](const Additive& made, const Rational& beta) {
                             return laplace_figures(made, epsilon, sensitivity, beta);
                           }});
}

}  // namespace

Entry geometric_entry() {
  return {.name = "geometric",
          .title = "Geometric noise on whole numbers",
          .deck = "003",
          .input = {"value", Kind::kNumber, "the exact value, which is private"},
          .output = Kind::kNumber,
          .parameters = {required(kEpsilon), otherwise(kSensitivity, "1"), kRelation},
          .example = "--value 412 --epsilon 0.5",
          .trials = {{{{"epsilon", 1}, {"sensitivity", 1}}, {Rational(5)}, {-120, 130}},
                     {{{"epsilon", 1}, {"sensitivity", 3}}, {Rational(0)}, {-300, 300}}},
          .maker = make};
}

}  // namespace discreet::mechanism
