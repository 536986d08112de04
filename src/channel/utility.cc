#include "discreet/channel/utility.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"

namespace discreet::channel {
namespace {

Status check(const Prior& prior, const Gain& gain, std::size_t rows) {
  TRY(check_prior(prior, rows));
  if (gain.size() == rows) return {};
  return fail(Code::kUsage,
              fmt::format("the gain is about {} true values; accepted are {}, one for "
                          "each input",
                          gain.size(), rows));
}

// The best guess against the weights π(y)·C[y][z] of one output.
class Chooser {
 public:
  explicit Chooser(const Gain& gain) : gain_(gain) {
    if (gain.kind() == Gain::Kind::kIdentity) return;
    table_.reserve(gain.guesses() * gain.size());
    for (std::size_t w = 0; w < gain.guesses(); ++w)
      for (std::size_t y = 0; y < gain.size(); ++y) table_.push_back(to_double(gain.at(w, y)));
  }

  std::pair<std::size_t, Rational> best(const std::vector<Rational>& weights,
                                        std::size_t preferred) const {
    if (gain_.kind() == Gain::Kind::kIdentity) {
      std::size_t most = preferred < weights.size() ? preferred : 0;
      for (std::size_t y = 0; y < weights.size(); ++y)
        if (weights[y] > weights[most]) most = y;
      return {most, weights[most]};
    }
    std::size_t found = gain_.guesses();
    Rational value;
    for (const std::size_t w : promising(weights)) {
      Rational sum;
      for (std::size_t y = 0; y < weights.size(); ++y)
        if (sgn(weights[y]) != 0) sum += weights[y] * gain_.at(w, y);
      if (found == gain_.guesses() || sum > value || (sum == value && w == preferred))
        found = w, value = std::move(sum);
    }
    return {found, value};
  }

 private:
  // Every guess that could be best. A sum of n products of doubles, each factor within 2^-53 of the
  // truth, is within (n+3)·2^-53·(1+tiny) of it, relative to the sum of the products' sizes; below
  // the smallest normal double each product is off by 2^-1074 besides.
  std::vector<std::size_t> promising(const std::vector<Rational>& weights) const {
    const std::size_t n = weights.size();
    std::vector<double> q;
    q.reserve(n);
    for (const Rational& weight : weights) q.push_back(to_double(weight));
    std::vector<double> high(gain_.guesses());
    double floor = -HUGE_VAL;
    for (std::size_t w = 0; w < gain_.guesses(); ++w) {
      double sum = 0, size = 0;
      for (std::size_t y = 0; y < n; ++y) {
        const double term = q[y] * table_[w * n + y];
        sum += term;
        size += std::abs(term);
      }
      const double error = static_cast<double>(n + 8) * (size * 0x1p-52 + 0x1p-1022);
      if (!std::isfinite(sum)) {  // too large for doubles: fractions decide
        high[w] = HUGE_VAL;
        continue;
      }
      high[w] = sum + error;
      floor = std::max(floor, sum - error);
    }
    std::vector<std::size_t> out;
    for (std::size_t w = 0; w < gain_.guesses(); ++w)
      if (high[w] >= floor) out.push_back(w);
    return out;
  }

  const Gain& gain_;
  std::vector<double> table_;
};

std::vector<Rational> weights_of(const Channel& channel, const Prior& prior, std::size_t z) {
  std::vector<Rational> out;
  out.reserve(prior.size());
  for (std::size_t y = 0; y < prior.size(); ++y) out.push_back(prior[y] * channel.at(y, z));
  return out;
}

}  // namespace

Result<Utility> utility_of(const Channel& channel, const Prior& prior, const Gain& gain) {
  TRY(check(prior, gain, channel.rows()));
  const Chooser chooser(gain);
  Utility out;
  for (std::size_t z = 0; z < channel.columns(); ++z) {
    const auto [guess, value] = chooser.best(weights_of(channel, prior, z), z);
    out.value += value;
    out.remap.push_back(guess);
  }
  return out;
}

Result<Rational> utility_with(const Channel& channel, const Prior& prior, const Gain& gain,
                              const std::vector<std::size_t>& remap) {
  TRY(check(prior, gain, channel.rows()));
  if (remap.size() != channel.columns()) {
    return fail(Code::kUsage, fmt::format("the remap has {} guesses; accepted are {}, one for each "
                                          "output",
                                          remap.size(), channel.columns()));
  }
  Rational sum;
  for (std::size_t z = 0; z < remap.size(); ++z) {
    if (remap[z] >= gain.guesses()) {
      return fail(Code::kUsage, fmt::format("the remap's guess {} for output {}; accepted are 0 to "
                                            "{}",
                                            remap[z], z, gain.guesses() - 1));
    }
    for (std::size_t y = 0; y < prior.size(); ++y)
      sum += prior[y] * channel.at(y, z) * gain.at(remap[z], y);
  }
  return sum;
}

Result<Utility> utility_of_guessing(const Prior& prior, const Gain& gain) {
  TRY(check(prior, gain, prior.size()));
  const auto [guess, value] = Chooser(gain).best(prior, 0);
  return Utility{value, {guess}};
}

}  // namespace discreet::channel
