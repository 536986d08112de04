#include "discreet/mechanism/number_mechanism.h"

#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/mechanism/gaussian.h"
#include "discreet/mechanism/laplace.h"

namespace discreet::mechanism {
namespace {

constexpr long kBits = 128;
const Rational kLeftOut(1, 1'000'000'000);

Integer integer(std::int64_t value) { return Integer(static_cast<long>(value)); }

struct Points {
  Integer first, last;
};

Result<Points> points_in(const Additive& additive, std::int64_t value, const Window& window,
                         std::size_t most) {
  const auto [lowest, highest] = additive.range();
  const Integer y = integer(std::clamp(value, lowest, highest));
  Points points;
  if (window.from || window.to) {
    if (!window.from || !window.to || *window.from > *window.to) {
      return bad_parameter("from", "accepted is " + named("from") + " with " + named("to") +
                                       ", the first no larger than the second");
    }
    points.first = ceiling(*window.from / additive.grid().step());
    points.last = floor_of(*window.to / additive.grid().step());
    const Integer rows = std::max(Integer(0), Integer(points.last - points.first + 1));
    if (rows > Integer(static_cast<unsigned long>(most))) {
      return bad_parameter(
          "from", fmt::format("found {} outputs; accepted are up to {}", rows.get_str(), most));
    }
  } else {
    const Integer half = std::min(additive.noise().quantile(kLeftOut),
                                  Integer(static_cast<unsigned long>((most - 1) / 2)));
    points.first = y - half, points.last = y + half;
  }
  points.first = std::max(points.first, integer(lowest));
  points.last = std::min(points.last, integer(highest));
  return points;
}

class NumberMechanism final : public Mechanism, private Door {
 public:
  explicit NumberMechanism(NumberParts parts) : p_(std::move(parts)) {}

  privacy::Guarantee guarantee() const override { return p_.additive.guarantee(); }
  privacy::Event event() const override { return p_.additive.event(); }

  Result<Pmf> pmf(const Value& input, const Window& window) const override {
    const std::int64_t value = TRY(point(input));
    Pmf out;
    TRY(add_masses(p_.additive, value, window, kMostRows, {}, out));
    return out;
  }

  Result<Accuracy> accuracy(const std::optional<Value>&, const Rational& beta) const override {
    const Rational bound = p_.additive.accuracy(beta);
    return Accuracy{to_double(bound, Rounding::kUp),
                    p_.figures ? p_.figures(p_.additive, beta) : Figures{}};
  }

  Result<Answer> release(const Exact<Value>& input, random::Source& source) const override {
    const std::int64_t value = TRY(point(open(input)));
    auto released = TRY(p_.additive.release(Exact<std::int64_t>::from_private(value), source));
    const Grid& grid = p_.additive.grid();
    const Rational z = grid.at(released.value()), error = released.margin()->error * grid.step();
    // What is known of the range is known of the exact value too.
    const auto [lowest, highest] = p_.additive.range();
    const Rational lower = std::max(Rational(z - error), grid.at(lowest)),
                   upper = std::min(Rational(z + error), grid.at(highest));
    return Answer{z, std::pair<Value, Value>(lower, upper)};
  }

  // One sensitivity up, and one down; within the range, if it has room.
  Result<std::vector<Value>> neighbours(const Value& input) const override {
    const Rational value = TRY(value_as<Rational>("value", input));
    const Rational up = value + p_.sensitivity, down = value - p_.sensitivity;
    const Grid& grid = p_.additive.grid();
    const bool no_room_above = up > grid.at(p_.additive.range().highest),
               no_room_below = down < grid.at(p_.additive.range().lowest);
    if (no_room_above == no_room_below) return std::vector<Value>{up, down};
    return std::vector<Value>{no_room_above ? down : up};
  }

 private:
  Result<std::int64_t> point(const Value& input) const {
    const Rational value = TRY(value_as<Rational>("value", input));
    if (p_.whole && value.get_den() != 1)
      return bad_parameter("value", "accepted is a whole number", "laplace takes any number");
    return p_.additive.grid().round(value);
  }

  NumberParts p_;
};

}  // namespace

MechanismPointer number_mechanism(NumberParts parts) {
  return std::make_unique<NumberMechanism>(std::move(parts));
}

Status add_masses(const Additive& additive, std::int64_t value, const Window& window,
                  std::size_t most, const std::optional<Label>& cell, Pmf& pmf) {
  const Points points = TRY(points_in(additive, value, window, most));
  for (Integer z = points.first; z <= points.last; ++z) {
    const std::int64_t point = z.get_si();
    pmf.rows.push_back(
        {additive.grid().at(point), additive.probability(value, point, kBits), cell});
  }
  const auto [lowest, highest] = additive.range();
  const Integer y = integer(std::clamp(value, lowest, highest));
  const auto beyond = [&](const Integer& distance) {
    return additive.noise().at_least(distance, kBits);
  };
  // below the first and above the last; nothing where those are the ends of the range
  if (points.first > integer(lowest)) pmf.tail = add(pmf.tail, beyond(y - points.first + 1), kBits);
  if (points.last < integer(highest)) pmf.tail = add(pmf.tail, beyond(points.last - y + 1), kBits);
  return {};
}

Figures laplace_figures(const Additive& additive, const Rational& epsilon,
                        const Rational& sensitivity, const Rational& beta) {
  const std::uint64_t cells = additive.cells();
  return {{"deck_bound", deck_laplace_bound(epsilon, sensitivity, cells, beta)},
          {"expected_error", laplace_expected_error(additive)},
          {"deck_expected_error", deck_laplace_expected_error(epsilon, sensitivity, cells)}};
}

Figures gaussian_figures(const Additive& additive, const Rational& beta) {
  const Rational sigma = additive.noise().scale() * additive.grid().step();
  return {{"deck_bound", deck_gaussian_bound(sigma, 1, beta)},
          {"sigma", to_double(sigma, Rounding::kUp)}};
}

}  // namespace discreet::mechanism
