#include "discreet/privacy/pld.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "discreet/privacy/gaussian.h"
#include "discreet/privacy/source.h"

namespace discreet::privacy {
namespace {

constexpr std::size_t kFewestPoints = 1024;
constexpr double kMostCells = 1 << 24;

// What is asked: ε at δ or δ at ε. The number is known between two doubles.
struct Question {
  bool epsilon;  // ε is asked for, δ is given
  double low, high;
};

// A first look at the composition, good to a few per cent: where to centre the weight, how wide the
// window, how fine the grid.
class Outlook {
 public:
  static Result<Outlook> of(const Sources& sources, bool adding) {
    double steps = 0;
    for (const Source& source : sources.list) steps += source.count;
    const double cells =
        std::clamp((1 << 19) / static_cast<double>(sources.list.size()), 256.0, 4096.0);
    std::vector<Term> terms;
    for (const Source& source : sources.list) {
      auto pair = source.pair(0, true);
      if (!pair) return forward_error(pair);
      const double tail = tail_of(steps), range = cell_count(**pair, 1, tail) / 2 - 2;
      double step = std::max(range, 1e-300) / 256;
      double deviation = 0;
      for (int i = 0; i < 2; ++i) {
        Cells cut_cells = cut(**pair, step, tail);
        Law law = rounded_up(adding ? reversed(cut_cells) : cut_cells);
        deviation = std::sqrt(Composition({{law, 1}}).cumulants(0).variance);
        if (i == 1 || step <= deviation / 12) {
          terms.push_back({std::move(law), source.count});
          break;
        }
        step = std::max(range / cells, deviation / 12);
      }
    }
    return Outlook(Composition(std::move(terms)));
  }

  // The weight under which ε is the mean; ε itself where that is asked.
  void centre(const Question& question) {
    const Cumulants plain = composition_.cumulants(0);
    deviation_ = std::sqrt(plain.variance);
    if (!(deviation_ > 0)) {
      theta_ = 0;
      epsilon_ = std::max(0.0, plain.mean);
      return;
    }
    // ln δ falls as θ rises (about K − θK' − ln of the width of what counts); K' rises.
    const auto too_low = [&](double theta) {
      const Cumulants at = composition_.cumulants(theta);
      if (!question.epsilon) return at.mean < question.low;
      const double spread = 1 + theta * (1 + theta) * std::sqrt(2 * M_PI * at.variance);
      return at.value - theta * at.mean - std::log(spread) >
             std::log(std::max(question.low, 1e-300));
    };
    double low = std::log(1e-6 / deviation_), high = std::log(1e3 / deviation_);
    if (!too_low(std::exp(low))) {
      theta_ = 0;
    } else {
      for (int i = 0; i < 12; ++i) {
        const double middle = (low + high) / 2;
        (too_low(std::exp(middle)) ? low : high) = middle;
      }
      theta_ = std::exp(high);
    }
    const Cumulants there = composition_.cumulants(theta_);
    epsilon_ = question.epsilon ? std::max(there.mean, 1e-3 * deviation_) : question.low;
    // What leaves the window must be small beside δ, which is about 1/(θ(1+θ)·deviation) in units
    // of e^{K−θε}.
    const double enough =
        std::log(1e-6) - std::log1p(theta_ * (1 + theta_) * std::sqrt(there.variance) * 3);
    const double unit = std::max(std::sqrt(there.variance), 1e-3 * deviation_);
    const auto reach = [&](bool above) {
      double most = 4 * unit;
      for (int i = 0; i < 40; ++i, most *= 1.25) {
        if (composition_.tail_exponent(theta_, there.mean + (above ? most : -most), above) <=
            enough)
          break;
      }
      return most;
    };
    width_ = 2 * std::max(reach(true), reach(false));
  }

  double theta() const { return theta_; }
  double epsilon() const { return epsilon_; }
  double width() const { return width_; }
  double steps() const { return composition_.steps(); }

 private:
  explicit Outlook(Composition composition) : composition_(std::move(composition)) {}
  Composition composition_;
  double theta_ = 0, epsilon_ = 0, width_ = 0, deviation_ = 0;
};

class Pld {
 public:
  Pld(Sources sources, Adjacency adjacency, Question question, PldOptions options)
      : sources_(std::move(sources)), question_(question), options_(options) {
    for (const Source& source : sources_.list) steps_ += source.count;
    const bool both = adjacency == Adjacency::kAddRemove && !sources_.symmetric;
    if (adjacency != Adjacency::kAdd || sources_.symmetric) directions_.push_back({false});
    if (both || (adjacency == Adjacency::kAdd && !sources_.symmetric))
      directions_.push_back({true});
  }

  Result<PldAnswer> answer() {
    for (Direction& direction : directions_) {
      auto outlook = Outlook::of(sources_, direction.adding);
      if (!outlook) return forward_error(outlook);
      outlook->centre(question_);
      direction.outlook = std::move(*outlook);
    }
    if (auto done = degenerate()) return *done;
    const Direction& lead = *std::max_element(directions_.begin(), directions_.end(),
                                              [](const Direction& a, const Direction& b) {
                                                return a.outlook->epsilon() < b.outlook->epsilon();
                                              });
    double width = 0;
    for (const Direction& direction : directions_)
      width = std::max(width, direction.outlook->width());
    std::size_t points = first_points(lead, width);
    for (;;) {
      const double before = gap();
      if (auto ok = refine(width / static_cast<double>(points) * 1.0001, points); !ok)
        return forward_error(ok);
      if (met()) return PldAnswer{total(), true};
      const bool stuck = gap() > 0.9 * before;
      if (points >= options_.most_points || stuck) return PldAnswer{total(), false};
      // The gap shrinks with the square of the step.
      const double factor = std::sqrt(gap() / std::max(goal(), 1e-300)) * 1.1;
      const std::size_t wanted = std::bit_ceil(
          static_cast<std::size_t>(std::clamp(factor, 1.5, 64.0) * static_cast<double>(points)));
      points = std::min(wanted, options_.most_points);
    }
  }

 private:
  struct Direction {
    bool adding = false;
    std::optional<Outlook> outlook = std::nullopt;
    Interval known{0, HUGE_VAL};
  };

  // Nothing but certain losses: no distribution to speak of.
  std::optional<PldAnswer> degenerate() const {
    for (const Direction& direction : directions_)
      if (direction.outlook->width() > 0) return std::nullopt;
    return std::nullopt;
  }

  // The gap in ε is about steps·(1+θ)·h²/4: a spread by h²/6 up, a merge by h²/12 down.
  std::size_t first_points(const Direction& lead, double width) const {
    const double theta = lead.outlook->theta();
    double gap = std::max(options_.tolerance * lead.outlook->epsilon(), options_.absolute);
    if (!question_.epsilon) gap = std::max(options_.tolerance, 1e-12) / std::max(theta, 1e-3);
    const double step = std::sqrt(8 * 0.7 * gap / (steps_ * (1 + theta)));
    const double points = std::clamp(width / step, static_cast<double>(kFewestPoints),
                                     static_cast<double>(options_.most_points));
    return std::bit_ceil(static_cast<std::size_t>(points));
  }

  // A step that hits the single losses just so, if they all are multiples of one number.
  double aligned(double step) const {
    double lattice = 0;
    for (const Source& source : sources_.list) {
      auto pair = source.pair(step, true);
      const double own = pair ? (*pair)->lattice() : 0;
      if (own == 0) continue;
      if (lattice != 0 && std::fabs(own / lattice - std::round(own / lattice)) > 1e-13) return step;
      lattice = lattice == 0 ? own : lattice;
    }
    if (lattice == 0) return step;
    // Just below, so that the losses come to lie at or above their grid point, not below.
    return lattice / std::ceil(lattice / step) * (1 - 0x1p-44);
  }

  Status refine(double step, std::size_t points) {
    const double plain_step = step;
    step = aligned(step);
    while (static_cast<double>(points) * step < plain_step * static_cast<double>(points) &&
           points < options_.most_points) {
      if (static_cast<double>(points) * step >= 0.98 * plain_step * static_cast<double>(points))
        break;
      points *= 2;
      if (static_cast<double>(points) * step >= plain_step * static_cast<double>(points) / 2) break;
    }
    std::vector<Cells> up, down;
    double error = 0;
    for (const Source& source : sources_.list) {
      auto pair = source.pair(step, true);
      if (!pair) return forward_error(pair);
      if (cell_count(**pair, step, tail_of(steps_)) > kMostCells)
        return {};  // what is known so far has to do
      up.push_back(cut(**pair, step, tail_of(steps_)));
      error = std::max(error, up.back().error);
      if (!source.on_grid) continue;
      auto lower = source.pair(step, false);
      if (!lower) return forward_error(lower);
      down.push_back(cut(**lower, step, tail_of(steps_)));
    }
    for (Direction& direction : directions_) {
      // A direction that surely is the better one needs no more digits.
      double best = 0;
      for (const Direction& other : directions_) best = std::max(best, other.known.lower);
      if (direction.known.upper <= best) continue;
      const double theta = direction.outlook->theta();
      {
        Composition above(terms(up, direction.adding, true));
        above.compose(theta, points);
        const double value = question_.epsilon ? above.upper_epsilon(question_.low)
                                               : above.upper_delta(question_.low);
        direction.known.upper = std::min(direction.known.upper, value);
        direction.known.lower = std::max(direction.known.lower, lower_from(above, error, value));
      }
      std::vector<Cells> all;
      std::size_t next = 0;
      for (std::size_t i = 0; i < up.size(); ++i)
        all.push_back(sources_.list[i].on_grid ? std::move(down[next++]) : up[i]);
      Composition below(terms(all, direction.adding, false));
      below.compose(theta, points);
      const double value = question_.epsilon ? below.lower_epsilon(question_.high)
                                             : below.lower_delta(question_.high);
      direction.known.lower =
          std::max(direction.known.lower, std::min(value, direction.known.upper));
      if (next > 0) {  // used up
        down.clear();
        for (std::size_t i = 0; i < all.size(); ++i)
          if (sources_.list[i].on_grid) down.push_back(std::move(all[i]));
      }
    }
    return {};
  }

  // A lower bound from the law that was rounded up. Not for pairs that were rounded up before.
  double lower_from(const Composition& above, double error, double upper) const {
    for (const Source& source : sources_.list)
      if (source.on_grid) return 0;
    const double infinite = above.infinite();  // may hold what was cut off: not to be counted
    if (question_.epsilon) {
      const double chance = question_.high * 1e-4;
      if (!(chance > 0)) return 0;
      return std::max(0.0, above.lower_epsilon(question_.high + chance + infinite) -
                               above.wobble(chance, error));
    }
    const double chance = std::max(upper * 1e-4, 1e-300);
    return std::max(
        0.0, above.lower_delta(question_.high + above.wobble(chance, error)) - chance - infinite);
  }

  std::vector<Term> terms(const std::vector<Cells>& cells, bool adding, bool up) const {
    std::vector<Term> out;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto law = [&](const Cells& c) { return up ? rounded_up(c) : rounded_down(c); };
      out.push_back({adding ? law(reversed(cells[i])) : law(cells[i]), sources_.list[i].count});
    }
    return out;
  }

  Interval total() const {
    Interval out;
    for (const Direction& direction : directions_) {
      out.lower = std::max(out.lower, direction.known.lower);
      out.upper = std::max(out.upper, direction.known.upper);
    }
    return out;
  }
  double gap() const {
    const Interval all = total();
    return std::isinf(all.upper) && std::isinf(all.lower) ? 0 : all.upper - all.lower;
  }
  double goal() const { return std::max(options_.tolerance * total().upper, options_.absolute); }
  bool met() const { return gap() <= goal(); }

  Sources sources_;
  Question question_;
  PldOptions options_;
  double steps_ = 0;
  std::vector<Direction> directions_;
};

// At δ = 0 only the largest loss counts.
Result<PldAnswer> largest_loss(const Sources& sources, Adjacency adjacency) {
  const auto one_way = [&](bool adding) -> Result<Interval> {
    Interval sum;
    for (const Source& source : sources.list) {
      for (const bool up : {true, false}) {
        auto pair = source.pair(0, up);
        if (!pair) return forward_error(pair);
        const double only = adding ? (*pair)->q_only() : (*pair)->p_only();
        const double loss = only > 0 ? HUGE_VAL : adding ? -(*pair)->low() : (*pair)->high();
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
    auto one = one_way(adding);
    if (!one) return forward_error(one);
    worst.lower = std::max(worst.lower, one->lower);
    worst.upper = std::max(worst.upper, one->upper);
  }
  return PldAnswer{worst, true};
}

}  // namespace

Result<PldAnswer> pld_epsilon(const Event& event, const Rational& delta, Adjacency adjacency,
                              const PldOptions& options) {
  auto sources = sources_of(event, adjacency);
  if (!sources) return forward_error(sources);
  if (sources->gaussian) {
    if (sgn(delta) == 0) return PldAnswer{{HUGE_VAL, HUGE_VAL}, true};
    const Enclosure epsilon = gaussian_epsilon(delta, *sources->gaussian);
    return PldAnswer{{epsilon.lower, epsilon.upper}, true};
  }
  if (sources->list.empty()) return PldAnswer{};
  if (sgn(delta) == 0) return largest_loss(*sources, adjacency);
  return Pld(std::move(*sources), adjacency,
             {true, to_double(delta, Rounding::kDown), to_double(delta, Rounding::kUp)}, options)
      .answer();
}

Result<PldAnswer> pld_delta(const Event& event, const Rational& epsilon, Adjacency adjacency,
                            const PldOptions& options) {
  auto sources = sources_of(event, adjacency);
  if (!sources) return forward_error(sources);
  if (sources->gaussian) {
    const Ball delta = gaussian_delta(epsilon, *sources->gaussian, 64);
    return PldAnswer{{std::max(0.0, delta.lower()), delta.upper()}, true};
  }
  if (sources->list.empty()) return PldAnswer{};
  return Pld(std::move(*sources), adjacency,
             {false, to_double(epsilon, Rounding::kDown), to_double(epsilon, Rounding::kUp)},
             options)
      .answer();
}

}  // namespace discreet::privacy
