#include "discreet/base/try.h"
#include "discreet/mechanism/entry.h"
#include "discreet/mechanism/laplace.h"
#include "discreet/mechanism/number_mechanism.h"

namespace discreet::mechanism {
namespace {

Result<MechanismPointer> make(const Parameters& p) {
  const Rational epsilon = *p.number("epsilon");
  Additive additive = TRY(count({.epsilon = epsilon, .relation = p.relation()}));
  return number_mechanism(
      {std::move(additive), 1, /*whole=*/true, [=](const Additive& made, const Rational& beta) {
         return laplace_figures(made, epsilon, 1, beta);
       }});
}

}  // namespace

Entry count_entry() {
  return {.name = "count",
          .title = "How many units: geometric noise, sensitivity 1",
          .deck = "002, 003",
          .input = {"value", Kind::kNumber, "the exact value, which is private"},
          .output = Kind::kNumber,
          .parameters = {required(kEpsilon), kRelation},
          .example = "--value 412 --epsilon 0.5",
          .trials = {{{{"epsilon", 1}}, {Rational(5)}, {-120, 130}},
                     {{{"epsilon", 1}, {"relation", privacy::Relation::kSubstitute}},
                      {Rational(5)},
                      {-120, 130}}},
          .maker = make};
}

}  // namespace discreet::mechanism
