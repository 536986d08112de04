#include "discreet/base/try.h"
#include "discreet/mechanism/entry.h"
#include "discreet/mechanism/gaussian.h"
#include "discreet/mechanism/number_mechanism.h"

namespace discreet::mechanism {
namespace {

constexpr Parameter kRho{.name = "rho",
                         .kind = ParameterKind::kPositive,
                         .help = "zCDP's ρ = Δ²/(2σ²), in place of sigma"};

Result<MechanismPointer> make(const Parameters& p) {
  const Rational sensitivity = *p.number("sensitivity");
  Additive additive = TRY(discrete_gaussian({.sensitivity = sensitivity,
                                             .epsilon = p.number("epsilon"),
                                             .delta = p.number("delta"),
                                             .sigma = p.number("sigma"),
                                             .rho = p.number("rho"),
                                             .grid = p.number("grid"),
                                             .on_grid = false,
                                             .relation = p.relation()}));
  return number_mechanism({std::move(additive), sensitivity, /*whole=*/false, gaussian_figures});
}

}  // namespace

Entry discrete_gaussian_entry() {
  const Rational delta(1, 1000);
  return {
      .name = "discrete-gaussian",
      .title = "Discrete Gaussian noise (zCDP)",
      .deck = "001, 002",
      .input = {"value", Kind::kNumber, "the exact value, which is private"},
      .output = Kind::kNumber,
      .parameters = {required(kSensitivity), kEpsilon, kDelta, kSigma, kRho, kGrid, kRelation},
      .example = "--value 412 --sensitivity 1 --rho 0.1 --delta 1e-6",
      .trials =
          {{{{"sensitivity", 1}, {"epsilon", 1}, {"delta", delta}}, {Rational(5)}, {-120, 130}},
           {{{"sensitivity", 3}, {"epsilon", 1}, {"delta", delta}}, {Rational(-2)}, {-200, 200}}},
      .maker = make};
}

}  // namespace discreet::mechanism
