#include "discreet/learn/erm_objective.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace discreet::learn {
namespace {

constexpr double kHalfWidth = 0.5;   // of Huber's hinge
constexpr double kUnit = 0x1p-53;    // rounding of doubles
constexpr std::size_t kBlock = 512;  // rows that are added up by themselves
constexpr double kRow = 1.0 / double(BallRows::kOne);

// f, f' and f'' at a margin.
struct Curve {
  double value, slope, bend;
};

Curve curve(Surrogate loss, double t) {
  if (loss == Surrogate::kLogistic) {
    const double e = std::exp(-std::abs(t)), p = t > 0 ? e / (1 + e) : 1 / (1 + e);  // 1/(1+e^t)
    return {std::log1p(e) + std::max(-t, 0.0), -p, p * (1 - p)};
  }
  constexpr double h = kHalfWidth;
  if (t > 1 + h) return {0, 0, 0};
  if (t < 1 - h) return {1 - t, -1, 0};
  const double d = 1 + h - t;
  return {d * d / (4 * h), -d / (2 * h), 1 / (2 * h)};
}

double dot(std::span<const std::int16_t> row, const double* theta) {
  double sum = 0;
  for (std::size_t i = 0; i < row.size(); ++i) sum += row[i] * theta[i];
  return sum * kRow;
}

void add(std::span<const std::int16_t> row, double weight, double* out) {
  const double scaled = weight * kRow;
  for (std::size_t i = 0; i < row.size(); ++i) out[i] += scaled * row[i];
}

double norm(std::span<const double> v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

double product(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

GradientSize size_of(const ErmProblem& p) { return {p.loss, p.rows->width, p.classes, p.lambda}; }
double rows_of(const ErmProblem& p) { return static_cast<double>(p.rows->count); }

// What is kept of a row between F and its second derivatives: the bend, or the probabilities.
class Evaluator {
 public:
  Evaluator(const ErmProblem& problem, Workers& workers)
      : p_(problem),
        workers_(workers),
        each_(problem.loss == Surrogate::kSoftmax ? problem.classes : 1),
        kept_(problem.rows->count * each_),
        scores_(problem.rows->count * each_),
        moves_(problem.rows->count * each_) {}

  double value(std::span<const double> theta, std::vector<double>& gradient, bool keep) {
    gradient.assign(p_.size(), 0.0);
    double value = gather(gradient, [&](std::size_t i, double* out, std::vector<double>& scratch) {
      return row_value(i, theta.data(), out, scratch, keep);
    });
    for (std::size_t k = 0; k < theta.size(); ++k) {
      const double b = p_.linear.empty() ? 0 : p_.linear[k];
      value += p_.lambda / 2 * theta[k] * theta[k] + b * theta[k];
      gradient[k] += p_.lambda * theta[k] + b;
    }
    return value;
  }

  // (∇²F)v at the θ of the last value() that kept.
  void curve_along(std::span<const double> v, std::vector<double>& out) {
    out.assign(p_.size(), 0.0);
    gather(out, [&](std::size_t i, double* sum, std::vector<double>& scratch) {
      row_curve(i, v.data(), sum, scratch);
      return 0.0;
    });
    for (std::size_t k = 0; k < v.size(); ++k) out[k] += p_.lambda * v[k];
  }

  // ∇²F itself, its lower triangle, where F has one score a row.
  std::vector<double> bends() {
    const std::size_t size = p_.size();
    std::vector<double> out(size * size);
    gather(out, [&](std::size_t i, double* sum, std::vector<double>&) {
      const auto row = p_.rows->row(i);
      if (kept_[i] == 0) return 0.0;
      for (std::size_t k = 0; k < size; ++k) {
        if (row[k] == 0) continue;
        const double weight = kept_[i] * kRow * kRow * row[k];
        for (std::size_t l = 0; l <= k; ++l) sum[k * size + l] += weight * row[l];
      }
      return 0.0;
    });
    for (std::size_t k = 0; k < size; ++k) out[k * size + k] += p_.lambda;
    return out;
  }
  bool one_score() const { return each_ == 1; }

  // F along θ + a·p, of which slope_along(a) is the derivative: a few operations a row, however
  // wide rows are, once how p changes scores is known. θ is that of the last value() that kept.
  void look_along(std::span<const double> theta, std::span<const double> p) {
    const std::size_t rows = p_.rows->count, width = p_.rows->width;
    workers_.run([&](std::size_t worker) {
      const std::size_t share = (rows + workers_.size() - 1) / workers_.size();
      for (std::size_t i = worker * share; i < std::min(rows, (worker + 1) * share); ++i)
        for (std::size_t k = 0; k < each_; ++k)
          moves_[i * each_ + k] = dot(p_.rows->row(i), p.data() + k * width);
    });
    along_ = {p_.lambda * product(theta, p) + (p_.linear.empty() ? 0 : product(p_.linear, p)),
              p_.lambda * product(p, p)};
  }
  double slope_along(double a) {
    std::vector<double> none;
    return along_.first + a * along_.second +
           gather(none, [&](std::size_t i, double*, std::vector<double>& scratch) {
             return row_slope(i, a, scratch);
           });
  }

  double error(std::span<const double> theta) const {
    return gradient_error(size_of(p_), rows_of(p_), norm(theta), norm(p_.linear));
  }

 private:
  template <class Work>
  double gather(std::vector<double>& out, Work&& work) {
    const std::size_t rows = p_.rows->count, blocks = (rows + kBlock - 1) / kBlock;
    std::vector<std::vector<double>> sums(workers_.size(), std::vector<double>(out.size()));
    std::vector<double> values(workers_.size());
    workers_.run([&](std::size_t worker) {
      std::vector<double> block(out.size()), scratch(2 * each_);
      for (std::size_t b = worker; b < blocks; b += workers_.size()) {
        std::fill(block.begin(), block.end(), 0.0);
        double value = 0;
        for (std::size_t i = b * kBlock; i < std::min(rows, (b + 1) * kBlock); ++i)
          value += work(i, block.data(), scratch);
        for (std::size_t k = 0; k < block.size(); ++k) sums[worker][k] += block[k];
        values[worker] += value;
      }
    });
    double value = 0;
    for (std::size_t t = 0; t < sums.size(); ++t) {
      for (std::size_t k = 0; k < out.size(); ++k) out[k] += sums[t][k];
      value += values[t];
    }
    return value;
  }

  double row_value(std::size_t i, const double* theta, double* out, std::vector<double>& scratch,
                   bool keep) {
    const auto row = p_.rows->row(i);
    const auto label = static_cast<std::size_t>(p_.labels[i]);
    if (p_.loss != Surrogate::kSoftmax) {
      const double sign = label == p_.positive ? 1 : -1;
      const double score = dot(row, theta);
      const Curve c = curve(p_.loss, sign * score);
      if (keep) {
        scores_[i] = score;
        kept_[i] = c.bend;
      }
      add(row, sign * c.slope, out);
      return c.value;
    }
    double most = -std::numeric_limits<double>::infinity(), sum = 0;
    for (std::size_t k = 0; k < each_; ++k) {
      scratch[k] = dot(row, theta + k * row.size());
      if (keep) scores_[i * each_ + k] = scratch[k];
      most = std::max(most, scratch[k]);
    }
    const double own = scratch[std::min(label, each_ - 1)];
    for (std::size_t k = 0; k < each_; ++k) sum += scratch[k] = std::exp(scratch[k] - most);
    for (std::size_t k = 0; k < each_; ++k) {
      const double p = scratch[k] / sum;
      if (keep) kept_[i * each_ + k] = p;
      add(row, p - (k == label ? 1 : 0), out + k * row.size());
    }
    return std::log(sum) + most - own;
  }

  double row_slope(std::size_t i, double a, std::vector<double>& scratch) const {
    const auto label = static_cast<std::size_t>(p_.labels[i]);
    const double *score = scores_.data() + i * each_, *move = moves_.data() + i * each_;
    if (p_.loss != Surrogate::kSoftmax) {
      const double sign = label == p_.positive ? 1 : -1;
      return sign * curve(p_.loss, sign * (score[0] + a * move[0])).slope * move[0];
    }
    double most = -std::numeric_limits<double>::infinity(), sum = 0, slope = 0;
    for (std::size_t k = 0; k < each_; ++k) {
      scratch[k] = score[k] + a * move[k];
      most = std::max(most, scratch[k]);
    }
    for (std::size_t k = 0; k < each_; ++k) {
      const double e = std::exp(scratch[k] - most);
      sum += e;
      slope += e * move[k];
    }
    return slope / sum - move[std::min(label, each_ - 1)];
  }

  void row_curve(std::size_t i, const double* v, double* out, std::vector<double>& scratch) {
    const auto row = p_.rows->row(i);
    if (p_.loss != Surrogate::kSoftmax) {
      if (kept_[i] != 0) add(row, kept_[i] * dot(row, v), out);
      return;
    }
    const double* p = kept_.data() + i * each_;
    double mean = 0;
    for (std::size_t k = 0; k < each_; ++k) {
      scratch[k] = dot(row, v + k * row.size());
      mean += p[k] * scratch[k];
    }
    for (std::size_t k = 0; k < each_; ++k)
      add(row, p[k] * (scratch[k] - mean), out + k * row.size());
  }

  const ErmProblem& p_;
  Workers& workers_;
  std::size_t each_;
  std::vector<double> kept_, scores_, moves_;
  std::pair<double, double> along_;
};

// (∇²F)p = −g by conjugate gradients, about; says whether that came near enough.
bool by_products(Evaluator& f, std::span<const double> gradient, std::vector<double>& p) {
  const std::size_t size = gradient.size();
  std::vector<double> r(gradient.begin(), gradient.end()), d(size), h;
  p.assign(size, 0.0);
  for (std::size_t i = 0; i < size; ++i) d[i] = r[i] = -r[i];
  double rr = product(r, r);
  const double first = std::sqrt(rr), enough = first * std::min(0.1, std::sqrt(first));
  for (std::size_t step = 0; step < std::min<std::size_t>(size, 200) && std::sqrt(rr) > enough;
       ++step) {
    f.curve_along(d, h);
    const double along = product(d, h);
    if (!(along > 0)) break;
    const double a = rr / along;
    for (std::size_t i = 0; i < size; ++i) {
      p[i] += a * d[i];
      r[i] -= a * h[i];
    }
    const double next = product(r, r);
    for (std::size_t i = 0; i < size; ++i) d[i] = r[i] + next / rr * d[i];
    rr = next;
  }
  return std::sqrt(rr) <= enough;
}

// The same by ∇²F = LLᵀ, which no condition of the rows makes slower.
bool by_factors(Evaluator& f, std::span<const double> gradient, std::vector<double>& p) {
  const std::size_t size = gradient.size();
  std::vector<double> l = f.bends();
  for (std::size_t j = 0; j < size; ++j) {
    for (std::size_t i = j; i < size; ++i) {
      double sum = l[i * size + j];
      for (std::size_t k = 0; k < j; ++k) sum -= l[i * size + k] * l[j * size + k];
      if (i == j && !(sum > 0)) return false;
      l[i * size + j] = i == j ? std::sqrt(sum) : sum / l[j * size + j];
    }
  }
  p.assign(size, 0.0);
  for (std::size_t i = 0; i < size; ++i) {
    double sum = -gradient[i];
    for (std::size_t k = 0; k < i; ++k) sum -= l[i * size + k] * p[k];
    p[i] = sum / l[i * size + i];
  }
  for (std::size_t i = size; i-- > 0;) {
    double sum = p[i];
    for (std::size_t k = i + 1; k < size; ++k) sum -= l[k * size + i] * p[k];
    p[i] = sum / l[i * size + i];
  }
  return true;
}

// Where to go: Newton's direction, or down where that isn't to be had.
std::vector<double> direction(Evaluator& f, std::span<const double> gradient) {
  // Up to the first size factors cost less than products do; beyond the second they take minutes.
  constexpr std::size_t kFew = 64, kMany = 1024;
  const std::size_t size = gradient.size();
  std::vector<double> p;
  bool found = f.one_score() && size <= kFew && by_factors(f, gradient, p);
  if (!found) found = by_products(f, gradient, p);
  if (!found && f.one_score() && size <= kMany) by_factors(f, gradient, p);
  if (!(product(gradient, p) < 0))
    for (std::size_t i = 0; i < size; ++i) p[i] = -gradient[i];
  return p;
}

// How far to go: to where F's slope along p is a tenth of what it was, or about 0. F is convex, so
// its slope rises along p, from below 0 to above; the place is found between two that are on
// either side. Slopes can be told apart where values of F can't any more.
double far_enough(Evaluator& f, double slope) {
  constexpr int kMost = 60;
  double low = 0, high = 0, low_slope = slope, high_slope = 0, a = 1;
  for (int tried = 0; tried < kMost; ++tried) {
    const double here = f.slope_along(a);
    if (std::abs(here) <= -0.1 * slope) return a;
    if (here < 0) {
      low = a;
      low_slope = here;
    } else {
      high = a;
      high_slope = here;
    }
    if (high == 0) {
      a *= 4;
      continue;
    }
    // Where the line between the two meets 0, but never too near to either.
    const double share = low_slope / (low_slope - high_slope);
    a = low + (high - low) * std::clamp(share, 0.1, 0.9);
  }
  return low > 0 ? low : a;
}

}  // namespace

double lipschitz(Surrogate loss) { return loss == Surrogate::kSoftmax ? std::numbers::sqrt2 : 1; }

double curvature(Surrogate loss) {
  switch (loss) {
    case Surrogate::kLogistic:
      return 0.25;
    case Surrogate::kHuber:
      return 1 / (2 * kHalfWidth);
    case Surrogate::kSoftmax:
      break;
  }
  return 0.5;
}

double gradient_error(const GradientSize& size, double n, double theta, double linear) {
  const double w = static_cast<double>(size.width);
  const double each = size.loss == Surrogate::kSoftmax ? static_cast<double>(size.classes) : 1;
  const double rows = n * std::sqrt(each) * (curvature(size.loss) * (w + 3) * theta + 16);
  const double sums = lipschitz(size.loss) * n * (double(kBlock) + n / double(kBlock) + 8);
  const double rest = 8 * (size.lambda * theta + linear);
  return 2 * kUnit * (rows + sums + rest + 8 * std::sqrt(w * each));
}

double reach_of(const GradientSize& size, double n, double linear) {
  double at_zero = std::numbers::ln2;
  if (size.loss == Surrogate::kHuber) at_zero = 1;
  if (size.loss == Surrogate::kSoftmax) at_zero = std::log(static_cast<double>(size.classes));
  return std::sqrt(2 * n * at_zero / size.lambda) + 2 * linear / size.lambda;
}

double value_of(const ErmProblem& problem, std::span<const double> theta,
                std::vector<double>& gradient) {
  Workers one(1);
  return Evaluator(problem, one).value(theta, gradient, false);
}

namespace {

// Newton's way: true once the bound is met.
bool newton(double tolerance, int steps, Evaluator& f, Minimiser& out) {
  std::vector<double> gradient;
  for (int step = 0; step < steps; ++step) {
    f.value(out.theta, gradient, true);
    out.gradient = norm(gradient) * (1 + 1e-12) + f.error(out.theta);
    if (out.gradient <= tolerance) return true;
    if (!std::isfinite(out.gradient)) return false;
    const std::vector<double> p = direction(f, gradient);
    f.look_along(out.theta, p);
    const double a = far_enough(f, product(gradient, p));
    for (std::size_t i = 0; i < p.size(); ++i) out.theta[i] += a * p[i];
  }
  return false;
}

// Nesterov's accelerated gradients for curvature from λ to M = λ + cn, whose distance to the
// minimum falls by √(1 − √(λ/M)) a step (Nesterov 2018, Theorem 2.2.3), whatever the rows are.
bool accelerated(const ErmProblem& problem, double tolerance, Evaluator& f, Minimiser& out) {
  // That number of steps is for a start no further away than the minimum may be; 0 is one.
  if (!(norm(out.theta) <= reach_of(size_of(problem), rows_of(problem), norm(problem.linear))))
    std::fill(out.theta.begin(), out.theta.end(), 0.0);
  const double most =
      problem.lambda + curvature(problem.loss) * static_cast<double>(problem.rows->count);
  const double q = std::sqrt(problem.lambda / most), beta = (1 - q) / (1 + q);
  // e^-60 of the distance is below what any tolerance here asks for.
  const auto steps = static_cast<std::size_t>(120 / q) + 100;
  std::vector<double> theta = out.theta, before = theta, gradient;
  for (std::size_t step = 0; step < steps; ++step) {
    f.value(out.theta, gradient, false);
    out.gradient = norm(gradient) * (1 + 1e-12) + f.error(out.theta);
    if (out.gradient <= tolerance) return true;
    before = theta;
    for (std::size_t i = 0; i < theta.size(); ++i) {
      theta[i] = out.theta[i] - gradient[i] / most;
      out.theta[i] = theta[i] + beta * (theta[i] - before[i]);
    }
  }
  return false;
}

}  // namespace

Result<Minimiser> minimise(const ErmProblem& problem, double tolerance, Workers& workers,
                           const MinimiserStart& start) {
  const double linear = norm(problem.linear);
  const GradientSize size = size_of(problem);
  // Before a row is looked at: of more rows than were spoken of, no sum can be certified.
  if (gradient_error(size, rows_of(problem), reach_of(size, rows_of(problem), linear), linear) <=
      tolerance) {
    Evaluator f(problem, workers);
    Minimiser out{start.theta, 0};
    out.theta.resize(problem.size());
    if (newton(tolerance, start.newton_steps, f, out)) return out;
    if (accelerated(problem, tolerance, f, out)) return out;
  }
  return fail(Code::kFailure,
              "the minimum could not be found as closely as its noise needs; nothing is released",
              advise("lambda", "a larger number"));
}

}  // namespace discreet::learn
