// A window on a grid, exactly: a report is one of N cells, and the W cells of a window that the
// value places are e^ε times as likely as each of the others. Piecewise and square wave are this
// with different widths.
//
//   #include "discreet/random/generator.h"
//   Window window = *Window::create(1, 64, 24);
//   const Value middle = kScale / 2;
//   Word cell = 0;
//   Status told = window.perturb({&middle, 1}, random::thread_generator(), {&cell, 1});
//
// The window of a value v on 0 … kScale starts at v·(N−W)/kScale, rounded at random so that this is
// its mean exactly. With probability h = W(e^ε − 1)/(W(e^ε − 1) + N) the report is a uniform cell
// of the window, else a uniform one of all: each cell has at least P = 1/(W(e^ε − 1) + N), and
// those of the window (e^ε − 1)·P more.
//
// What is proved: given where the window starts, a cell has probability P or e^ε·P, so a mixture
// over starts is in between, and no two values are further apart than e^ε; the first cell from both
// ends of the grid reaches it. A report's mean is affine in v: (N−1)/2 + B·(v/kScale − 1/2) with
// B = h·(N−W), so that 1/2 + (report − (N−1)/2)/B is unbiased, on the grid and not only in a limit.
#pragma once

#include "discreet/local/numeric.h"
#include "discreet/local/protocol.h"
#include "discreet/random/bernoulli.h"

namespace discreet::local {

class Window {
 public:
  // At most 2^31 cells, and a window of 1 to cells − 1 of them.
  static Result<Window> create(const Rational& epsilon, std::uint64_t cells, std::uint64_t width);

  std::uint64_t cells() const { return cells_; }
  std::uint64_t width() const { return width_; }
  Status perturb(std::span<const Value> values, random::Source& source,
                 std::span<Word> reports) const;
  Ball probability(Value value, Word cell, long bits) const;

  // Three counters: the sum of the cells and the sum of their squares, in two halves, each below
  // 2^31 a report. Exact for as many as 2^33 reports: Constants::most_reports of who uses it.
  static constexpr std::size_t kCounters = 3;
  static constexpr std::uint64_t kMostReports = std::uint64_t{1} << 33;
  static void count(Word cell, std::span<std::uint64_t, kCounters> counters) {
    const std::uint64_t square = std::uint64_t{cell} * cell;
    counters[0] += cell;
    counters[1] += square & 0x7fffffff;
    counters[2] += square >> 31;
  }
  // Whether so many cells can have these sums.
  bool fits(std::span<const std::uint64_t, kCounters> counters, std::uint64_t users) const;
  // What the cells say of places: the sum of (cell − (N−1)/2)/B over the reports, and of its
  // square.
  Deviations deviations(std::span<const std::uint64_t, kCounters> counters,
                        std::uint64_t users) const;
  // Of the place estimated from one report of the value in the middle.
  double variance() const { return variance_; }
  // h: how likely a report is drawn from the window.
  double inside() const { return inside_; }
  // The mean of d² over people whose places are d from the middle, as their reports tell: within 0
  // and 1/4, 0 where there are none.
  double spread(const Deviations& total, std::uint64_t users) const;

 private:
  Window(Rational epsilon, std::uint64_t cells, std::uint64_t width, random::Bernoulli coin);

  Rational epsilon_;
  std::uint64_t cells_, width_;
  random::Bernoulli coin_;
  double inside_, slope_, variance_;
};

}  // namespace discreet::local
