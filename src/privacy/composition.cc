#include "discreet/privacy/composition.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "discreet/privacy/fft.h"

namespace discreet::privacy {
namespace {

constexpr double kUnit = 0x1p-53;
constexpr double kNegligible = -90;  // e^-90: what is below can't be seen beside anything else
constexpr std::size_t kBlock = 64;

// Calls visit(k, e^{θk·step}·scale) for all k of a law, where scale makes the largest weight 1;
// returns ln(1/scale).
template <class Visit>
double each_weight(const Law& law, double theta, Visit&& visit) {
  const std::size_t count = law.mass.size();
  const double first = static_cast<double>(law.first),
               last = first + static_cast<double>(count) - 1;
  const double top = theta * law.step * (theta >= 0 ? last : first);
  double power[kBlock];
  for (std::size_t i = 0; i < kBlock; ++i)
    power[i] = std::exp(theta * law.step * static_cast<double>(i) * (theta >= 0 ? -1 : 1));
  // Blocks start at the end that weighs most, so that no power overflows.
  for (std::size_t start = 0; start < count; start += kBlock) {
    const double from =
        theta >= 0 ? last - static_cast<double>(start) : first + static_cast<double>(start);
    const double base = std::exp(theta * law.step * from - top);
    if (base == 0) break;
    const std::size_t end = std::min(count, start + kBlock);
    for (std::size_t i = start; i < end; ++i)
      visit(theta >= 0 ? count - 1 - i : i, base * power[i - start]);
  }
  return top;
}

Cumulants cumulants_of(const Law& law, double theta) {
  double sum = 0, first = 0, second = 0;
  const double top = each_weight(law, theta, [&](std::size_t k, double weight) {
    const double mass = law.mass[k] * weight, x = static_cast<double>(k);
    sum += mass;
    first += mass * x;
    second += mass * x * x;
  });
  if (!(sum > 0)) return {-HUGE_VAL, law.step * static_cast<double>(law.first), 0};
  const double mean = first / sum;
  return {top + std::log(sum), (static_cast<double>(law.first) + mean) * law.step,
          std::max(0.0, second / sum - mean * mean) * law.step * law.step};
}

// max over x ≥ 0 of e^{−θx}(1−e^{−x}), at e^{−x} = θ/(1+θ).
double highest_weight(double theta) {
  return std::exp(theta > 0 ? theta * std::log(theta / (1 + theta)) : 0) / (1 + theta);
}

std::size_t wrapped(long index, std::size_t points) {
  return static_cast<std::size_t>(index) &
         (points - 1);  // two's complement makes this the remainder
}

}  // namespace

Composition::Composition(std::vector<Term> terms) : terms_(std::move(terms)) {
  double log_finite = 0;
  for (const Term& term : terms_) {
    step_ = term.law.step;
    steps_ += term.count;
    slack_ += term.count * (term.law.slack + 4 * kUnit * std::fabs(term.law.offset));
    offset_ += term.count * term.law.offset;
    spread_ += term.count * term.law.spread;
    drift_ += term.count * term.law.drift;
    inflation_ += term.count * term.law.inflation;
    extra_ += term.count * term.law.extra;
    log_finite += term.count * std::log1p(-std::min(1.0, term.law.infinite));
    const double last =
        static_cast<double>(term.law.first) + static_cast<double>(term.law.mass.size()) - 1;
    lowest_ += term.count * static_cast<double>(term.law.first) * term.law.step;
    highest_ += term.count * last * term.law.step;
  }
  infinite_ = -std::expm1(log_finite);
}

Cumulants Composition::cumulants(double theta) const {
  Cumulants out = on_grid(theta);
  out.value += theta * offset_;
  out.mean += offset_;
  return out;
}

Cumulants Composition::on_grid(double theta) const {
  Cumulants out;
  for (const Term& term : terms_) {
    const Cumulants one = cumulants_of(term.law, theta);
    out.value += term.count * one.value;
    out.mean += term.count * one.mean;
    out.variance += term.count * one.variance;
  }
  return out;
}

// P[S ≥ edge] ≤ e^{K(θ+s)−K(θ)−s·edge} for every s ≥ 0, and likewise below with s ≤ 0: at
// e^exponent, edge = (K(θ+s)−K(θ)−exponent)/s.
Composition::Window Composition::window(double theta, double exponent) const {
  const Cumulants here = on_grid(theta);
  const double deviation = std::max(std::sqrt(here.variance), 1e-9 * (highest_ - lowest_) + 1e-300);
  Window out;
  for (const double side : {-1.0, 1.0}) {
    double best = HUGE_VAL, best_tilt = 0;
    for (double s = 12 / deviation; s > 1e-5 / deviation; s /= 1.6) {
      const double reach =
          (on_grid(theta + side * s).value - here.value - exponent) / s - side * here.mean;
      if (reach < best) {
        best = reach;
        best_tilt = side * s;
      } else if (reach > 1.2 * best) {
        break;
      }
    }
    const double support = side > 0 ? highest_ - here.mean : here.mean - lowest_;
    (side > 0 ? out.to : out.from) =
        offset_ + here.mean + side * std::max(std::min(best, support), deviation);
    (side > 0 ? out.right_tilt : out.left_tilt) = best_tilt;
  }
  return out;
}

void Composition::compose(double theta, const Window& window, std::size_t points) {
  theta_ = theta;
  shrink_ = std::exp(-theta * step_);
  less_ = -std::expm1(-step_);
  rest_ = std::exp(-step_);
  const Fft fft(points);
  const double count = static_cast<double>(points);
  std::vector<double> values(points);
  Spectrum product, factor;
  // Of the product: an upper bound on the modulus, and Σ(count/modulus)² over the terms. By
  // Cauchy-Schwarz over terms and frequencies, Σ count·|error|·size/modulus ≤
  // ‖errors‖₂·‖size·√doubt‖₂, and just that norm of its errors the transform bounds.
  std::vector<double> size, doubt;
  double offs = 0, own = 0;
  log_scale_ = 0;
  relative_ = 8 * count * kUnit;
  Cumulants total;
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    const Term& term = terms_[t];
    const Cumulants one = cumulants_of(term.law, theta);
    total.value += term.count * one.value;
    total.mean += term.count * one.mean;
    total.variance += term.count * one.variance;
    const double reach = std::fabs(theta) * step_ *
                         std::max(std::fabs(static_cast<double>(term.law.first)),
                                  std::fabs(static_cast<double>(term.law.first) +
                                            static_cast<double>(term.law.mass.size())));
    relative_ += term.count * (64 + 4 * reach + 4 * std::fabs(one.value)) * kUnit;
    std::fill(values.begin(), values.end(), 0.0);
    double squares = 0;
    const double top = theta * step_ *
                       (static_cast<double>(term.law.first) +
                        (theta >= 0 ? static_cast<double>(term.law.mass.size()) - 1 : 0));
    const double scale = std::exp(top - one.value);
    each_weight(term.law, theta, [&](std::size_t k, double weight) {
      values[wrapped(term.law.first + static_cast<long>(k), points)] +=
          term.law.mass[k] * weight * scale;
    });
    for (double v : values) squares += v * v;
    fft.forward(values, factor);
    const double off = fft.error() * std::sqrt(count * squares) * (1 + 1e-6);
    if (t == 0) {
      product.re.assign(factor.re.size(), 1.0);
      product.im.assign(factor.re.size(), 0.0);
      size.assign(factor.re.size(), 1.0);
      doubt.assign(factor.re.size(), 0.0);
    }
    offs += off * off;
    own += 16 * kUnit * term.count;
    for (std::size_t f = 0; f < factor.re.size(); ++f) {
      const double x = factor.re[f], y = factor.im[f], modulus = std::sqrt(x * x + y * y),
                   most = modulus + off;
      doubt[f] += (term.count / most) * (term.count / most);
      if (term.count == 1) {
        const double re = product.re[f] * x - product.im[f] * y;
        product.im[f] = product.re[f] * y + product.im[f] * x;
        product.re[f] = re;
        size[f] *= most;
        continue;
      }
      // ln m ≤ m − 1 avoids a logarithm for the many frequencies that vanish
      if (term.count * (most - 1) < kNegligible || term.count * std::log(most) < kNegligible) {
        product.re[f] = product.im[f] = 0;
        size[f] *= std::exp(kNegligible);
        continue;
      }
      const double power = modulus > 0 ? std::exp(term.count * std::log(modulus)) : 0,
                   angle = term.count * std::atan2(y, x);
      const double px = power * std::cos(angle), py = power * std::sin(angle);
      const double re = product.re[f] * px - product.im[f] * py;
      product.im[f] = product.re[f] * py + product.im[f] * px;
      product.re[f] = re;
      size[f] *= std::exp(term.count * std::log(most));
    }
  }
  log_scale_ = total.value;
  // Σ_f |error| over the length bounds every entry; all frequencies but the first and last stand
  // for two.
  double squared_sum = 0, plain_sum = 0;
  for (std::size_t f = 0; f < size.size(); ++f) {
    squared_sum += 2 * size[f] * size[f] * doubt[f];
    plain_sum += 2 * size[f];
  }
  const double sum = std::min(std::sqrt(offs * squared_sum) + own * plain_sum, 2 * plain_sum);
  tilted_.resize(points);
  fft.inverse(product, tilted_);
  double squares = 0;
  for (double v : tilted_) squares += v * v;
  entry_ = (sum / count + fft.error() * std::sqrt(squares)) * (1 + 1e-6);

  // All of the support if it fits.
  const double width = count * step_;
  double from = lowest_;
  below_ = above_ = 0;
  right_growth_ = -HUGE_VAL;
  if (highest_ - lowest_ >= width - step_) {
    // Sixteen steps of room above: where nearly all sits at the end of the support, rounding
    // reaches a little past it.
    const double room = width - window.width() - 16 * step_;
    from = std::max(lowest_, std::min(window.from - offset_ - std::max(room, 0.0) / 2,
                                      highest_ - width + 2 * step_));
    const double to = from + width, deviation = std::sqrt(total.variance) + step_;
    // The best tilt for an edge: the hint, unless the window was made for too different a law.
    const auto tilt_for = [&](double hint, double edge, double side) {
      const auto at = [&](double tilt) {
        return on_grid(theta + tilt).value - total.value - tilt * edge;
      };
      double best = at(hint), tilt = hint;
      if (best > -12) {
        for (double s = 64 / deviation; s > 1e-5 / deviation; s /= 1.6) {
          if (const double other = at(side * s); other < best) best = other, tilt = side * s;
        }
      }
      return std::pair(tilt, std::min(best, 0.0));
    };
    if (highest_ > to - 1.5 * step_) {
      const auto [tilt, exponent] = tilt_for(window.right_tilt, to - step_, 1);
      above_ = std::exp(exponent);
      right_tilt_ = tilt;
      right_growth_ = on_grid(theta + tilt).value - total.value;
    }
    if (from > lowest_ + step_ / 2)
      below_ = std::exp(tilt_for(window.left_tilt, from + step_, -1).second);
  }
  first_ = static_cast<long>(std::ceil(from / step_ - 1e-9));
}

double Composition::at(long index) const { return tilted_[wrapped(index, tilted_.size())]; }

// With a = e^{−θh} and b = e^{−h}: 1 − b·x = (1−b) + b(1−x), so both sums move down a grid point by
// adding what is positive.
Composition::Suffix Composition::lowered(const Suffix& suffix) const {
  const double all = suffix.all * shrink_;
  return {suffix.index - 1, at(suffix.index - 1) + all,
          all * less_ + suffix.beyond * shrink_ * rest_};
}

// e^{K−θε}·(Σ_{s>ε} c(s)e^{−θ(s−ε)}(1−e^{ε−s}) ± errors) + P[S=∞]. The suffix begins at the first
// grid point at or above ε.
double Composition::bound(const Suffix& suffix, double epsilon, bool up) const {
  if (epsilon >= highest_ + step_) return std::min(1.0, infinite_ * (1 + (up ? 16 : -16) * kUnit));
  const double away = static_cast<double>(suffix.index) * step_ - epsilon;
  const double most = highest_weight(theta_), count = static_cast<double>(tilted_.size());
  double room = count * most;
  if (theta_ > 0) room = std::min(room, 1 / (step_ * theta_ * (1 + theta_)) + most);
  const double scale = std::exp(log_scale_ - theta_ * epsilon);
  const double sum = std::exp(-theta_ * away) *
                     (suffix.all * -std::expm1(-away) + suffix.beyond * std::exp(-away));
  if (up) {
    const double edge = (static_cast<double>(first_) + count) * step_;
    const double beyond = above_ * std::min(1.0, std::exp(-theta_ * (edge - epsilon)));
    const double value =
        scale * ((std::max(0.0, sum) + entry_ * room) * (1 + relative_) + beyond) + infinite_;
    return std::isnan(value) ? 1.0 : std::min(1.0, value * (1 + 16 * kUnit));
  }
  // What came in from above and lies above ε now; what came in from below, once and more often.
  const double width = count * step_;
  const double over =
      std::exp(std::min(0.0, right_growth_ - right_tilt_ * (epsilon + width - step_)));
  double under = scale * most * below_;
  if (theta_ > 0) under = std::min(under, std::exp(-theta_ * width) / -std::expm1(-theta_ * width));
  const double value =
      scale * (std::max(0.0, sum) * (1 - relative_) - entry_ * room - over * most) - under;
  const double surely = infinite_ * (1 - 16 * kUnit);
  return std::isnan(value) ? surely : std::max(0.0, value) * (1 - 16 * kUnit) + surely;
}

Composition::Suffix Composition::suffix_at(double epsilon) const {
  const long end = first_ + static_cast<long>(tilted_.size());
  const double cell = std::ceil(epsilon / step_);
  if (cell >= static_cast<double>(end)) return {static_cast<long>(std::min(cell, 1e18))};
  const long stop = std::max(first_, static_cast<long>(std::max(cell, -1e18)));
  Suffix out{end};
  while (out.index > stop) out = lowered(out);
  return out;
}

// Where ε lies among the grid points is good to its own last digits.
double Composition::slack_at(double epsilon) const {
  return slack_ + 4 * kUnit * (std::fabs(epsilon) + std::fabs(offset_) + step_);
}

double Composition::upper_delta(double epsilon) const {
  epsilon -= slack_at(epsilon) + offset_;
  return bound(suffix_at(epsilon), epsilon, true);
}
double Composition::lower_delta(double epsilon) const {
  epsilon += slack_at(epsilon) - offset_;
  return bound(suffix_at(epsilon), epsilon, false);
}

// From the top down to the grid cell where the bound crosses δ, then within it.
double Composition::find_epsilon(double delta, bool up) const {
  const auto place = [&](const Suffix& suffix) {
    return static_cast<double>(suffix.index) * step_;
  };
  Suffix here{first_ + static_cast<long>(tilted_.size())};
  const auto reaches = [&](const Suffix& suffix, double epsilon) {
    return bound(suffix, epsilon, up) > delta;
  };
  // The bound's own errors may exceed δ far from where the weight is centred; so start where it
  // first holds.
  if (up && reaches(here, place(here))) {
    // Beyond the window there is only what Chernoff says.
    if (infinite_ > delta) return HUGE_VAL;
    double low = place(here), high = std::max(2 * std::fabs(low), low + 1);
    for (int i = 0; i < 60 && reaches(here, high); ++i) high += high - low;
    if (reaches(here, high)) return HUGE_VAL;
    for (int i = 0; i < 60; ++i) {
      const double middle = (low + high) / 2;
      (reaches(here, middle) ? low : high) = middle;
    }
    return high;
  }
  for (; here.index > first_; here = lowered(here)) {
    // ε from the grid point below up to this one needs just what lies from here on.
    double low = place(here) - step_, high = place(here);
    if (!reaches(here, low)) continue;
    for (int i = 0; i < 60 && high - low > 1e-16 * std::fabs(high); ++i) {
      const double middle = (low + high) / 2;
      (reaches(here, middle) ? low : high) = middle;
    }
    return up ? high : low;
  }
  // Below the window the whole of S lies above ε; nothing is gained there for an upper bound, nor
  // lost for a lower one.
  return up ? static_cast<double>(first_) * step_ : -HUGE_VAL;
}

double Composition::upper_epsilon(double delta) const {
  const double found = find_epsilon(delta, true) + offset_;
  return std::max(0.0, found + slack_at(found));
}
double Composition::lower_epsilon(double delta) const {
  if (infinite_ >= delta) return HUGE_VAL;
  const double found = find_epsilon(delta, false) + offset_;
  return std::isinf(found) ? 0 : std::max(0.0, found - slack_at(found));
}

Composition::Profile Composition::profile() const {
  const double far =
      step_ * (std::fabs(static_cast<double>(first_)) + static_cast<double>(tilted_.size()));
  Profile out{step_, offset_ + slack_at(far), first_, std::vector<double>(tilted_.size())};
  Suffix here{first_ + static_cast<long>(tilted_.size())};
  for (std::size_t j = tilted_.size(); j-- > 0;) {
    here = lowered(here);
    out.delta[j] = std::min(1.0, bound(here, static_cast<double>(here.index) * step_, true));
  }
  return out;
}

double Composition::wobble(double chance) const {
  return spread_ / 8 + drift_ + std::sqrt(spread_ * std::log(1 / chance) / 2) + 2 * slack_;
}

Law Composition::law(bool up) const {
  Law out;
  out.step = step_;
  out.offset = offset_;
  out.first = first_;
  out.mass.resize(tilted_.size());
  const double off = up ? entry_ : -entry_ - below_ - above_,
               factor = up ? 1 + relative_ : 1 - relative_;
  for (std::size_t j = 0; j < tilted_.size(); ++j) {
    const long index = first_ + static_cast<long>(j);
    const double weight = std::exp(log_scale_ - theta_ * step_ * static_cast<double>(index));
    out.mass[j] = std::max(0.0, at(index) + off) * weight * factor;
  }
  out.infinite = infinite_;
  if (up) {
    const double edge = static_cast<double>(first_ + static_cast<long>(tilted_.size())) * step_;
    out.infinite += above_ * std::exp(log_scale_ - theta_ * edge) * factor;
    if (theta_ < 0) out.infinite = 1;
  }
  out.slack = slack_;
  out.spread = spread_;
  out.drift = drift_;
  out.inflation = inflation_;
  return out;
}

// P[S=s] ≤ E[e^{tS}]·e^{−ts} for every t (Chernoff): below the centre of the weight, where undoing
// it makes much of little.
void Composition::clip(Law& law, double theta, const Window& window) const {
  for (const double share : {0.3, 0.6, 1.0}) {
    const double t = theta + share * window.left_tilt;
    if (!(t < theta)) continue;
    const double value = on_grid(t).value + std::log1p(relative_) + 1e-9;
    for (std::size_t start = 0; start < law.mass.size(); start += kBlock) {
      const double s = static_cast<double>(law.first + static_cast<long>(start)) * step_;
      double bound = std::exp(value - t * s);
      const double more = std::exp(-t * step_);
      for (std::size_t k = start; k < std::min(law.mass.size(), start + kBlock); ++k) {
        law.mass[k] = std::min(law.mass[k], bound);
        bound *= more;
      }
    }
  }
}

// What is small under one weight drowns under another: where that is too much, the closer bound at
// each point of the weight in question and of none.
Law Composition::law(bool up, double theta, const Window& window, double enough,
                     const std::function<Window()>& plain) {
  const auto points = [&](const Window& some) {
    return std::bit_ceil(
        static_cast<std::size_t>(std::clamp(some.width() / step_ + 2, 64.0, most_points_)));
  };
  const double all = std::exp(on_grid(0).value);
  const auto sum = [](const Law& law) {
    double out = 0;
    for (const double mass : law.mass) out += mass;
    return out;
  };
  compose(theta, window, points(window));
  Law out = law(up);
  if (up) clip(out, theta, window);
  double found = sum(out);
  if (theta != 0 && !(std::fabs(found + out.infinite - all) <= enough * all)) {
    Window both = window;
    const Window other = plain();
    both.from = std::min(both.from, other.from);
    both.to = std::max(both.to, other.to);
    compose(theta, both, points(both));
    out = law(up);
    compose(0, both, points(both));
    out = closer(out, law(up), up);
    found = sum(out);
  }
  // All that the terms hold, and what is there beyond it.
  const double rounding = static_cast<double>(out.mass.size()) * kUnit;
  out.extra = extra_ + std::max(0.0, found * (1 + rounding) - all * (1 - relative_));
  // Ends that hold nothing only slow down what follows.
  const auto empty = [](double mass) { return mass < 1e-300; };
  while (!out.mass.empty() && empty(out.mass.back())) out.mass.pop_back();
  const auto begin = std::find_if_not(out.mass.begin(), out.mass.end(), empty);
  out.first += begin - out.mass.begin();
  out.mass.erase(out.mass.begin(), begin);
  return out;
}

}  // namespace discreet::privacy
