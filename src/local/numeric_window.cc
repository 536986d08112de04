#include "discreet/local/numeric_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "discreet/base/try.h"
#include "discreet/local/checks.h"
#include "discreet/random/uniform.h"

namespace discreet::local {
namespace {

constexpr long kBits = 128;
constexpr std::uint64_t kMostCells = std::uint64_t{1} << 31;

Ball whole(std::uint64_t value) { return Ball(static_cast<long>(value)); }

// W(e^ε − 1)
Ball extra(const Rational& epsilon, std::uint64_t width, long bits) {
  return mul(whole(width), expm1(Ball(epsilon, bits), bits), bits);
}
// h = W(e^ε − 1)/(W(e^ε − 1) + N)
Ball heads(const Rational& epsilon, std::uint64_t cells, std::uint64_t width, long bits) {
  const Ball more = extra(epsilon, width, bits);
  return div(more, add(more, whole(cells), bits), bits);
}
// (n² − 1)/12: of a uniform choice among n cells.
Ball uniform_variance(std::uint64_t n) { return div(whole(n * n - 1), Ball(12), kBits); }

}  // namespace

// In the middle the report is (N−1)/2 on average, and a mixture of two uniform choices around that:
// Var = (1 − h)·(N² − 1)/12 + h·((W² − 1)/12 + δ²), where δ² = 1/4 if the window can't be centred
// (N − W odd) and is half a cell off to either side.
Window::Window(Rational epsilon, std::uint64_t cells, std::uint64_t width, random::Bernoulli coin)
    : epsilon_(std::move(epsilon)), cells_(cells), width_(width), coin_(std::move(coin)) {
  const Ball h = heads(epsilon_, cells, width, kBits);
  const Ball slope = mul(h, whole(cells - width), kBits);
  const Ball off(Rational((cells - width) % 2, 4), kBits);
  const Ball inside = mul(h, add(uniform_variance(width), off, kBits), kBits);
  const Ball outside = mul(sub(Ball(1), h, kBits), uniform_variance(cells), kBits);
  inside_ = h.middle();
  slope_ = slope.middle();
  variance_ = div(add(inside, outside, kBits), mul(slope, slope, kBits), kBits).middle();
}

Result<Window> Window::create(const Rational& epsilon, std::uint64_t cells, std::uint64_t width) {
  if (cells > kMostCells || width == 0 || width >= cells)
    return bad_parameter("cells", fmt::format("found a window of {} among {}; accepted is one of 1 "
                                              "cell or more among more cells, {} at most",
                                              width, cells, kMostCells));
  auto coin =
      TRY(random::Bernoulli::create([=](long bits) { return heads(epsilon, cells, width, bits); }));
  return Window(epsilon, cells, width, std::move(coin));
}

// Everything is always drawn, so that no value and no outcome takes longer than another.
Status Window::perturb(std::span<const Value> values, random::Source& source,
                       std::span<Word> reports) const {
  TRY(check_places(values));
  std::array<std::int64_t, 512> inside;
  std::array<std::uint64_t, 512> rounding, in_window, anywhere;
  const std::uint64_t starts = cells_ - width_;
  for (std::size_t begin = 0; begin < values.size(); begin += inside.size()) {
    const std::size_t count = std::min(inside.size(), values.size() - begin);
    TRY(coin_.fill(source, std::span(inside).first(count)));
    TRY(random::fill_uniform_below(source, kScale, std::span(rounding).first(count)));
    TRY(random::fill_uniform_below(source, width_, std::span(in_window).first(count)));
    TRY(random::fill_uniform_below(source, cells_, std::span(anywhere).first(count)));
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t start = (values[begin + i] * starts + rounding[i]) / kScale;
      const std::uint64_t mask = 0 - static_cast<std::uint64_t>(inside[i]);  // all ones on heads
      reports[begin + i] =
          static_cast<Word>(((start + in_window[i]) & mask) | (anywhere[i] & ~mask));
    }
  }
  return {};
}

// P·(1 + (e^ε − 1)·P[the window has the cell])
Ball Window::probability(Value value, Word cell, long bits) const {
  const std::uint64_t place = value * (cells_ - width_), first = place / kScale;
  const Rational later(Integer(place % kScale), Integer(kScale));  // P[it starts one cell later]
  const auto covers = [&](std::uint64_t start) { return cell >= start && cell < start + width_; };
  Rational covered = 0;
  if (covers(first)) covered += 1 - later;
  if (covers(first + 1)) covered += later;
  covered.canonicalize();
  const Ball more = mul(expm1(Ball(epsilon_, bits), bits), Ball(covered, bits), bits);
  return div(add(Ball(1), more, bits), add(extra(epsilon_, width_, bits), whole(cells_), bits),
             bits);
}

// Of n cells y of 0 … m, with m = N − 1: y ≤ y² ≤ m·y, so the same of the sums; (Σy)² ≤ n·Σy²
// (Cauchy and Schwarz); and y and y² are both odd or both even. Of the two halves of a square the
// lower one is below 2^31, the upper one at most m²/2^31.
bool Window::fits(std::span<const std::uint64_t, kCounters> counters, std::uint64_t users) const {
  const Integer n(users), m(cells_ - 1), sum(counters[0]), low(counters[1]), high(counters[2]);
  const Integer squares = low + (high << 31);
  const Integer most_low = n * 0x7fffffff, most_high = n * Integer((m * m) >> 31);
  return low <= most_low && high <= most_high && sum <= n * m && squares >= sum &&
         squares <= m * sum && sum * sum <= n * squares && Integer((squares - sum) % 2) == 0;
}

// With m = N − 1: Σ(2y − m) = 2Σy − n·m and Σ(2y − m)² = 4Σy² − 4mΣy + n·m², in whole numbers, so
// that nothing cancels.
Deviations Window::deviations(std::span<const std::uint64_t, kCounters> counters,
                              std::uint64_t users) const {
  const Integer n(users), m(cells_ - 1), sum(counters[0]);
  const Integer squares = Integer(counters[1]) + (Integer(counters[2]) << 31);
  const Integer first = 2 * sum - n * m, second = 4 * squares - 4 * m * sum + n * m * m;
  const double unit = 2 * slope_;
  return {first.get_d() / unit, second.get_d() / unit / unit};
}

// Given a place d from the middle, a report's deviation e has E[e] = d and E[e²] = V + d²/h, with V
// the variance in the middle: of a window that is (N−W)·d off, h·((N−W)·d)²/B² = d²/h (but for the
// rounding of where it starts, which is half a cell). So E[d²] = h·(E[e²] − V).
double Window::spread(const Deviations& total, std::uint64_t users) const {
  if (users == 0) return 0;
  return std::clamp(inside_ * (total.squares / static_cast<double>(users) - variance_), 0.0, 0.25);
}

}  // namespace discreet::local
