#include "discreet/mechanism/entry.h"
#include "discreet/mechanism/gap/smooth_mechanism.h"

namespace discreet::mechanism {
namespace {

Result<MechanismPointer> make(const Parameters& p) {
  return gap::smooth_mechanism(p, Rational(1, 2));
}

std::vector<Trial> trials() {
  Parameters approximate{
      {"epsilon", 1}, {"delta", Rational(1, 1000)}, {"range", Limits{0, 4}}, {"grid", 1}};
  Parameters pure{{"epsilon", 1}, {"range", Limits{0, 4}}, {"grid", Rational(1, 2)}};
  Parameters substitute = approximate, several = pure;
  substitute.set("relation", privacy::Relation::kSubstitute);
  substitute.set("optimised", true);
  several.set("rows-per-unit", std::int64_t{2});
  return {{approximate, gap::small_values()},
          {pure, gap::small_values()},
          {substitute, gap::small_values()},
          {several, gap::small_values()}};
}

}  // namespace

Entry smooth_median_entry() {
  return {.name = "smooth-median",
          .title = "The median, with noise by how much it could change near these values",
          .deck = "004",
          .input = {"values", Kind::kNumbers, "the private values, separated by commas"},
          .output = Kind::kNumber,
          .parameters = {required(kEpsilon), gap::kPureWithout, gap::kValuesRange, gap::kValuesGrid,
                         kRelation, gap::kRowsPerUnit, gap::kOptimised},
          .example = "--values 23,31,35,38,38,41,44,52,70 --range 0,100 --epsilon 2 --delta 1e-4",
          .trials = trials(),
          .accuracy_of_input = true,
          .accuracy_is_private = true,
          // half of ε is for the slide alone, which is all of the loss near the middle
          .twin = 2,
          .maker = make};
}

}  // namespace discreet::mechanism
