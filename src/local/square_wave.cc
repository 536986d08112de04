#include "discreet/local/square_wave.h"

#include <fmt/compile.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/local/checks.h"
#include "discreet/local/pure.h"
#include "discreet/local/square_wave_likelihood.h"
#include "discreet/local/state.h"

namespace discreet::local {
namespace {

constexpr long kBits = 128;

// b = (εe^ε − e^ε + 1)/(2e^ε(e^ε − 1 − ε)). Above and below, all but ε²/2 cancels where ε is small:
// so much precision that enough is left.
Ball half_width(const Rational& epsilon) {
  for (long bits = 2 * kBits;; bits *= 2) {
    const Ball e(epsilon, bits), power = exp(e, bits), more = expm1(e, bits);
    const Ball above = sub(mul(e, power, bits), more, bits);
    const Ball below = mul(mul(Ball(2), power, bits), sub(more, e, bits), bits);
    Ball b = div(above, below, bits);
    if (b.is_finite() && b.accurate_bits() >= kBits) return b;
  }
}

}  // namespace

Result<std::unique_ptr<SquareWave>> SquareWave::create(const Parameters& parameters) {
  return on_grid(parameters, kGrid);
}

Result<std::unique_ptr<SquareWave>> SquareWave::on_grid(const Parameters& parameters,
                                                        std::uint64_t grid) {
  const Rational epsilon = TRY(checked_epsilon(parameters));
  TRY(check_domain(parameters, 2, std::min<std::size_t>(kMostBins, grid)));
  const Ball b = half_width(epsilon);
  const Integer side = mul(b, Ball(static_cast<long>(grid)), kBits).floor_shifted(0);
  const std::uint64_t width = 2 * side.get_ui() + 1;
  auto window = TRY(Window::create(epsilon, grid + width - 1, width));
  const std::size_t parts = (kParts + parameters.domain - 1) / parameters.domain;
  const SlidingBins bins(
      window, parameters.domain * std::min<std::size_t>(parts, grid / parameters.domain));
  // per cell: P = 1/(W(e^ε − 1) + N)
  const Ball more = expm1(Ball(epsilon, kBits), kBits);
  const Ball outside = div(Ball(1),
                           add(mul(Ball(static_cast<long>(width)), more, kBits),
                               Ball(static_cast<long>(window.cells())), kBits),
                           kBits);
  const Ball power = add(more, Ball(1), kBits);
  const Ball both = add(mul(mul(Ball(2), b, kBits), power, kBits), Ball(1), kBits);  // 2be^ε + 1
  Constants constants{.name = "square-wave",
                      .task = Task::kShape,
                      .epsilon = epsilon,
                      .domain = parameters.domain,
                      .p = div(power, both, kBits).middle(),
                      .q = div(Ball(1), both, kBits).middle(),
                      .variance = window.variance(),
                      .bits = std::log2(static_cast<double>(window.cells())),
                      .counters = bins.reports(),
                      .own = {{"b", b.middle()}}};
  return std::unique_ptr<SquareWave>(new SquareWave(std::move(constants), std::move(window), bins,
                                                    outside.middle(),
                                                    mul(outside, more, kBits).middle()));
}

void SquareWave::write(std::span<const Word> report, std::string& line) const {
  fmt::format_to(std::back_inserter(line), FMT_COMPILE("{}"), report[0]);
}

Fault SquareWave::read(std::string_view line, std::span<Word> report) const {
  return read_index(line, window_.cells(), report[0]);
}

void SquareWave::count(std::span<const Word> reports, std::span<std::uint64_t> counters) const {
  for (const Word report : reports) ++counters[bins_.bin_of(report)];
}

bool SquareWave::fits(std::span<const std::uint64_t> counters, std::uint64_t users) const {
  return sum_to(counters, users);
}

Result<std::vector<Word>> SquareWave::outcomes() const { return first_numbers(window_.cells()); }

double SquareWave::probability_of_counter(std::size_t part, std::size_t counter) const {
  return outside_ * static_cast<double>(bins_.length(counter)) +
         extra_ * bins_.covered(part, counter);
}

Result<std::unique_ptr<Likelihood>> SquareWave::likelihood(const State& state) const {
  return std::make_unique<SquareWaveLikelihood>(bins_, state.counters, outside_, extra_);
}

}  // namespace discreet::local
