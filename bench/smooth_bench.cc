// Smooth sensitivity of the median: a million distinct values, put in order and searched, and a
// few against the definition, which tries all pairs of ranks.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "discreet/mechanism/gap/reach.h"
#include "discreet/mechanism/gap/smooth_sensitivity.h"

namespace {

using namespace discreet;
using namespace discreet::mechanism::gap;

const Range kRange{0, std::int64_t{1} << 40};

// Distinct, dense in the middle of the range, in no order.
std::vector<std::int64_t> values(std::int64_t count) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < count; ++i) {
    const double x = 2.0 * static_cast<double>(i * 7919 % count) / static_cast<double>(count) - 1;
    out.push_back(kRange.high / 2 +
                  static_cast<std::int64_t>(x * x * x * static_cast<double>(kRange.high / 2)) +
                  i * 7919 % count);
  }
  return out;
}

Rational beta(const benchmark::State& state) {
  return Rational(1, static_cast<unsigned long>(state.range(0)));
}

// 1/β: 30 is that of ε = 1, δ = 1e-6; at 10^7 no pair of ranks can be left out.
void smooth_median(benchmark::State& state) {
  const std::vector<std::int64_t> rows = values(1'000'000);
  const Quantile median = *Quantile::create(Rational(1, 2));
  for (auto _ : state) {
    const Ordered ordered = Ordered::of(rows, kRange);
    benchmark::DoNotOptimize(smooth_sensitivity(ordered, median, Unit{}, beta(state)).at().gap);
  }
}

constexpr std::int64_t kFew = 4000;

void smooth_few(benchmark::State& state) {
  const Ordered rows = Ordered::of(values(kFew), kRange);
  const Quantile median = *Quantile::create(Rational(1, 2));
  for (auto _ : state)
    benchmark::DoNotOptimize(smooth_sensitivity(rows, median, Unit{}, beta(state)).at().gap);
}

void smooth_definition(benchmark::State& state) {
  const Ordered rows = Ordered::of(values(kFew), kRange);
  const Quantile median = *Quantile::create(Rational(1, 2));
  const std::int64_t rank = median.rank(rows.size());
  std::vector<double> at, damped;
  for (std::int64_t i = 0; i <= rows.size() + 1; ++i) {
    at.push_back(static_cast<double>(rows.at(i)));
    damped.push_back(std::exp(-beta(state).get_d() * static_cast<double>(std::max(i - 1, 0L))));
  }
  for (auto _ : state) {
    double window = 0, reach = 0;
    for (std::int64_t i = 0; i <= rank; ++i)
      for (std::int64_t j = rank; j <= rows.size() + 1; ++j)
        window = std::max(window,
                          damped[static_cast<std::size_t>(j - i)] *
                              (at[static_cast<std::size_t>(j)] - at[static_cast<std::size_t>(i)]));
    const Reach reached(rows, median);
    for (std::int64_t k = 0; k <= rows.size(); ++k)
      reach = std::max(
          reach, damped[static_cast<std::size_t>(k + 1)] * static_cast<double>(reached.gap(k + 1)));
    benchmark::DoNotOptimize(std::min(window, reach));
  }
}

BENCHMARK(smooth_median)->Arg(30)->Arg(100'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(smooth_few)->Arg(30)->Arg(10'000'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(smooth_definition)->Arg(30)->Arg(10'000'000)->Unit(benchmark::kMicrosecond);

}  // namespace
