#include "discreet/channel/delta.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"

namespace discreet::channel {
namespace {

constexpr std::size_t kMostWork = 4'000'000'000;  // entries to look at as doubles: some seconds
constexpr std::size_t kMostExact = 40'000'000;    // or as fractions
constexpr long kBits = 192;

std::vector<double> doubles_of(const Channel& channel) {
  std::vector<double> out;
  out.reserve(channel.rows() * channel.columns());
  for (std::size_t y = 0; y < channel.rows(); ++y)
    for (const Rational& p : channel.row(y)) out.push_back(to_double(p));
  return out;
}

Rational exact_delta(const Channel& channel, std::size_t a, std::size_t b, const Rational& ratio) {
  Rational sum, term;
  for (std::size_t z = 0; z < channel.columns(); ++z) {
    term = channel.at(a, z) - ratio * channel.at(b, z);
    if (sgn(term) > 0) sum += term;
  }
  return sum;
}

// Between δ at the upper and at the lower bound of e^ε: it falls as the ratio grows.
Ball certified_delta(const Channel& channel, std::size_t a, std::size_t b, const Ratio& ratio) {
  return Ball::between(exact_delta(channel, a, b, ratio.upper),
                       exact_delta(channel, a, b, ratio.lower), kBits);
}

struct Pair {
  Node from, to;
  double delta;
};

Status check(const Channel& channel, const Graph& graph, std::size_t most) {
  if (graph.size() != channel.rows()) {
    return fail(Code::kUsage, fmt::format("a graph of {} nodes for a channel of {} rows",
                                          graph.size(), channel.rows()));
  }
  const std::size_t pairs = 2 * graph.edge_count();
  if (pairs > 0 && channel.columns() > most / pairs) {
    return fail(Code::kUsage,
                fmt::format("{} pairs of neighbours with {} outputs each; accepted is "
                            "a smaller channel",
                            pairs, channel.columns()));
  }
  return {};
}

}  // namespace

Result<Delta> delta_of(const Channel& channel, const Graph& graph, const Ratio& ratio) {
  TRY(check(channel, graph, kMostWork));
  const std::size_t n = channel.columns();
  const std::vector<double> entries = doubles_of(channel);
  const double factor = to_double(ratio.lower);
  // Each term is off by at most 2^-51 of e^ε·(P + Q), the sum of n by n·2^-53 of itself.
  const double slack = std::min(1.0, (static_cast<double>(n) + 8) * 0x1p-50 * (1 + factor));
  std::vector<Pair> worst;  // within the slack of the largest so far
  double most = -1;
  const auto look = [&](Node a, Node b) {
    double sum = 0;
    for (std::size_t z = 0; z < n; ++z)
      sum += std::max(0.0, entries[a * n + z] - factor * entries[b * n + z]);
    if (sum < most - slack) return;
    if (sum > most) {
      most = sum;
      std::erase_if(worst, [&](const Pair& pair) { return pair.delta < most - slack; });
    }
    worst.push_back({a, b, sum});
  };
  graph.for_each_edge([&](Node a, Node b) { look(a, b), look(b, a); });
  Delta out;
  if (ratio.exact()) out.exact = Rational(0);
  bool first = true;
  for (const Pair& pair : worst) {
    if (ratio.exact()) {
      const Rational found = exact_delta(channel, pair.from, pair.to, ratio.lower);
      if (!first && found <= *out.exact) continue;
      out.exact = found;
      out.value = Ball(found, kBits);
    } else {
      const Ball found = certified_delta(channel, pair.from, pair.to, ratio);
      if (!first && found.upper() <= out.value.lower()) continue;
      const Ball larger = first ? found : max(out.value, found, kBits);
      out.value = larger;
    }
    out.from = pair.from, out.to = pair.to;
    first = false;
  }
  return out;
}

namespace {

// Twice the area of the triangle, positive if b lies below the line from a to c.
Rational turn(const Point& a, const Point& b, const Point& c) {
  return (b.false_alarm - a.false_alarm) * (c.miss - a.miss) -
         (c.false_alarm - a.false_alarm) * (b.miss - a.miss);
}

void add_corners(const Channel& channel, std::size_t a, std::size_t b, std::vector<Point>& out) {
  // H0: the input is a; H1: it is b. Alarms first where b is likeliest against a.
  std::vector<std::size_t> order;
  for (std::size_t z = 0; z < channel.columns(); ++z)
    if (sgn(channel.at(a, z)) != 0 || sgn(channel.at(b, z)) != 0) order.push_back(z);
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t k) {
    return channel.at(b, i) * channel.at(a, k) > channel.at(b, k) * channel.at(a, i);
  });
  Point at{0, 1};
  out.push_back(at);
  for (const std::size_t z : order) {
    at.false_alarm += channel.at(a, z);
    at.miss -= channel.at(b, z);
    out.push_back(at);
  }
}

// The lower hull from left to right (Andrew 1979).
std::vector<Point> hull(std::vector<Point> points) {
  std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
    return a.false_alarm != b.false_alarm ? a.false_alarm < b.false_alarm : a.miss < b.miss;
  });
  std::vector<Point> out;
  for (Point& point : points) {
    if (!out.empty() && point.false_alarm == out.back().false_alarm) continue;  // above the first
    while (out.size() >= 2 && sgn(turn(out[out.size() - 2], out.back(), point)) <= 0)
      out.pop_back();
    out.push_back(std::move(point));
  }
  return out;
}

}  // namespace

Result<std::vector<Point>> tradeoff_of(const Channel& channel, const Graph& graph) {
  TRY(check(channel, graph, kMostExact));
  constexpr std::size_t kAtOnce = 200'000;
  std::vector<Point> corners{{0, 1}, {1, 0}};
  graph.for_each_edge([&](Node a, Node b) {
    add_corners(channel, a, b, corners);
    add_corners(channel, b, a, corners);
    if (corners.size() > kAtOnce) corners = hull(std::move(corners));
  });
  return hull(std::move(corners));
}

Rational miss_at(const std::vector<Point>& curve, const Rational& false_alarm) {
  for (std::size_t i = 1; i < curve.size(); ++i) {
    const Point &a = curve[i - 1], &b = curve[i];
    if (false_alarm > b.false_alarm) continue;
    return a.miss +
           (b.miss - a.miss) * (false_alarm - a.false_alarm) / (b.false_alarm - a.false_alarm);
  }
  return 0;
}

}  // namespace discreet::channel
