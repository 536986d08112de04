#include "discreet/local/hitters_find.h"

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/local/hitters_supports.h"
#include "discreet/local/pure.h"
#include "discreet/local/records_sample.h"
#include "discreet/privacy/shuffle_binomial.h"

namespace discreet::local {
namespace {

constexpr double kKeepErrors = 2;

struct Prefix {
  std::string bytes;
  std::uint64_t fingerprint = 0;
  std::uint64_t supports = 0;
};
struct Candidate {
  std::size_t prefix = 0;
  std::uint8_t byte = 0;
  std::uint64_t supports = 0;
};

std::vector<LevelReport> reports_of(const Hitters& hitters, const State& state, std::size_t level) {
  std::vector<LevelReport> out;
  out.reserve(state.counters[level]);
  const std::size_t words = hitters.constants().words;
  for (std::size_t at = 0; at < state.reports.size(); at += words)
    if (state.reports[at] == level)
      out.push_back(level_report(Hitters::unpack({&state.reports[at], words}), hitters.buckets()));
  return out;
}

// Behind the zero that ends a word comes nothing but zeros.
bool ended(const Prefix& prefix) { return !prefix.bytes.empty() && prefix.bytes.back() == '\0'; }

// Those that can go on stand before those that have ended.
struct Prefixes {
  std::vector<Prefix> all = {{}};
  std::size_t open = 1;

  std::vector<std::uint64_t> fingerprints(std::size_t from, std::size_t to) const {
    std::vector<std::uint64_t> out;
    for (std::size_t u = from; u < to; ++u) out.push_back(all[u].fingerprint);
    return out;
  }
};

Prefixes sorted(std::vector<Prefix> all) {
  const auto open = std::stable_partition(all.begin(), all.end(),
                                          [](const Prefix& each) { return !ended(each); });
  const auto count = static_cast<std::size_t>(open - all.begin());
  return {std::move(all), count};
}

// The most supported first.
std::vector<Candidate> candidates_of(const Prefixes& prefixes,
                                     std::span<const std::uint64_t> extended,
                                     std::span<const std::uint64_t> finished) {
  std::vector<Candidate> out;
  for (std::size_t i = 0; i < extended.size(); ++i)
    out.push_back({i / kExtensions, static_cast<std::uint8_t>(i % kExtensions), extended[i]});
  for (std::size_t i = 0; i < finished.size(); ++i)
    out.push_back({prefixes.open + i, 0, finished[i]});
  // the order of equals must not be left to chance: two runs tell the same
  std::stable_sort(out.begin(), out.end(),
                   [](const Candidate& a, const Candidate& b) { return a.supports > b.supports; });
  return out;
}

// What the reports of a level say.
struct Level {
  const Constants& c;
  std::vector<LevelReport> reports;
  std::vector<Candidate> candidates = {};

  double users() const { return static_cast<double>(reports.size()); }
  // f = (C/n − q)/(p − q)
  double frequency(std::uint64_t supports) const {
    return (static_cast<double>(supports) / users() - c.q) / (c.p - c.q);
  }
  double variance(double frequency) const {
    return pure_variances({&frequency, 1}, c.p, c.q)[0] / users();
  }
  // for an error bar
  double steadied_variance(double frequency) const {
    return steadied(users() * variance(frequency), users() * (variance(1) - variance(0)), users()) /
           users();
  }
};

// The most supported prefixes, with a byte more than before: so many at most, while they are
// wanted.
template <class Wanted>
std::vector<Prefix> kept_of(const Level& level, const Prefixes& before, std::size_t place,
                            std::size_t most, const Wanted& wanted) {
  std::vector<Prefix> out;
  for (const Candidate& each : level.candidates) {
    if (out.size() == most || !wanted(each.supports)) break;
    const Prefix& prefix = before.all[each.prefix];
    out.push_back({prefix.bytes + static_cast<char>(each.byte),
                   multiply_add(byte_weight(place), each.byte, prefix.fingerprint), each.supports});
  }
  return out;
}

}  // namespace

// Terms behind the k-th fall by a ratio that itself falls: some are added up, and the rest is at
// most a geometric series, so that the sum is exact or a little too large, however large n is.
// Where k is below the mean it is above a half, and no probability that anybody asks for.
std::uint64_t least_surprising(std::uint64_t n, const Ball& p, double times, double chance) {
  constexpr int kTerms = 20'000;
  constexpr long kBits = 128;
  const auto count = static_cast<double>(n);
  const double odds = div(p, sub(Ball(1), p, kBits), kBits).middle();
  const auto tail = [&](std::uint64_t k) {
    if (k > n) return 0.0;
    auto term = static_cast<double>(privacy::binomial_chance(n, k, p));
    double sum = 0;
    auto i = static_cast<double>(k);
    for (int terms = 0; terms < kTerms && i <= count && term > sum * 1e-17; ++terms, ++i) {
      sum += term;
      term *= (count - i) / (i + 1) * odds;
    }
    const double ratio = (count - i) / (i + 1) * odds;
    return ratio < 1 ? sum + term / (1 - ratio) : 1.0;
  };
  // the mean, or a little below it
  auto low = static_cast<std::uint64_t>(std::clamp(std::floor(count * p.middle()), 0.0, count));
  std::uint64_t high = n + 1;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (times * tail(middle) <= chance)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

Result<Found> find_hitters(const Hitters& hitters, const State& state, const FindOptions& options) {
  if (options.top < 1) return bad_parameter("top", "found 0; accepted is 1 or more");
  if (options.candidates < kExtensions)
    return bad_parameter("candidates",
                         "found fewer than a byte has values; accepted is 256 or more");
  if (!state.keeps)
    return fail(Code::kUsage,
                "state: found one without its reports; accepted is one that kept them, since "
                "prefixes are looked for in all of a level's reports");
  const std::size_t most = std::min(2 * options.top, options.candidates / kExtensions);
  const std::size_t last = hitters.bytes() - 1;
  Found out;
  Prefixes prefixes;
  for (std::size_t place = 0; place <= last; ++place) {
    Level level{hitters.constants(), reports_of(hitters, state, place)};
    const auto go_on = [&](std::size_t done) {
      const double part = static_cast<double>(done) / level.users();
      return !options.progress || options.progress((static_cast<double>(place) + part) /
                                                   static_cast<double>(hitters.bytes()));
    };
    std::vector<std::uint64_t> extended(prefixes.open * kExtensions);
    if (!add_supports(level.reports, prefixes.fingerprints(0, prefixes.open), byte_weight(place),
                      extended, options.threads, go_on))
      return fail(Code::kInterrupted, "interrupted");
    level.candidates = candidates_of(
        prefixes, extended,
        supports_of(level.reports, prefixes.fingerprints(prefixes.open, prefixes.all.size())));
    out.levels.push_back({8 * (place + 1), level.reports.size(), level.candidates.size()});

    if (place < last) {
      const double least = kKeepErrors * std::sqrt(level.variance(0));
      prefixes = sorted(kept_of(level, prefixes, place, most, [&](std::uint64_t supports) {
        return level.frequency(supports) > least;
      }));
      continue;
    }
    const auto looked_at = static_cast<double>(std::max<std::size_t>(level.candidates.size(), 1));
    const std::uint64_t least = least_surprising(
        level.reports.size(), Ball(Rational(level.c.q), 128), looked_at, options.false_words);
    out.threshold = level.reports.empty() ? INFINITY : level.frequency(least);
    const auto words = kept_of(level, prefixes, place, options.top,
                               [least](std::uint64_t supports) { return supports >= least; });
    for (const Prefix& word : words) {
      const double f = level.frequency(word.supports);
      out.hitters.push_back({unpadded(word.bytes), f,
                             std::sqrt(level.steadied_variance(f) +
                                       sample_variance(f, level.reports.size(), state.users))});
    }
  }
  return out;
}

}  // namespace discreet::local
