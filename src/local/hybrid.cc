#include "discreet/local/hybrid.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/local/checks.h"
#include "discreet/local/pure.h"
#include "discreet/local/state.h"

namespace discreet::local {
namespace {

constexpr long kBits = 128;

Ball cube_root(const Ball& a, long bits) { return exp(div(log(a, bits), Ball(3), bits), bits); }

// ε* of the paper: from here on the mixture is better than Duchi's protocol alone.
Ball threshold(long bits) {
  const Ball root = mul(Ball(405), sqrt(Ball(241), bits), bits);
  const Ball cubes = add(cube_root(sub(Ball(6353), root, bits), bits),
                         cube_root(add(Ball(6353), root, bits), bits), bits);
  return log(div(sub(mul(Ball(2), cubes, bits), Ball(5), bits), Ball(27), bits), bits);
}

// ε* is no rational number, so some precision tells.
bool above_threshold(const Rational& epsilon) {
  for (long bits = kBits;; bits *= 2) {
    const Ball asked(epsilon, bits), limit = threshold(bits);
    if (surely_less(limit, asked)) return true;
    if (surely_less(asked, limit)) return false;
  }
}

}  // namespace

Result<std::unique_ptr<Hybrid>> Hybrid::create(const Parameters& parameters) {
  return on_grid(parameters, Piecewise::kCells);
}

Result<std::unique_ptr<Hybrid>> Hybrid::on_grid(const Parameters& parameters, std::uint64_t cells) {
  const Rational epsilon = TRY(checked_epsilon(parameters));
  const bool both = above_threshold(epsilon);
  Real alpha = [epsilon, both](long bits) {
    return both ? -expm1(Ball(-epsilon / 2, bits), bits) : Ball(0);
  };
  auto duchi = TRY(Duchi::create(parameters));
  auto piecewise = TRY(Piecewise::on_grid(parameters, cells));
  auto coin = TRY(random::Bernoulli::create(alpha));
  Constants constants = duchi->constants();
  const double a = alpha(kBits).middle();
  constants.name = "hybrid";
  constants.variance = a * piecewise->constants().variance + (1 - a) * constants.variance;
  constants.bits = both ? std::log2(static_cast<double>(cells + 2)) : 1;
  constants.counters = Window::kCounters + 3;
  constants.own = {{"alpha", a}};
  constants.most_reports = Window::kMostReports;
  return std::unique_ptr<Hybrid>(new Hybrid(
      std::move(constants),
      {std::move(duchi), std::move(piecewise), std::move(alpha), both, std::move(coin)}));
}

// Both parts are always asked, and one of the answers is thrown away.
Status Hybrid::perturb(std::span<const Value> values, random::Source& source,
                       std::span<Word> reports) const {
  TRY(check_places(values));
  std::array<std::int64_t, 512> chosen;
  std::array<Word, 512> signs, cells;
  for (std::size_t start = 0; start < values.size(); start += chosen.size()) {
    const std::size_t count = std::min(chosen.size(), values.size() - start);
    const auto some = values.subspan(start, count);
    TRY(parts_.coin.fill(source, std::span(chosen).first(count)));
    TRY(parts_.duchi->perturb(some, source, std::span(signs).first(count)));
    TRY(parts_.piecewise->perturb(some, source, std::span(cells).first(count)));
    for (std::size_t i = 0; i < count; ++i) {
      const Word mask = 0 - static_cast<Word>(chosen[i]);  // all ones where piecewise reports
      reports[start + i] = (cells[i] & mask) | ((minus() + signs[i]) & ~mask);
    }
  }
  return {};
}

void Hybrid::write(std::span<const Word> report, std::string& line) const {
  if (report[0] < minus()) return parts_.piecewise->write(report, line);
  const Word sign = report[0] - minus();
  parts_.duchi->write({&sign, 1}, line);
}

// A cell is refused where no client says one.
Fault Hybrid::read(std::string_view line, std::span<Word> report) const {
  if (parts_.duchi->read(line, report) == Fault::kNone) {
    report[0] += minus();
    return Fault::kNone;
  }
  const Fault fault = parts_.piecewise->read(line, report);
  return fault == Fault::kNone && !parts_.both ? Fault::kOutOfRange : fault;
}

// The counters: of the cells, how many said cells, −1, +1.
void Hybrid::count(std::span<const Word> reports, std::span<std::uint64_t> counters) const {
  for (const Word report : reports) {
    if (report < minus()) {
      Window::count(report, counters.first<Window::kCounters>());
      ++counters[Window::kCounters];
    } else {
      ++counters[Window::kCounters + 1 + (report - minus())];
    }
  }
}

bool Hybrid::fits(std::span<const std::uint64_t> counters, std::uint64_t users) const {
  const std::uint64_t cells = counters[Window::kCounters];
  return sum_to(counters.subspan(Window::kCounters), users) && (parts_.both || cells == 0) &&
         parts_.piecewise->window().fits(counters.first<Window::kCounters>(), cells);
}

Ball Hybrid::probability(Value value, std::span<const Word> report, long bits) const {
  const Ball alpha = parts_.alpha(bits);
  if (report[0] < minus())
    return mul(alpha, parts_.piecewise->probability(value, report, bits), bits);
  const Word sign = report[0] - minus();
  return mul(sub(Ball(1), alpha, bits), parts_.duchi->probability(value, {&sign, 1}, bits), bits);
}

Result<std::vector<Word>> Hybrid::outcomes() const {
  if (!parts_.both) return std::vector<Word>{minus(), minus() + 1};
  return first_numbers(parts_.piecewise->window().cells() + 2);
}

// The mean of what each report stands for. How many came from each part is known and depends on
// nobody's number, so that the noise is what it is with that many: of a number d from the middle
// V + d²·(1/h − 1) in a cell (Window::spread), C²/4 − d² in a sign. What few cells say of d² is
// believed in part only, where it would shorten the bar.
Number Hybrid::mean(const State& state) const {
  const std::span<const std::uint64_t> counters(state.counters);
  const std::uint64_t cells = counters[Window::kCounters], down = counters[Window::kCounters + 1],
                      up = counters[Window::kCounters + 2];
  if (!parts_.both || cells == 0) return parts_.duchi->mean(down, up);
  const Window& window = parts_.piecewise->window();
  const Deviations first = window.deviations(counters.first<Window::kCounters>(), cells);
  const Deviations second = parts_.duchi->deviations(down, up);
  const auto n = static_cast<double>(cells), signs = static_cast<double>(down + up);
  const double spread = window.spread(first, cells), sure = spread * n / (n + 4);
  const double of_cell = window.variance() + spread * (1 / window.inside() - 1);
  const double of_sign =
      std::max(parts_.duchi->constants().variance / 4 - sure, parts_.duchi->least_variance());
  return mean_place({first.sum + second.sum, first.squares + second.squares}, cells + down + up,
                    (n * of_cell + signs * of_sign) / (n + signs));
}

}  // namespace discreet::local
