#include "discreet/local/ibu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "discreet/base/try.h"
#include "discreet/local/chunks.h"
#include "discreet/local/newton.h"

namespace discreet::local {
namespace {

// No value falls below: it could come back, and squares of smaller numbers are slow to work with.
constexpr double kLeast = 1e-100;
constexpr double kMixed = 1e-3;  // of the uniform distribution, in a start that has zeros

// A distribution and what the likelihood says there.
struct Point {
  explicit Point(std::size_t values) : theta(values), g(values) {}
  std::vector<double> theta, g;
  double mean = 0, gap = 0;
};

struct Largest {
  double value = -INFINITY;
  void operator+=(const Largest& other) { value = std::max(value, other.value); }
};
struct Squares {
  double r = 0, w = 0;
  void operator+=(const Squares& other) {
    r += other.r;
    w += other.w;
  }
};

// The next distribution of a plain round; returns what is still missing here, max g − 1.
double step(const Point& at, std::vector<double>& next) {
  const double *theta = at.theta.data(), *g = at.g.data();
  double* to = next.data();
  const auto largest = join_chunks<Largest>(next.size(), [=](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const double product = theta[v] * g[v];
      to[v] = product > kLeast ? product : kLeast;
    }
    return Largest{in_lanes(
        begin, end, -INFINITY, [=](std::size_t v) { return g[v]; },
        [](double a, double b) { return a > b ? a : b; })};
  });
  return largest.value - 1;
}

// With r = θ1 − θ0 and w = (θ2 − θ1) − r the way goes to θ0 + 2λr + λ²w, λ = |r|/|w|; λ = 1 is θ2.
// Lengths are Euclid's, or Fisher's, Σ r²/θ, which sees small values too: which is better differs
// from channel to channel, and by turns both do well. No value falls below a tenth of what it has
// in θ2: extrapolated, many would be negative. Returns λ, at most `longest`; at 1 or less there is
// nothing to gain, and nothing is written.
double extrapolate(const Point& zero, const Point& one, std::span<const double> two, double longest,
                   bool fisher, std::vector<double>& out) {
  const double *a = zero.theta.data(), *b = one.theta.data(), *c = two.data();
  double* to = out.data();
  const std::size_t size = out.size();
  const auto r = [=](std::size_t v) { return b[v] - a[v]; };
  const auto w = [=](std::size_t v) { return (c[v] - b[v]) - (b[v] - a[v]); };
  const auto squares = join_chunks<Squares>(size, [=](std::size_t begin, std::size_t end) {
    const auto sums = [=](const auto& scale) {
      return Squares{sum_in(begin, end, [=](std::size_t v) { return r(v) * r(v) * scale(v); }),
                     sum_in(begin, end, [=](std::size_t v) { return w(v) * w(v) * scale(v); })};
    };
    return fisher ? sums([=](std::size_t v) { return 1 / b[v]; })
                  : sums([](std::size_t) { return 1.0; });
  });
  const double length = std::min(std::sqrt(squares.r / squares.w), longest);
  if (!(length > 1)) return 1;
  const auto total = join_chunks<double>(size, [=](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const double far = a[v] + length * (2 * r(v) + length * w(v)), least = 0.1 * c[v];
      to[v] = far > least ? far : least;
    }
    return sum_in(begin, end, [=](std::size_t v) { return to[v]; });
  });
  each_chunk(size, [=](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const double share = to[v] / total;
      to[v] = share > kLeast ? share : kLeast;
    }
  });
  return length;
}

// Whether ℓ(b) ≥ ℓ(a). Near the maximum both are the same but for rounding. There the gradients at
// both ends tell the difference, as the trapezium rule has it: ½·Σ_v (g_a + g_b)_v·(b − a)_v is off
// by the cube of a distance whose square is below the rounding error.
bool no_worse(const Point& a, const Point& b) {
  const double difference = b.mean - a.mean;
  if (std::abs(difference) > 1e-12 * (1 + std::abs(a.mean))) return difference > 0;
  const double *x = a.theta.data(), *y = b.theta.data(), *g = a.g.data(), *h = b.g.data();
  return join_chunks<double>(a.g.size(), [=](std::size_t begin, std::size_t end) {
           return sum_in(begin, end,
                         [=](std::size_t v) { return ((g[v] - 1) + (h[v] - 1)) * (y[v] - x[v]); });
         }) >= 0;
}

// Doubly stochastic: what the end would give to nobody it keeps.
void smooth(std::vector<double>& theta) {
  double before = theta.front();
  for (std::size_t v = 0; v < theta.size(); ++v) {
    const double after = v + 1 < theta.size() ? theta[v + 1] : theta[v];
    const double here = theta[v];
    theta[v] = before / 4 + here / 2 + after / 4;
    before = here;
  }
}

Result<std::vector<double>> start_of(const EstimateOptions& options, std::size_t values,
                                     bool& smoothed) {
  const double even = 1 / static_cast<double>(values);
  if (options.start.empty()) return std::vector<double>(values, even);
  std::vector<double> out = options.start;
  if (out.size() != values)
    return bad_parameter("start", fmt::format("found {} numbers; accepted is one for each of {} "
                                              "values",
                                              out.size(), values));
  const double total = std::accumulate(out.begin(), out.end(), 0.0);
  const bool good = std::all_of(out.begin(), out.end(), [](double each) { return each >= 0; });
  if (!good || !(std::abs(total - 1) < 1e-6))
    return bad_parameter("start", good ? fmt::format("found numbers that sum to {}; accepted is a "
                                                     "distribution, whose sum is 1",
                                                     total)
                                       : "found a negative number; accepted is a distribution");
  smoothed = *std::min_element(out.begin(), out.end()) < kLeast;
  const double mixed = smoothed ? kMixed : 0;
  for (double& each : out) each = (1 - mixed) * each / total + mixed * even;
  return out;
}

// The walk from a start to the maximum, one round at a time.
class Walk {
 public:
  Walk(const Likelihood& likelihood, const EstimateOptions& options, Estimate& out)
      : likelihood_(likelihood),
        options_(options),
        out_(out),
        at_(likelihood.values()),
        before_(likelihood.values()),
        next_(likelihood.values()) {}

  void run(std::vector<double> start) {
    at_.theta = std::move(start);
    look(at_);
    arrive();
    const bool accelerated = options_.accelerate && !options_.smooth;
    if (!ended()) (accelerated ? leap() : go());
    out_.log_likelihood = (at_.mean + likelihood_.constant()) * likelihood_.users();
    out_.gap = std::max(at_.gap, 0.0);  // but for rounding
    out_.distribution = std::move(at_.theta);
  }

 private:
  void look(Point& point) const { point.mean = likelihood_.gradient(point.theta, point.g); }
  void arrive() {
    at_.gap = step(at_, next_);
    if (options_.smooth) smooth(next_);
  }
  void take() {
    std::swap(before_, at_);
    std::swap(at_.theta, next_);
    look(at_);
    ++out_.iterations;
    arrive();
  }

  void go() {
    do take();
    while (!stopped());
  }

  // A plain round, then a bold one, which is kept where the reports got no less likely.
  void leap() {
    Point far(next_.size());
    for (;;) {
      take();
      if (stopped()) return;
      const bool due = out_.iterations >= due_;
      const bool parabola = due && newton_step(likelihood_, at_.theta, at_.g, far.theta);
      if (due && !parabola) due_ = 2 * out_.iterations;
      const double length =
          parabola ? 1 : extrapolate(before_, at_, next_, longest_, fisher_ = !fisher_, far.theta);
      if (!parabola && length <= 1) continue;
      look(far);
      ++out_.iterations;
      const bool kept = no_worse(at_, far);
      if (parabola) due_ = kept ? 0 : 2 * out_.iterations;
      if (length == longest_) longest_ = kept ? 4 * longest_ : std::max(4.0, longest_ / 4);
      if (kept) {
        std::swap(at_, far);
        arrive();
      }
      if (kept ? stopped() : limit()) return;
    }
  }

  // Whether ℓ is where it should be.
  bool ended() {
    if (options_.smooth) {
      if (out_.iterations == 0 || std::abs(at_.mean - before_.mean) > options_.tolerance)
        return limit();
      out_.stopped = Stopped::kChange;
      return true;
    }
    if (at_.gap > options_.tolerance) return limit();
    out_.stopped = Stopped::kTolerance;
    return true;
  }
  bool limit() {
    out_.stopped = Stopped::kRounds;
    return out_.iterations >= options_.rounds;
  }
  bool stopped() {
    if (ended()) return true;
    if (!options_.progress || options_.progress(out_.iterations, at_.gap)) return false;
    out_.stopped = Stopped::kAsked;
    return true;
  }

  const Likelihood& likelihood_;
  const EstimateOptions& options_;
  Estimate& out_;
  Point at_, before_;
  bool fisher_ = false;
  double longest_ = 4;        // that an extrapolation may be
  std::size_t due_ = 50;      // when a parabola is tried
  std::vector<double> next_;  // where a plain round goes from here
};

}  // namespace

Result<Estimate> iterate(const Likelihood& likelihood, const EstimateOptions& options) {
  if (!(likelihood.users() > 0))
    return fail(Code::kUsage, "reports: found none; accepted is one at least to estimate from");
  if (!(options.tolerance >= 0))
    return bad_parameter("tolerance", fmt::format("found {}; accepted is 0 or a positive number",
                                                  options.tolerance));
  Estimate out;
  out.users = static_cast<std::uint64_t>(likelihood.users());
  auto start = TRY(start_of(options, likelihood.values(), out.start_smoothed));
  Walk(likelihood, options, out).run(std::move(start));
  return out;
}

}  // namespace discreet::local
