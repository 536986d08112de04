#include "discreet/privacy/pld.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "discreet/base/try.h"
#include "discreet/privacy/cost.h"
#include "discreet/privacy/gaussian.h"
#include "discreet/privacy/outlook.h"
#include "discreet/privacy/single.h"

namespace discreet::privacy {
namespace {

constexpr std::size_t kFewestPoints = 1024;
constexpr double kMostCells =
    1 << 22;  // of all sources: with what is made of them less than 400 MiB
constexpr std::size_t kMostNested = 1 << 17;  // each step builds its own pairs
constexpr double kWorkOfACell = 300;

class Pld {
 public:
  Pld(Sources sources, Adjacency adjacency, Question question, PldOptions options)
      : sources_(std::move(sources)), question_(question), options_(options) {
    for (const Source& source : sources_.list) {
      steps_ += source.count;
      if (source.on_grid) options_.most_points = std::min(options_.most_points, kMostNested);
      bundles_.push_back(bundle_for(source.count));
    }
    const bool both = adjacency == Adjacency::kAddRemove && !sources_.symmetric;
    if (adjacency != Adjacency::kAdd || sources_.symmetric) directions_.push_back({false});
    if (both || (adjacency == Adjacency::kAdd && !sources_.symmetric))
      directions_.push_back({true});
  }

  // No weight serves the whole curve: rounding errors would drown what is small under it. So it is
  // computed under several, one for each few powers of ten of δ, and the least bound taken.
  Result<std::vector<Curve>> curves(double least) {
    std::vector<double> centres{1};
    while (centres.back() > least) centres.push_back(std::max(centres.back() * 1e-4, least));
    const auto centre = [&](double delta) {
      for (Direction& direction : directions_) {
        if (delta == 1) {
          direction.outlook->look_at_all();
        } else {
          direction.outlook->centre({true, delta, delta});
        }
      }
    };
    TRY(look());
    tails_.above = tails_.below = std::min(1e-15, least * 1e-8 / steps_);
    double step = HUGE_VAL, width = 0;
    for (const double delta : centres) {
      centre(delta);
      step = std::min(step, first_step());
      for (const Direction& direction : directions_)
        width = std::max(width, direction.outlook->window().width());
    }
    step = std::max(step, width / static_cast<double>(options_.most_points - 16));
    double count = 0;
    for (std::size_t i = 0; i < sources_.list.size(); ++i) {
      auto pair = TRY(sources_.list[i].pair(step / bundles_[i].times, true));
      count += cell_count(*pair, step / bundles_[i].times, tails_);
    }
    step = aligned(step * std::max(1.0, count / kMostCells));
    std::vector<Cells> cells;
    for (std::size_t i = 0; i < sources_.list.size(); ++i) {
      auto pair = TRY(sources_.list[i].pair(step / bundles_[i].times, true));
      cells.push_back(cut(*pair, step / bundles_[i].times, tails_));
    }
    std::vector<Composition::Profile> found(directions_.size());
    for (const double delta : centres) {
      centre(delta);
      for (std::size_t d = 0; d < directions_.size(); ++d) {
        const auto& outlook = *directions_[d].outlook;
        const double points =
            std::clamp(outlook.window().width() / step + 16, static_cast<double>(kFewestPoints),
                       static_cast<double>(options_.most_points));
        Composition above(terms(cells, cells, directions_[d], true));
        above.compose(outlook.theta(), outlook.window(),
                      std::bit_ceil(static_cast<std::size_t>(points)));
        const auto profile = above.profile();
        take(found[d], profile);
      }
    }
    std::vector<Curve> out;
    for (const Composition::Profile& profile : found) {
      Curve curve;
      double before = 1;
      for (std::size_t j = 0; j < profile.delta.size(); ++j) {
        before = std::min(before, profile.delta[j]);  // δ falls as ε rises
        const double index = static_cast<double>(profile.first) + static_cast<double>(j);
        curve.epsilon.push_back(index * step + profile.offset);
        curve.delta.push_back(before);
      }
      out.push_back(std::move(curve));
    }
    return out;
  }

  Result<PldAnswer> answer() {
    TRY(without_grid());
    if (met()) return PldAnswer{total(), true, work_};
    TRY(look());
    for (Direction& direction : directions_) {
      direction.outlook->centre(question_);
      const double tail = std::min(1e-15, std::exp(direction.outlook->log_delta()) * 1e-8 / steps_);
      (direction.adding ? tails_.below : tails_.above) = tail;
      if (directions_.size() == 1) tails_.above = tails_.below = tail;
    }
    auto finest = TRY(finest_step());
    double step = std::max(first_step(), finest);
    double bundled = bundle_widths();
    for (int stuck = 0;;) {
      double width = 0;
      for (const Direction& direction : directions_)
        width = std::max(width, direction.outlook->window().width());
      const double before = gap(), most = affordable();
      if (most < static_cast<double>(kFewestPoints)) return PldAnswer{total(), false, work_};
      const double points = std::clamp(static_cast<double>(std::bit_ceil(static_cast<std::size_t>(
                                           std::min(width / step + 16, most)))),
                                       static_cast<double>(kFewestPoints), most);
      // A power of two may as well be used up by a finer step, but for many sources the cells are
      // what costs.
      if (points > static_cast<double>(kFewestPoints) && sources_.list.size() < 16)
        step = width / (points - 16);
      step = std::max({step, width / (points - 16), finest});
      while (bundle_work(bundled, step) > options_.most_work - work_ && step < width) step *= 2;
      work_ += bundle_work(bundled, step);
      const bool last = step <= finest;
      auto more = TRY(refine(step, static_cast<std::size_t>(points)));
      if (met()) return PldAnswer{total(), true, work_};
      bool widened = false;
      for (Direction& direction : directions_) {
        if (!question_.epsilon || direction.known.upper > direction.outlook->window().from)
          continue;
        direction.outlook->widen();
        widened = true;
      }
      if (widened) bundled = bundle_widths();
      if (gap() > 0.9 * before && !widened) ++stuck;
      const bool tired = stuck > (work_ > options_.most_work / 16 ? 2 : 4);
      if (!more || last || points >= most || tired || ++rounds_ > 20)
        return PldAnswer{total(), false, work_};
      // The gap shrinks with the square of the step, faster while that is coarse.
      if (!widened)
        step /= std::clamp(std::pow(gap() / std::max(goal(), 1e-300), 0.45) * 1.1, 1.5, 64.0);
    }
  }

 private:
  // Many equal losses are added up in two stages: about m² of them on a grid m times as fine, then
  // those sums. Both transforms then are short, and add about the same spread.
  struct Bundle {
    double size = 1;   // losses to a bundle
    double times = 1;  // fine steps to a coarse one
  };
  static Bundle bundle_for(double count) {
    const double times = std::floor(std::sqrt(std::sqrt(count / 4)));
    if (times < 3) return {};
    // Best is a size that divides the count.
    double size = times * times;
    for (double other = size; other < 2 * size; ++other) {
      if (std::fmod(count, other) == 0) return {other, times};
    }
    return {size, times};
  }

  // The smaller of both bounds, wherever one of them says something.
  static void take(Composition::Profile& all, Composition::Profile more) {
    if (all.delta.empty()) {
      all = std::move(more);
      return;
    }
    // A bound at one ε is one at any larger: up to the next point of the other grid. (Where the two
    // grids agree but for rounding errors, these make up the difference.)
    const double away = (more.offset - all.offset) / all.step;
    const double up =
        std::fabs(away - std::round(away)) < 1e-6 ? std::round(away) : std::ceil(away);
    all.offset += std::max(0.0, away - up) * all.step * (1 + 0x1p-40);
    more.first += static_cast<long>(up);
    if (more.first < all.first) {
      all.delta.insert(all.delta.begin(), static_cast<std::size_t>(all.first - more.first), 1.0);
      all.first = more.first;
    }
    const auto begin = static_cast<std::size_t>(more.first - all.first);
    all.delta.resize(std::max(all.delta.size(), begin + more.delta.size()), 1.0);
    for (std::size_t j = 0; j < more.delta.size(); ++j)
      all.delta[begin + j] = std::min(all.delta[begin + j], more.delta[j]);
  }

  struct Direction {
    bool adding = false;
    std::optional<Outlook> outlook = std::nullopt;
    Interval known{0, HUGE_VAL};
    std::vector<Composition::Window> bundles = {};  // of each source
  };

  // One pair alone.
  Status without_grid() {
    if (sources_.list.size() != 1 || steps_ != 1 || sources_.list[0].on_grid) return {};
    auto pair = TRY(sources_.list[0].pair(0, true));
    for (Direction& direction : directions_) {
      const auto at = [&](double given) {
        return question_.epsilon ? single_epsilon(*pair, direction.adding, given)
                                 : single_delta(*pair, direction.adding, given);
      };
      direction.known = {at(question_.high).lower, at(question_.low).upper};
    }
    return {};
  }

  Status look() {
    const double tail = std::max(1e-290, std::min(1e-15, question_.low * 1e-10) / steps_);
    auto cells =
        TRY(Outlook::look(sources_, question_.epsilon ? Tails{tail, tail} : tail_of(steps_)));
    for (Direction& direction : directions_)
      direction.outlook.emplace(sources_, cells, direction.adding);
    return {};
  }

  // The gap in ε is about (1+θ)/8 times the sum of all steps' squares: a spread by h²/6 up, a merge
  // by h²/12 down.
  double first_step() const {
    const Outlook& lead = *std::max_element(directions_.begin(), directions_.end(),
                                            [](const Direction& a, const Direction& b) {
                                              return a.outlook->epsilon() < b.outlook->epsilon();
                                            })
                               ->outlook;
    double gap = std::max(options_.tolerance * lead.epsilon(), options_.absolute);
    if (!question_.epsilon)
      gap = std::max(options_.tolerance, 1e-12) / std::max(lead.theta(), 1e-3);
    double squares = 0;  // of the steps, in units of the coarse one
    for (std::size_t i = 0; i < bundles_.size(); ++i) {
      const double each = bundles_[i].size, fine = bundles_[i].times;
      squares +=
          sources_.list[i].count / each + (fine > 1 ? sources_.list[i].count / (fine * fine) : 0);
    }
    double step = std::sqrt(8 * 0.7 * gap / (squares * (1 + lead.theta())));
    // Rounding down is only good where the grid is finer than the loss it rounds, if that counts at
    // all.
    std::vector<double> variances;
    double total = 0;
    for (std::size_t i = 0; i < bundles_.size(); ++i) {
      variances.push_back(lead.variance(i));
      total += sources_.list[i].count * variances[i];
    }
    for (std::size_t i = 0; i < bundles_.size(); ++i) {
      if (sources_.list[i].count * variances[i] > 1e-5 * total)
        step = std::min(step, bundles_[i].times * std::sqrt(variances[i]) / 5);
    }
    return step;
  }

  // A step that hits the single losses just so, if they all are multiples of one number that isn't
  // much smaller.
  double aligned(double step) const {
    double lattice = 0;
    for (const Source& source : sources_.list) {
      if (source.on_grid) continue;
      auto pair = source.pair(step, true);
      const double own = pair ? (*pair)->lattice() : 0;
      if (own == 0) continue;
      if (lattice != 0 && std::fabs(own / lattice - std::round(own / lattice)) > 1e-13) return step;
      lattice = lattice == 0 ? own : lattice;
    }
    return lattice * 8 < step ? step : lattice / std::ceil(lattice / step);
  }

  // Of rounding and adding up both ways, in all directions.
  double work_of(double points) const {
    return 2 * static_cast<double>(directions_.size() * sources_.list.size()) * points *
           (std::log2(points) + 30);
  }
  // Looks up the windows of all bundles; returns their widths, in fine steps per coarse one.
  double bundle_widths() {
    double out = 0;
    for (Direction& direction : directions_) {
      direction.bundles.resize(bundles_.size());
      for (std::size_t i = 0; i < bundles_.size(); ++i) {
        const Bundle& bundle = bundles_[i];
        if (bundle.times == 1) continue;
        const double number = std::floor(sources_.list[i].count / bundle.size);
        direction.bundles[i] = direction.outlook->window_of(i, bundle.size, number);
        out += direction.bundles[i].width() * bundle.times;
      }
    }
    return out;
  }
  // Of adding up bundles: both ways, with and without the weight, and a rest beside them.
  double bundle_work(double widths, double step) const {
    const double points =
        std::min(2 * widths / step, 1e3 * static_cast<double>(options_.most_points));
    return widths > 0 ? 6 * points * (std::log2(std::max(points, 2.0)) + 30) : 0;
  }
  // The largest grid that is left.
  double affordable() const {
    double points = static_cast<double>(options_.most_points);
    while (points >= 1 && work_ + work_of(points) > options_.most_work) points /= 2;
    return points;
  }

  double most_cells() const {
    return std::min(kMostCells, options_.most_work / (4 * kWorkOfACell));
  }

  // The finest grid that so many cells are enough for.
  Result<double> finest_step() const {
    double range = 0, few = 0;
    for (std::size_t i = 0; i < sources_.list.size(); ++i) {
      auto pair = TRY(sources_.list[i].pair(0, true));
      const double wide = cell_count(*pair, 1, tails_) - 4;
      range += wide * bundles_[i].times;
      few += 8;
    }
    const double most = most_cells();
    if (few >= most / 2) return HUGE_VAL;
    return range / (most - few) * (1 + 1e-9);
  }

  // False where it would take too many cells.
  Result<bool> refine(double step, std::size_t points) {
    const double width = step * static_cast<double>(points);
    step = aligned(step);
    const double most = affordable();
    while (static_cast<double>(points) * step < 0.999 * width && static_cast<double>(points) < most)
      points *= 2;
    const double before = work_, transforms = work_of(static_cast<double>(points));
    work_ += transforms;
    std::vector<Cells> up, down(sources_.list.size());
    double cells = 0;
    for (std::size_t i = 0; i < sources_.list.size(); ++i) {
      const Source& source = sources_.list[i];
      const double fine = step / bundles_[i].times;
      auto pair = TRY(source.pair(fine, true));
      cells += cell_count(*pair, fine, tails_);
      if (cells > most_cells()) return false;
      up.push_back(cut(*pair, fine, tails_));
      if (!source.on_grid) continue;
      auto lower = TRY(source.pair(fine, false));
      down[i] = cut(*lower, fine, tails_);
    }
    work_ += cells * kWorkOfACell;
    const auto report = [&](double work) {
      if (options_.progress) options_.progress(work);
    };
    report(work_ - before - transforms);
    for (Direction& direction : directions_) {
      // A direction that surely is the better one needs no more digits.
      double best = 0;
      for (const Direction& other : directions_) best = std::max(best, other.known.lower);
      if (direction.known.upper <= best) continue;
      const Outlook& outlook = *direction.outlook;
      {
        Composition above(terms(up, down, direction, true));
        above.compose(outlook.theta(), outlook.window(), points);
        const double value = question_.epsilon ? above.upper_epsilon(question_.low)
                                               : above.upper_delta(question_.low);
        direction.known.upper = std::min(direction.known.upper, value);
        direction.known.lower =
            std::max(direction.known.lower, std::min(value, lower_from(above, value)));
      }
      Composition below(terms(up, down, direction, false));
      below.compose(outlook.theta(), outlook.window(), points);
      const double value = question_.epsilon ? below.lower_epsilon(question_.high)
                                             : below.lower_delta(question_.high);
      direction.known.lower =
          std::max(direction.known.lower, std::min(value, direction.known.upper));
      report(transforms / static_cast<double>(directions_.size()));
    }
    return true;
  }

  // A lower bound from the law that was rounded up. Not for pairs that were rounded up before.
  double lower_from(const Composition& above, double upper) const {
    for (const Source& source : sources_.list)
      if (!source.one_spread) return 0;
    // What was cut off or added by rounding errors is not to be counted.
    const double more = 1 + 2 * above.inflation(), apart = above.infinite() + 2 * above.extra();
    if (!(more < 1.5) || !(above.extra() < 0.1)) return 0;
    if (question_.epsilon) {
      const double chance = question_.high * 1e-4, delta = (question_.high + chance + apart) * more;
      if (!(chance > 0) || delta >= 1) return 0;
      return std::max(0.0, above.lower_epsilon(delta) - above.wobble(chance));
    }
    const double chance = std::max(upper * 1e-4, 1e-300);
    return std::max(
        0.0, above.lower_delta(question_.high + above.wobble(chance)) / more - chance - apart);
  }

  std::vector<Term> terms(const std::vector<Cells>& up_cells, const std::vector<Cells>& down_cells,
                          const Direction& direction, bool up) const {
    std::vector<Term> out;
    const auto law_of = [&](const Cells& cells) {
      return up ? rounded_up(cells) : rounded_down(cells);
    };
    for (std::size_t i = 0; i < up_cells.size(); ++i) {
      const Cells& cells = !up && sources_.list[i].on_grid ? down_cells[i] : up_cells[i];
      const double count = sources_.list[i].count, times = bundles_[i].times,
                   bundle = bundles_[i].size;
      Law fine = law_of(direction.adding ? reversed(cells) : cells);
      if (times == 1) {
        out.push_back({std::move(fine), count});
        continue;
      }
      const auto add = [&](double each, double number) {
        const Outlook& outlook = *direction.outlook;
        const auto window = each == bundle && !direction.bundles.empty()
                                ? direction.bundles[i]
                                : outlook.window_of(i, each, number);
        Composition bundled({{fine, each}});
        // What errors add to the masses adds as much to δ: a tenth of what it may be off.
        const double goal = std::max(options_.tolerance * outlook.epsilon(), options_.absolute),
                     share = question_.epsilon ? outlook.theta() * goal : options_.tolerance;
        const Law sum = bundled.law(up, outlook.theta(), window, std::min(share, 0.1) / 10 / number,
                                    [&] { return outlook.plain_window_of(i, each); });
        Law coarse = law_of(cells_of(sum, static_cast<long>(times), cells.smooth));
        coarse.slack += sum.slack;
        coarse.spread += sum.spread;
        coarse.drift += sum.drift;
        coarse.inflation += sum.inflation;
        coarse.extra += sum.extra;
        out.push_back({std::move(coarse), number});
      };
      const double bundles = std::floor(count / bundle), rest = count - bundles * bundle;
      add(bundle, bundles);
      if (rest > 0) add(rest, 1);
    }
    return out;
  }

  Interval total() const {
    Interval out;
    for (const Direction& direction : directions_) {
      out.lower = std::max(out.lower, direction.known.lower);
      out.upper = std::max(out.upper, direction.known.upper);
    }
    // Parameters far below the least double were rounded up to it.
    if (out.lower < kNegligible) out.lower = 0;
    return out;
  }
  double gap() const {
    const Interval all = total();
    return std::isinf(all.upper) && std::isinf(all.lower) ? 0 : all.upper - all.lower;
  }
  double goal() const {
    return std::max({options_.tolerance * total().upper, options_.absolute,
                     question_.epsilon ? 0 : kNegligible});
  }
  bool met() const { return gap() == 0 || (gap() <= goal() && std::isfinite(goal())); }

  Sources sources_;
  Question question_;
  PldOptions options_;
  double steps_ = 0;
  Tails tails_{1e-15, 1e-15};
  std::vector<Bundle> bundles_;
  int rounds_ = 0;
  double work_ = 0;
  std::vector<Direction> directions_;
};

// At δ = 0 only the largest loss counts.
Result<PldAnswer> largest_loss(const Sources& sources, Adjacency adjacency) {
  const auto one_way = [&](bool adding) -> Result<Interval> {
    Interval sum;
    for (const Source& source : sources.list) {
      for (const bool up : {true, false}) {
        auto pair = TRY(source.pair(0, up));
        const double only = adding ? pair->q_only() : pair->p_only();
        const double loss = only > 0 ? HUGE_VAL : adding ? -pair->low() : pair->high();
        (up ? sum.upper : sum.lower) +=
            source.count * std::max(0.0, loss) * (1 + (up ? 1 : -1) * 0x1p-48);
      }
    }
    return sum;
  };
  Interval worst;
  for (const bool adding : {false, true}) {
    if (adjacency == (adding ? Adjacency::kRemove : Adjacency::kAdd) && !sources.symmetric)
      continue;
    auto one = TRY(one_way(adding));
    worst.lower = std::max(worst.lower, one.lower);
    worst.upper = std::max(worst.upper, one.upper);
  }
  return PldAnswer{worst, true};
}

}  // namespace

Result<PldAnswer> pld_epsilon(const Event& event, const Rational& delta, Adjacency adjacency,
                              const PldOptions& options) {
  auto sources = TRY(sources_of(event, adjacency));
  if (sources.gaussian) {
    if (sgn(delta) == 0) return PldAnswer{{HUGE_VAL, HUGE_VAL}, true};
    const Enclosure epsilon = gaussian_epsilon(delta, *sources.gaussian);
    return PldAnswer{{epsilon.lower, epsilon.upper}, true};
  }
  if (sources.list.empty()) return PldAnswer{};
  if (sgn(delta) == 0) {
    auto loss = largest_loss(sources, adjacency);
    auto cost = approximate_cost(event, adjacency);  // exact where it is a sum
    if (loss && cost && sgn(cost->delta) == 0)
      loss->value.upper = std::min(loss->value.upper, to_double(cost->epsilon, Rounding::kUp));
    return loss;
  }
  return Pld(std::move(sources), adjacency,
             {true, to_double(delta, Rounding::kDown), to_double(delta, Rounding::kUp)}, options)
      .answer();
}

Result<PldAnswer> pld_delta(const Event& event, const Rational& epsilon, Adjacency adjacency,
                            const PldOptions& options) {
  auto sources = TRY(sources_of(event, adjacency));
  if (sources.gaussian) {
    const Ball delta = gaussian_delta(epsilon, *sources.gaussian, 64);
    return PldAnswer{{std::max(0.0, delta.lower()), delta.upper()}, true};
  }
  if (sources.list.empty()) return PldAnswer{};
  return Pld(std::move(sources), adjacency,
             {false, to_double(epsilon, Rounding::kDown), to_double(epsilon, Rounding::kUp)},
             options)
      .answer();
}

Result<std::vector<Curve>> pld_curves(const Event& event, Adjacency adjacency, double least) {
  least = std::clamp(least, kNegligible, 0.5);
  auto sources = TRY(sources_of(event, adjacency));
  if (sources.gaussian) {
    // δ(ε) for ε < 0 by symmetry: 1 − e^ε(1 − δ(−ε)).
    Curve curve;
    constexpr int kPoints = 400;
    const double end = gaussian_epsilon(Rational(least), *sources.gaussian).upper;
    for (int i = -kPoints; i <= kPoints; ++i) {
      const double epsilon = end * i / kPoints;
      const double delta =
          gaussian_delta(Rational(std::fabs(epsilon)), *sources.gaussian, 53).upper();
      curve.epsilon.push_back(epsilon);
      curve.delta.push_back(
          epsilon >= 0 ? delta : std::min(1.0, 1 - std::exp(epsilon) * (1 - delta) + 0x1p-50));
    }
    return std::vector<Curve>{curve};
  }
  if (sources.list.empty()) return std::vector<Curve>{Curve{{0}, {0}}};
  return Pld(std::move(sources), adjacency, {true, least, least}, {}).curves(least);
}

}  // namespace discreet::privacy
