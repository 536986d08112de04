#include "discreet/base/suggest.h"

#include <algorithm>
#include <cctype>

namespace discreet {
namespace {

// Optimal string alignment distance, three rows at a time.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = last[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

}  // namespace

std::string nearest(std::string_view typed, std::span<const std::string> candidates) {
  constexpr std::size_t kLongestCompared = 64;  // the distance is quadratic in what the user typed
  if (typed.size() > kLongestCompared) return {};
  const std::string wanted = lower(typed);
  std::string best;
  std::size_t best_edits = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edits(wanted, lower(candidate));
    const std::size_t allowed =
        std::max<std::size_t>(1, std::max(candidate.size(), wanted.size()) / 3);
    if (distance > allowed || (!best.empty() && distance >= best_edits)) continue;
    best = candidate;
    best_edits = distance;
  }
  return best;
}

std::string did_you_mean(std::string_view typed, std::span<const std::string> candidates) {
  const std::string best = nearest(typed, candidates);
  if (!best.empty()) return "did you mean '" + best + "'?";
  constexpr std::size_t kShortList = 12;
  if (candidates.empty() || candidates.size() > kShortList) return {};
  std::string out = "one of ";
  for (std::size_t i = 0; i < candidates.size(); ++i) out += (i ? ", " : "") + candidates[i];
  return out;
}

}  // namespace discreet
