#include "discreet/plan/methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <numeric>

#include "discreet/base/try.h"
#include "discreet/mechanism/gap/smooth_noise.h"
#include "discreet/mechanism/gap/smooth_sensitivity.h"
#include "discreet/mechanism/gap/threshold.h"

namespace discreet::plan {
namespace {

namespace gap = mechanism::gap;
using gap::GapTest;

constexpr double kSure = 0.95;

bool is_mode(const AggregateRow& row) { return row.scoring == bound::Scoring::Kind::kMode; }

// --- what each is expected to be off by, but for one time in twenty. Of a quantile: as a share of
// the bounds' width. Of a mode: by how many units the most common value must be ahead.

using Errors = std::vector<double>;  // by size of a group

constexpr double kFilled = 0.5;  // of the bounds, by values

// The sizes of groups that are assumed. No error is larger than the bounds.
std::vector<std::int64_t> sizes_of(const std::optional<std::int64_t>& units) {
  if (units) return {*units};
  return {std::begin(kAssumedUnits), std::end(kAssumedUnits)};
}

Prospect prospect(Noise way, Errors errors, bool pure = false) {
  const double sum = std::accumulate(errors.begin(), errors.end(), 0.0);
  const double average = sum / static_cast<double>(std::max<std::size_t>(1, errors.size()));
  return {way, average, pure, std::move(errors)};
}

bool each_has_a_leaf(const Aggregate& one) {
  if (!one.bounds || !one.arg || one.arg->type == Type::kDouble ||
      one.arg->type == Type::kTimestamp)
    return false;
  const Rational& low = one.bounds->low;
  const Rational& high = one.bounds->high;
  return low.get_den() == 1 && high.get_den() == 1 && high - low < kLeaves;
}

// A rank is off by (2Δ/ε)·ln(leaves/β) at most (McSherry and Talwar); then the nearest leaf, unless
// every value has its own.
Errors exponential_error(const Aggregate& one, const Means& means) {
  const auto leaves = static_cast<double>(leaves_of(one));
  const double weight = std::max(to_double(one.share), 1 - to_double(one.share));
  const double most = 2 * weight * static_cast<double>(means.groups) *
                      static_cast<double>(means.rows) / to_double(means.epsilon) *
                      std::log(leaves / (1 - kSure));
  const double ranks = std::floor(2 * most) / 2;  // of whole rows
  const double beside = each_has_a_leaf(one) ? 0 : 0.5 / (leaves - 1);
  Errors out;
  for (const std::int64_t units : sizes_of(means.units))
    out.push_back(std::min(1.0, kFilled * ranks / static_cast<double>(units) + beside));
  return out;
}

// A row a unit, side by side in the middle of a grid.
gap::Ordered assumed_rows(std::int64_t units, const gap::Range& range) {
  std::vector<std::pair<std::int64_t, std::int64_t>> points;
  const double width = static_cast<double>(range.width()) * kFilled;
  const double first = static_cast<double>(range.width()) * (1 - kFilled) / 2;
  for (std::int64_t i = 0; i < units; ++i)
    points.emplace_back(
        std::llround(first + width * (static_cast<double>(i) + 0.5) / static_cast<double>(units)),
        1);
  return gap::Ordered::counted(std::move(points), range);
}

// With a δ the noise is Laplace, without it Cauchy: heavier tails, but it may be scaled by an S
// that is smooth over fewer units.
Result<Errors> smooth_error(const Aggregate& one, const Means& means, const Rational& delta) {
  const gap::SmoothNoise noise =
      TRY(gap::SmoothNoise::create({.epsilon = means.epsilon / means.groups,
                                    .delta = delta / means.groups,
                                    .optimised = delta > 0}));
  const gap::Quantile quantile = TRY(gap::Quantile::create(one.share));
  const gap::Range range = TRY(gap::Range::create(0, std::int64_t{1} << 20));
  const double off = noise.shape() == random::NoiseShape::kLaplace
                         ? -std::log(1 - kSure)
                         : std::tan(std::numbers::pi * kSure / 2);
  Errors out;
  for (const std::int64_t units : sizes_of(means.units)) {
    const gap::SmoothSensitivity s = smooth_sensitivity(
        assumed_rows(units, range), quantile, gap::Unit{.rows = means.rows}, noise.beta());
    const double error = to_double(noise.factor()) * off * s.enclose(64).middle() /
                         static_cast<double>(range.width());
    out.push_back(std::min(1.0, error));
  }
  return out;
}

// Fewer units than the bound was meant for aren't told anything: that is as bad as can be.
Errors proposed_error(const Means& means) {
  const Rational epsilon = means.epsilon / means.groups;
  const std::int64_t meant = means.units.value_or(kMostAssumed);
  const double error = proposed_share(epsilon, means.delta / means.groups, means.rows, meant) *
                       -std::log(1 - kSure) / to_double(Rational(epsilon / 2));
  Errors out;
  for (const std::int64_t units : sizes_of(means.units))
    out.push_back(units < meant ? 1.0 : std::min(1.0, error));
  return out;
}

double exponential_gap(const Aggregate& one, const Means& means) {
  return static_cast<double>(means.groups) / to_double(means.epsilon) *
         std::log(static_cast<double>(one.arg->domain->size()) / (1 - kSure));
}

Result<double> stable_gap(const Means& means) {
  const GapTest test =
      TRY(GapTest::create({means.epsilon / means.groups, means.delta / means.groups}));
  return static_cast<double>(test.distance_for(Rational(19, 20)));
}

// The ways that are possible here. One that isn't, for its numbers can't be drawn or written, is no
// reason to refuse another: only who asked for it is told why.
struct Possible {
  std::vector<Prospect> prospects;
  std::optional<Error> smooth = {};  // why that isn't
};

Possible prospects_of(const Aggregate& one, const AggregateRow& row, const Means& means) {
  Possible out;
  const bool has_delta = means.delta > 0;
  if (is_mode(row)) {
    if (one.arg->domain)
      out.prospects.push_back({Noise::kExponential, exponential_gap(one, means), true, {}});
    if (const auto gap = has_delta ? stable_gap(means) : Result<double>(0); gap && has_delta)
      out.prospects.push_back({Noise::kStable, *gap, false, {}});
    return out;
  }
  out.prospects.push_back(prospect(Noise::kExponential, exponential_error(one, means)));
  if (auto cauchy = smooth_error(one, means, 0)) {
    Prospect smooth = prospect(Noise::kSmooth, std::move(*cauchy), true);
    if (auto laplace = has_delta ? smooth_error(one, means, means.delta) : Result<Errors>())
      if (Prospect other = prospect(Noise::kSmooth, std::move(*laplace));
          has_delta && other.error < smooth.error)
        smooth = std::move(other);
    out.prospects.push_back(std::move(smooth));
  } else {
    out.smooth = std::move(cauchy.error());
  }
  if (has_delta && !out.smooth)
    out.prospects.push_back(prospect(Noise::kProposed, proposed_error(means)));
  return out;
}

// "52 / 8.1 / 0.83 %", by size; or how many units.
std::string amount(const Method& method, const Prospect& one) {
  if (!method.of_values) return fmt::format("{:.0f}", std::ceil(one.error));
  std::string out;
  for (const double error : one.errors)
    out += (out.empty() ? "" : " / ") +
           (error >= 0.1 ? fmt::format("{:.0f}", 100 * error) : fmt::format("{:.2g}", 100 * error));
  return out + " %";
}

// For people.
std::string_view called(Noise way) {
  switch (way) {
    case Noise::kExponential:
      return "the exponential mechanism";
    case Noise::kSmooth:
      return "smooth sensitivity";
    case Noise::kProposed:
      return "propose-test-release";
    case Noise::kStable:
      return "stability";
    case Noise::kLaplace:
    case Noise::kGaussian:
      break;
  }
  return name_of(way);
}

}  // namespace

bool needs_delta(Noise way) {
  switch (way) {
    case Noise::kSmooth:  // unless its noise is Cauchy's
    case Noise::kProposed:
    case Noise::kStable:
      return true;
    case Noise::kLaplace:
    case Noise::kGaussian:
    case Noise::kExponential:
      break;
  }
  return false;
}

bool must_have_delta(const Aggregate& aggregate) {
  const bool open = aggregate.form->of == sql::AggregateForm::Of::kListed && aggregate.arg &&
                    !aggregate.arg->domain;
  return open || aggregate.method == name_of(Noise::kStable) ||
         aggregate.method == name_of(Noise::kProposed);
}

std::int64_t leaves_of(const Aggregate& aggregate) {
  if (!each_has_a_leaf(aggregate)) return kLeaves;
  return Integer(aggregate.bounds->high - aggregate.bounds->low).get_si() + 1;
}

double proposed_share(const Rational& epsilon, const Rational& delta, std::int64_t rows,
                      std::int64_t units) {
  constexpr double kRoom = 2;
  const auto test = GapTest::create({epsilon / 2, delta});
  if (!test) return 1;
  return std::min(
      1.0, kRoom * kFilled * (static_cast<double>(test->distance_for(Rational(19, 20))) + 1) *
               static_cast<double>(rows) / static_cast<double>(std::max<std::int64_t>(1, units)));
}

Result<Method> choose_method(const Aggregate& aggregate, const AggregateRow& row,
                             const Means& means) {
  Method out;
  out.of_values = !is_mode(row);
  out.units = sizes_of(means.units);
  Possible possible = prospects_of(aggregate, row, means);
  out.prospects = std::move(possible.prospects);
  std::stable_sort(out.prospects.begin(), out.prospects.end(),
                   [](const Prospect& a, const Prospect& b) { return a.error < b.error; });
  for (const Prospect& one : out.prospects)
    if (aggregate.method.empty() || name_of(one.way) == aggregate.method) {
      out.way = one.way;
      out.pure = one.pure;
      out.asked = !aggregate.method.empty();
      return out;
    }
  const bool has_delta = means.delta > 0;
  if (possible.smooth && (has_delta || aggregate.method == name_of(Noise::kSmooth)))
    return fail(Code::kRefused,
                fmt::format("method => '{}' isn't possible here: {}", aggregate.method,
                            possible.smooth->message.text()),
                "leave method => … out");
  if (has_delta)
    return fail(Code::kRefused, "no number of units would be far enough ahead to be told",
                "ask with a larger epsilon or delta, or for fewer groups");
  return fail(
      Code::kUsage,
      aggregate.method.empty()
          ? fmt::format("{} of values that nobody listed is told only where it is far "
                        "ahead, and that needs a δ",
                        aggregate.form->name)
          : fmt::format("method => '{}' needs a δ", aggregate.method),
      advise("delta", "1e-6") + (aggregate.method.empty()
                                     ? ", or declare columns.NAME = { values = […] } in the policy"
                                     : ", or leave method => … out"));
}

// Half of ε for the test, half for the noise.
Result<gap::BoundedChange> proposed_mechanism(const PlanPart& part, const Statistic& one) {
  const Rational groups(part.bounds.most_groups()), half = one.epsilon / groups / 2;
  const Slot& slot = part.slots.at(*one.slot);
  return gap::BoundedChange::create(
      {.test = {half, one.delta / groups},
       .epsilon = half,
       .statistic = TRY(gap::Statistic::create(gap::StatisticKind::kQuantile, one.share)),
       .bound = Rational(Integer(static_cast<long>(one.proposed))),
       .range = TRY(gap::Range::create(slot.low, slot.high)),
       .unit = {.rows = one.sensitivity.get_si()}});
}

std::string words(const Method& method, const std::string& text, const std::string& unit) {
  std::string expected;
  for (const Prospect& one : method.prospects)
    expected +=
        fmt::format("{}{} {}", expected.empty() ? "" : ", ", called(one.way), amount(method, one));
  const char* why = method.asked                   ? "as asked"
                    : method.prospects.size() == 1 ? "the only way here"
                                                   : "the least expected error";
  const std::string what =
      method.of_values
          ? fmt::format(
                "With {} {}s, whose values fill the middle half of the bounds, an answer is "
                "off by, of their width",
                fmt::join(method.units, " / "), unit)
          : fmt::format("To be told, 19 times in 20, a value must be ahead by so many {}s", unit);
  return fmt::format("{} by {} ({}). {}: {}.", text, called(method.way), why, what, expected);
}

}  // namespace discreet::plan
