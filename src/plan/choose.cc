#include "discreet/plan/choose.h"

#include <algorithm>
#include <cmath>

#include "discreet/bound/scale.h"
#include "discreet/plan/aggregates.h"

namespace discreet::plan {
namespace {

// What an aggregate's error consists of.
enum class Wish { kRows, kSum, kMean, kUnits, kRank };

Wish wish_of(const AggregateRow& row) {
  Wish out = Wish::kRows;
  for (const Made made : row.made_of) switch (made) {
      case Made::kRows:
      case Made::kCount:
      case Made::kDifferent:
        break;
      case Made::kUnits:
        return Wish::kUnits;
      case Made::kSum:
        return Wish::kSum;
      case Made::kValues:
      case Made::kCentered:
      case Made::kSquares:
        out = Wish::kMean;
        break;
      case Made::kChoice:
        return Wish::kRank;
    }
  return out;
}

class Chooser {
 public:
  Chooser(const Asked& asked, const Known& known) : asked_(asked), known_(known) {
    for (std::size_t i = 0; i < asked.part->rows.size(); ++i)
      wishes_.push_back(asked.part->select.aggregates[i].per_group ? Wish::kUnits
                                                                   : wish_of(*asked.part->rows[i]));
    spread_.assign(wishes_.size(), 2);
    rows_ = std::max(1.0, known.rows ? known.rows->sum() : likely_rows());
    by_units_ =
        asked.selects || std::find(wishes_.begin(), wishes_.end(), Wish::kUnits) != wishes_.end();
    // A guess of how many groups there are, where only units tell: as many as the busiest is in.
    if (asked.selects && known.groups && !known.groups->bins.empty())
      groups_ = std::max(groups_, known.groups->bins.back().edge);
  }

  Fitting choose() {
    // Bounds on rows and on values depend on each other; a second round hardly changes them.
    Fitting out;
    for (int round = 0; round < 2; ++round) {
      choose_contributions(out);
      choose_ranges(out);
    }
    out.guessed = known_.rows && !known_.rows->shows;
    if (known_.rows && known_.rows->shows) {
      out.rows = known_.rows->sum();
      // Of the bins above the bound two doublings or so hold anything: each has noise √2·b.
      out.cut_noise = std::sqrt(2.0 * 4) * known_.rows->noise;
      const double most = number(out.best.bounds.most_rows());
      out.most_left_out = known_.rows->most_beyond(most, most);
    }
    out.groups = groups_;
    return out;
  }

 private:
  // Rows in all and groups together, then rows in a group for the best of them; in the next round
  // the former again under the latter.
  void choose_contributions(Fitting& out) {
    out.others.clear();
    bool first = true;
    const auto consider = [&](const Bounds& bounds) {
      const Outlook one = outlook(bounds);
      if (first || one.total() < out.best.total()) out.best = one;
      first = false;
      return one;
    };
    for (const std::int64_t total : candidates(known_.rows, limit(asked_.most.total), true)) {
      std::optional<Outlook> here;
      for (const std::int64_t groups : group_candidates(total)) {
        const Outlook one = consider({std::min(groups, total), std::min(in_group_, total), total});
        if (!here || one.total() < here->total()) here = one;
      }
      if (here) out.others.push_back(*here);
    }
    const Bounds chosen = out.best.bounds;
    for (const std::int64_t rows : row_candidates(*chosen.total))
      consider({chosen.groups, std::min(rows, *chosen.total), chosen.total});
    in_group_ = std::max(out.best.bounds.rows, std::int64_t{1});
    if (in_group_ >= *out.best.bounds.total) in_group_ = asked_.most.rows;
  }

  void choose_ranges(Fitting& out) {
    out.ranges.assign(wishes_.size(), std::nullopt);
    out.hidden.assign(wishes_.size(), {0, 0});
    for (std::size_t i = 0; i < wishes_.size() && i < known_.values.size(); ++i) {
      if (!known_.values[i]) continue;
      const ValueEstimate& values = *known_.values[i];
      const Interval chosen = range(i, values, out.best.bounds);
      out.ranges[i] = chosen;
      const double low = to_double(chosen.low), high = to_double(chosen.high);
      const double mean = values.mean_size();
      if (mean > 0) spread_[i] = std::clamp(std::max(high, -low) / mean, 1.0, 1000.0);
      // What the owner's range clamps isn't hidden: it is what the question means.
      const auto declared = i < known_.within.size() ? known_.within[i] : std::nullopt;
      if (!declared || chosen.low > declared->low)
        out.hidden[i].first = hidden(values.below, -low, values.units());
      if (!declared || chosen.high < declared->high)
        out.hidden[i].second = hidden(values.above, high, values.units());
    }
  }

  // Units beyond the bound, as many as noise may hide, by half of the bound each (as with rows:
  // fewer are farther).
  static double hidden(const Estimate& side, double bound, double units) {
    if (!side.shows || bound <= 0 || units <= 0) return 0;
    const double most = side.units_above(bound) + 2 * std::sqrt(2.0 * 4) * side.noise;
    return side.beyond(bound) / units + most / units * bound / 2;
  }

  // Where rows aren't surveyed, since a bound on them is declared: each unit that has a value has
  // between one row and that many.
  double likely_rows() const {
    double units = 0;
    for (const std::optional<ValueEstimate>& values : known_.values)
      if (values) units = std::max(units, values->units());
    return units * std::sqrt(number(asked_.most.most_rows()));
  }

  static std::int64_t limit(const std::optional<std::int64_t>& most) {
    return most.value_or(kUnbounded);
  }

  // The edges that may be best: all that show and what is thought to lie beyond.
  static std::vector<std::int64_t> candidates(const std::optional<Estimate>& estimate,
                                              std::int64_t most, bool fine = false) {
    std::vector<std::int64_t> out;
    if (estimate)
      for (const Estimate::Bin& bin : estimate->bins)
        for (const double part : {0.25, 0.5, 0.75, 1.0}) {
          if (!fine && part < 1) continue;  // else bins are cut in four
          const double width = 2 * (bin.edge - bin.middle);
          const auto edge = static_cast<std::int64_t>(std::lround(bin.edge - (1 - part) * width));
          if (edge < most && edge >= 1 && (out.empty() || edge > out.back())) out.push_back(edge);
        }
    // A few beyond, for the picture: they only add noise.
    for (int more = 0; fine && more < 4 && !out.empty() && estimate; ++more) {
      const auto bin = bound::count_bin(static_cast<std::uint64_t>(out.back())) + 1;
      if (bin >= bound::kCountBins) break;
      const auto edge = static_cast<std::int64_t>(bound::count_edge(bin));
      if (edge >= most) break;
      out.push_back(edge);
    }
    if (most < kUnbounded && (!estimate || estimate->bins.empty() ||
                              static_cast<double>(most) <= estimate->bins.back().edge))
      out.push_back(most);
    if (out.empty()) out.push_back(estimate ? 1 : most);
    return out;
  }

  // A limit on groups matters where units are counted, or groups chosen.
  std::vector<std::int64_t> group_candidates(std::int64_t total) const {
    if (asked_.part->select.keys.empty()) return {1};
    const std::int64_t most = std::min(asked_.most.groups, total);
    if (!by_units_) return {most};
    return candidates(known_.groups, most);
  }

  // One on rows in a group, where Gaussian noise gains by it (ℓ2).
  std::vector<std::int64_t> row_candidates(std::int64_t total) const {
    const std::int64_t most = std::min(asked_.most.rows, total);
    if (asked_.part->select.keys.empty() || !asked_.sigma || !known_.most) return {most};
    std::vector<std::int64_t> out = candidates(known_.most, most);
    out.push_back(most);
    return out;
  }

  static double number(const Integer& value) { return value.get_d(); }

  // The mean size of noise on a number that a row (or a unit) changes by 1.
  double noise(const Bounds& bounds, bool by_row) const {
    const double l1 = number(by_row ? bounds.most_rows() : bounds.most_groups());
    const double l2 = std::sqrt(number(by_row ? bounds.rows_squared() : bounds.most_groups()));
    const double laplace = l1 / asked_.share;
    return asked_.sigma ? std::min(laplace, 0.8 * *asked_.sigma * l2) : laplace;
  }

  // The share of `all` that a limit takes away.
  static double share_beyond(const std::optional<Estimate>& estimate, double bound) {
    if (!estimate) return 0;
    const double sum = estimate->sum();
    return sum > 0 ? std::min(1.0, estimate->beyond(bound) / sum) : 0;
  }

  Outlook outlook(const Bounds& bounds) const {
    Outlook out;
    out.bounds = bounds;
    const double by_groups = share_beyond(known_.groups, static_cast<double>(bounds.groups));
    const double kept = (1 - share_beyond(known_.rows, number(bounds.most_rows()))) *
                        (1 - by_groups) *
                        (1 - share_beyond(known_.most, static_cast<double>(bounds.rows)));
    out.left_out = 1 - kept;
    if (known_.rows) out.cut = known_.rows->units_above(number(bounds.most_rows()));
    const double row_noise = groups_ * noise(bounds, true) / rows_;
    const double pairs = known_.groups ? std::max(1.0, known_.groups->sum())
                         : known_.rows ? std::max(1.0, known_.rows->units())
                                       : 1;
    const double unit_noise = groups_ * noise(bounds, false) / pairs;
    const auto parts = static_cast<double>(wishes_.size() + (asked_.selects ? 1 : 0));
    for (std::size_t i = 0; i < wishes_.size(); ++i) switch (wishes_[i]) {
        case Wish::kRows:
          out.bias += out.left_out / parts;
          out.noise += row_noise / parts;
          break;
        case Wish::kSum:
          out.bias += out.left_out / parts;
          out.noise += spread_[i] * row_noise / parts;
          break;
        case Wish::kMean:
          // A mean is changed by as much as left-out rows differ from the others: a fifth of the
          // values' spread is taken for that.
          out.bias += out.left_out / 5 / parts;
          out.noise += 1.5 * row_noise / parts;
          break;
        case Wish::kRank:
          out.bias += out.left_out / 2 / parts;
          out.noise += 10 * row_noise / parts;
          break;
        case Wish::kUnits:
          out.bias += by_groups / parts;
          out.noise += unit_noise / parts;
          break;
      }
    if (asked_.selects) {
      out.bias += by_groups / parts;
      out.noise += unit_noise / parts;
    }
    return out;
  }

  // Where values are clamped: for a sum noise grows with the larger end, for a mean with the width.
  Interval range(std::size_t index, const ValueEstimate& values, const Bounds& bounds) const {
    const Aggregate& aggregate = asked_.part->select.aggregates[index];
    const bool whole = aggregate.arg->type == Type::kInt;
    std::vector<double> highs = {0}, lows = {0};
    for (const Estimate::Bin& bin : values.above.bins)
      if (bin.units > 0) highs.push_back(bin.edge);
    for (const Estimate::Bin& bin : values.below.bins)
      if (bin.units > 0) lows.push_back(-bin.edge);
    const auto interval = [&](double low, double high) {
      if (high <= low) high = low + 1;
      if (whole) low = std::floor(low), high = std::ceil(high);
      Interval out{*exactly(low), *exactly(high)};
      const auto declared =
          index < known_.within.size() ? known_.within[index] : std::optional<Interval>();
      if (!declared) return out;
      out = {std::max(out.low, declared->low), std::min(out.high, declared->high)};
      return out.low < out.high && values.shows ? out : *declared;
    };
    // Everything that shows.
    double least = lows.back(), largest = highs.back();
    if (lows.size() == 1 && values.zeros <= 0 && !values.above.bins.empty()) {
      const auto first = std::find_if(values.above.bins.begin(), values.above.bins.end(),
                                      [](const Estimate::Bin& bin) { return bin.units > 0; });
      // the lower edge of the first bin: edges are a factor 1.5 apart at the most
      if (first != values.above.bins.end()) least = 2 * first->middle - first->edge;
    }
    if (wishes_[index] == Wish::kRank ||
        asked_.part->rows[index]->form.of == sql::AggregateForm::Of::kOrdered)
      return interval(least, largest);
    const double n = std::max(1.0, values.units());
    const double factor = groups_ * noise(bounds, true) / rows_;
    const auto beyond = [&](const Estimate& side, double bound) { return side.beyond(bound) / n; };
    double best = -1, low_end = least, high_end = largest;
    for (const double high : highs)
      for (const double low : lows) {
        if (high <= low) continue;
        const double clamped = beyond(values.above, high) + beyond(values.below, -low);
        // A sum gains nothing by a lower end above 0, and small values would be raised to it.
        const bool raises = wishes_[index] == Wish::kMean && lows.size() == 1;
        const double inside = raises ? std::min(least, high / 2) : low;
        const double size =
            wishes_[index] == Wish::kMean ? 1.5 * (high - inside) / 2 : std::max(high, -low);
        const double noise = factor * size;
        const double error = clamped + noise * std::exp(-clamped / noise);
        if (best >= 0 && error >= best) continue;
        best = error;
        low_end = inside;
        high_end = high;
      }
    return interval(low_end, high_end);
  }

  const Asked& asked_;
  const Known& known_;
  std::vector<Wish> wishes_;
  std::vector<double> spread_;                // of sums: the clamp over the mean size of a value
  std::int64_t in_group_ = asked_.most.rows;  // the limit on rows in a group, so far
  double rows_ = 1, groups_ = std::max(1.0, asked_.groups);
  bool by_units_ = false;
};

}  // namespace

Fitting choose_bounds(const Asked& asked, const Known& known) {
  return Chooser(asked, known).choose();
}

}  // namespace discreet::plan
