#include "discreet/privacy/law.h"

#include <algorithm>
#include <cmath>

namespace discreet::privacy {
namespace {

constexpr double kUnit = 0x1p-53;
constexpr double kLeast =
    0x1p-960;  // below, doubles lose their relative precision: such a mass counts as unknown
constexpr double kAlmost =
    0x1p-43;  // a loss this close below a grid point counts as on it; the slack makes up for it
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
  // All that was not cut off lies within the cells, also where a loss sits on a grid point.
  double first = std::floor(range.low / step), last = std::floor(range.high / step) + 1;
  while (first * step > range.low) --first;
  while (last * step <= range.high) ++last;
  out.first = 2 * static_cast<long>(first);
  const std::size_t count = 2 * static_cast<std::size_t>(last - first);
  out.half.resize(count);
  std::vector<double> edges(count + 1);
  for (std::size_t j = 0; j <= count; ++j)
    edges[j] = (static_cast<double>(out.first) + static_cast<double>(j)) * (step / 2);
  pair.between_all(edges, out.half);
  out.above = pair.between(edges.back(), HUGE_VAL);
  out.below = pair.between(-HUGE_VAL, edges.front());
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
  out.spread = cells.step * cells.step;
  out.drift = 6 * cells.error;
  return out;
}

namespace {

// The outcomes that are to become one, with ratio e^{kh}: those within half a step of kh, and what
// neighbours let go.
struct Group {
  Mass upper, lower, extra;
  Mass total() const { return {upper.p + lower.p + extra.p, upper.q + lower.q + extra.q}; }
};

void move(Mass& from, Mass& to, double share) {
  to.p += share * from.p;
  to.q += share * from.q;
  from.p *= 1 - share;
  from.q *= 1 - share;
}

constexpr double kShareUp = 0.5, kShareDown = 0.4;  // of itself that a group may give to the one
                                                    // above and below: in all less than 1

}  // namespace

// Each half-step cell joins the grid point it is next to. A group's ratio then is near e^{kh}, at a
// distance of second order: if it is too high it takes a share of the group below, if it is too low
// a share of the group above. As a share has the ratio of the whole, what each may keep of itself
// follows from a tridiagonal system. Where a neighbour has too little to give (at the ends, beside
// a single loss), the half that is in the way goes to the next group first. Where even that fails
// the group is put a step lower.
Law rounded_down(const Cells& cells) {
  Law out;
  out.step = cells.step;
  out.first = cells.grid_first();
  const std::size_t count = cells.half.size() / 2 + 1;
  out.mass.assign(count, 0.0);
  const double less = 1 - cells.error - 64 * kUnit, give = kAlmost + 4 * cells.error;
  std::vector<Group> groups(count);
  std::vector<double> ratio(count);
  for (std::size_t j = 0; j < cells.half.size(); ++j) {
    const Mass& mass = cells.half[j];
    if (mass.p < kLeast) continue;
    if (mass.q < kLeast) {
      out.mass[j / 2] += mass.p * less;  // its ratio is unknown: down to the cell's own grid point
    } else {
      (j % 2 == 0 ? groups[j / 2].upper : groups[j / 2 + 1].lower) = mass;
    }
  }
  for (std::size_t k = 0; k < count; ++k)
    ratio[k] =
        std::exp(static_cast<double>(out.first + static_cast<long>(k)) * cells.step) * (1 - give);
  const auto surplus = [&](const Mass& mass, std::size_t k) { return mass.p - ratio[k] * mass.q; };
  // What helps the group above or below: a half, and if that is not enough all the rest too.
  const auto let_go = [&](std::size_t k, std::size_t to, Mass& half, double needed,
                          double offered) {
    if (offered > 0) move(half, groups[to].extra, std::min(1.0, needed / offered));
    if (offered < needed * (1 - 1e-12)) {
      for (Mass* part : {&groups[k].upper, &groups[k].lower, &groups[k].extra})
        move(*part, groups[to].extra, 1);
    }
  };
  for (int round = 0, moved = 1; round < 8 && moved > 0; ++round) {
    moved = 0;
    for (std::size_t k = count; k-- > 1;) {
      const double lack = -surplus(groups[k].total(), k);
      if (!(lack > 0) || (k + 1 < count && lack <= kShareDown * surplus(groups[k + 1].total(), k)))
        continue;
      let_go(k, k - 1, groups[k].lower, lack, -surplus(groups[k].lower, k));
      ++moved;
    }
    for (std::size_t k = 0; k + 1 < count; ++k) {
      const double excess = surplus(groups[k].total(), k);
      if (!(excess > 0) || (k > 0 && excess <= -kShareUp * surplus(groups[k - 1].total(), k)))
        continue;
      let_go(k, k + 1, groups[k].upper, excess, surplus(groups[k].upper, k));
      ++moved;
    }
  }
  // below[k] and above[k]: the shares of the groups k−1 and k+1 that group k needs for all of
  // itself.
  std::vector<double> below(count), above(count), keep(count), forward(count);
  std::vector<Mass> totals(count);
  for (std::size_t k = 0; k < count; ++k) totals[k] = groups[k].total();
  std::vector<bool> sunk(count);
  for (std::size_t k = 0; k < count; ++k) {
    const double own = surplus(totals[k], k);
    if (own > 0 && k > 0) {
      const double share = own / -surplus(totals[k - 1], k);
      if (share > 0 && share <= kShareUp) below[k] = share;
    } else if (own < 0) {
      const double share = k + 1 < count ? -own / surplus(totals[k + 1], k) : -1;
      if (share > 0 && share <= kShareDown) {
        above[k] = share;
      } else {
        sunk[k] = true;
      }
    }
  }
  // keep_k + below_{k+1}·keep_{k+1} + above_{k−1}·keep_{k−1} = 1, by elimination from the bottom
  // up.
  double shared = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double left = k > 0 ? above[k - 1] : 0, right = k + 1 < count ? below[k + 1] : 0;
    const double pivot = 1 - left * (k > 0 ? forward[k - 1] : 0);
    forward[k] = right / pivot;
    shared = (1 - left * shared) / pivot;
    keep[k] = shared;
  }
  for (std::size_t k = count - 1; k-- > 0;) keep[k] -= forward[k] * keep[k + 1];
  for (std::size_t k = 0; k < count; ++k) {
    double p = totals[k].p;
    if (k > 0) p += below[k] * totals[k - 1].p;
    if (k + 1 < count) p += above[k] * totals[k + 1].p;
    if (sunk[k] && k == 0) continue;
    out.mass[sunk[k] ? k - 1 : k] += keep[k] * p * less;
  }
  out.infinite = cells.p_only * less;
  out.slack = kEdge * (1 + extent(out)) + 2 * give;
  return out;
}

Cells cells_of(const Law& law, long times) {
  const auto floor_divided = [](long a, long b) { return a >= 0 ? a / b : -((-a + b - 1) / b); };
  Cells out;
  out.step = law.step * static_cast<double>(times);
  out.first = 2 * floor_divided(law.first, times);
  const long last = law.first + static_cast<long>(law.mass.size()) - 1;
  out.half.resize(static_cast<std::size_t>(2 * (floor_divided(last, times) + 1) - out.first));
  for (std::size_t k = 0; k < law.mass.size(); ++k) {
    const long index = law.first + static_cast<long>(k);
    Mass& cell = out.half[static_cast<std::size_t>(floor_divided(2 * index, times) - out.first)];
    cell.p += law.mass[k];
    cell.q += law.mass[k] * std::exp(-static_cast<double>(index) * law.step);
  }
  out.p_only = law.infinite;
  out.error = (16 + static_cast<double>(times) + 4 * extent(law)) * kUnit;
  return out;
}

}  // namespace discreet::privacy
