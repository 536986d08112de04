#include "discreet/mechanism/entry.h"
#include "discreet/mechanism/gap/smooth_mechanism.h"

namespace discreet::mechanism {
namespace {

constexpr Parameter kQuantile{.name = "quantile",
                              .kind = ParameterKind::kNotNegative,
                              .help = "which: 0 is the least value, 0.5 the median, 1 the greatest",
                              .most = 1,
                              .example = "0.9"};

Result<MechanismPointer> make(const Parameters& p) {
  return gap::smooth_mechanism(p, *p.number(kQuantile.name));
}

std::vector<Trial> trials() {
  std::vector<Trial> out;
  for (const Rational& quantile : {Rational(9, 10), Rational(1), Rational(0), Rational(1, 3)}) {
    Parameters parameters{
        {"epsilon", 1}, {"range", Limits{0, 4}}, {"grid", 1}, {"quantile", quantile}};
    if (out.size() % 2 == 0) parameters.set("delta", Rational(1, 1000));
    out.emplace_back();
    out.back().parameters = parameters, out.back().inputs = gap::small_values();
  }
  return out;
}

}  // namespace

Entry smooth_quantile_entry() {
  return {
      .name = "smooth-quantile",
      .title = "A quantile, with noise by how much it could change near these values",
      .deck = "004",
      .input = {"values", Kind::kNumbers, "the private values, separated by commas"},
      .output = Kind::kNumber,
      .parameters = {required(kEpsilon), required(kQuantile), gap::kPureWithout, gap::kValuesRange,
                     gap::kValuesGrid, kRelation, gap::kRowsPerUnit, gap::kOptimised},
      .example =
          "--values 23,31,35,38,38,41,44,52,70 --quantile 0.75 --range 0,100 "
          "--epsilon 2 --delta 1e-4",
      .trials = trials(),
      .accuracy_of_input = true,
      .accuracy_is_private = true,
      .twin = Rational(5, 2),
      .maker = make};
}

}  // namespace discreet::mechanism
