#include "discreet/mechanism/noisy_max.h"
#include "discreet/mechanism/selection_mechanism.h"

namespace discreet::mechanism {
namespace {

Result<MechanismPointer> make(const Parameters& p) {
  Chooser noisy = chooser<NoisyMax>();
  noisy.as_written = noisy.deck_theorem = false;
  return selection_mechanism(std::move(noisy), p);
}

}  // namespace

Entry noisy_max_entry() {
  return {.name = "noisy-max",
          .title = "Report noisy max: which score is largest with noise on all",
          .deck = "000, 004",
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
