#include "discreet/base/try.h"
#include "discreet/mechanism/entry.h"
#include "discreet/mechanism/laplace.h"
#include "discreet/mechanism/number_mechanism.h"

namespace discreet::mechanism {
namespace {

constexpr Parameter kMax{.name = "max",
                         .kind = ParameterKind::kWhole,
                         .help = "the largest value, which is public",
                         .most = std::int64_t{1} << 62};

Result<MechanismPointer> make(const Parameters& p) {
  const Rational sensitivity = p.number("sensitivity").value_or(1);
  Additive additive = TRY(truncated_geometric({.epsilon = *p.number("epsilon"),
                                               .max = *p.whole("max"),
                                               .sensitivity = sensitivity,
                                               .relation = p.relation()}));
  return number_mechanism({std::move(additive),
                           Rational(Grid::integers().sensitivity_on_grid(sensitivity)),
                           /*whole=*/true});
}

}  // namespace

Entry truncated_geometric_entry() {
  return {
      .name = "truncated-geometric",
      .title = "Geometric noise, clamped to 0 … max",
      .deck = "003",
      .input = {"value", Kind::kNumber, "the exact value, which is private"},
      .output = Kind::kNumber,
      .parameters = {required(kEpsilon), required(kMax), otherwise(kSensitivity, "1"), kRelation},
      .example = "--value 3 --max 100 --epsilon 'ln(2)'",
      .trials = {{{{"epsilon", 1}, {"max", 12}},
                  {Rational(5), Rational(0), Rational(1), Rational(12)},
                  {0, 12}}},
      .maker = make};
}

}  // namespace discreet::mechanism
