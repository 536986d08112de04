// How long a round of the iterative Bayesian update takes at a million values, beside one plain
// sweep over as many numbers. Two cores.
#include <benchmark/benchmark.h>

#include <stdexcept>

#include "discreet/local/flat_likelihood.h"
#include "discreet/local/geometric_likelihood.h"
#include "discreet/local/ibu.h"
#include "discreet/local/mle.h"

namespace discreet::local {
namespace {

constexpr std::size_t kValues = 1'000'000;

// Counts with a long tail.
std::vector<std::uint64_t> some_counts() {
  std::vector<std::uint64_t> out(kValues);
  for (std::size_t v = 0; v < kValues; ++v)
    out[v] = 90 + v * 2654435761U % 21 + 1'000'000 / (v + 1);
  return out;
}

// out = a·b + c of a million, on one core.
void local_sweep(benchmark::State& state) {
  std::vector<double> a(kValues, 1.25), b(kValues, 0.5), c(kValues, 0.125), out(kValues);
  for (auto _ : state) {
    for (std::size_t v = 0; v < kValues; ++v) out[v] = a[v] * b[v] + c[v];
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(local_sweep)->Unit(benchmark::kMillisecond)->UseRealTime();

// One turn of the clock is one round: its gradient, ℓ, the certified gap and the update. The first
// round starts the clock.
void rounds(benchmark::State& state, const Likelihood& likelihood, bool accelerate) {
  bool more = true;
  std::size_t turns = 0, steps = 0;
  while (more) {
    const auto done = iterate(likelihood, {.tolerance = 0,
                                           .rounds = ~std::size_t{0},
                                           .accelerate = accelerate,
                                           .progress = [&](std::size_t, double) {
                                             ++turns;
                                             return more = state.KeepRunning();
                                           }});
    if (!done) throw std::runtime_error(done.error().text());
    steps += done->iterations;
  }
  state.counters["steps_a_turn"] = static_cast<double>(steps) / static_cast<double>(turns);
}

template <bool kAccelerate>
void local_flat_round(benchmark::State& state) {
  const auto counts = some_counts();
  const double q = 1 / (2.718281828 + kValues - 1);
  rounds(state, FlatLikelihood(counts, 2.718281828 * q, q), kAccelerate);
}
BENCHMARK(local_flat_round<false>)
    ->Name("local_flat_round/plain")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(local_flat_round<true>)
    ->Name("local_flat_round/accelerated")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

template <bool kAccelerate>
void local_geometric_round(benchmark::State& state) {
  const auto counts = some_counts();
  rounds(state, GeometricLikelihood(counts, 0.9), kAccelerate);
}
BENCHMARK(local_geometric_round<false>)
    ->Name("local_geometric_round/plain")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(local_geometric_round<true>)
    ->Name("local_geometric_round/accelerated")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void local_flat_maximum(benchmark::State& state) {
  const auto counts = some_counts();
  const std::vector<double> numbers(counts.begin(), counts.end());
  const double q = 1 / (2.718281828 + kValues - 1);
  for (auto _ : state) benchmark::DoNotOptimize(most_likely(numbers, 2.718281828 * q, q).data());
}
BENCHMARK(local_flat_maximum)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace discreet::local
