#include "discreet/learn/optimiser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace discreet::learn {

Result<Rule> rule_named(const std::string& name) {
  for (const Rule rule : {Rule::kSgd, Rule::kMomentum, Rule::kAdam})
    if (name == name_of(rule)) return rule;
  return bad_parameter("optimiser",
                       fmt::format("found '{}'; accepted are sgd, momentum and adam", name));
}

std::string_view name_of(Rule rule) {
  switch (rule) {
    case Rule::kSgd:
      return "sgd";
    case Rule::kMomentum:
      return "momentum";
    case Rule::kAdam:
      return "adam";
  }
  return "";
}

Result<Averaging> averaging_named(const std::string& name) {
  for (const Averaging averaging : {Averaging::kNone, Averaging::kExponential, Averaging::kTail})
    if (name == name_of(averaging)) return averaging;
  return bad_parameter("average",
                       fmt::format("found '{}'; accepted are none, exponential and tail", name));
}

std::string_view name_of(Averaging averaging) {
  switch (averaging) {
    case Averaging::kNone:
      return "none";
    case Averaging::kExponential:
      return "exponential";
    case Averaging::kTail:
      return "tail";
  }
  return "";
}

Optimiser::Optimiser(const OptimiserOptions& options, std::size_t weights) : options_(options) {
  if (options.rule != Rule::kSgd) first_.resize(weights);
  if (options.rule == Rule::kAdam) second_.resize(weights);
  if (options.averaging != Averaging::kNone) average_.resize(weights);
}

void Optimiser::step(std::uint64_t step, std::uint64_t steps, double rate,
                     std::span<const float> gradient, std::span<float> weights) {
  const std::size_t n = weights.size();
  const auto eta = static_cast<float>(rate);
  if (options_.weight_decay > 0) {
    const auto keep = static_cast<float>(1 - rate * options_.weight_decay);
    for (float& w : weights) w *= keep;
  }
  switch (options_.rule) {
    case Rule::kSgd:
      for (std::size_t i = 0; i < n; ++i) weights[i] -= eta * gradient[i];
      break;
    case Rule::kMomentum: {
      const auto beta = static_cast<float>(options_.momentum);
      for (std::size_t i = 0; i < n; ++i) {
        first_[i] = beta * first_[i] + gradient[i];
        weights[i] -= eta * first_[i];
      }
      break;
    }
    case Rule::kAdam: {
      const auto t = static_cast<double>(step + 1);
      const auto b1 = static_cast<float>(options_.beta1), b2 = static_cast<float>(options_.beta2);
      const auto scale = static_cast<float>(rate / (1 - std::pow(options_.beta1, t)));
      const auto root = static_cast<float>(1 / std::sqrt(1 - std::pow(options_.beta2, t)));
      const auto floor = static_cast<float>(options_.epsilon);
      for (std::size_t i = 0; i < n; ++i) {
        const float g = gradient[i];
        first_[i] = b1 * first_[i] + (1 - b1) * g;
        second_[i] = b2 * second_[i] + (1 - b2) * g * g;
        weights[i] -= scale * first_[i] / (std::sqrt(second_[i]) * root + floor);
      }
      break;
    }
  }
  if (options_.averaging == Averaging::kNone) return;
  if (options_.averaging == Averaging::kTail && 2 * (step + 1) <= steps) return;
  const double share = options_.averaging == Averaging::kTail
                           ? 1 / (averaged_ + 1)
                           : 1 - std::min(options_.decay, (1 + averaged_) / (10 + averaged_));
  const auto part = static_cast<float>(averaged_ == 0 ? 1.0 : share);
  for (std::size_t i = 0; i < n; ++i) average_[i] += part * (weights[i] - average_[i]);
  ++averaged_;
}

std::span<const float> Optimiser::result(std::span<const float> weights) const {
  return averaged_ > 0 ? std::span<const float>(average_) : weights;
}

std::vector<float> Optimiser::state() const {
  std::vector<float> out;
  for (const auto* part : {&first_, &second_, &average_})
    out.insert(out.end(), part->begin(), part->end());
  // As two floats: a count of steps may have more digits than one holds.
  out.push_back(static_cast<float>(std::floor(averaged_ / 65536)));
  out.push_back(static_cast<float>(std::fmod(averaged_, 65536)));
  return out;
}

bool Optimiser::restore(std::span<const float> state) {
  if (state.size() != first_.size() + second_.size() + average_.size() + 2) return false;
  std::size_t at = 0;
  for (auto* part : {&first_, &second_, &average_}) {
    std::copy_n(state.begin() + static_cast<std::ptrdiff_t>(at), part->size(), part->begin());
    at += part->size();
  }
  const double high = static_cast<double>(state[at]), low = static_cast<double>(state[at + 1]);
  if (!(high >= 0 && high < 65536 * 65536.0 && low >= 0 && low < 65536)) return false;
  averaged_ = high * 65536 + low;
  return true;
}

}  // namespace discreet::learn
