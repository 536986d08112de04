#include "discreet/mechanism/gap/rank.h"

#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/mechanism/checks.h"
#include "discreet/mechanism/grid.h"

namespace discreet::mechanism::gap {
namespace {

constexpr long kBits = 128;
constexpr long kFinestQuantile = 1'000'000;  // the largest denominator

Rational rational(std::int64_t value) { return Rational(Integer(static_cast<long>(value))); }

}  // namespace

Status check_range(const Rational& low, const Rational& high, std::int64_t steps) {
  if (low >= high)
    return bad_parameter("range", fmt::format("found {} to {}; accepted are two numbers, the lower "
                                              "one first",
                                              to_decimal(low), to_decimal(high)));
  if (steps < 1 || steps > kMostSteps)
    return bad_parameter("steps", fmt::format("found {}; accepted is a whole number from 1 to {}",
                                              steps, kMostSteps));
  return {};
}

Result<RankChoice> RankChoice::create(const RankParameters& p) {
  TRY(check_epsilon(p.epsilon));
  TRY(check_range(p.low, p.high, p.steps));
  if (p.quantile < 0 || p.quantile > 1 || p.quantile.get_den() > kFinestQuantile)
    return bad_parameter("quantile", fmt::format("found {}; accepted is a number from 0 to 1",
                                                 to_decimal(p.quantile)));
  Exponential chooser = TRY(Exponential::create(
      {.epsilon = p.epsilon,
       .sensitivity = Rational(p.quantile.get_den()),
       .candidates = Candidates::numbered(static_cast<std::size_t>(p.steps) + 1),
       .relation = privacy::Relation::kSubstitute}));
  return RankChoice(p, std::move(chooser));
}

// round((x − low)/(high − low)·steps), ties upward, within 0 … steps.
std::int64_t RankChoice::point(const Rational& number) const {
  const Rational inside = std::clamp<Rational>(number, p_.low, p_.high);
  const Rational place = (inside - p_.low) / (p_.high - p_.low) * rational(p_.steps);
  return floor_of(place + Rational(1, 2)).get_si();
}

std::vector<std::int64_t> RankChoice::points(const std::vector<Rational>& numbers) const {
  std::vector<std::int64_t> out;
  out.reserve(numbers.size());
  for (const Rational& number : numbers) out.push_back(point(number));
  return out;
}

Rational RankChoice::at(std::int64_t point) const {
  return p_.low + (p_.high - p_.low) * rational(point) / rational(p_.steps);
}

// With q = a/b: −max(b·#{x < z} − a·n, a·n − b·#{x ≤ z}, 0).
std::vector<std::int64_t> RankChoice::scores(std::span<const std::int64_t> points) const {
  std::vector<std::int64_t> out(static_cast<std::size_t>(p_.steps) + 1, 0);
  for (const std::int64_t at : points)
    ++out[static_cast<std::size_t>(std::clamp<std::int64_t>(at, 0, p_.steps))];
  const std::int64_t a = p_.quantile.get_num().get_si(), b = p_.quantile.get_den().get_si();
  const std::int64_t wanted = a * static_cast<std::int64_t>(points.size());
  std::int64_t below = 0;
  for (std::int64_t& score : out) {
    const std::int64_t up_to = below + score;
    score = -std::max<std::int64_t>({b * below - wanted, wanted - b * up_to, 0});
    below = up_to;
  }
  return out;
}

Result<Released<std::int64_t>> RankChoice::release(const Exact<std::vector<std::int64_t>>& points,
                                                   random::Source& source) const {
  const auto chosen = TRY(chooser_.release(
      Exact<std::vector<std::int64_t>>::from_private(scores(open(points))), source));
  return chosen.map([](std::size_t index) { return static_cast<std::int64_t>(index); });
}

Result<Released<Rational>> RankChoice::release(const Exact<std::vector<Rational>>& numbers,
                                               random::Source& source) const {
  const auto chosen =
      TRY(release(Exact<std::vector<std::int64_t>>::from_private(points(open(numbers))), source));
  return chosen.map([this](std::int64_t point) { return at(point); });
}

std::vector<Ball> RankChoice::pmf(std::span<const std::int64_t> points, long bits) const {
  return chooser_.pmf(scores(points), bits);
}

Rational RankChoice::accuracy(std::span<const std::int64_t> points, const Rational& beta) const {
  const std::vector<std::int64_t> of_points = scores(points);
  return selection_accuracy(of_points, chooser_.pmf(of_points, kBits), beta) /
         Rational(p_.quantile.get_den());
}

double RankChoice::deck_accuracy(const Rational& beta) const {
  return deck_selection_bound(chooser_.parameters(), 1, beta) / p_.quantile.get_den().get_d();
}

}  // namespace discreet::mechanism::gap
