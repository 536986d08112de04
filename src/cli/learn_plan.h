// What `discreet learn sgd` was asked for, read and checked, and what it will cost: before a row is
// used.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "discreet/cli/learn_data.h"
#include "discreet/learn/account.h"
#include "discreet/learn/trainer.h"

namespace discreet::cli {

struct SgdOptions {
  DataOptions data;
  std::string model = "logistic", activation = "relu";
  std::string epsilon, delta, noise, lot, batch = "128", clip = "1", layer_clips, layer_noise;
  std::string epochs, steps, rate, optimiser = "sgd", momentum = "0.9", average = "none",
                                   weight_decay;
  std::string pca, pca_noise, validate, validate_labels, threads;
  bool no_sampling = false;
  std::string out, plot, report;
  bool resume = false, fresh = false, explain = false, json = false;
};

struct SgdPlan {
  Rational delta;
  std::uint64_t count = 0, lot = 0, steps = 0;
  double epochs = 0;
  std::vector<learn::Schedule::Piece> sigma;  // of each step, one stretch after the other
  double epsilon = 0;                         // of everything, when all steps are done
  learn::Account account;                     // training(1, t): with the σ above
  std::optional<Rational> measuring;          // σ of measuring what isn't declared
  std::size_t components = 0;                 // of --pca; 0: none
  Rational components_sigma = 0;
  learn::TrainerOptions trainer;
  std::size_t threads = 0;
  std::string run;  // what a checkpoint must agree with

  // What is spent once that many steps were begun.
  privacy::Event spent(std::uint64_t begun) const { return account.event(1, begun); }
};

Result<SgdPlan> plan_sgd(const SgdOptions& options, const TrainingSource& source);

}  // namespace discreet::cli
