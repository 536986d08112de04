// A protocol tried on made-up people: what it estimates against what is true of them.
//
//   #include "discreet/local/registry.h"
//   #include "discreet/random/generator.h"
//   auto people = *draw_population(*law_weights("zipf", 10), 10000, random::thread_generator());
//   auto flat = *find("flat")->make({.epsilon = 1, .domain = 10});
//   Simulated found = *simulate(*flat, people, {});
//   double error = found.mse, expected = found.predicted;  // about the same
//
// Values are what protocols for frequencies estimate. Where a protocol is about numbers, value i of
// d stands for −1 + 2i/(d − 1), and its mean is estimated; the square wave tells the shape, bin i
// for value i, which then stands for the middle of its bin.
#pragma once

#include "discreet/local/distributions.h"
#include "discreet/local/estimate.h"

namespace discreet::local {

struct Simulated {
  std::vector<double> truth, estimate, stderr_;  // of a mean: one of each, in −1 … 1
  double mse = 0;                                // the mean of the squared errors
  double predicted = 0;           // what the variance says it should be; 0: nothing is said
  double total_variation = 0;     // half the sum of the errors' sizes
  double largest = 0;             // the largest error
  double within = 0;              // the share of values within two standard errors
  double seconds_perturbing = 0;  // clients and counting
  double seconds_estimating = 0;
  double bits = 0;  // a report
};

// Shapes are estimated by smoothed rounds (numeric_shape.h) whatever the method, means directly.
Result<Simulated> simulate(const Protocol& protocol, const Population& population,
                           const EstimateOptions& options);

}  // namespace discreet::local
