// discreet learn VERB …: models of people's data that tell on nobody.
#include "discreet/cli/areas.h"
#include "discreet/cli/learn_verbs.h"

namespace discreet::cli {

void add_learn(CLI::App& app, Action& chosen) {
  CLI::App* area =
      app.add_subcommand("learn", "train models with a guarantee: DP-SGD, private ERM, regression");
  area->require_subcommand(1);
  add_learn_sgd(*area, chosen);
  add_learn_evaluate(*area, chosen);
  add_learn_predict(*area, chosen);
  add_learn_erm(*area, chosen);
  add_learn_regression(*area, chosen);
}

}  // namespace discreet::cli
