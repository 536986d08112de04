#include "discreet/local/piecewise.h"

#include <fmt/compile.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/local/checks.h"
#include "discreet/local/pure.h"
#include "discreet/local/state.h"

namespace discreet::local {
namespace {

constexpr long kBits = 128;

// The whole number nearest to N/(z + 1), at least 1; z + 1 > 2, so that it is below N.
std::uint64_t width_of(const Ball& z, std::uint64_t cells) {
  const Ball twice = div(Ball(static_cast<long>(2 * cells)), add(z, Ball(1), kBits), kBits);
  const Integer width = (twice.floor_shifted(0) + 1) / 2;
  return std::max<std::uint64_t>(width.get_ui(), 1);
}

}  // namespace

Result<std::unique_ptr<Piecewise>> Piecewise::create(const Parameters& parameters) {
  return on_grid(parameters, kCells);
}

Result<std::unique_ptr<Piecewise>> Piecewise::on_grid(const Parameters& parameters,
                                                      std::uint64_t cells) {
  const Rational epsilon = TRY(checked_epsilon(parameters));
  const Ball half(epsilon / 2, kBits), z = exp(half, kBits), less = expm1(half, kBits);  // z − 1
  const Ball c = div(add(less, Ball(2), kBits), less, kBits);
  // (z² − z)/(2z + 2) = z(z − 1)/(2(z + 1))
  const Ball p = div(mul(z, less, kBits), mul(Ball(2), add(z, Ball(1), kBits), kBits), kBits);
  auto window = TRY(Window::create(epsilon, cells, width_of(z, cells)));
  Constants constants{.name = "piecewise",
                      .task = Task::kMean,
                      .epsilon = epsilon,
                      .domain = 0,
                      .p = p.middle(),
                      .q = div(p, mul(z, z, kBits), kBits).middle(),
                      .variance = 4 * window.variance(),  // −1 … 1 is twice as long as 0 … 1
                      .bits = std::log2(static_cast<double>(cells)),
                      .counters = Window::kCounters,
                      .own = {{"C", c.middle()}},
                      .most_reports = Window::kMostReports};
  return std::unique_ptr<Piecewise>(new Piecewise(std::move(constants), std::move(window)));
}

void Piecewise::write(std::span<const Word> report, std::string& line) const {
  fmt::format_to(std::back_inserter(line), FMT_COMPILE("{}"), report[0]);
}

Fault Piecewise::read(std::string_view line, std::span<Word> report) const {
  return read_index(line, window_.cells(), report[0]);
}

void Piecewise::count(std::span<const Word> reports, std::span<std::uint64_t> counters) const {
  for (const Word report : reports) Window::count(report, counters.first<Window::kCounters>());
}

bool Piecewise::fits(std::span<const std::uint64_t> counters, std::uint64_t users) const {
  return window_.fits(counters.first<Window::kCounters>(), users);
}

Result<std::vector<Word>> Piecewise::outcomes() const { return first_numbers(window_.cells()); }

// Of a number d from the middle, a report's variance is V + d²·(1/h − 1) (Window::spread): the
// paper's (z + 3)/(3(z − 1)²) + t²/(z − 1).
Number Piecewise::mean(const State& state) const {
  const std::span<const std::uint64_t> counters(state.counters);
  const Deviations total = window_.deviations(counters.first<Window::kCounters>(), state.users);
  const double more = window_.spread(total, state.users) * (1 / window_.inside() - 1);
  return mean_place(total, state.users, window_.variance() + more);
}

}  // namespace discreet::local
