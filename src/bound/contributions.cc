#include "discreet/bound/contributions.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "discreet/base/try.h"
#include "discreet/bound/groups.h"

namespace discreet::bound {

namespace {

// Room for noise beside the sum.
constexpr Wide kMostSum = Wide{1} << 120;
constexpr Wide kMost64 = Wide{1} << 62;

tl::unexpected<Error> miscounted() {
  return fail(Code::kFailure, "the answer was not put together as it was planned; nothing is shown",
              "please report this query");
}

}  // namespace

Contributions sorted_contributions(Groups& groups, const Shape& shape, Added added) {
  const std::size_t count = groups.size();
  // By key, not by arrival.
  std::vector<std::uint32_t> order(count), place(count);
  std::iota(order.begin(), order.end(), 0);
  if (!groups.closed())
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return groups.key(a) < groups.key(b); });
  for (std::size_t i = 0; i < count; ++i) place[order[i]] = static_cast<std::uint32_t>(i);
  Contributions::Parts out;
  out.pairs = std::move(added.pairs);
  out.pairs.resize(added.totals.size());
  out.counted = std::move(added.counted);
  out.tallies = std::move(added.tallies);
  out.words = std::move(added.words);
  for (const Total& total : shape.totals) {
    out.scorings.push_back(total.scoring);
    out.slots.push_back(total.slot);
  }
  for (const std::uint32_t group : order) {
    out.keys.push_back(groups.key(group));
    out.units.push_back(group < added.units.size() ? added.units[group] : 0);
  }
  for (const std::vector<Wide>& total : added.totals) {
    out.totals.emplace_back();
    for (const std::uint32_t group : order)
      out.totals.back().push_back(
          group < total.size() ? std::clamp(total[group], -kMostSum, kMostSum) : 0);
  }
  for (auto& pairs : out.pairs) {
    for (auto& pair : pairs) pair.first = place[pair.first];
    std::sort(pairs.begin(), pairs.end());
  }
  for (auto& counted : out.counted) {
    for (Counted& one : counted) one.group = place[one.group];
    std::sort(counted.begin(), counted.end(), [](const Counted& a, const Counted& b) {
      return std::tie(a.group, a.value) < std::tie(b.group, b.value);
    });
  }
  return Contributions(std::move(out));
}

Result<ExactWide> Contributions::wide_total(std::size_t total,
                                            const std::vector<std::size_t>& groups) const {
  if (total >= parts_.totals.size()) return miscounted();
  const std::vector<Wide>& all = parts_.totals[total];
  std::vector<Wide> out;
  out.reserve(groups.size());
  for (const std::size_t group : groups) {
    if (group >= all.size()) return miscounted();
    out.push_back(all[group]);
  }
  return ExactWide::from_private(std::move(out));
}

Result<Exact64> Contributions::total(std::size_t total,
                                     const std::vector<std::size_t>& groups) const {
  if (total >= parts_.totals.size()) return miscounted();
  const std::vector<Wide>& all = parts_.totals[total];
  std::vector<std::int64_t> out;
  out.reserve(groups.size());
  for (const std::size_t group : groups) {
    if (group >= all.size()) return miscounted();
    out.push_back(static_cast<std::int64_t>(std::clamp(all[group], -kMost64, kMost64)));
  }
  return Exact64::from_private(std::move(out));
}

Result<Exact64> Contributions::tally(std::size_t which) const {
  if (which >= parts_.tallies.size()) return miscounted();
  return Exact64::from_private(parts_.tallies[which]);
}

Result<Contributions::Values> Contributions::values(std::size_t total, std::size_t group) const {
  if (total >= parts_.pairs.size() || group >= groups()) return miscounted();
  const auto number = static_cast<std::uint32_t>(group);
  Values out;
  const std::vector<Pair>& pairs = parts_.pairs[total];
  for (auto at = std::lower_bound(pairs.begin(), pairs.end(), number,
                                  [](const Pair&a, std::uint32_t b) { return a.first < b; });
       at != pairs.end() && at->first == number; ++at) {
    if (out.empty() || out.back().first != at->second) out.emplace_back(at->second, 0);
    ++out.back().second;
  }
  if (total >= parts_.counted.size()) return out;
  const std::vector<Counted>& counted = parts_.counted[total];
  for (auto at = std::lower_bound(counted.begin(), counted.end(), number,
                                  [](const Counted&a, std::uint32_t b) { return a.group < b; });
       at != counted.end() && at->group == number; ++at)
    out.emplace_back(at->value, at->count);
  return out;
}

Result<mechanism::Exact<mechanism::gap::Ordered>> Contributions::ordered(
    std::size_t total, std::size_t group, const mechanism::gap::Range& range) const {
  return mechanism::Exact<mechanism::gap::Ordered>::from_private(
      mechanism::gap::Ordered::counted(TRY(values(total, group)), range));
}

Result<Contributions::Exactly> Contributions::words(std::size_t total, std::size_t group) const {
  const auto rows = TRY(values(total, group));
  if (total >= parts_.slots.size() || !parts_.slots[total] ||
      *parts_.slots[total] >= parts_.words.size())
    return miscounted();
  const WordList& known = parts_.words[*parts_.slots[total]];
  std::map<std::string, std::int64_t> out;
  for (const auto& [value, count] : rows) {
    const auto word = known.find(value);
    if (word == known.end()) return miscounted();
    out[word->second] += count;
  }
  return Exactly::from_private(std::move(out));
}

Result<Exact64> Contributions::scores(std::size_t total, std::size_t group) const {
  if (total >= parts_.scorings.size()) return miscounted();
  const Scoring& scoring = parts_.scorings[total];
  std::vector<std::int64_t> counts(static_cast<std::size_t>(scoring.leaves));
  std::int64_t all = 0;
  for (const auto& [value, count] : TRY(values(total, group))) {
    const auto leaf = static_cast<std::size_t>(value);
    if (leaf >= counts.size()) return miscounted();
    counts[leaf] += count;
    all += count;
  }
  if (scoring.kind == Scoring::Kind::kMode) return Exact64::from_private(std::move(counts));
  std::vector<std::int64_t> out(counts.size());
  std::int64_t below = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::int64_t above = all - below - counts[i];
    std::int64_t off = 0;
    switch (scoring.kind) {
      case Scoring::Kind::kQuantile:
        // The rank error: how far the wanted rank p·n is outside of the leaf's ranks, from #below
        // to #below + #here. |(1−p)·#below − p·#above| would measure from within the leaf, and
        // prefer an empty leaf beside the quantile to the one that holds it with many others.
        off = std::max({std::int64_t{0},
                        scoring.below_weight * below - scoring.above_weight * (above + counts[i]),
                        scoring.above_weight * above - scoring.below_weight * (below + counts[i])});
        break;
      case Scoring::Kind::kMax:
        off = above - scoring.target;
        break;
      case Scoring::Kind::kMin:
        off = below - scoring.target;
        break;
      case Scoring::Kind::kMode:
        break;
    }
    out[i] = off < 0 ? off : -off;
    below += counts[i];
  }
  return Exact64::from_private(std::move(out));
}

}  // namespace discreet::bound
