// How fast channels are: the best mechanism by linear program and by closed form, each with its
// certificate, and what structured channels of a million inputs take. One core.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <stdexcept>

#include "discreet/channel/optimal.h"
#include "discreet/channel/structured.h"
#include "discreet/channel/sweep.h"

namespace discreet::channel {
namespace {

template <class T>
T checked(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text());
  return std::move(*result);
}

double peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss);
}

void best(benchmark::State& state, Method method) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const Problem problem =
      checked(make_problem(checked(Graph::path(n)), Ratio::exactly(2),
                           {{checked(uniform_prior(n)), checked(Gain::identity(n))}}));
  double gap = 0;
  for (auto _ : state) gap = to_double(checked(optimal(problem, method)).certificate.gap());
  if (gap > 1e-8) throw std::runtime_error("the certificate isn't tight");
  state.counters["gap"] = gap;
}

void channel_lp(benchmark::State& state) { best(state, Method::kLinearProgram); }
BENCHMARK(channel_lp)->Arg(50)->Arg(100)->Unit(benchmark::kMillisecond)->Iterations(1);

void channel_closed_form(benchmark::State& state) { best(state, Method::kClosedForm); }
BENCHMARK(channel_closed_form)->Arg(100)->Unit(benchmark::kMillisecond);

// The best remap, utility and ε of a million inputs.
template <class Structured, bool kDistance>
void channel_million(benchmark::State& state) {
  const Structured channel{1'000'000, Ratio::exactly(2)};
  const Graph path = checked(Graph::path(channel.size));
  const Gain gain = checked(kDistance ? Gain::distance(path) : Gain::identity(channel.size));
  const auto prior = uniform_doubles(channel.size);
  double value = 0;
  for (auto _ : state) {
    const Swept use = checked(sweep_utility(channel, prior, gain));
    value = use.value() + epsilon_of(channel, path).epsilon();
    benchmark::DoNotOptimize(value);
  }
  state.counters["peak_kB"] = peak_kilobytes();
}
BENCHMARK(channel_million<TruncatedGeometric, false>)
    ->Name("channel_million/geometric/identity")
    ->Unit(benchmark::kMillisecond);
BENCHMARK(channel_million<TruncatedGeometric, true>)
    ->Name("channel_million/geometric/distance")
    ->Unit(benchmark::kMillisecond);
BENCHMARK(channel_million<Flat, true>)
    ->Name("channel_million/flat/distance")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace discreet::channel
