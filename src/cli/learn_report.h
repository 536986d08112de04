// What a training tells: a table of what it was and cost, JSON, and curves over its steps. All of
// it is released: from noisy sums, from a file that was declared public, or from what is public.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "discreet/cli/learn_plan.h"

namespace discreet::cli {

using Json = nlohmann::ordered_json;

struct Validated {
  std::uint64_t step = 0;
  double accuracy = 0, loss = 0;
};

struct Training {
  const SgdPlan* plan = nullptr;
  std::string network = {};
  std::size_t weights = 0, classes = 0;
  std::uint64_t begun = 0;                            // steps spent
  double epsilon = 0;                                 // of what was spent
  std::vector<std::pair<double, double>> told = {};   // loss and accuracy of each step, noisy
  double loss_deviation = 0, accuracy_deviation = 0;  // of one step
  double loss_bound = 0;
  std::vector<Validated> validated = {};
  std::vector<std::pair<std::uint64_t, double>> spent = {};  // ε after that many steps
  std::string undeclared = {};
  bool count_declared = false;
  std::string receipt = {};  // of the policy's ledger
};

// Means over the last epoch of steps, with the noise's standard deviation.
struct LastEpoch {
  double loss = 0, accuracy = 0, loss_deviation = 0, accuracy_deviation = 0;
  std::uint64_t steps = 0;
};
LastEpoch last_epoch(const Training& training);

Json training_json(const Training& training, const SgdOptions& options);
Json report_json(const Training& training, const SgdOptions& options);  // with the curves
std::string training_text(const Training& training, const SgdOptions& options);
std::string training_plot(const Training& training);

}  // namespace discreet::cli
