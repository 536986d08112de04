// Model files on the command line.
#pragma once

#include <string>

#include "discreet/cli/learn_data.h"
#include "discreet/learn/model.h"

namespace discreet::cli {

Result<learn::Model> open_model(const std::string& path);

// Rows as the model takes them: read by its encoding, then through its front.
Result<learn::Examples> examples_for(const learn::Model& model, const std::string& parameter,
                                     const std::string& file, const std::string& labels,
                                     bool labelled);

struct Evaluated {
  std::uint64_t examples = 0;
  double loss = 0, accuracy = 0;
  double rmse = 0;  // of a number, in the label's own units
};
Result<Evaluated> evaluate(const learn::Model& model, const learn::Examples& examples);

// Weights that aren't finite are of no use, and no file is written that can't be read: refused.
// (They are released numbers, so this tells nothing more of the rows.)
Status check_finite(const learn::Model& model);

}  // namespace discreet::cli
