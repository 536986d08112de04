#include "discreet/local/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "discreet/base/try.h"
#include "discreet/local/collect.h"
#include "discreet/local/numeric_shape.h"

namespace discreet::local {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Reports that a likelihood wants to see again.
constexpr std::uint64_t kMostKept = std::uint64_t{8} << 30;

// Value i of d as a place on the grid: i/(d − 1), or the middle of bin i.
std::vector<Value> places(const Population& population, Task task) {
  const std::size_t domain = population.counts.size();
  std::vector<Value> place(domain);
  for (std::size_t i = 0; i < domain; ++i) {
    const double share = task == Task::kShape
                             ? (static_cast<double>(i) + 0.5) / static_cast<double>(domain)
                             : static_cast<double>(i) / (static_cast<double>(domain) - 1);
    place[i] = static_cast<Value>(std::lround(share * kScale));
  }
  std::vector<Value> out(population.values.size());
  std::transform(population.values.begin(), population.values.end(), out.begin(),
                 [&place](Value v) { return place[v]; });
  return out;
}

void compare(Simulated& out) {
  const std::size_t size = out.truth.size();
  std::size_t within = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const double error = std::fabs(out.estimate[i] - out.truth[i]);
    out.mse += error * error / static_cast<double>(size);
    out.total_variation += error / 2;
    out.largest = std::max(out.largest, error);
    within += error <= 2 * out.stderr_[i] ? 1 : 0;
  }
  out.within = static_cast<double>(within) / static_cast<double>(size);
}

double true_mean(const Population& population) {
  const std::vector<double> frequencies = population.frequencies();
  double sum = 0;
  for (std::size_t i = 0; i < frequencies.size(); ++i)
    sum += frequencies[i] * static_cast<double>(i);
  return 2 * sum / (static_cast<double>(frequencies.size()) - 1) - 1;
}

Status estimate_means(const MeanProtocol& protocol, const State& state,
                      const Population& population, Simulated& out) {
  const Number mean = protocol.mean(state);
  out.truth = {true_mean(population)};
  out.estimate = {2 * mean.value - 1};
  out.stderr_ = {2 * mean.stderr_};
  return {};
}

}  // namespace

Result<Simulated> simulate(const Protocol& protocol, const Population& population,
                           const EstimateOptions& options) {
  const Constants& c = protocol.constants();
  const std::size_t domain = population.counts.size();
  if (domain < 2 || (c.task != Task::kMean && c.domain != domain))
    return bad_parameter("domain", fmt::format("found {} values in the population and {} in the "
                                               "protocol; accepted is the same number, at least 2",
                                               domain, c.domain));
  Simulated out;
  out.bits = c.bits;
  State state(protocol);
  const auto* frequencies = dynamic_cast<const FrequencyProtocol*>(&protocol);
  const bool iterated = options.method == Method::kIbu || options.method == Method::kMle;
  state.keeps = frequencies && iterated && frequencies->likelihood_needs_reports();
  if (state.keeps && population.values.size() * c.words * sizeof(Word) > kMostKept)
    return bad_parameter(
        "method",
        fmt::format("found {}, which needs all reports of {} at once: {:.1f} GiB; "
                    "accepted are {} GiB",
                    name_of(options.method), c.name,
                    static_cast<double>(population.values.size() * c.words) * 4 / (1 << 30),
                    kMostKept >> 30));
  const auto start = std::chrono::steady_clock::now();
  if (frequencies != nullptr)
    TRY(collect(protocol, population.values, state));
  else
    TRY(collect(protocol, places(population, c.task), state));
  out.seconds_perturbing = seconds_since(start);

  const auto collected = std::chrono::steady_clock::now();
  const auto users = static_cast<double>(state.users);
  if (frequencies != nullptr) {
    Estimate estimate = TRY(estimate_frequencies(*frequencies, state, options));
    out.truth = population.frequencies();
    out.estimate = std::move(estimate.distribution);
    out.stderr_ = std::move(estimate.stderr_);
    const std::vector<double> variances = frequencies->variances(state.counters, out.truth);
    out.predicted = std::accumulate(variances.begin(), variances.end(), 0.0) /
                    static_cast<double>(domain) / users;
  } else if (const auto* shape = dynamic_cast<const ShapeProtocol*>(&protocol)) {
    Shape found = TRY(estimate_shape(*shape, state, shape_options()));
    out.truth = population.frequencies();
    out.estimate = std::move(found.bins.distribution);
    out.stderr_ = std::move(found.bins.stderr_);
  } else if (const auto* mean = dynamic_cast<const MeanProtocol*>(&protocol)) {
    TRY(estimate_means(*mean, state, population, out));
    out.predicted = c.variance / users;
  }
  out.seconds_estimating = seconds_since(collected);
  compare(out);
  return out;
}

}  // namespace discreet::local
