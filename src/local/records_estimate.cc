// The collector's side of records.h: from a state to frequencies.
#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/local/records.h"
#include "discreet/local/records_sample.h"

namespace discreet::local {
namespace {

// Of an attribute that nobody drew: any distribution would do.
Estimate unknown(std::size_t domain) {
  const std::vector<double> even(domain, 1 / static_cast<double>(domain));
  return {.distribution = even, .stderr_ = std::vector<double>(domain, INFINITY)};
}

}  // namespace

State Records::state_of(std::size_t j, const State& state) const {
  const Constants& c = parts_[j]->constants();
  State out(*parts_[j]);
  out.users = state.counters[j];
  const auto first = state.counters.begin() + static_cast<std::ptrdiff_t>(counters_at_[j]);
  out.counters.assign(first, first + static_cast<std::ptrdiff_t>(c.counters));
  out.keeps = state.keeps;
  for (std::size_t at = 0; at < state.reports.size(); at += constants_.words) {
    const std::span<const Word> report(&state.reports[at], constants_.words);
    if (by_ == By::kSampling && report[0] != j) continue;
    const std::span<const Word> own = part(j, report);
    out.reports.insert(out.reports.end(), own.begin(), own.end());
  }
  return out;
}

Result<std::vector<Estimate>> Records::estimate(const State& state,
                                                const EstimateOptions& options) const {
  std::vector<Estimate> out;
  for (std::size_t j = 0; j < parts_.size(); ++j) {
    if (state.users > 0 && state.counters[j] == 0) {
      out.push_back(unknown(parts_[j]->constants().domain));
      continue;
    }
    Estimate each = TRY(estimate_frequencies(*parts_[j], state_of(j, state), options));
    for (std::size_t v = 0; v < each.distribution.size(); ++v)
      each.stderr_[v] = std::sqrt(each.stderr_[v] * each.stderr_[v] +
                                  sample_variance(each.distribution[v], each.users, state.users));
    out.push_back(std::move(each));
  }
  return out;
}

bool Records::likelihood_needs_reports() const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const auto& part) { return part->likelihood_needs_reports(); });
}

}  // namespace discreet::local
