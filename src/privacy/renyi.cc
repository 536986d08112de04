#include "discreet/privacy/renyi.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "discreet/base/ball.h"
#include "discreet/base/try.h"
#include "discreet/privacy/cost.h"
#include "discreet/privacy/renyi_closed.h"
#include "discreet/privacy/renyi_nodes.h"
#include "discreet/privacy/search.h"

namespace discreet::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUp = 1 + 0x1p-40;
constexpr double kLargestBinomial = 1024;
constexpr double kFewOrders = 16;  // up to here, where the outcomes of all orders are too many

using Values = std::vector<double>;

double log_add(double a, double b) {
  const double high = std::max(a, b), low = std::min(a, b);
  return std::isinf(high) ? high : high + std::log1p(std::exp(low - high));
}

Values by_order(std::span<const double> alphas, const std::function<double(double)>& one) {
  Values out;
  for (double alpha : alphas) out.push_back(one(alpha));
  return out;
}

// Only a Rényi curve is known of the event inside. Whole α: Σ_k C(α,k)(1−q)^{α−k}q^k·e^{(k−1)D_k}
// is E_Q[(1−q+qP/Q)^α] itself (Mironov-Talwar-Zhang 2019, Section 3.3), for the direction that
// removes. For the one that adds, a symmetric pair is no worse (their Theorem 5), any other costs a
// factor 3 on the terms from k = 3 on (Zhu and Wang 2019, Theorem 5). Between whole orders (α−1)D_α
// is convex, so its chord bounds it.
// `inner` holds D_k at whole k.
double sampled_curve(double q, double alpha, bool symmetric, const Values& inner) {
  const auto log_moment = [&](double order) {
    if (order < 2) return 0.0;
    double sum = order * std::log1p(-q);
    sum = log_add(sum, std::log(order * q) + (order - 1) * std::log1p(-q));
    double log_choose = std::log(order);
    for (double k = 2; k <= order; ++k) {
      log_choose += std::log((order - k + 1) / k);
      const double factor = symmetric || k == 2 ? 0 : std::log(3.0);
      const double rest = order > k ? (order - k) * std::log1p(-q) : 0;
      sum = log_add(sum, factor + log_choose + k * std::log(q) + rest +
                             (k - 1) * inner[static_cast<std::size_t>(k)]);
    }
    return sum;
  };
  const double low = std::floor(alpha), high = std::ceil(alpha);
  if (low == high) return log_moment(alpha) / (alpha - 1);
  return ((high - alpha) * log_moment(low) + (alpha - low) * log_moment(high)) / (alpha - 1);
}

class Curve {
 public:
  Curve(std::span<const double> alphas, Adjacency adjacency)
      : alphas_(alphas), adjacency_(adjacency) {}

  Result<Values> of(const Event& event) const {
    return std::visit(Overloaded{
                          [&](const Repeated& e) -> Result<Values> {
                            auto values = of(*e.event);
                            const double count = to_double(e.count, Rounding::kUp);
                            if (values)
                              for (double& v : *values) v = count == 0 ? 0 : v * count;
                            return values;
                          },
                          [&](const Composed& e) -> Result<Values> {
                            Values sum(alphas_.size());
                            for (const Event& part : e.events) {
                              auto values = TRY(of(part));
                              for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
                            }
                            return sum;
                          },
                          [&](const Parallel& e) -> Result<Values> { return parallel(e); },
                          [&](const Poisson& e) -> Result<Values> { return sampled(event, e); },
                          [&](const auto& e) -> Result<Values> {
                            return by_order(alphas_, [&](double a) { return closed_renyi(e, a); });
                          },
                      },
                      event.what);
  }

 private:
  Result<Values> parallel(const Parallel& e) const {
    Values first(alphas_.size()), second(alphas_.size());
    for (const Event& part : e.events) {
      auto values = TRY(of(part));
      for (std::size_t i = 0; i < first.size(); ++i) {
        const double v = values[i];
        second[i] = std::max(second[i], std::min(first[i], v));
        first[i] = std::max(first[i], v);
      }
    }
    if (adjacency_ == Adjacency::kSubstitute)
      for (std::size_t i = 0; i < first.size(); ++i) first[i] += second[i];
    return first;
  }

  Result<Values> sampled(const Event& event, const Poisson& e) const {
    if (sgn(e.rate) == 0) return Values(alphas_.size());
    const bool substitute = adjacency_ == Adjacency::kSubstitute;
    if (e.rate == 1 && !substitute) return of(*e.event);
    const double q = to_double(e.rate, Rounding::kUp);
    // Nested samples are one sample; a sample of Gaussians is a sample of one Gaussian.
    if (const auto* nested = std::get_if<Poisson>(&e.event->what))
      return of(Event{Poisson{e.rate * nested->rate, nested->event}});
    const auto parts = parts_of(*e.event);
    if (parts.empty()) return Values(alphas_.size());
    if (auto squares = gaussian_cost(*e.event, Adjacency::kAddRemove)) {
      const double mu = std::sqrt(to_double(*squares, Rounding::kUp));
      if (mu == 0) return Values(alphas_.size());
      return by_order(alphas_, [nodes = GaussianNodes(mu, q, adjacency_)](double a) {
        return nodes.renyi(a) * kUp;
      });
    }
    if (parts.size() == 1 && parts[0].count == 1) {
      if (auto values = sampled_part(parts[0].event, q); values) return *values;
      const double largest = *std::max_element(alphas_.begin(), alphas_.end());
      if (Nodes::of(parts[0].event, q, adjacency_, kFewOrders) && largest > kFewOrders &&
          *std::min_element(alphas_.begin(), alphas_.end()) <= kFewOrders)
        return split(event, largest > 64 * kFewOrders ? 64 * kFewOrders : kFewOrders);
    }
    if (substitute) {
      // A pure guarantee ε' of the sampled event for adding or removing is 2ε' for replacing.
      auto cost = approximate_cost(event, adjacency_, "rdp");
      if (!cost || sgn(cost->delta) > 0) {
        return fail(
            Code::kUsage,
            fmt::format("the rdp accountant can't handle {} under substitution", describe(event)),
            "no dominating pair is proved for it");
      }
      return by_order(alphas_, [&](double a) {
        return closed_renyi(Approximate{cost->epsilon, 0}, a);
      });
    }
    const bool symmetric = adjacency_ == Adjacency::kRemove || is_symmetric(*e.event);
    // The whole orders up to the largest that is asked for, and those beyond, each once: a sample
    // of a sample would multiply them otherwise.
    double whole = 2;
    std::vector<double> orders, beyond;
    for (const double alpha : alphas_) {
      if (alpha > kLargestBinomial) {
        beyond.push_back(alpha);
      } else {
        whole = std::max(whole, std::ceil(alpha));
      }
    }
    for (double k = 2; k <= whole; ++k) orders.push_back(k);
    orders.insert(orders.end(), beyond.begin(), beyond.end());
    auto inner = TRY(Curve(orders, adjacency_).of(*e.event));
    inner.insert(inner.begin(), 2, 0.0);  // orders 0 and 1
    std::size_t next = static_cast<std::size_t>(whole) + 1;
    return by_order(alphas_, [&](double alpha) {
      if (alpha <= kLargestBinomial) return kUp * sampled_curve(q, alpha, symmetric, inner);
      // Convexity: E[(1−q+qX)^α] ≤ 1 − q + q·E[X^α].
      const double grown = (alpha - 1) * inner[next++];
      return kUp * log_add(std::log1p(-q), std::log(q) + grown) / (alpha - 1);
    });
  }

  // Events whose dominating pair is known outcome by outcome.
  std::optional<Values> sampled_part(const Event& event, double q) const {
    if (const auto* bounded = std::get_if<Exponential>(&event.what);
        bounded != nullptr && adjacency_ != Adjacency::kSubstitute) {
      // The worst pair has two outcomes, losing t and t − ε, for the worst t (Dong, Durfee and
      // Rogers 2020).
      const double epsilon = to_double(bounded->epsilon, Rounding::kUp);
      const auto one_way = [&](double alpha, Adjacency way) {
        const auto at = [&](double t) {
          return Nodes::two_points(t, epsilon).sampled(q, way).renyi(alpha);
        };
        return at(maximize(at, 0, epsilon)) * (1 + 0x1p-30);
      };
      if (adjacency_ != Adjacency::kAddRemove)
        return by_order(alphas_, [&](double a) { return one_way(a, adjacency_); });
      return by_order(alphas_, [&](double a) {
        return std::max(one_way(a, Adjacency::kAdd), one_way(a, Adjacency::kRemove));
      });
    }
    auto nodes = Nodes::of(event, q, adjacency_, *std::max_element(alphas_.begin(), alphas_.end()));
    if (!nodes) return std::nullopt;
    return by_order(alphas_, [&](double a) { return nodes->renyi(a) * kUp; });
  }

  // The orders that an event's outcomes can be listed for, and bounds for the others.
  Result<Values> split(const Event& event, double most) const {
    std::vector<double> small, large;
    for (const double alpha : alphas_) (alpha <= most ? small : large).push_back(alpha);
    auto low = Curve(small, adjacency_).of(event), high = Curve(large, adjacency_).of(event);
    if (!low) return low;
    if (!high) return high;
    std::size_t i = 0, j = 0;
    return by_order(alphas_, [&](double a) { return a <= most ? (*low)[i++] : (*high)[j++]; });
  }

  // Is there a map that swaps P and Q? Of everything that is not just a bound.
  static bool is_symmetric(const Event& event) {
    const auto parts = parts_of(event);
    return std::all_of(parts.begin(), parts.end(), [](const Part& part) {
      return !std::holds_alternative<Concentrated>(part.event.what) &&
             !std::holds_alternative<RenyiBound>(part.event.what) &&
             !std::holds_alternative<Poisson>(part.event.what) &&
             !std::holds_alternative<Parallel>(part.event.what);
    });
  }

  std::span<const double> alphas_;
  Adjacency adjacency_;
};

}  // namespace

Result<std::vector<double>> renyi(const Event& event, std::span<const double> alphas,
                                  Adjacency adjacency) {
  for (double alpha : alphas) {
    if (!(alpha > 1) || std::isinf(alpha)) {
      return fail(Code::kUsage,
                  fmt::format("alpha: found {}, accepted is a number above 1", to_text(alpha)));
    }
  }
  TRY(check(event));
  return Curve(alphas, adjacency).of(event);
}

Result<double> renyi(const Event& event, const Rational& alpha, Adjacency adjacency) {
  const double one[] = {alpha.get_d()};
  auto values = TRY(renyi(event, one, adjacency));
  return values[0];
}

const std::vector<double>& renyi_orders() {
  static const std::vector<double> orders = [] {
    std::vector<double> out{1.001, 1.002, 1.005, 1.01, 1.02, 1.03, 1.05, 1.07};
    for (int i = 11; i < 110; ++i) out.push_back(i / 10.0);                // 1.1 to 10.9
    for (double order = 11; order < 32; order += 1) out.push_back(order);  // whole ones
    for (double order = 32; order < 2e6; order *= 1.41421356237309505)
      out.push_back(std::round(order));
    return out;
  }();
  return orders;
}

}  // namespace discreet::privacy
