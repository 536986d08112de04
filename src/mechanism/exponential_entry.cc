#include "discreet/mechanism/exponential.h"
#include "discreet/mechanism/selection_mechanism.h"

namespace discreet::mechanism {
namespace {

Result<MechanismPointer> make(const Parameters& p) {
  return selection_mechanism(chooser<Exponential>(), p);
}

}  // namespace

Entry exponential_entry() {
  return {.name = "exponential",
          .title = "The exponential mechanism: choose by score",
          .deck = "000, 002",
          .input = scores_input(),
          .output = Kind::kLabel,
          .parameters = selection_parameters(),
          .example = "--scores 500,399,399,399 --sensitivity 1 --epsilon 0.1",
          .trials = selection_trials(),
          .accuracy_of_input = true,
          .accuracy_is_private = true,
          .maker = make};
}

}  // namespace discreet::mechanism
