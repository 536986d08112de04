// discreet learn evaluate MODEL FILE: how good a model is, on rows that are public or whose owners
// agreed.
#include <fmt/format.h>

#include <cmath>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/cli/channel_output.h"
#include "discreet/cli/interrupt.h"
#include "discreet/cli/learn_model.h"
#include "discreet/cli/learn_verbs.h"
#include "discreet/cli/watchdog.h"
#include "discreet/present/progress.h"

namespace discreet::cli {
namespace {

struct Options {
  std::string model, file, labels;
  bool json = false;
};

Status run(const Options& options) {
  const Interrupt interrupt;
  const Watchdog watchdog;
  const learn::Model model = TRY(open_model(options.model));
  const auto examples = TRY(examples_for(model, "file", options.file, options.labels, true));
  if (examples.count == 0)
    return bad_parameter("file",
                         "found no row with a label that the model knows; accepted is at "
                         "least one");
  const Evaluated found = TRY(evaluate(model, examples));
  if (!std::isfinite(found.loss))
    return fail(Code::kFailure,
                fmt::format("{} says numbers that aren't finite: its training diverged",
                            quote(options.model)),
                "train with a smaller learning rate");
  Json json;
  std::string text;
  if (model.classes > 0) {
    json = {{"accuracy", found.accuracy}, {"loss", found.loss}, {"examples", found.examples}};
    text = fmt::format("{:.2f} % of {} examples are right; the loss is {:.4f}\n",
                       100 * found.accuracy, present::with_commas(found.examples), found.loss);
  } else {
    json = {{"rmse", found.rmse}, {"loss", found.loss}, {"examples", found.examples}};
    text = fmt::format(
        "the root of the mean squared error of {} examples is {:.5g}; the loss is "
        "{:.4f}\n",
        present::with_commas(found.examples), found.rmse, found.loss);
  }
  if (!options.json) text += "These numbers are exact: of private rows they are private too.\n";
  return finish(options.json, json, text);
}

}  // namespace

void add_learn_evaluate(CLI::App& area, Action& chosen) {
  CLI::App* verb = add_verb(area, "evaluate", "how good a model is on rows that may be looked at",
                            "discreet learn evaluate digits.model t10k-images-idx3-ubyte --json");
  auto options = std::make_shared<Options>();
  verb->add_option("model", options->model, "the model's file")->required();
  verb->add_option("file", options->file, "rows like those it was trained on, with their label")
      ->required();
  verb->add_option("--labels", options->labels,
                   "IDX labels, where they aren't found beside the images");
  verb->add_flag("--json", options->json, "one JSON object");
  verb->callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

}  // namespace discreet::cli
