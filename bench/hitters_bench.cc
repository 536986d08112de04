// How fast heavy hitters are found: a million people, a third of them with words that nobody else
// has.
#include <benchmark/benchmark.h>

#include <stdexcept>

#include "discreet/local/hitters_find.h"
#include "discreet/random/generator.h"

namespace discreet::local {
namespace {

constexpr std::size_t kPeople = 1'000'000;

template <class T>
T value(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text());
  return *std::move(result);
}

State collected(const Hitters& hitters) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < kPeople; ++i)
    words.push_back(i % 3 == 0 ? "u" + std::to_string(i) : "word" + std::to_string(i % 30));
  const std::vector<std::string_view> views(words.begin(), words.end());
  State state(hitters);
  state.keeps = true;
  state.reports.resize(kPeople * hitters.constants().words);
  const Status told = hitters.perturb(views, random::thread_generator(), state.reports);
  if (!told) throw std::runtime_error(told.error().text());
  hitters.count(state.reports, state.counters);
  state.users = kPeople;
  return state;
}

void local_hitters(benchmark::State& state) {
  const auto hitters = value(Hitters::create({.epsilon = 2, .bytes = 8}));
  const State reports = collected(*hitters);
  double tried = 0;
  for (auto _ : state) {
    const Found found = value(find_hitters(*hitters, reports, {.top = 20}));
    if (found.hitters.empty()) throw std::runtime_error("no word was found");
    for (const HitterLevel& level : found.levels)
      tried += static_cast<double>(level.users) * static_cast<double>(level.candidates);
  }
  state.counters["hashes_per_second"] = benchmark::Counter(tried, benchmark::Counter::kIsRate);
}
BENCHMARK(local_hitters)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace discreet::local
