// Which groups of an unbounded set may be shown at all: the optimal (truncated-geometric) partition
// selection of Desfontaines, Voss, Gipson and Mandayam, "Differentially private partition
// selection" (PETS 2022).
//
//   auto mechanism = *PartitionSelection::create({.epsilon = 1, .delta = Rational(1, 1000000)});
//   Rational shown = mechanism.probability(20);  // of a group with 20 units
//
// What is proved. A group with n units is shown with probability π(n), independently: π(0) = 0 and
//   π(n) = min(e^ε·π(n−1) + δ,  1 − e^−ε·(1 − π(n−1) − δ),  1),
// the largest that makes "shown or not" (ε, δ)-DP for one unit more or less (their Theorem 1). The
// table here is computed in rationals: e^ε rounded down and e^−ε up, each π down to 128 binary
// places, so that both inequalities hold exactly. A unit in up to k groups pays kε and kδ (basic
// composition): the caller gives each group its share.
//
// This is the table; gap/group_selection.h releases groups by it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "discreet/privacy/event.h"
#include "discreet/privacy/guarantee.h"

namespace discreet::mechanism {

struct PartitionSelectionParameters {
  Rational epsilon, delta;  // for each group
};

class PartitionSelection {
 public:
  static Result<PartitionSelection> create(const PartitionSelectionParameters& parameters);

  privacy::Guarantee guarantee() const { return {p_.epsilon, p_.delta}; }
  privacy::Event event() const { return {privacy::Approximate{p_.epsilon, p_.delta}}; }
  // How likely a group of so many units is to be shown.
  const Rational& probability(std::int64_t units) const;
  // The least number of units at which it is shown with at least this probability.
  std::int64_t units_for(const Rational& probability) const;

 private:
  PartitionSelection(PartitionSelectionParameters parameters, std::vector<Rational> table)
      : p_(std::move(parameters)), table_(std::move(table)) {}
  PartitionSelectionParameters p_;
  std::vector<Rational> table_;  // π(0), π(1), … up to the first 1
};

}  // namespace discreet::mechanism
