// discreet learn predict MODEL FILE: what a model says about each row.
#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/cli/interrupt.h"
#include "discreet/cli/learn_model.h"
#include "discreet/cli/learn_verbs.h"
#include "discreet/cli/out_file.h"
#include "discreet/cli/watchdog.h"

namespace discreet::cli {
namespace {

struct Options {
  std::string model, file, out;
  bool probabilities = false, json = false;
};

// A field of CSV.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

Status run(const Options& options) {
  const Interrupt interrupt;
  const Watchdog watchdog;
  const learn::Model model = TRY(open_model(options.model));
  const auto examples = TRY(examples_for(model, "file", options.file, "", false));
  const auto predictions = TRY(learn::predict_all(model, examples));
  const auto& classes = model.encoding.label.values;
  const std::string name = model.encoding.label.name.empty() ? "label" : model.encoding.label.name;
  std::string text = field(name);
  if (options.probabilities)
    for (const std::string& value : classes) text += "," + field("p_" + value);
  text += "\n";
  Json list = Json::array(), shares = Json::array();
  for (const auto& row : predictions) {
    if (classes.empty()) {
      text += to_text(row[0]) + "\n";
      list.push_back(row[0]);
      continue;
    }
    const auto best =
        static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
    list.push_back(classes[best]);
    text += field(classes[best]);
    if (options.probabilities) {
      shares.push_back(row);
      for (const double p : row) text += fmt::format(",{:.6g}", p);
    }
    text += "\n";
  }
  if (options.json) {
    Json json{{"label", name}, {"examples", predictions.size()}, {"predictions", list}};
    if (options.probabilities && !classes.empty()) {
      json["classes"] = classes;
      json["probabilities"] = shares;
    }
    text = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  if (!options.out.empty()) return write_whole("out", options.out, text);
  return print(text);
}

}  // namespace

void add_learn_predict(CLI::App& area, Action& chosen) {
  CLI::App* verb = add_verb(area, "predict", "what a model says about each row, as CSV",
                            "discreet learn predict clinic.model new-visits.csv -o predicted.csv");
  auto options = std::make_shared<Options>();
  verb->add_option("model", options->model, "the model's file")->required();
  verb->add_option("file", options->file, "rows like those it was trained on; no label is needed")
      ->required();
  verb->add_option("-o,--out", options->out, "write to this file");
  verb->add_flag("--probabilities", options->probabilities, "with the probability of each class");
  verb->add_flag("--json", options->json, "one JSON object");
  verb->callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

}  // namespace discreet::cli
