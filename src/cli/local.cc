// discreet local VERB …: collect from people without being trusted with what they say.
#include "discreet/cli/areas.h"
#include "discreet/cli/local_verbs.h"

namespace discreet::cli {

void add_local(CLI::App& app, Action& chosen) {
  CLI::App* area = app.add_subcommand(
      "local", "collect without being trusted: perturb at home, estimate from the reports");
  area->require_subcommand(1);
  add_local_describe(*area, chosen);
  add_local_list(*area, chosen);
  add_local_perturb(*area, chosen);
  add_local_estimate(*area, chosen);
  add_local_aggregate(*area, chosen);
  add_local_merge(*area, chosen);
  add_local_guarantee(*area, chosen);
  add_local_records(*area, chosen);
  add_local_hitters(*area, chosen);
  add_local_choose(*area, chosen);
  add_local_simulate(*area, chosen);
}

}  // namespace discreet::cli
