// How fast the local model is, on all cores: clients and collector together, and the collector of
// local hashing alone, beside a plain histogram of the same number of reports by one loop.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "discreet/local/collect.h"
#include "discreet/local/registry.h"
#include "discreet/random/generator.h"
#include "discreet/random/uniform.h"

namespace discreet::local {
namespace {

constexpr std::size_t kDomain = 1'000'000;

void check(const Status& status) {
  if (!status) throw std::runtime_error(status.error().text());
}

ProtocolPointer make(std::string_view name, std::size_t domain) {
  auto made = find(name)->make({.epsilon = 1, .domain = domain});
  if (!made) throw std::runtime_error(made.error().text());
  return std::move(*made);
}

// A part at a time: words are twice as long as values, and there may be a hundred million.
std::vector<Value> random_values(std::size_t count, std::size_t domain) {
  std::vector<Value> out;
  out.reserve(count);
  std::vector<std::uint64_t> words;
  while (out.size() < count) {
    words.resize(std::min<std::size_t>(count - out.size(), 1 << 20));
    check(random::fill_uniform_below(random::thread_generator(), domain, words));
    out.insert(out.end(), words.begin(), words.end());
  }
  return out;
}

void rate(benchmark::State& state, double each) {
  state.counters["items_per_second"] = benchmark::Counter(
      each * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

// Of so many values and reports.
void local_histogram(benchmark::State& state) {
  const auto domain = static_cast<std::size_t>(state.range(0));
  const auto reports = random_values(static_cast<std::size_t>(state.range(1)), domain);
  std::vector<std::uint64_t> counters(domain);
  for (auto _ : state) {
    for (const Word report : reports) ++counters[report];
    benchmark::ClobberMemory();
  }
  rate(state, static_cast<double>(reports.size()));
}
BENCHMARK(local_histogram)
    ->Args({kDomain, 100'000'000})
    ->Args({1000, 1'000'000})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void collection(benchmark::State& state, const char* name, std::size_t domain) {
  const auto values = random_values(static_cast<std::size_t>(state.range(0)), domain);
  const ProtocolPointer protocol = make(name, domain);
  for (auto _ : state) {
    State collected(*protocol);
    check(collect(*protocol, values, collected));
    benchmark::DoNotOptimize(collected.counters.data());
  }
  rate(state, static_cast<double>(values.size()));
}

void local_flat(benchmark::State& state) { collection(state, "flat", kDomain); }
BENCHMARK(local_flat)->Arg(100'000'000)->Unit(benchmark::kMillisecond)->UseRealTime();

void local_hadamard(benchmark::State& state) { collection(state, "hadamard", kDomain); }
BENCHMARK(local_hadamard)->Arg(100'000'000)->Unit(benchmark::kMillisecond)->UseRealTime();

void local_unary(benchmark::State& state) { collection(state, "optimised-unary", 1000); }
BENCHMARK(local_unary)->Arg(1'000'000)->Unit(benchmark::kMillisecond)->UseRealTime();

void local_subset(benchmark::State& state) { collection(state, "subset", 1000); }
BENCHMARK(local_subset)->Arg(100'000)->Unit(benchmark::kMillisecond)->UseRealTime();

// A million reports on a thousand values, counted by a thread for each core.
void local_hashing_count(benchmark::State& state) {
  constexpr std::size_t kValues = 1000, kReports = 1'000'000;
  const ProtocolPointer protocol = make("local-hashing", kValues);
  const auto values = random_values(kReports, kValues);
  std::vector<Word> reports(3 * kReports);
  check(protocol->perturb(values, random::thread_generator(), reports));
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  for (auto _ : state) {
    std::vector<std::vector<std::uint64_t>> counters(cores, std::vector<std::uint64_t>(kValues));
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < cores; ++t)
      threads.emplace_back([&, t] {
        const std::size_t first = 3 * (kReports * t / cores),
                          last = 3 * (kReports * (t + 1) / cores);
        protocol->count(std::span(reports).subspan(first, last - first), counters[t]);
      });
    for (std::thread& each : threads) each.join();
    benchmark::DoNotOptimize(counters.data());
  }
  rate(state, static_cast<double>(kReports * kValues));
}
BENCHMARK(local_hashing_count)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace discreet::local
