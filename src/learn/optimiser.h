// From noisy gradients to weights: post-processing, so it costs no privacy whatever it does.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "discreet/base/error.h"

namespace discreet::learn {

enum class Rule {
  kSgd,       // w −= η·g
  kMomentum,  // m = β·m + g, w −= η·m
  kAdam,      // Kingma and Ba 2015
};
Result<Rule> rule_named(const std::string& name);
std::string_view name_of(Rule rule);

enum class Averaging {
  kNone,
  kExponential,  // a += (1 − d)·(w − a), d = min(decay, (1 + t)/(10 + t))
  kTail,         // the mean of the last half of the steps (Polyak and Ruppert)
};
Result<Averaging> averaging_named(const std::string& name);
std::string_view name_of(Averaging averaging);

struct OptimiserOptions {
  Rule rule = Rule::kSgd;
  double momentum = 0.9;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double weight_decay = 0;  // decoupled: w −= η·λ·w
  Averaging averaging = Averaging::kNone;
  double decay = 0.999;
};

class Optimiser {
 public:
  Optimiser(const OptimiserOptions& options, std::size_t weights);

  void step(std::uint64_t step, std::uint64_t steps, double rate, std::span<const float> gradient,
            std::span<float> weights);
  // What the model is: the average where one is kept and has begun, else the weights.
  std::span<const float> result(std::span<const float> weights) const;

  // Everything it remembers, for checkpoints.
  std::vector<float> state() const;
  bool restore(std::span<const float> state);

 private:
  OptimiserOptions options_;
  std::vector<float> first_, second_, average_;
  double averaged_ = 0;  // steps in the average
};

}  // namespace discreet::learn
