#include "discreet/local/testing/problems.h"

#include <cmath>
#include <cstdlib>

namespace discreet::local::testing {
namespace {

std::size_t draw(random::Source& source, std::span<const double> weights) {
  double rest = uniform(source);
  for (std::size_t i = 0; i + 1 < weights.size(); ++i) {
    rest -= weights[i];
    if (rest < 0) return i;
  }
  return weights.size() - 1;
}

}  // namespace

double uniform(random::Source& source) {
  std::uint64_t word = 0;
  if (!source.fill({&word, 1})) std::abort();
  return static_cast<double>(word >> 11) * 0x1p-53;
}

std::vector<double> random_distribution(random::Source& source, std::size_t size) {
  std::vector<double> out(size);
  double sum = 0;
  for (double& each : out) sum += each = std::pow(uniform(source), 3) + 1e-3;
  for (double& each : out) each /= sum;
  return out;
}

channel::Channel random_channel(random::Source& source, std::size_t rows, std::size_t columns) {
  std::vector<Rational> entries;
  for (std::size_t y = 0; y < rows; ++y) {
    std::vector<long> weights(columns);
    long sum = 0;
    for (long& each : weights) sum += each = 1 + static_cast<long>(1000 * uniform(source));
    for (const long each : weights) {
      entries.emplace_back(each, sum);
      entries.back().canonicalize();
    }
  }
  return *channel::Channel::create(rows, columns, std::move(entries));
}

std::vector<std::uint64_t> random_counts(random::Source& source, const channel::Channel& channel,
                                         const std::vector<double>& theta, std::size_t users) {
  std::vector<double> rows;
  for (std::size_t y = 0; y < channel.rows(); ++y)
    for (const Rational& each : channel.row(y)) rows.push_back(to_double(each));
  std::vector<std::uint64_t> out(channel.columns());
  for (std::size_t i = 0; i < users; ++i)
    ++out[draw(source, std::span(rows).subspan(draw(source, theta) * channel.columns(),
                                               channel.columns()))];
  return out;
}

}  // namespace discreet::local::testing
