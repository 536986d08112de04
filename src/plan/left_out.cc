#include "discreet/plan/left_out.h"

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/bound/scale.h"
#include "discreet/plan/aggregates.h"
#include "discreet/plan/choose.h"
#include "discreet/plan/estimate.h"
#include "discreet/plan/selection.h"
#include "discreet/plan/survey.h"

namespace discreet::plan {
namespace {

using Kind = Count::Kind;

// Can a row's value be outside of the bounds it is clamped to? Not where it is one of a few
// literals.
bool can_be_outside(const Expr& value) {
  if (value.op == Op::kLiteral) return false;
  if (value.op != Op::kCase) return true;
  for (std::size_t i = 0; i < value.args.size(); ++i) {
    const bool is_result = i % 2 == 1 || i + 1 == value.args.size();
    if (is_result && can_be_outside(value.args[i])) return true;
  }
  return false;
}

bool can_clamp(const PlanPart& part) {
  return std::any_of(part.slots.begin(), part.slots.end(), [](const Slot& slot) {
    return (slot.kind == Slot::Kind::kNumber || slot.kind == Slot::Kind::kLeaf) &&
           can_be_outside(slot.value);
  });
}

// Does the answer say how many rows were kept, in all groups?
bool tells_rows(const PlanPart& part) {
  return part.all_public && !part.selection &&
         std::any_of(part.statistics.begin(), part.statistics.end(),
                     [](const Statistic& one) { return one.kind == Statistic::Kind::kRows; });
}

struct Range {
  double value = 0, low = 0, high = 0;
};

Share share_of(const Range& part, const Range& rest) {
  const auto ratio = [](double a, double b) { return a <= 0 ? 0 : b <= 0 ? 1 : a / (a + b); };
  return {ratio(part.value, rest.value), ratio(part.low, rest.high), ratio(part.high, rest.low)};
}

}  // namespace

bool counts_rows(const PlanPart& part) {
  for (std::size_t i = 0; i < part.rows.size(); ++i)
    if (!part.select.aggregates[i].per_group &&
        part.rows[i]->made_of != std::vector<Made>{Made::kUnits})
      return true;
  return false;
}

bool can_leave_out(const PlanPart& part) {
  if (part.direct) return false;
  const auto promise = part.select.input->rows_per_unit;
  if (promise && part.bounds.most_rows() >= static_cast<long>(*promise) &&
      part.bounds.rows >= *promise && (part.select.keys.empty() || part.bounds.groups >= *promise))
    return false;
  // Of a whole without groups, numbers of units and whole contributions lose nothing.
  return !part.select.keys.empty() || counts_rows(part);
}

std::vector<Count> left_out_counts(const PlanPart& part, const Rational& epsilon) {
  std::vector<Count> out;
  const auto count = [&](Kind kind, std::size_t bins) -> Count& {
    out.emplace_back();
    out.back().kind = kind;
    out.back().bins = bins;
    return out.back();
  };
  count(Kind::kCut, 2);
  count(Kind::kLost, bound::kCountBins);
  const bool profiled = part.fitting && part.fitting->rows > 0;
  // Where whole groups are folded every row of a kept group is kept, and there is no limit that
  // noise on their number could follow: a histogram does.
  if (!tells_rows(part) && !profiled) {
    if (counts_rows(part)) {
      count(Kind::kKept, 1).sensitivity = part.bounds.most_rows();
    } else {
      count(Kind::kRows, bound::kCountBins);
    }
  }
  if (can_clamp(part)) {
    const Integer most = part.bounds.most_rows();
    const auto bound = most.fits_ulong_p() ? most.get_ui() : UINT32_MAX;
    count(Kind::kClamped, bound::count_bin(bound) + 1);
  }
  for (Count& one : out) one.epsilon = epsilon / static_cast<long>(out.size());
  return out;
}

Result<LeftOut> measure_left_out(const PlanPart& part, const bound::Contributions& contributions,
                                 const std::optional<std::pair<double, double>>& kept,
                                 const Rational& confidence, random::Source& source) {
  LeftOut out;
  if (part.selection) {
    auto mechanism = GroupChooser::of(part);
    if (mechanism) {
      const auto surely = mechanism->units_for(kSurely);
      if (surely) out.groups_from = *surely;
    }
  }
  if (!can_leave_out(part)) {
    out.state = LeftOut::State::kNothing;
    return out;
  }
  if (part.left_out.empty()) return out;
  out.state = LeftOut::State::kMeasured;
  // P(|noise| > z·b) = e^(-z); a half of what may go wrong for each of two numbers.
  const double z = -std::log((1 - to_double(confidence)) / 2);
  Range cut, whole, lost, rows, clamped;
  const double most = part.bounds.most_rows().get_d();
  const Fitting* profile = part.fitting.get();
  out.guessed = profile && profile->guessed;
  std::optional<Histogram> loss;
  for (std::size_t i = 0; i < part.left_out.size(); ++i) {
    const Count& count = part.left_out[i];
    const auto bins = TRY(release_count(count, i, contributions, source));
    const double b = Rational(count.sensitivity).get_d() / to_double(count.epsilon);
    const auto around = [&](double value) {
      return Range{std::max(0.0, value), std::max(0.0, value - z * b),
                   std::max(0.0, value + z * b)};
    };
    switch (count.kind) {
      case Kind::kCut:
        whole = around(static_cast<double>(bins[0]));
        cut = around(static_cast<double>(bins[1]));
        break;
      case Kind::kLost:
        loss = Histogram{{}, 0, bins, count.epsilon};
        break;
      case Kind::kKept:
        rows = around(static_cast<double>(bins[0]));
        break;
      case Kind::kClamped: {
        double square = 0;
        for (std::size_t k = 1; k < bins.size(); ++k) {
          const auto edge = static_cast<double>(bound::count_edge(k));
          const double middle = (static_cast<double>(bound::count_edge(k - 1)) + 1 + edge) / 2;
          clamped.value += static_cast<double>(bins[k]) * middle;
          square += edge * edge;
        }
        const double margin = 2 * b * std::sqrt(2 * square);
        clamped = {std::max(0.0, clamped.value), std::max(0.0, clamped.value - margin),
                   std::max(0.0, clamped.value + margin)};
        break;
      }
      case Kind::kRows: {
        const double sum = estimate_counts({{}, 0, bins, count.epsilon}).sum();
        rows = {sum, sum / 1.5, sum * 1.5};
        break;
      }
      case Kind::kGroups:
      case Kind::kMost:
      case Kind::kValue:
        break;  // of surveys
    }
  }
  if (kept) {
    const double middle = (kept->first + kept->second) / 2;
    rows = {std::max(0.0, middle), std::max(0.0, kept->first), std::max(0.0, kept->second)};
  }
  if (profile && !kept && profile->rows > 0) {
    // The profile knows how many rows there are, to within its bins.
    const double rest = profile->rows * (1 - profile->best.left_out);
    rows = {rest, rest / 1.2, rest * 1.2};
  }
  const Estimate estimate = estimate_counts(*loss);
  if (estimate.shows) {
    double square = 0;
    for (const Estimate::Bin& bin : estimate.bins)
      if (bin.units > 0) square += bin.middle * bin.middle;
    constexpr double kNormal95 = 1.96;
    const double sum = estimate.sum();
    const double margin = kNormal95 * loss->noise() * std::sqrt(2 * square) + 0.1 * sum;
    lost = {sum, std::max(0.0, sum - margin), sum + margin};
    for (std::size_t k = 2; k < bound::kCountBins; ++k) {
      const auto edge = static_cast<double>(bound::count_edge(k));
      if (edge > most && estimate.beyond(edge - most) < 0.01 * (sum + rows.value)) {
        out.enough = static_cast<std::int64_t>(edge);
        break;
      }
    }
  } else {
    // The histogram doesn't show how much they lose. Far out, where the number of units with more
    // than n rows falls at least as 1/n³ (and people's does), those beyond a bound exceed it by
    // half of it on the average. A bound that many exceed isn't far out: if a share p does, and
    // numbers fall by a constant factor, they exceed it by bound / ln(1/p).
    double units = cut.value, units_most = cut.high;
    if (profile && profile->rows > 0) {
      // Surveyed with more of the ε, it says it more exactly.
      units = profile->best.cut;
      units_most = std::min(units_most, units + 2 * profile->cut_noise);
    }
    const auto excess = [&](double beyond) {
      const double p = beyond / std::max(1.0, beyond + whole.value);
      return p <= 0 ? 0 : most / -std::log(std::min(p, 0.99));
    };
    lost = {units * std::max(most / 4, excess(units)), 0,
            units_most * std::max(most / 2, 1.5 * excess(units_most))};
    // Not all people's do: a few of another kind may be far beyond, as far as noise hides them.
    const bool better = profile && profile->rows > 0;
    lost.high =
        std::max(lost.high, better ? profile->most_left_out : estimate.most_beyond(0, most));
  }
  out.rows = share_of(lost, rows);
  out.units = share_of(cut, whole);
  if (std::any_of(part.left_out.begin(), part.left_out.end(),
                  [](const Count& count) { return count.kind == Kind::kClamped; })) {
    const Range rest{rows.value - clamped.value, rows.low - clamped.high, rows.high - clamped.low};
    out.clamped = share_of(clamped, rest);
  }
  return out;
}

}  // namespace discreet::plan
