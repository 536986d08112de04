#include "discreet/local/collect.h"

#include <algorithm>
#include <thread>

#include "discreet/base/guard.h"
#include "discreet/base/try.h"
#include "discreet/local/chunks.h"
#include "discreet/random/generator.h"

namespace discreet::local {
namespace {

constexpr std::size_t kBlockWords = 1 << 14;  // of reports: 64 KiB, beside the counters in a cache
constexpr std::size_t kWorthAThread = 1 << 14;

// What one thread does.
struct Part {
  std::span<const Value> values;
  std::span<Word> reports;  // empty where none are kept
  std::vector<std::uint64_t> counters = {};
  Status status = {};
};

Status run(const Protocol& protocol, Part& part) {
  const std::size_t words = protocol.constants().words;
  const std::size_t block = std::max<std::size_t>(1, kBlockWords / words);
  part.counters.resize(protocol.constants().counters);
  std::vector<Word> buffer(part.reports.empty() ? block * words : 0);
  random::Source& source = random::thread_generator();
  for (std::size_t at = 0; at < part.values.size(); at += block) {
    const auto values = part.values.subspan(at, std::min(block, part.values.size() - at));
    const auto reports = part.reports.empty()
                             ? std::span(buffer).first(values.size() * words)
                             : part.reports.subspan(at * words, values.size() * words);
    TRY(protocol.perturb(values, source, reports));
    protocol.count(reports, part.counters);
  }
  return {};
}

}  // namespace

Status collect(const Protocol& protocol, std::span<const Value> values, State& state,
               unsigned threads) {
  TRY(state.check("the state to collect into", protocol));
  TRY(check_room("the state to collect into", protocol, state.users + values.size()));
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t count = std::clamp<std::size_t>(values.size() / kWorthAThread, 1, threads);
  const std::size_t words = protocol.constants().words, kept = state.reports.size();
  if (state.keeps) state.reports.resize(kept + values.size() * words);
  std::vector<Part> parts;
  for (std::size_t t = 0; t < count; ++t) {
    const std::size_t first = values.size() * t / count, last = values.size() * (t + 1) / count;
    parts.push_back({.values = values.subspan(first, last - first), .reports = {}});
    if (state.keeps)
      parts[t].reports =
          std::span(state.reports).subspan(kept + first * words, (last - first) * words);
  }
  each_task(count, count, [&](std::size_t t) {
    parts[t].status = guarded([&] { return run(protocol, parts[t]); });
  });
  for (Part& part : parts)
    if (!part.status) {
      state.reports.resize(kept);
      return forward_error(part.status);
    }
  for (const Part& part : parts)
    for (std::size_t i = 0; i < state.counters.size(); ++i) state.counters[i] += part.counters[i];
  state.users += values.size();
  return {};
}

}  // namespace discreet::local
