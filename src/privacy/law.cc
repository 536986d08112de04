#include "discreet/privacy/law.h"

#include <algorithm>
#include <cmath>

namespace discreet::privacy {
namespace {

constexpr double kUnit = 0x1p-53;
constexpr double kAlmost = 0x1p-43;  // a loss this close below a grid point, relative to the
                                     // largest one, counts as on it; the slack makes up for it

struct Range {
  double low, high;
};

Range range_of(const Pair& pair, const Tails& tails) {
  Range out{pair.low(), pair.high()};
  const auto far = [](auto&& enough) {
    double reach = 1;
    while (!enough(reach) && reach < 1e300) reach *= 2;
    while (enough(reach / 4) && reach > 1e-300) reach /= 4;
    double low = 0, high = reach;
    for (int i = 0; i < 20; ++i) {
      const double middle = (low + high) / 2;
      (enough(middle) ? high : low) = middle;
    }
    return high;
  };
  if (std::isinf(out.high))
    out.high = far([&](double l) { return pair.between(l, HUGE_VAL).p <= tails.above; });
  if (std::isinf(out.low))
    out.low = -far([&](double l) { return pair.between(-HUGE_VAL, -l).q <= tails.below; });
  out.low -= 4 * pair.edge(out.low);  // a loss may sit on the very end
  out.high += 4 * pair.edge(out.high);
  return out;
}

double loss_at(const Law& law, std::size_t k) {
  return law.offset + (static_cast<double>(law.first) + static_cast<double>(k)) * law.step;
}

// e^l and e^l − 1 for all grid points of a law, or for −l: by multiplication within short blocks,
// which adds at most kByBlocks to their relative error.
constexpr double kByBlocks = 64 * kUnit;
std::vector<Powers> powers_on(const Law& law, std::size_t count, double sign) {
  constexpr std::size_t kShort = 16;
  const auto [ratio, more] = powers_of(sign * law.step);
  std::vector<Powers> out(count);
  for (std::size_t k = 0; k < count; ++k) {
    if (k % kShort == 0) {
      out[k] = powers_of(sign * loss_at(law, k));
    } else {
      out[k] = {out[k - 1].ratio * ratio, out[k - 1].more * ratio + more};
    }
  }
  return out;
}

double extent(const Law& law) {
  return std::max(std::fabs(loss_at(law, 0)), std::fabs(loss_at(law, law.mass.size())));
}

// The ratio of what lies within half a step of where the pair is heaviest.
double heaviest(const Pair& pair, Range range, double step) {
  const auto weight = [](const Mass& mass) { return std::min(mass.p, mass.q); };
  for (int i = 0; i < 64 && range.high - range.low > step / 2; ++i) {
    const double middle = range.low + (range.high - range.low) / 2;
    const bool lower = weight(pair.between(range.low, middle)) >
                       weight(pair.between(middle, std::nextafter(range.high, HUGE_VAL)));
    (lower ? range.high : range.low) = middle;
  }
  double out = range.low + (range.high - range.low) / 2;
  for (int i = 0; i < 3; ++i) {
    const Mass mass = pair.between(out - step / 2, out + step / 2);
    if (mass.p < kLeastMass || mass.q < kLeastMass) return 0;
    out = std::clamp(std::log1p(mass.lead / mass.q), out - step / 2, out + step / 2);
  }
  return out;
}

double offset_for(const Pair& pair, const Range& range, double step) {
  const double place = pair.lattice() > 0 ? pair.anchor() : heaviest(pair, range, step);
  return place - std::round(place / step) * step;
}

}  // namespace

double cell_count(const Pair& pair, double step, const Tails& tails) {
  const Range range = range_of(pair, tails);
  return 2 * ((range.high - range.low) / step + 2);
}

namespace {

Cells cut_range(const Pair& pair, double step, const Range& range, double offset) {
  Cells out;
  out.step = step;
  out.offset = offset;
  // All that was not cut off lies within the cells, also where a loss sits on a grid point.
  double first = std::floor((range.low - out.offset) / step),
         last = std::floor((range.high - out.offset) / step) + 1;
  if (out.offset + first * step > range.low) --first;
  if (out.offset + last * step <= range.high) ++last;
  out.first = 2 * static_cast<long>(first);
  const std::size_t count = 2 * static_cast<std::size_t>(last - first);
  out.half.resize(count);
  std::vector<double> edges(count + 1);
  for (std::size_t j = 0; j <= count; ++j)
    edges[j] = out.offset + (static_cast<double>(out.first) + static_cast<double>(j)) * (step / 2);
  pair.between_all(edges, out.half);
  out.above = pair.between(edges.back(), HUGE_VAL);
  out.below = pair.between(-HUGE_VAL, edges.front());
  out.p_only = pair.p_only();
  out.q_only = pair.q_only();
  out.error =
      pair.error() + kByBlocks + 8 * kUnit * std::max(std::fabs(range.low), std::fabs(range.high));
  out.unit = std::min(1.0, pair.unit() + step);  // a cell around 0 adds up leads of both signs
  out.smooth = pair.smooth();
  const double centre = pair.edge(0);
  for (std::size_t j = 0; j < count; j += Cells::kBlock) {
    const double from = edges[j], to = edges[std::min(j + Cells::kBlock, count)];
    double most = std::max(pair.edge(from), pair.edge(to));
    if (from <= 0 && to >= 0) most = std::max(most, centre);
    // The edges are sums of products, each good to its last digit.
    const double size = std::max(std::fabs(from), std::fabs(to)) + std::fabs(out.offset);
    out.edge.push_back(most + 4 * kUnit * size);
  }
  return out;
}

}  // namespace

Cells cut(const Pair& pair, double step, const Tails& tails) {
  const Range range = range_of(pair, tails);
  return cut_range(pair, step, range, offset_for(pair, range, step));
}

Cells cut_at(const Pair& pair, double step, const Tails& tails, double offset) {
  return cut_range(pair, step, range_of(pair, tails), offset);
}

Cells reversed(const Cells& cells) {
  Cells out = cells;
  std::reverse(out.half.begin(), out.half.end());
  const auto exchange = [](Mass& mass) { mass = {mass.q, mass.p, -mass.lead}; };
  for (Mass& mass : out.half) exchange(mass);
  out.first = -cells.first - static_cast<long>(cells.half.size());
  out.offset = -cells.offset;
  // Blocks now begin at the other end: each holds parts of two.
  const std::size_t blocks = out.edge.size();
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t i = blocks - 1 - b;
    out.edge[b] = std::max(cells.edge[i], cells.edge[i > 0 ? i - 1 : 0]);
  }
  out.above = cells.below;
  out.below = cells.above;
  exchange(out.above);
  exchange(out.below);
  out.p_only = cells.q_only;
  out.q_only = cells.p_only;
  return out;
}

namespace {

double largest_edge(const Cells& cells) {
  return cells.edge.empty() ? 0 : *std::max_element(cells.edge.begin(), cells.edge.end());
}

// Every outcome up by as much as cells may be out of place: from l to l + e is less than a share
// (1−e^{−e})/(1−e^{−h}) of it moved up a step, which is a spread. Returns the largest share.
double make_up_for_edges(const Cells& cells, double width, Law& law) {
  law.mass.push_back(0);
  double most = 0;
  for (std::size_t k = law.mass.size() - 1; k-- > 0;) {
    const std::size_t block = std::min(2 * k / Cells::kBlock, cells.edge.size() - 1),
                      before =
                          std::min((2 * std::max<std::size_t>(k, 1) - 2) / Cells::kBlock, block);
    const double share =
        -std::expm1(-std::max(cells.edge[block], cells.edge[before])) / width * (1 + 0x1p-40);
    const double moved = law.mass[k] * share;
    law.mass[k + 1] += moved;
    law.mass[k] -= moved;
    most = std::max(most, share);
  }
  return most;
}

}  // namespace

// Between kh and (k+1)h: w_l + w_r = P and w_l·e^{−kh} + w_r·e^{−(k+1)h} = Q, so w_r = (P −
// e^{kh}Q)/(1−e^{−h}). As much as its doubt can make of w_r is moved up, so that the law surely
// lies above the exact split.
Law rounded_up(const Cells& cells) {
  Law out;
  out.step = cells.step;
  out.offset = cells.offset;
  out.first = cells.grid_first();
  const std::size_t intervals = cells.half.size() / 2;
  out.mass.assign(intervals + 1, 0.0);
  const double width = -std::expm1(-cells.step), more = 1 + cells.error;
  out.infinite = (cells.above.p + cells.p_only) * more;
  double doubt = 0;  // the largest, relative
  const std::vector<Powers> powers = powers_on(out, intervals, 1);
  for (std::size_t i = 0; i < intervals; ++i) {
    Mass cell = cells.half[2 * i];
    cell += cells.half[2 * i + 1];
    if (cell.q < kLeastMass) cell.q = 0, cell.lead = cell.p;  // too small to be told from 0
    if (cell.p < kLeastMass) {
      if (cell.p > 0 || cell.q > 0) out.infinite += kLeastMass;
      continue;
    }
    const double loss = loss_at(out, i);
    const Surplus here = loss > 700 ? surplus_of(cell, loss, cells.error, cells.unit)
                                    : surplus_of(cell, powers[i], cells.error, cells.unit);
    const double right = std::clamp((here.value + here.doubt) / width, 0.0, cell.p);
    out.mass[i + 1] += right * more;
    out.mass[i] += (cell.p - right) * more;
    doubt = std::max(doubt, here.doubt / cell.p);
  }
  if (!out.mass.empty()) out.mass[0] += cells.below.p * more;  // raised to the grid's end
  const double edge = largest_edge(cells);
  if (cells.smooth && edge < cells.step / 8) {
    doubt += make_up_for_edges(cells, width, out) * width;
    out.spread = 4 * cells.step * cells.step;
  } else {
    out.slack = edge;
    out.spread = cells.step * cells.step;
  }
  out.drift = 2 * doubt * cells.step / width;
  out.inflation = 2 * cells.error;
  return out;
}

Law closer(const Law& a, const Law& b, bool up) {
  Law out = a;
  for (std::size_t k = 0; k < out.mass.size(); ++k) {
    const long other = a.first + static_cast<long>(k) - b.first;
    const bool inside = other >= 0 && other < static_cast<long>(b.mass.size());
    const double mass = inside ? b.mass[static_cast<std::size_t>(other)] : 0;
    out.mass[k] = up ? std::min(out.mass[k], mass) : std::max(out.mass[k], mass);
  }
  out.infinite = up ? std::min(a.infinite, b.infinite) : std::max(a.infinite, b.infinite);
  return out;
}

namespace {

// The outcomes that are to become one, with ratio e^{kh}: those within half a step of kh, and what
// neighbours let go.
struct Group {
  Mass upper, lower, extra;
  Mass total() const {
    Mass out = upper;
    out += lower;
    out += extra;
    return out;
  }
};

void move(Mass& from, Mass& to, double share) {
  to += {share * from.p, share * from.q, share * from.lead};
  from = {(1 - share) * from.p, (1 - share) * from.q, (1 - share) * from.lead};
}

constexpr double kShareUp = 0.5, kShareDown = 0.4;  // of itself that a group may give to the one
                                                    // above and below: in all less than 1

}  // namespace

// Each half-step cell joins the grid point it is next to. A group's ratio then is near e^{kh}, at a
// distance of second order: if it is too high it takes a share of the group below, if it is too low
// a share of the group above. As a share has the ratio of the whole, what each may keep of itself
// follows from a tridiagonal system. Where a neighbour has too little to give (at the ends, beside
// a single loss), the half that is in the way goes to the next group first. Where even that fails
// the group is put a step lower. Where losses are smooth a group aims above its grid point by as
// much as it may be wrong; where single ones may lie just on the point it aims below, and the slack
// makes up for it.
Law rounded_down(const Cells& cells) {
  Law out;
  out.step = cells.step;
  out.offset = cells.offset;
  out.first = cells.grid_first();
  const std::size_t count = cells.half.size() / 2 + 1;
  out.mass.assign(count, 0.0);
  const double less = 1 - cells.error - 64 * kUnit;
  std::vector<Group> groups(count);
  std::vector<double> ratio(count), more(count);  // e^l and e^l − 1 of what a group aims at
  for (std::size_t j = 0; j < cells.half.size(); ++j) {
    const Mass& mass = cells.half[j];
    if (mass.p < kLeastMass) continue;
    if (mass.q < kLeastMass) {
      // Its ratio is unknown: down past the cell's own grid point.
      if (j >= 2) out.mass[j / 2 - 1] += mass.p * less;
    } else {
      (j % 2 == 0 ? groups[j / 2].upper : groups[j / 2 + 1].lower) = mass;
    }
  }
  // By how much a group's loss may be wrong: e times |lead|/q + 2·unit + |e^l−1|, or 2e where that
  // is less. (Where its cells end does not matter: any outcomes may be merged.)
  const auto doubt = [&](double loss) {
    const double reach = std::fabs(loss) + cells.step;  // e^x − 1 ≤ x + x² up to x = 1
    return 4 * cells.error * std::min(1.0, 3 * (reach + reach * reach + cells.unit));
  };
  const double give = cells.smooth ? 0 : kAlmost * extent(out);
  if (cells.smooth) {
    // The heaviest group has just its grid point's ratio, and should not need to look for help.
    std::size_t heaviest = 0;
    double most = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const Mass mass = groups[k].total();
      if (const double weight = std::min(mass.p, mass.q); weight > most)
        most = weight, heaviest = k;
    }
    out.offset -= 2 * doubt(loss_at(out, heaviest));
  }
  const std::vector<Powers> powers = powers_on(out, count, 1);
  for (std::size_t k = 0; k < count; ++k) {
    const double wrong = doubt(loss_at(out, k));
    if (!cells.smooth) out.slack = std::max(out.slack, give + 2 * wrong);
    const double aim = cells.smooth ? wrong : -give - wrong;  // tiny: e^{l+a} − e^l is a·e^l
    ratio[k] = powers[k].ratio * (1 + aim);
    more[k] = powers[k].more + powers[k].ratio * aim;
  }
  const auto surplus = [&](const Mass& mass, std::size_t k) {
    return std::fabs(more[k]) < 0.25 ? mass.lead - more[k] * mass.q : mass.p - ratio[k] * mass.q;
  };
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
  return out;
}

Cells cells_of(const Law& law, long times, bool smooth) {
  const auto floor_divided = [](long a, long b) { return a >= 0 ? a / b : -((-a + b - 1) / b); };
  Cells out;
  out.step = law.step * static_cast<double>(times);
  // The heaviest loss is on the coarse grid too.
  const long heaviest = std::max_element(law.mass.begin(), law.mass.end()) - law.mass.begin();
  const long shift = (law.first + heaviest) - floor_divided(law.first + heaviest, times) * times;
  out.offset = law.offset + static_cast<double>(shift) * law.step;
  const long begin = law.first - shift, last = begin + static_cast<long>(law.mass.size()) - 1;
  out.first = 2 * floor_divided(begin, times);
  out.half.resize(static_cast<std::size_t>(2 * (floor_divided(last, times) + 1) - out.first));
  const std::vector<Powers> powers = powers_on(law, law.mass.size(), -1);
  for (std::size_t k = 0; k < law.mass.size(); ++k) {
    const long index = begin + static_cast<long>(k);
    out.half[static_cast<std::size_t>(floor_divided(2 * index, times) - out.first)] +=
        {law.mass[k], law.mass[k] * powers[k].ratio, -law.mass[k] * powers[k].more};
  }
  out.p_only = law.infinite;
  out.error = kByBlocks + (16 + static_cast<double>(times) + 4 * extent(law)) * kUnit;
  out.unit = std::min(1.0, out.step);
  out.smooth = smooth;
  const double rounding = 4 * kUnit * (extent(law) + std::fabs(out.offset));
  out.edge.assign(out.half.size() / Cells::kBlock + 1, rounding);
  return out;
}

}  // namespace discreet::privacy
