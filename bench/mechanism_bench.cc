// What mechanisms cost over raw noise. Each pair is to be read together: vector Laplace against the
// sampler that it uses, the selection mechanisms against one Laplace draw for each candidate.
#include <benchmark/benchmark.h>

#include <vector>

#include "discreet/mechanism/exponential.h"
#include "discreet/mechanism/laplace.h"
#include "discreet/mechanism/noisy_max.h"
#include "discreet/mechanism/permute_and_flip.h"
#include "discreet/random/geometric.h"

namespace {

using namespace discreet;
using namespace discreet::mechanism;

constexpr std::size_t kCells = 1'000'000;
const Rational kEpsilon(1, 100);  // noise of scale 100 on counts; 200 on scores

void count_items(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kCells));
}

// The raw sampler, into memory that is there already.
void raw_laplace(benchmark::State& state) {
  const auto sampler = random::DiscreteLaplace::create(Rational(static_cast<long>(state.range(0))));
  std::vector<std::int64_t> out(kCells);
  for (auto _ : state) {
    if (!sampler->fill(random::thread_generator(), out)) state.SkipWithError("sampler");
    benchmark::DoNotOptimize(out.data());
  }
  count_items(state);
}

void vector_laplace(benchmark::State& state) {
  const auto mechanism = histogram({.epsilon = kEpsilon, .cells = kCells});
  std::vector<std::int64_t> cells(kCells, 412);
  for (auto _ : state) {
    auto released =
        mechanism->release(Exact<std::vector<std::int64_t>>::from_private(std::move(cells)));
    if (!released) state.SkipWithError("mechanism");
    cells = std::move(*released).value();
    benchmark::DoNotOptimize(cells.data());
  }
  count_items(state);
}

std::vector<std::int64_t> scores() {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < kCells; ++i)
    out.push_back(static_cast<std::int64_t>(i * 7919 % 1000));
  return out;
}

template <class Mechanism>
void selection(benchmark::State& state) {
  const auto mechanism = Mechanism::create(
      {.epsilon = kEpsilon, .sensitivity = 1, .candidates = Candidates::numbered(kCells)});
  const auto exact = Exact<std::vector<std::int64_t>>::from_private(scores());
  for (auto _ : state) {
    auto chosen = mechanism->release(exact);
    if (!chosen) state.SkipWithError("mechanism");
    benchmark::DoNotOptimize(chosen->value());
  }
  count_items(state);
}

BENCHMARK(raw_laplace)->Arg(100)->Arg(200)->Unit(benchmark::kMillisecond);
BENCHMARK(vector_laplace)->Unit(benchmark::kMillisecond);
BENCHMARK(selection<Exponential>)->Unit(benchmark::kMillisecond);
BENCHMARK(selection<PermuteAndFlip>)->Unit(benchmark::kMillisecond);
BENCHMARK(selection<NoisyMax>)->Unit(benchmark::kMillisecond);

}  // namespace
