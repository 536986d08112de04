// How fast privacy is accounted for.
#include <benchmark/benchmark.h>

#include "discreet/privacy/gaussian.h"

namespace discreet::privacy {
namespace {

void GaussianSigma(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(gaussian_sigma(1, Rational(1, 100000), 1));
}
BENCHMARK(GaussianSigma);

}  // namespace
}  // namespace discreet::privacy
