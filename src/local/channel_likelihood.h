// The likelihood of outputs of any channel (channel/channel.h), whose inputs are the values.
//
//   const Rational high(3, 4), low(1, 4);
//   channel::Channel coin = *channel::Channel::create(2, 2, {high, low, low, high});
//   const std::vector<double> counts{40, 60};  // how often each output was seen
//   std::unique_ptr<Likelihood> likelihood = *ChannelLikelihood::create(coin, counts);
//
// A round takes a step for each input and each output that was seen.
#pragma once

#include <memory>

#include "discreet/channel/channel.h"
#include "discreet/local/likelihood.h"

namespace discreet::local {

class ChannelLikelihood final : public Likelihood {
 public:
  // An error where an output was seen that no input has.
  static Result<std::unique_ptr<ChannelLikelihood>> create(const channel::Channel& channel,
                                                           std::span<const double> counts);
  std::size_t values() const override { return values_; }
  double users() const override { return users_; }
  double gradient(std::span<const double> theta, std::span<double> g) const override;
  std::vector<double> information(std::span<const double> theta,
                                  std::span<const std::size_t> among) const override;

 private:
  ChannelLikelihood() = default;
  std::vector<double> marginals(std::span<const double> theta) const;

  std::size_t values_ = 0;
  std::vector<double> shares_;   // of the outputs that were seen
  std::vector<double> entries_;  // P[output|value] of those, value by value
  double users_ = 0;
};

}  // namespace discreet::local
