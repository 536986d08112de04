#include "discreet/local/estimate_evidence.h"

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/local/ibu.h"
#include "discreet/local/information.h"
#include "discreet/local/simplex.h"

namespace discreet::local {
namespace {

// By its formula, with ℓ and the gap that it really has; else by rounds to where little is missing.
Result<Estimate> most_likely_of(const Likelihood& likelihood, EstimateOptions options) {
  auto maximum = likelihood.maximum();
  if (!maximum) {
    constexpr double kTight = 1e-12;
    if (likelihood.steps() <= kManySteps) options.tolerance = std::min(options.tolerance, kTight);
    options.smooth = false;
    return iterate(likelihood, options);
  }
  std::vector<double> g(maximum->size());
  const double mean = likelihood.gradient(*maximum, g);
  Estimate out;
  out.log_likelihood = (mean + likelihood.constant()) * likelihood.users();
  out.gap = std::max(0.0, *std::max_element(g.begin(), g.end()) - 1);  // but for rounding
  out.distribution = *std::move(maximum);
  return out;
}

// Where a value is estimated as nothing at all, the likelihood's bend says nothing of it: it has
// the error bar of an estimate that might be negative.
void add_bars(const Evidence& evidence, const Likelihood& likelihood, Estimate& out) {
  out.stderr_ = evidence.errors(out.distribution);
  const auto support = support_of(out.distribution, likelihood.users());
  const auto informed = information_errors(likelihood, out.distribution, support);
  if (!informed) return;
  out.bars = Bars::kInformation;
  for (std::size_t i = 0; i < support.size(); ++i) out.stderr_[support[i]] = (*informed)[i];
}

// Whether some estimate is too low for any frequency, or all together too far from 1. Supports of
// two values are uncorrelated at most, but for hadamard's, where each hangs together with one other
// and the variance of the sum at most doubles; six standard errors of many reports are 2e-9.
bool is_implausible(const Evidence& evidence, std::span<const double> inversion) {
  const auto values = static_cast<double>(inversion.size());
  const double lowest = evidence.reach(kFalseAlarms / values).lowest;
  if (*std::min_element(inversion.begin(), inversion.end()) <= lowest) return true;
  constexpr std::uint64_t kMany = 100;
  if (evidence.users < kMany) return false;
  double sum = 0, variance = 0;
  for (const double each : inversion) sum += each;
  for (const double each : evidence.errors(inversion)) variance += 2 * each * each;
  return std::abs(sum - 1) > 6 * std::sqrt(variance);
}

// Both methods take inversions to estimates by a function that never falls, and so a threshold.
// Where nothing is above 0 there is nothing to clip to, and no estimate says that a value is
// somebody's.
double moved_threshold(double threshold, Method method, std::span<const double> inversion,
                       std::span<const double> estimate) {
  if (method == Method::kInversion) return threshold;
  const auto greatest = std::max_element(inversion.begin(), inversion.end()) - inversion.begin();
  const double before = inversion[static_cast<std::size_t>(greatest)],
               after = estimate[static_cast<std::size_t>(greatest)];
  if (method == Method::kClip && before <= 0) return INFINITY;
  return std::max(method == Method::kClip ? threshold * after / before : threshold + after - before,
                  0.0);
}

}  // namespace

Result<Estimate> estimate_from(const Evidence& evidence, const EstimateOptions& options) {
  if (evidence.users == 0)
    return fail(Code::kUsage, "reports: found none; accepted is one at least to estimate from");
  Estimate out;
  switch (options.method) {
    case Method::kInversion:
    case Method::kClip:
    case Method::kSimplex: {
      out.distribution = TRY(evidence.invert());
      out.stderr_ = evidence.errors(out.distribution);
      const std::vector<double> inversion = out.distribution;
      if (options.method == Method::kClip) out.distribution = clipped(out.distribution);
      if (options.method == Method::kSimplex)
        out.distribution = nearest_distribution(out.distribution);
      if (evidence.reach)
        out.threshold = moved_threshold(
            evidence.reach(kFalseValues / static_cast<double>(inversion.size())).nobody,
            options.method, inversion, out.distribution);
      break;
    }
    case Method::kIbu:
    case Method::kMle: {
      auto likelihood = TRY(evidence.likelihood());
      out = TRY(options.method == Method::kMle ? most_likely_of(*likelihood, options)
                                               : iterate(*likelihood, options));
      add_bars(evidence, *likelihood, out);
      break;
    }
  }
  out.users = evidence.users;
  if (evidence.reach) out.implausible = is_implausible(evidence, TRY(evidence.invert()));
  return out;
}

std::vector<double> pure_inversion(std::span<const double> supports, double users, double p,
                                   double q) {
  std::vector<double> out;
  out.reserve(supports.size());
  for (const double support : supports) out.push_back((support / users - q) / (p - q));
  return out;
}

std::vector<double> standard_errors(std::vector<double> variances, double users) {
  for (double& each : variances) each = users > 0 ? std::sqrt(each / users) : INFINITY;
  return variances;
}

}  // namespace discreet::local
