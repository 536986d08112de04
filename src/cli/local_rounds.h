// What verbs that estimate by rounds share: when rounds are near enough, how far they have come,
// and that they can be interrupted.
#pragma once

#include "discreet/local/estimate.h"
#include "discreet/present/progress.h"

namespace discreet::cli {

// The tolerance where a round goes over every report and every value: all reports together within a
// thousandth of a nat are near enough if that is much work, since rounds beyond move nothing that
// an error bar would show.
double near_enough(std::uint64_t users, std::size_t domain, double tolerance);

// For EstimateOptions::progress, of one estimate or of several one after the other:
//   RoundsBar bar(how.tolerance);
//   how.progress = std::ref(bar);
class RoundsBar {
 public:
  explicit RoundsBar(double tolerance, std::size_t estimates = 1);
  bool operator()(std::size_t round, double gap);

 private:
  double tolerance_, first_ = 0;
  std::size_t round_ = 0;
  std::uint64_t done_ = 0;  // of this estimate's steps
  present::Progress bar_;
};

// An error where the rounds were interrupted.
Status not_interrupted(const local::Estimate& estimate);

}  // namespace discreet::cli
