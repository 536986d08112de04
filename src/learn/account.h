// What a training costs, before and after: everything that is released of the rows is in one event.
//
//   #include "discreet/learn/subsampled.h"
//   Account account{.before = {privacy::Event{privacy::Gaussian{20}}}, .steps = 1000};
//   account.training = [](const Rational& sigma, std::uint64_t steps) {
//     return subsampled_event(Rational(1, 100), {{0, sigma}}, steps);
//   };
//   Rational sigma = *calibrate_noise(account, 2, Rational(1, 100000));
//   double epsilon = *epsilon_of(account.event(sigma, 1000), Rational(1, 100000));  // at most 2
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "discreet/base/number.h"
#include "discreet/privacy/event.h"

namespace discreet::learn {

struct Account {
  std::vector<privacy::Event> before = {};  // measuring bounds and classes, principal components
  std::uint64_t steps = 0;
  // What that many steps at this noise cost.
  std::function<privacy::Event(const Rational& sigma, std::uint64_t steps)> training = {};

  privacy::Event event(const Rational& sigma, std::uint64_t done) const;
};

// ε at δ, adding or removing an example; an upper bound.
Result<double> epsilon_of(const privacy::Event& event, const Rational& delta);

// The least σ (to three or four digits, rounded up) with which all of it is (ε, δ)-DP. Refused
// where what comes before training leaves nothing.
Result<Rational> calibrate_noise(const Account& account, const Rational& epsilon,
                                 const Rational& delta);

// The σ of one Gaussian release that takes this share of the precision 1/σ² that (ε, δ) buys in
// all. Shares add up like variances do, whatever the training is.
Result<Rational> sigma_of_share(const Rational& epsilon, const Rational& delta,
                                const Rational& share);

}  // namespace discreet::learn
