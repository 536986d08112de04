// discreet local list: every protocol, and what its reports look like.
#include "discreet/cli/channel_output.h"
#include "discreet/cli/local_verbs.h"
#include "discreet/present/table.h"

namespace discreet::cli {
namespace {

std::string_view name_of(local::Task task) {
  switch (task) {
    case local::Task::kFrequencies:
      return "frequencies";
    case local::Task::kMean:
      return "mean";
    case local::Task::kShape:
      return "shape";
  }
  return {};
}

Status list(bool as_json) {
  Json json = Json::array();
  present::Table table({{"protocol"}, {"tells"}, {"a report is"}, {"paper"}});
  for (const local::Entry& entry : local::registry()) {
    json.push_back({{"name", entry.name},
                    {"task", name_of(entry.task)},
                    {"title", entry.title},
                    {"report", entry.report},
                    {"paper", entry.paper}});
    table.add({std::string(entry.name), std::string(name_of(entry.task)), std::string(entry.report),
               std::string(entry.paper)});
  }
  return finish(as_json, {{"protocols", json}}, table.text());
}

}  // namespace

void add_local_list(CLI::App& area, Action& chosen) {
  CLI::App* verb = add_verb(area, "list", "every protocol, and what its reports look like",
                            "discreet local list");
  auto json = std::make_shared<bool>(false);
  verb->add_flag("--json", *json, "one JSON object");
  verb->callback([json, &chosen] { chosen = [json] { return list(*json); }; });
}

}  // namespace discreet::cli
