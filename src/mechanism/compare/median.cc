#include "discreet/mechanism/compare/median.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "discreet/base/try.h"
#include "discreet/mechanism/gap/bounded_change.h"
#include "discreet/mechanism/gap/rank.h"
#include "discreet/mechanism/gap/smooth_quantile.h"
#include "discreet/mechanism/noise.h"

namespace discreet::mechanism::compare {
namespace {

constexpr long kBits = 128;
constexpr std::int64_t kSteps = 20'000;  // of the grid over the range
constexpr int kPointsADecade = 6;
const Rational kBeta(1, 20);
const gap::Unit kReplaced{1, privacy::Relation::kSubstitute};

struct Point {
  Rational epsilon, delta;
  std::int64_t rows;
};

// Evenly from 3/10 to 5/10 of the range, in points of the grid.
std::vector<std::int64_t> spread(std::int64_t rows) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < rows; ++i)
    out.push_back(kSteps * 3 / 10 + (2 * i + 1) * (kSteps * 2 / 10) / (2 * rows));
  return out;
}

// Noise of scale width/ε, clamped to the range: the median may be anywhere in it.
Result<double> everywhere(const Point& at, const gap::Ordered& rows, std::int64_t median) {
  const NoisePointer noise = TRY(discrete_laplace(Rational(rows.range().width()) / at.epsilon));
  const std::int64_t far = std::max(rows.range().high - median, median - rows.range().low);
  return std::min(noise->quantile(kBeta).get_d(), static_cast<double>(far));
}

Result<double> smooth(const Point& at, const Rational& delta, const gap::Ordered& rows) {
  const auto mechanism =
      TRY(gap::SmoothQuantile::create({.noise = {.epsilon = at.epsilon, .delta = delta},
                                       .range = rows.range(),
                                       .unit = kReplaced}));
  return static_cast<double>(mechanism.error(rows, kBeta));
}

// Half of ε for the test and half for the noise, half of the 1/20 for each to fail; and the least
// bound with which the test passes so often, as if somebody had guessed it.
Result<double> proposed(const Point& at, const gap::Ordered& rows, std::int64_t median) {
  const Rational half = at.epsilon / 2;
  const gap::Statistic statistic =
      TRY(gap::Statistic::create(gap::StatisticKind::kQuantile, Rational(1, 2)));
  const auto test = TRY(gap::GapTest::create({half, at.delta}));
  // What the test sees is one more than the units until T_k exceeds the bound (bounded_change.h).
  const std::int64_t last = std::max<std::int64_t>(0, test.distance_for(1 - kBeta / 2) - 2);
  const Rational bound = std::max<Rational>(1, statistic.change(rows, kReplaced, last));
  const auto mechanism = TRY(gap::BoundedChange::create({.test = {half, at.delta},
                                                         .epsilon = half,
                                                         .statistic = statistic,
                                                         .bound = bound,
                                                         .range = rows.range(),
                                                         .unit = kReplaced}));
  const std::int64_t far = std::max(rows.range().high - median, median - rows.range().low);
  return std::min(to_double(mechanism.error(kBeta / 2)), static_cast<double>(far));
}

// From the exact distribution over the grid.
Result<double> by_rank(const Point& at, const std::vector<std::int64_t>& points,
                       std::int64_t median) {
  const auto mechanism =
      TRY(gap::RankChoice::create({.epsilon = at.epsilon,
                                   .low = 0,
                                   .high = Rational(Integer(static_cast<long>(kSteps))),
                                   .steps = kSteps}));
  const std::vector<Ball> chances = mechanism.pmf(points, kBits);
  const auto chance = [&](std::int64_t z) {
    return z < 0 || z > kSteps ? Ball(0) : chances[static_cast<std::size_t>(z)];
  };
  Ball inside = chance(median);
  std::int64_t m = 0;
  while (m < kSteps && !surely_at_most(Ball(1 - kBeta, kBits), inside)) {
    ++m;
    inside = add(inside, add(chance(median - m), chance(median + m), kBits), kBits);
  }
  return static_cast<double>(m);
}

Status add_point(const Point& at, double step, Comparison& out) {
  std::vector<std::int64_t> points = spread(at.rows);
  const gap::Range range = TRY(gap::Range::create(0, kSteps));
  const gap::Ordered rows = gap::Ordered::of(points, range);
  const gap::Quantile middle = TRY(gap::Quantile::create(Rational(1, 2)));
  const std::int64_t median = rows.at(middle.rank(rows.size()));
  // Half a step is what the grid itself may cost.
  const double errors[] = {TRY(everywhere(at, rows, median)), TRY(smooth(at, 0, rows)),
                           TRY(smooth(at, at.delta, rows)), TRY(proposed(at, rows, median)),
                           TRY(by_rank(at, points, median))};
  for (std::size_t i = 0; i < std::size(errors); ++i)
    out.lines[i].y.push_back((errors[i] + 0.5) * step);
  return {};
}

Result<Comparison> empty(const MedianCase& given) {
  TRY(gap::check_range(given.low, given.high, kSteps));
  if (given.rows < 1 || given.rows > 10'000)
    return bad_parameter("rows", fmt::format("found {}; accepted is 1 to 10000", given.rows));
  Comparison out{.title = "A private median",
                 .x_label = "",
                 .y_label = "error, 19 times in 20 at most",
                 .log_x = true,
                 .log_y = true};
  for (const char* name : {"Laplace, for the whole range", "smooth sensitivity, Cauchy noise",
                           "smooth sensitivity, Laplace noise", "propose-test-release, best bound",
                           "exponential, by rank"})
    out.lines.push_back({name, {}});
  return out;
}

double step_of(const MedianCase& given) {
  return to_double(given.high - given.low) / static_cast<double>(kSteps);
}

std::string data(const MedianCase& given, const std::string& rows) {
  const Rational width = given.high - given.low;
  return fmt::format(
      "{} rows spread evenly from {} to {}, range {} to {}; one a unit, substitute; exact", rows,
      to_text(to_double(given.low + width * Rational(3, 10))),
      to_text(to_double(given.low + width / 2)), to_text(to_double(given.low)),
      to_text(to_double(given.high)));
}

}  // namespace

Result<Comparison> compare_median(const MedianCase& given) {
  Comparison out = TRY(empty(given));
  out.x_label = "rows";
  out.notes = {
      fmt::format("ε = {}; smooth sensitivity with Laplace noise, and propose-test-release: δ = {}",
                  to_decimal(given.epsilon), to_text(to_double(given.delta))),
      data(given, "n")};
  const double least = std::max(10.0, static_cast<double>(given.rows) / 30);
  for (int k = 0; k <= 4 * kPointsADecade; ++k) {
    const double rows = std::round(least * std::pow(10, double(k) / kPointsADecade));
    if (rows > static_cast<double>(given.rows) * 30) break;
    out.x.push_back(rows);
    TRY(add_point({given.epsilon, given.delta, static_cast<std::int64_t>(rows)}, step_of(given),
                  out));
  }
  return out;
}

Result<Comparison> compare_median_by_epsilon(const MedianCase& given) {
  Comparison out = TRY(empty(given));
  out.x_label = "ε";
  out.notes = {
      fmt::format("smooth sensitivity with Laplace noise, and propose-test-release: δ = {}",
                  to_text(to_double(given.delta))),
      data(given, std::to_string(given.rows))};
  for (int k = 0; k <= 2 * kPointsADecade; ++k) {
    // Two digits are enough for a point of a picture, and exact.
    const double share = std::pow(10, double(k) / kPointsADecade) / 10;
    const Rational epsilon = given.epsilon * Rational(std::lround(share * 1000), 1000);
    out.x.push_back(to_double(epsilon));
    TRY(add_point({epsilon, given.delta, given.rows}, step_of(given), out));
  }
  return out;
}

}  // namespace discreet::mechanism::compare
