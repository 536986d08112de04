#include "discreet/mechanism/permute_and_flip.h"
#include "discreet/mechanism/selection_mechanism.h"

namespace discreet::mechanism {
namespace {

Result<MechanismPointer> make(const Parameters& p) {
  return selection_mechanism(chooser<PermuteAndFlip>(), p);
}

}  // namespace

Entry permute_and_flip_entry() {
  return {.name = "permute-and-flip",
          .title = "Permute and flip: choose by score, never worse than exponential",
          .deck = "000",
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
