// The verbs of `discreet learn`, one a file.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "discreet/cli/command.h"

namespace discreet::cli {

using Json = nlohmann::ordered_json;

void add_learn_sgd(CLI::App& area, Action& chosen);
void add_learn_evaluate(CLI::App& area, Action& chosen);
void add_learn_predict(CLI::App& area, Action& chosen);
void add_learn_erm(CLI::App& area, Action& chosen);
void add_learn_regression(CLI::App& area, Action& chosen);

}  // namespace discreet::cli
