// The noise against what a textbook would do in floating point, on the same generator, in the same
// run.
#include <benchmark/benchmark.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "discreet/random/gaussian.h"
#include "discreet/random/generator.h"
#include "discreet/random/geometric.h"

namespace {

using namespace discreet;
using namespace discreet::random;

constexpr std::size_t kBatch = 1 << 16;

Rational scale_of(const benchmark::State& state) { return Rational(Integer(state.range(0))); }

// u uniform in (−1/2, 1/2), z = −b·sign(u)·ln(1 − 2|u|): how every textbook draws Laplace noise
// (and how not to).
void textbook_laplace(benchmark::State& state) {
  const auto scale = static_cast<double>(state.range(0));
  std::vector<std::uint64_t> words(kBatch);
  std::vector<double> out(kBatch);
  Source& source = thread_generator();
  for (auto _ : state) {
    if (!source.fill(words)) state.SkipWithError("generator");
    for (std::size_t i = 0; i < kBatch; ++i) {
      const double u = static_cast<double>(words[i] >> 11) * 0x1p-53 - 0.5;
      out[i] = -scale * std::copysign(std::log1p(-2 * std::fabs(u)), u);
    }
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatch));
}

// The same with log instead of log1p, the faster of the two textbooks.
void textbook_laplace_log(benchmark::State& state) {
  const auto scale = static_cast<double>(state.range(0));
  std::vector<std::uint64_t> words(kBatch);
  std::vector<double> out(kBatch);
  Source& source = thread_generator();
  for (auto _ : state) {
    if (!source.fill(words)) state.SkipWithError("generator");
    for (std::size_t i = 0; i < kBatch; ++i) {
      const double u = static_cast<double>(words[i] >> 11) * 0x1p-53 - 0.5;
      out[i] = -scale * std::copysign(std::log(1 - 2 * std::fabs(u)), u);
    }
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatch));
}

// Box-Muller: two words make two normal variables.
void textbook_gaussian(benchmark::State& state) {
  const auto sigma = static_cast<double>(state.range(0));
  std::vector<std::uint64_t> words(kBatch);
  std::vector<double> out(kBatch);
  Source& source = thread_generator();
  for (auto _ : state) {
    if (!source.fill(words)) state.SkipWithError("generator");
    for (std::size_t i = 0; i < kBatch; i += 2) {
      const double u = static_cast<double>((words[i] >> 11) + 1) * 0x1p-53;
      const double angle =
          2 * std::numbers::pi * (static_cast<double>(words[i + 1] >> 11) * 0x1p-53);
      const double radius = sigma * std::sqrt(-2 * std::log(u));
      out[i] = radius * std::cos(angle);
      out[i + 1] = radius * std::sin(angle);
    }
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatch));
}

template <class Sampler>
void exact(benchmark::State& state) {
  auto sampler = Sampler::create(scale_of(state));
  std::vector<std::int64_t> out(kBatch);
  Source& source = thread_generator();
  for (auto _ : state) {
    if (!sampler->fill(source, out)) state.SkipWithError("sampler");
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatch));
}

template <class Sampler>
void set_up(benchmark::State& state) {
  const Rational scale = scale_of(state);
  for (auto _ : state) benchmark::DoNotOptimize(Sampler::create(scale));
}

void generator(benchmark::State& state) {
  std::vector<std::uint64_t> words((64 << 10) / sizeof(std::uint64_t));
  Source& source = thread_generator();
  for (auto _ : state) {
    if (!source.fill(words)) state.SkipWithError("generator");
    benchmark::DoNotOptimize(words.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * (64 << 10));
}

#define SCALES ->Arg(1)->Arg(1000)->Arg(1000000)
BENCHMARK(textbook_laplace) SCALES;
BENCHMARK(textbook_laplace_log) SCALES;
BENCHMARK(exact<DiscreteLaplace>) SCALES;
BENCHMARK(exact<RoundedLaplace>) SCALES;
BENCHMARK(exact<Geometric>) SCALES;
BENCHMARK(textbook_gaussian) SCALES;
BENCHMARK(exact<RoundedGaussian>) SCALES;
BENCHMARK(exact<DiscreteGaussian>) SCALES;
BENCHMARK(set_up<DiscreteLaplace>) SCALES;
BENCHMARK(set_up<RoundedGaussian>) SCALES;
BENCHMARK(generator);

}  // namespace
