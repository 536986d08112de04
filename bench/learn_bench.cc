// DP-SGD beside the same training without privacy: the same layers and products, batches, threads
// and optimiser; no clipping, no noise. Lots of 600 and 2048 of made-up pictures.
#include <benchmark/benchmark.h>

#include <numeric>
#include <stdexcept>

#include "discreet/learn/initial.h"
#include "discreet/learn/subsampled.h"
#include "discreet/learn/testing/plain.h"
#include "discreet/learn/trainer.h"

namespace discreet::learn {
namespace {

constexpr std::size_t kCount = 20'000;

struct Made {
  Network network;
  Examples examples;
};

// The small network of Opacus' MNIST example (26,010 weights), and the deck's: 60 numbers, 1000
// ReLU.
Made make(bool cnn) {
  const Shape shape = cnn ? Shape{.height = 28, .width = 28} : Shape{.width = 60};
  Examples examples{.shape = shape, .count = kCount, .classes = 10};
  examples.x.resize(kCount * shape.size());
  if (!fill_initial(random::thread_generator(), 6, examples.x))
    throw std::runtime_error("no random numbers");
  for (std::size_t i = 0; i < kCount; ++i) examples.y.push_back(static_cast<float>(i % 10));
  auto network = make_network(cnn ? "cnn" : "mlp:1000", shape, 10, {.activation = "relu"});
  if (!network) throw std::runtime_error(network.error().text());
  return {*std::move(network), std::move(examples)};
}

void tell(benchmark::State& state, std::size_t lot, std::size_t bytes) {
  state.counters["items_per_second"] =
      benchmark::Counter(static_cast<double>(lot) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
  state.counters["held_kB"] = static_cast<double>(bytes) / 1000;
}

void learn_private(benchmark::State& state, bool cnn) {
  const auto lot = static_cast<std::size_t>(state.range(0));
  const Made made = make(cnn);
  Workers workers;
  auto regime = SubsampledGaussian::create(lot, kCount, {{0, Rational(11, 10)}}, workers);
  if (!regime) throw std::runtime_error(regime.error().text());
  TrainerOptions options;
  options.steps = 1'000'000;
  auto trainer = Trainer::create(made.network, made.examples, *regime, options, workers);
  if (!trainer) throw std::runtime_error(trainer.error().text());
  for (auto _ : state)
    if (!(*trainer)->step()) throw std::runtime_error("a step failed");
  tell(state, lot, (*trainer)->bytes());
}

// Batches of several sizes: the best of them is what privacy is compared with.
void learn_plain(benchmark::State& state, bool cnn) {
  const auto lot = static_cast<std::size_t>(state.range(0));
  const auto batch = static_cast<std::size_t>(state.range(1));
  const Made made = make(cnn);
  Workers workers;
  testing::PlainTrainer trainer(made.network, made.examples, batch, 0.1, workers);
  std::vector<std::uint64_t> order(kCount);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::size_t at = 0;
  for (auto _ : state) {
    if (at + lot > kCount) at = 0;
    trainer.step(std::span(order).subspan(at, lot));
    at += lot;
  }
  tell(state, lot, trainer.bytes());
}

#define EACH(name, cnn, ...)                                    \
  BENCHMARK_CAPTURE(name, cnn, std::string_view(#cnn) == "cnn") \
      ->ArgsProduct(__VA_ARGS__)                                \
      ->Unit(benchmark::kMillisecond)                           \
      ->MeasureProcessCPUTime()                                 \
      ->UseRealTime()
EACH(learn_private, cnn, {{600, 2048}});
EACH(learn_plain, cnn, {{600, 2048}, {16, 32, 64, 128}});
EACH(learn_private, mlp, {{600, 2048}});
EACH(learn_plain, mlp, {{600, 2048}, {64, 128, 256, 600}});

}  // namespace
}  // namespace discreet::learn
