// How fast privacy is accounted for: one core, δ = 1e-5. Each case reports the width of the
// interval it reached, and the peak memory of the process so far (MB; run a case alone with
// --benchmark_filter for its own).
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <stdexcept>

#include "discreet/privacy/calibrate.h"
#include "discreet/privacy/renyi.h"

namespace discreet::privacy {
namespace {

const Rational kDelta(1, 100000);

template <class T>
T checked(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text());
  return std::move(*result);
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void epsilon(benchmark::State& state, const std::string& text, double width) {
  const Event event = checked(parse_event(text));
  PldOptions options;
  options.tolerance = 1e-9;
  options.absolute = width;
  PldAnswer answer;
  for (auto _ : state) answer = checked(pld_epsilon(event, kDelta, Adjacency::kAddRemove, options));
  if (!answer.met) throw std::runtime_error("the interval is wider than asked for");
  state.counters["epsilon"] = answer.value.upper;
  state.counters["width"] = answer.value.upper - answer.value.lower;
  state.counters["peak_MB"] = peak_megabytes();
}

void AccountSampledGaussian10k(benchmark::State& state) {
  epsilon(state, "poisson(0.01, gaussian(sigma=1))*10^4", 0.01);
}
BENCHMARK(AccountSampledGaussian10k)->Unit(benchmark::kMillisecond);

void AccountSampledGaussian1M(benchmark::State& state) {
  epsilon(state, "poisson(0.01, gaussian(sigma=1))*10^6", 0.01);
}
BENCHMARK(AccountSampledGaussian1M)->Unit(benchmark::kMillisecond);

void AccountLargeEpsilon(benchmark::State& state) {
  epsilon(state, "poisson(0.05, gaussian(sigma=0.8))*50000", 0.01);
}
BENCHMARK(AccountLargeEpsilon)->Unit(benchmark::kMillisecond);

void AccountThousandSigmas(benchmark::State& state) {
  std::string text = "compose(";
  for (int i = 0; i < 1000; ++i)
    text += fmt::format("{}poisson(0.01, gaussian(sigma={}))", i == 0 ? "" : ", ", 0.8 + 0.001 * i);
  epsilon(state, text + ")", 0.01);
}
BENCHMARK(AccountThousandSigmas)->Unit(benchmark::kMillisecond);

void CalibrateSigma(benchmark::State& state) {
  const Expression expression =
      checked(Expression::parse({"poisson(0.01, gaussian(sigma=?))*10^4"}));
  Calibration found;
  for (auto _ : state) found = checked(calibrate(expression, 2, kDelta, {}));
  state.counters["sigma"] = found.value.get_d();
}
BENCHMARK(CalibrateSigma)->Unit(benchmark::kMillisecond);

void RenyiOrders(benchmark::State& state) {
  const Event event = checked(parse_event("poisson(0.01, gaussian(sigma=1))"));
  std::vector<double> orders;
  for (int i = 1; i <= 150; ++i) orders.push_back(1 + i * 0.21);  // fractions up to 32.5
  std::vector<double> values;
  for (auto _ : state) values = checked(renyi(event, orders, Adjacency::kAddRemove));
  state.counters["orders"] = static_cast<double>(values.size());
}
BENCHMARK(RenyiOrders)->Unit(benchmark::kMicrosecond);

void RenyiDefaultOrders(benchmark::State& state) {
  const Event event = checked(parse_event("poisson(0.01, gaussian(sigma=1))"));
  std::vector<double> values;
  for (auto _ : state) values = checked(renyi(event, renyi_orders(), Adjacency::kAddRemove));
  state.counters["orders"] = static_cast<double>(values.size());
}
BENCHMARK(RenyiDefaultOrders)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace discreet::privacy
