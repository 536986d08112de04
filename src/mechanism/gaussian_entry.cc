#include "discreet/base/try.h"
#include "discreet/mechanism/entry.h"
#include "discreet/mechanism/gaussian.h"
#include "discreet/mechanism/number_mechanism.h"

namespace discreet::mechanism {
namespace {

Result<MechanismPointer> make(const Parameters& p) {
  const Rational sensitivity = *p.number("sensitivity");
  Additive additive = TRY(gaussian({.sensitivity = sensitivity,
                                    .epsilon = p.number("epsilon"),
                                    .delta = p.number("delta"),
                                    .sigma = p.number("sigma"),
                                    .grid = p.number("grid"),
                                    .cells = 1,
                                    .on_grid = false,
                                    .relation = p.relation()}));
  return number_mechanism({std::move(additive), sensitivity, /*whole=*/false, gaussian_figures});
}

}  // namespace

Entry gaussian_entry() {
  const Rational delta(1, 1000);
  return {.name = "gaussian",
          .title = "Gaussian noise, rounded to a grid",
          .deck = "001, 002",
          .input = {"value", Kind::kNumber, "the exact value, which is private"},
          .output = Kind::kNumber,
          .parameters = {required(kSensitivity), kEpsilon, kDelta, kSigma, kGrid, kRelation},
          .example = "--value 412 --sensitivity 1 --epsilon 0.5 --delta 1e-6",
          .trials = {{{{"sensitivity", 1}, {"epsilon", 1}, {"delta", delta}},
                      {Rational(5)},
                      {-120, 130}}},
          .maker = make};
}

}  // namespace discreet::mechanism
