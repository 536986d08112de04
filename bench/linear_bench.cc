// What stands beside DP-SGD: scattering features, private second moments, ERM. Made-up data.
#include <benchmark/benchmark.h>

#include <stdexcept>

#include "discreet/learn/erm.h"
#include "discreet/learn/initial.h"
#include "discreet/learn/regression.h"
#include "discreet/learn/scattering.h"
#include "discreet/random/generator.h"

namespace discreet::learn {
namespace {

Examples make(Shape shape, std::size_t count) {
  Examples out{.shape = shape, .count = count, .x = {}, .y = {}, .classes = 2};
  out.x.resize(count * shape.size());
  if (!fill_initial(random::thread_generator(), 6, out.x))
    throw std::runtime_error("no random numbers");
  for (std::size_t i = 0; i < count; ++i) out.y.push_back(static_cast<float>(i % 2));
  return out;
}

void learn_scattering(benchmark::State& state) {
  const Examples pictures = make({1, 28, 28}, 2000);
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(scatter(pictures, {}));
}
BENCHMARK(learn_scattering)->UseRealTime()->Unit(benchmark::kMillisecond);

void learn_regression(benchmark::State& state) {
  const Examples rows = make({1, 1, 50}, 100'000);
  for ([[maybe_unused]] auto _ : state) {
    const BallRows ball = in_ball(rows, {.radius = 7, .intercept = true});
    benchmark::DoNotOptimize(regress(ball, rows.y, 4, random::thread_generator()));
  }
}
BENCHMARK(learn_regression)->UseRealTime()->Unit(benchmark::kMillisecond);

void learn_erm(benchmark::State& state) {
  const Examples rows = make({1, 1, 50}, 100'000);
  const auto plan = plan_erm({.epsilon = 1, .delta = Rational(1, 100000)},
                             {.count = 100'000, .width = 51, .classes = 2});
  if (!plan) throw std::runtime_error(plan.error().text());
  Workers workers;
  for ([[maybe_unused]] auto _ : state) {
    const BallRows ball = in_ball(rows, {.radius = 7, .intercept = true});
    benchmark::DoNotOptimize(run_erm(*plan, ball, rows.y, random::thread_generator(), workers));
  }
}
BENCHMARK(learn_erm)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace discreet::learn
