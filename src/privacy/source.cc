#include "discreet/privacy/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "discreet/base/try.h"
#include "discreet/privacy/cost.h"

namespace discreet::privacy {
namespace {

constexpr double kMostPoints = 1 << 19;
constexpr double kLeastRate = 1e-100;  // of a sample, also of a sample of a sample

SharedPair nothing() { return std::make_shared<AtomPair>(std::vector<Atom>{{0, 1, 1}}, 0, 0, 0); }

// The grid pair whose losses are `p` (k·step, under P) and `q` (−k·step, under Q, so exchanged).
SharedPair as_pair(const Law& p, const Law& q, double error) {
  std::vector<Atom> atoms;
  const long q_last = -q.first, q_first = q_last - static_cast<long>(q.mass.size()) + 1;
  const long from = std::min(p.first, q_first),
             to = std::max(p.first + static_cast<long>(p.mass.size()) - 1, q_last);
  const auto inside_p = [&](long k) {
    return k >= p.first && k < p.first + static_cast<long>(p.mass.size());
  };
  const auto inside_q = [&](long k) { return k >= q_first && k <= q_last; };
  for (long k = from; k <= to; ++k) {
    if (!inside_p(k) && !inside_q(k)) {  // far apart: nothing between them
      k = std::max(p.first, q_first) - 1;
      continue;
    }
    const double loss = p.offset + static_cast<double>(k) * p.step;
    // The smaller of the two follows from the larger: its own digits may have drowned.
    Atom atom{loss, inside_p(k) ? p.mass[static_cast<std::size_t>(k - p.first)] : 0,
              inside_q(k) ? q.mass[static_cast<std::size_t>(-k - q.first)] : 0};
    if (loss >= 0) atom.q = atom.p * std::exp(-loss);
    if (loss < 0) atom.p = atom.q * std::exp(loss);
    atom.lead = atom.p - atom.q;
    atoms.push_back(atom);
  }
  return std::make_shared<AtomPair>(
      std::move(atoms), p.infinite, q.infinite,
      error + 1e-11 + 0x1p-48 * (1 + std::fabs(p.step * static_cast<double>(to))));
}

// The composition's law without weights.
Law whole_law(const std::vector<Term>& terms, bool up) {
  Composition composition(terms);
  auto window = composition.window(0, std::log(1e-24));
  const double most = composition.step() * kMostPoints;
  if (window.width() > most) window.from = window.to - most;
  return composition.law(up, 0, window, 0, [&] { return window; });
}

// The step, or a multiple of it that does not take too many cells.
double affordable(double step, std::span<const SharedPair> pairs, const Tails& tails) {
  constexpr double kMostCells = 1 << 18;
  double cells = 0;
  for (const SharedPair& pair : pairs) cells += cell_count(*pair, step, tails);
  return step * std::max(1.0, std::ceil(cells / kMostCells));
}

double deviation_of(const Pair& pair, const Tails& tail) {
  Cells cells = cut(pair, std::max(cell_count(pair, 1, tail) / 2 - 2, 1e-300) / 2048, tail);
  const Law law = rounded_up(cells);
  return std::sqrt(Composition({{law, 1}}).cumulants(0).variance);
}

// The event as one pair on a grid.
Result<SharedPair> as_one_pair(const Event& event, Adjacency adjacency, double step, bool up) {
  auto sources = TRY(sources_of(event, adjacency));
  if (sources.gaussian)
    return gaussian_pair(
        std::sqrt(to_double(*sources.gaussian, up ? Rounding::kUp : Rounding::kDown)));
  if (sources.list.empty()) return nothing();
  double steps = 0;
  for (const Source& source : sources.list) steps += source.count;
  std::vector<SharedPair> pairs;
  for (const Source& source : sources.list) {
    auto pair = TRY(source.pair(step, up));
    pairs.push_back(pair);
  }
  if (pairs.size() == 1 && steps == 1) return pairs[0];
  const Tails tail = tail_of(steps);
  if (step == 0) {  // a first look: fifty grid points to a deviation
    double variance = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i)
      variance += std::pow(deviation_of(*pairs[i], tail), 2) * sources.list[i].count;
    step = std::max(std::sqrt(variance) / 50, 1e-200);
  }
  step = affordable(step, pairs, tail);
  std::vector<Term> terms, back;
  double error = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Cells cells = cut(*pairs[i], step, tail), other = reversed(cells);
    terms.push_back({up ? rounded_up(cells) : rounded_down(cells), sources.list[i].count});
    back.push_back({up ? rounded_up(other) : rounded_down(other), sources.list[i].count});
    error += sources.list[i].count * (cells.error + terms.back().law.slack);
  }
  return as_pair(whole_law(terms, up), whole_law(back, up), error);
}

// δ at the grid points e^{k·step} of a pair on the grid.
std::vector<double> profile_of(const std::vector<Atom>& atoms, double infinite, double step) {
  std::vector<double> out(atoms.size());
  double plain = infinite, deep = 0;
  const double shrink = std::exp(-step);
  for (std::size_t k = atoms.size(); k-- > 0;) {
    out[k] = plain - deep;
    plain += atoms[k].p;
    deep = (deep + atoms[k].p) * shrink;
  }
  return out;
}

std::vector<Atom> on_grid(const Pair& pair, double step, const Tails& tail, long& first,
                          double& infinite, double& q_infinite, double& error) {
  const Cells cells = cut_at(pair, step, tail, 0), other = reversed(cells);
  const Law p = rounded_up(cells), q = rounded_up(other);
  first = p.first;
  infinite = p.infinite;
  q_infinite = q.infinite;
  error = cells.error;
  std::vector<Atom> out(p.mass.size());
  for (std::size_t k = 0; k < out.size(); ++k) {
    const double loss = static_cast<double>(first + static_cast<long>(k)) * step;
    out[k] = {loss, p.mass[k], p.mass[k] * std::exp(-loss)};
  }
  return out;
}

// Rounded up: at every grid point the larger of two divergences, connected by lines; as both are
// convex in e^ε that dominates both. The mass at a point follows from the slopes beside it. Where
// one pair leads around a point its own mass is the answer.
SharedPair larger_of(const Pair& a, const Pair& b, double step, const Tails& tail) {
  long first_a = 0, first_b = 0;
  double inf_a = 0, inf_b = 0, q_inf_a = 0, q_inf_b = 0, error_a = 0, error_b = 0;
  std::vector<Atom> atoms_a = on_grid(a, step, tail, first_a, inf_a, q_inf_a, error_a);
  std::vector<Atom> atoms_b = on_grid(b, step, tail, first_b, inf_b, q_inf_b, error_b);
  const long first = std::min(first_a, first_b) - 1;
  const long last = std::max(first_a + static_cast<long>(atoms_a.size()),
                             first_b + static_cast<long>(atoms_b.size()));
  const auto padded = [&](const std::vector<Atom>& atoms, long from) {
    std::vector<Atom> out(static_cast<std::size_t>(last - first + 1));
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k].loss = static_cast<double>(first + static_cast<long>(k)) * step;
    for (std::size_t k = 0; k < atoms.size(); ++k)
      out[static_cast<std::size_t>(from - first) + k] = atoms[k];
    return out;
  };
  atoms_a = padded(atoms_a, first_a);
  atoms_b = padded(atoms_b, first_b);
  const std::vector<double> rise_a = profile_of(atoms_a, inf_a, step),
                            rise_b = profile_of(atoms_b, inf_b, step);
  std::vector<Atom> out = atoms_a;
  double doubt = 0;
  for (std::size_t k = 1; k + 1 < out.size(); ++k) {
    bool a_leads = true, b_leads = true;
    for (std::size_t i = k - 1; i <= k + 1; ++i) {
      a_leads = a_leads && rise_a[i] >= rise_b[i];
      b_leads = b_leads && rise_b[i] >= rise_a[i];
    }
    if (a_leads) continue;
    out[k] = atoms_b[k];
    if (b_leads) continue;
    // P_k = (m_{k+1} − m_k)/(e^h−1) − (m_k − m_{k−1})/(1−e^{−h})
    const auto most = [&](std::size_t i) { return std::max(rise_a[i], rise_b[i]); };
    const double p =
        (most(k + 1) - most(k)) / std::expm1(step) - (most(k) - most(k - 1)) / -std::expm1(-step);
    const double rounding = 8 * 0x1p-53 * most(k - 1) / -std::expm1(-step);
    out[k].p = std::max(0.0, p) + rounding;
    out[k].q = out[k].p * std::exp(-out[k].loss);
    doubt += rounding;
  }
  return std::make_shared<AtomPair>(std::move(out), std::max(inf_a, inf_b) + doubt,
                                    std::max(q_inf_a, q_inf_b) + doubt,
                                    std::max(error_a, error_b) + 0x1p-48);
}

// The pairs of events on disjoint units. Adding or removing a unit touches one of them; a unit that
// is replaced may move from one to another, so two.
Result<std::vector<Event>> blocks_of(const Parallel& e, Adjacency adjacency) {
  if (adjacency != Adjacency::kSubstitute || e.events.size() == 1) return e.events;
  std::vector<Event> out;
  for (std::size_t i = 0; i < e.events.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) out.push_back(Event{Composed{{e.events[i], e.events[j]}}});
  return out;
}

Result<SharedPair> parallel_pair(const Parallel& e, Adjacency adjacency, double step, bool up) {
  auto blocks = TRY(blocks_of(e, adjacency));
  std::vector<SharedPair> pairs;
  for (const Event& block : blocks) {
    auto pair = TRY(as_one_pair(block, adjacency, step, up));
    pairs.push_back(pair);
  }
  const Tails tail = tail_of(1);
  std::vector<double> size;
  for (const SharedPair& pair : pairs) size.push_back(deviation_of(*pair, tail));
  const auto widest =
      static_cast<std::size_t>(std::max_element(size.begin(), size.end()) - size.begin());
  // Any one of them is a lower bound: the widest.
  if (!up || pairs.size() == 1) return pairs[widest];
  if (step == 0) step = std::max(size[widest] / 50, 1e-200);
  step = affordable(step, pairs, tail);
  SharedPair out = pairs[0];
  for (std::size_t i = 1; i < pairs.size(); ++i) out = larger_of(*out, *pairs[i], step, tail);
  return out;
}

// Is every block a single pair? The larger of their divergences at the grid points then is exact,
// and the lines between the points are one spread.
bool is_plain(const Parallel& e, Adjacency adjacency) {
  if (adjacency == Adjacency::kSubstitute && e.events.size() > 1) return false;
  return std::all_of(e.events.begin(), e.events.end(), [&](const Event& event) {
    const auto sources = sources_of(event, adjacency);
    return sources &&
           (sources->gaussian || (sources->list.size() == 1 && sources->list[0].count == 1 &&
                                  !sources->list[0].on_grid));
  });
}

// Nothing depends on the data.
bool is_nothing(const Event& event) {
  return std::visit(Overloaded{
                        [](const Gaussian& e) { return sgn(e.sensitivity) == 0; },
                        [](const Laplace& e) { return sgn(e.sensitivity) == 0; },
                        [](const DiscreteGaussian& e) { return sgn(e.sensitivity) == 0; },
                        [](const DiscreteLaplace& e) { return sgn(e.sensitivity) == 0; },
                        [](const RandomizedResponse& e) { return sgn(e.epsilon) == 0; },
                        [](const Exponential& e) { return sgn(e.epsilon) == 0; },
                        [](const Approximate& e) { return sgn(e.epsilon) + sgn(e.delta) == 0; },
                        [](const Poisson& e) { return sgn(e.rate) == 0 || is_nothing(*e.event); },
                        [](const Repeated& e) { return sgn(e.count) == 0 || is_nothing(*e.event); },
                        [](const Composed& e) {
                          return std::all_of(e.events.begin(), e.events.end(), is_nothing);
                        },
                        [](const Parallel& e) {
                          return std::all_of(e.events.begin(), e.events.end(), is_nothing);
                        },
                        [](const auto&) { return false; },
                    },
                    event.what);
}

Result<SharedPair> gaussian_of(const Rational& squares) {
  return gaussian_pair(std::sqrt(to_double(squares, Rounding::kUp)));
}

class Opener {
 public:
  explicit Opener(Adjacency adjacency) : adjacency_(adjacency) {}

  bool add_gaussian(const Part& part) {
    auto squares = gaussian_cost(part.event, adjacency_);
    if (squares) squares_ += *squares * part.count;
    return squares.has_value();
  }

  Status add(const Event& event, double count) {
    if (is_nothing(event)) return {};
    if (add_gaussian({event, Integer(count)})) return {};
    if (const auto* parallel = std::get_if<Parallel>(&event.what)) {
      out_.list.push_back({[copy = *parallel, adjacency = adjacency_](double step, bool up) {
                             return parallel_pair(copy, adjacency, step, up);
                           },
                           count, true, is_plain(*parallel, adjacency_)});
      // Refuse now what will be refused then.
      for (const Event& block : parallel->events) {
        auto inner = TRY(sources_of(block, adjacency_));
        out_.symmetric = out_.symmetric && inner.symmetric;
      }
      return {};
    }
    if (const auto* sample = std::get_if<Poisson>(&event.what))
      return add_sample(event, *sample, count);
    return add_pair(dominating_pair(event, adjacency_), count);
  }

  Result<Sources> finish() {
    if (sgn(squares_) > 0) {
      if (out_.list.empty()) {
        out_.gaussian = squares_;
        return std::move(out_);
      }
      auto pair = gaussian_of(squares_);
      TRY(add_pair(pair, 1));
    }
    return std::move(out_);
  }

 private:
  Status add_pair(Result<SharedPair> pair, double count) {
    if (!pair) return forward_error(pair);
    out_.list.push_back(
        {[pair = *pair](double, bool) -> Result<SharedPair> { return pair; }, count});
    return {};
  }

  Status add_sample(const Event& event, const Poisson& sample, double count) {
    if (const auto* nested = std::get_if<Poisson>(&sample.event->what)) {
      return add(Event{Poisson{sample.rate * nested->rate, nested->event}}, count);
    }
    if (sgn(sample.rate) == 0) return {};
    const bool replaced = adjacency_ == Adjacency::kSubstitute;
    if (sample.rate == 1 && !replaced) {
      for (const Part& part : parts_of(*sample.event))
        TRY(add(part.event, count * part.count.get_d()));
      return {};
    }
    if (replaced) return add_pair(dominating_pair(event, adjacency_), count);
    out_.symmetric = false;
    const double q = std::max(to_double(sample.rate, Rounding::kUp), 1e-300);
    if (sample.rate < kLeastRate) {
      // Whoever is drawn loses all: no less than the truth, and nothing no more.
      out_.list.push_back({[q](double, bool up) -> Result<SharedPair> {
                             return up ? approximate_pair(0, q) : nothing();
                           },
                           count, true, false});
      return {};
    }
    if (auto squares = gaussian_cost(*sample.event, adjacency_)) {
      auto pair = TRY(gaussian_of(*squares));
      return add_pair(sampled_pair(pair, q), count);
    }
    const auto parts = parts_of(*sample.event);
    if (parts.empty()) return {};
    if (parts.size() == 1 && parts[0].count == 1 &&
        !std::holds_alternative<Parallel>(parts[0].event.what)) {
      auto pair = TRY(dominating_pair(parts[0].event, adjacency_));
      return add_pair(sampled_pair(pair, q), count);
    }
    TRY(sources_of(*sample.event, adjacency_));
    out_.list.push_back({[copy = *sample.event, adjacency = adjacency_, q](
                             double step, bool up) -> Result<SharedPair> {
                           auto pair = TRY(as_one_pair(copy, adjacency, step, up));
                           return sampled_pair(pair, q);
                         },
                         count, true, false});
    return {};
  }

  Adjacency adjacency_;
  Rational squares_;
  Sources out_;
};

}  // namespace

Tails tail_of(double steps) {
  const double tail = 1e-40 / std::max(1.0, steps);
  return {tail, tail};
}

Result<Sources> sources_of(const Event& event, Adjacency adjacency) {
  Opener opener(adjacency);
  for (const Part& part : parts_of(event)) {
    if (opener.add_gaussian(part)) continue;
    if (part.count > Integer("1000000000000")) {
      return fail(Code::kUsage,
                  fmt::format("the pld accountant can't handle the count {}", part.count.get_str()),
                  "accepted is at most 10^12; try " + given("accountant", "rdp"));
    }
    TRY(opener.add(part.event, part.count.get_d()));
  }
  return opener.finish();
}

}  // namespace discreet::privacy
