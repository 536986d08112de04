#include "discreet/local/hitters_supports.h"

#include <algorithm>
#include <array>
#include <memory>
#include <thread>

#include "discreet/local/chunks.h"

// Four or eight comparisons at once; the loader picks. (Sanitizers can't run before the loader is
// done.)
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define DISCREET_CLONES __attribute__((target_clones("arch=skylake-avx512", "avx2", "default")))
#else
#define DISCREET_CLONES
#endif

namespace discreet::local {
namespace {

using Offsets = std::array<std::uint64_t, kExtensions>;

// An interval of the field that begins at `start` may go round the end; then it is all but one that
// doesn't.
DISCREET_CLONES void add_interval(const std::uint64_t* __restrict offsets, std::uint64_t start,
                                  std::uint64_t length, std::uint64_t* __restrict counters) {
  const bool round = start + length > kField;
  const std::uint64_t from = round ? start + length - kField : start;
  const std::uint64_t width = round ? kField - length : length;
  const std::uint64_t flip = round;
  for (std::size_t e = 0; e < kExtensions; ++e)
    counters[e] += static_cast<std::uint64_t>(offsets[e] - from < width) ^ flip;
}

std::uint64_t minus(std::uint64_t a) { return a == 0 ? 0 : kField - a; }

}  // namespace

LevelReport level_report(const HitterReport& report, std::size_t buckets) {
  const Interval interval = bucket_interval(report.bucket, buckets);
  return {report.hash.a, multiply_add(1, report.hash.b, minus(interval.start)), interval.length};
}

void add_supports(std::span<const LevelReport> reports, std::span<const std::uint64_t> prefixes,
                  std::uint64_t weight, std::span<std::uint64_t> counters) {
  // Counters of a few prefixes stay in the nearest cache while a block of reports goes by.
  constexpr std::size_t kBlock = 64, kTile = 8;
  const auto offsets = std::make_unique<std::array<Offsets, kBlock>>();
  for (std::size_t start = 0; start < reports.size(); start += kBlock) {
    const std::size_t count = std::min(kBlock, reports.size() - start);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t step = multiply_add(reports[start + i].a, weight, 0);
      std::uint64_t at = 0;
      for (std::uint64_t& each : (*offsets)[i]) {
        each = at;
        at += step;
        at -= at >= kField ? kField : 0;
      }
    }
    for (std::size_t tile = 0; tile < prefixes.size(); tile += kTile)
      for (std::size_t i = 0; i < count; ++i) {
        const LevelReport& report = reports[start + i];
        const std::size_t end = std::min(tile + kTile, prefixes.size());
        for (std::size_t u = tile; u < end; ++u)
          // a·x + shift + offset < length, so the offset is in the interval from −(a·x + shift) on
          add_interval((*offsets)[i].data(),
                       minus(multiply_add(report.a, prefixes[u], report.shift)), report.length,
                       &counters[u * kExtensions]);
      }
  }
}

bool add_supports(std::span<const LevelReport> reports, std::span<const std::uint64_t> prefixes,
                  std::uint64_t weight, std::span<std::uint64_t> counters, std::size_t threads,
                  const std::function<bool(std::size_t reports)>& go_on) {
  constexpr std::size_t kSlice = std::size_t{1} << 16;
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::vector<std::uint64_t>> own(threads - 1,
                                              std::vector<std::uint64_t>(counters.size()));
  for (std::size_t start = 0; start < reports.size(); start += kSlice) {
    const auto slice = reports.subspan(start, std::min(kSlice, reports.size() - start));
    const std::size_t share = (slice.size() + threads - 1) / threads;
    const auto part = [&](std::size_t t) {
      const std::size_t from = std::min(t * share, slice.size());
      return slice.subspan(from, std::min(share, slice.size() - from));
    };
    each_task(threads, threads, [&](std::size_t t) {
      add_supports(part(t), prefixes, weight, t == 0 ? counters : std::span(own[t - 1]));
    });
    if (!go_on(start + slice.size())) return false;
  }
  for (const auto& each : own)
    for (std::size_t i = 0; i < counters.size(); ++i) counters[i] += each[i];
  return true;
}

std::vector<std::uint64_t> supports_of(std::span<const LevelReport> reports,
                                       std::span<const std::uint64_t> fingerprints) {
  std::vector<std::uint64_t> out(fingerprints.size());
  for (const LevelReport& report : reports)
    for (std::size_t u = 0; u < fingerprints.size(); ++u)
      out[u] += multiply_add(report.a, fingerprints[u], report.shift) < report.length;
  return out;
}

}  // namespace discreet::local
