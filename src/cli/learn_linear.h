// What `learn erm` and `learn regression` share: options, the share for measuring, and the file.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "discreet/cli/learn_data.h"
#include "discreet/cli/learn_verbs.h"
#include "discreet/learn/ball.h"
#include "discreet/learn/model.h"

namespace discreet::cli {

struct LinearOptions {
  DataOptions data;
  std::string epsilon, delta = "1e-5", radius, out;
  bool json = false;
};
void add_linear_options(CLI::App& verb, LinearOptions& options);

// What is known before a row is used.
struct LinearSetting {
  Rational epsilon, delta;
  std::optional<double> radius;
  std::unique_ptr<TrainingSource> source;
  Rational measuring;                  // the noise multiplier of what is measured
  std::vector<privacy::Event> before;  // … and what that costs
};
Result<LinearSetting> open_linear(const LinearOptions& options);

// The ball that the examples are brought into: --radius, or the longest that they can be.
learn::BallOptions ball_of(const LinearSetting& setting, const learn::Encoding& encoding);

// Scores of classes (the first of two may be 0), or one of a number, as linear functions of a row
// of the ball: as a model that evaluate and predict take.
learn::Model linear_model(const TrainingData& data, const learn::BallOptions& ball,
                          const std::vector<std::vector<double>>& scores);

// A linear function of encoded columns, with `weight(i)` for the i-th number of an example, as one
// of the columns' own values: a weight for each number, named as its column, and for each category,
// named column=value. In a column's name = is written \= and \ is \\.
struct OwnUnits {
  Json weights;
  double intercept = 0;
};
OwnUnits in_own_units(const learn::Encoding& encoding,
                      const std::function<double(std::size_t)>& weight, double intercept);

// Into the ledger, then into the file, then on the screen, with what else is told of the result.
Status finish_linear(const LinearOptions& options, LinearSetting& setting, learn::Model model,
                     const privacy::Event& event, const Json& result);

}  // namespace discreet::cli
