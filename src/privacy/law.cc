#include "discreet/privacy/law.h"

#include <algorithm>
#include <cmath>

namespace discreet::privacy {
namespace {

constexpr double kUnit = 0x1p-53;
constexpr double kLeast =
    0x1p-960;  // below, doubles lose their relative precision: such a mass counts as unknown
constexpr double kEdge = 16 * kUnit;  // where a cell ends, relative to 1 + |loss|

struct Range {
  double low, high;
};

// Where less than `tail` of P lies above, of Q below.
Range range_of(const Pair& pair, double tail) {
  Range out{pair.low(), pair.high()};
  const auto far = [](auto&& enough) {
    double reach = 1;
    while (!enough(reach) && reach < 1e300) reach *= 2;
    double low = 0, high = reach;
    for (int i = 0; i < 20; ++i) {
      const double middle = (low + high) / 2;
      (enough(middle) ? high : low) = middle;
    }
    return high;
  };
  if (std::isinf(out.high))
    out.high = far([&](double l) { return pair.between(l, HUGE_VAL).p <= tail; });
  if (std::isinf(out.low))
    out.low = -far([&](double l) { return pair.between(-HUGE_VAL, -l).q <= tail; });
  return out;
}

double extent(const Law& law) {
  const double last = static_cast<double>(law.first) + static_cast<double>(law.mass.size());
  return law.step * std::max(std::fabs(static_cast<double>(law.first)), std::fabs(last));
}

}  // namespace

double cell_count(const Pair& pair, double step, double tail) {
  const Range range = range_of(pair, tail);
  return 2 * ((range.high - range.low) / step + 2);
}

Cells cut(const Pair& pair, double step, double tail) {
  const Range range = range_of(pair, tail);
  Cells out;
  out.step = step;
  const double first = std::floor(range.low / step), last = std::floor(range.high / step) + 1;
  out.first = 2 * static_cast<long>(first);
  const std::size_t count = 2 * static_cast<std::size_t>(last - first);
  out.half.resize(count);
  const auto edge = [&](std::size_t j) {
    return (static_cast<double>(out.first) + static_cast<double>(j)) * (step / 2);
  };
  for (std::size_t j = 0; j < count; ++j) out.half[j] = pair.between(edge(j), edge(j + 1));
  out.above = pair.between(edge(count), HUGE_VAL);
  out.below = pair.between(-HUGE_VAL, edge(0));
  out.p_only = pair.p_only();
  out.q_only = pair.q_only();
  out.error = pair.error() + 8 * kUnit * std::max(std::fabs(range.low), std::fabs(range.high));
  return out;
}

Cells reversed(const Cells& cells) {
  Cells out = cells;
  std::reverse(out.half.begin(), out.half.end());
  for (Mass& mass : out.half) std::swap(mass.p, mass.q);
  out.first = -cells.first - static_cast<long>(cells.half.size());
  out.above = {cells.below.q, cells.below.p};
  out.below = {cells.above.q, cells.above.p};
  out.p_only = cells.q_only;
  out.q_only = cells.p_only;
  return out;
}

// Between kh and (k+1)h: w_l + w_r = P and w_l·e^{−kh} + w_r·e^{−(k+1)h} = Q, so w_r = (P −
// e^{kh}Q)/(1−e^{−h}). P and Q are known up to a relative error; as much as that can make of w_r is
// moved up, so that the law surely lies above the exact split.
Law rounded_up(const Cells& cells) {
  Law out;
  out.step = cells.step;
  out.first = cells.grid_first();
  const std::size_t intervals = cells.half.size() / 2;
  out.mass.assign(intervals + 1, 0.0);
  const double width = -std::expm1(-cells.step), more = 1 + cells.error;
  for (std::size_t i = 0; i < intervals; ++i) {
    const Mass &a = cells.half[2 * i], &b = cells.half[2 * i + 1];
    const double p = a.p + b.p, q = a.q + b.q;
    if (!(p > 0)) continue;
    const double loss = static_cast<double>(out.first + static_cast<long>(i)) * cells.step;
    const double surplus =
        loss < 700 ? p - std::exp(loss) * q : p * -std::expm1(loss - std::log(p / q));
    const double right = std::clamp((surplus + 4 * cells.error * p) / width, 0.0, p);
    out.mass[i + 1] += right * more;
    out.mass[i] += (p - right) * more;
  }
  if (!out.mass.empty()) out.mass[0] += cells.below.p * more;  // raised to the grid's end
  out.infinite = (cells.above.p + cells.p_only) * more;
  out.slack = kEdge * (1 + extent(out));
  return out;
}

// From the highest loss down: take cells until their common ratio has fallen to the next grid point
// below the first of them.
Law rounded_down(const Cells& cells) {
  Law out;
  out.step = cells.step;
  out.first = cells.grid_first();
  out.mass.assign(cells.half.size() / 2 + 1, 0.0);
  const double less = 1 - cells.error, guard = 1 + 4 * cells.error;
  std::size_t j = cells.half.size();
  Mass rest;  // of the cell that was divided last
  const auto take = [&]() -> bool {
    while (!(rest.p >= kLeast)) {
      if (j == 0) return false;
      rest = cells.half[--j];
      if (rest.p >= kLeast &&
          rest.q < kLeast) {  // its ratio is unknown: down to the cell's own grid point
        out.mass[j / 2] += rest.p * less;
        rest = {};
      }
    }
    return true;
  };
  while (take()) {
    const double top = std::floor(std::log(rest.p / (rest.q * guard)) / cells.step);
    const double k =
        std::min(top, static_cast<double>(out.first) + static_cast<double>(out.mass.size()) - 1);
    if (k < static_cast<double>(out.first)) break;
    const double ratio = std::exp(k * cells.step) * guard;
    Mass pool;
    while (take()) {
      const double gain = pool.p - ratio * pool.q, need = ratio * rest.q - rest.p;
      if (need <= gain) {
        pool.p += rest.p;
        pool.q += rest.q;
        rest = {};
        continue;
      }
      const double share = std::clamp(gain / need, 0.0, 1.0);
      pool.p += share * rest.p;
      pool.q += share * rest.q;
      rest.p *= 1 - share;
      rest.q *= 1 - share;
      break;
    }
    out.mass[static_cast<std::size_t>(k - static_cast<double>(out.first))] += pool.p * less;
  }
  out.infinite = cells.p_only * less;
  out.slack = kEdge * (1 + extent(out));
  return out;
}

}  // namespace discreet::privacy
