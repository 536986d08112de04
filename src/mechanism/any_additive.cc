// Laplace, geometric, truncated geometric, count, histogram, Gaussian and discrete Gaussian, as
// AnyMechanism.
#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/mechanism/additive.h"
#include "discreet/mechanism/any_mechanism.h"
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

// One cell's distribution in a window of points.
void list(const Additive& mechanism, std::int64_t value, const Points& points,
          const std::string& cell, Pmf& pmf) {
  const auto [lowest, highest] = mechanism.range();
  for (Integer z = points.first; z <= points.last; ++z) {
    const std::int64_t point = z.get_si();
    pmf.rows.push_back({json_number(mechanism.grid().at(point)),
                        mechanism.probability(value, point, kBits), cell});
  }
  const Integer y = integer(std::clamp(value, lowest, highest));
  const auto beyond = [&](const Integer& distance) {
    return mechanism.noise().at_least(distance, kBits);
  };
  // below the first and above the last; nothing where those are the ends of the range
  if (points.first > integer(lowest)) pmf.tail = add(pmf.tail, beyond(y - points.first + 1), kBits);
  if (points.last < integer(highest)) pmf.tail = add(pmf.tail, beyond(points.last - y + 1), kBits);
}

Result<Points> points_in(const Additive& mechanism, std::int64_t value, const Window& window,
                         std::size_t most) {
  const auto [lowest, highest] = mechanism.range();
  const Integer y = integer(std::clamp(value, lowest, highest));
  Points points;
  if (window.from || window.to) {
    if (!window.from || !window.to || *window.from > *window.to) {
      return fail(Code::kUsage,
                  "--from, --to: accepted are both, the first no larger than the second");
    }
    points.first = ceiling(*window.from / mechanism.grid().step());
    points.last = floor_of(*window.to / mechanism.grid().step());
    const Integer rows = std::max(Integer(0), Integer(points.last - points.first + 1));
    if (rows > Integer(static_cast<unsigned long>(most))) {
      return fail(Code::kUsage, fmt::format("--from, --to: found {} outputs; accepted are up to {}",
                                            rows.get_str(), most));
    }
  } else {
    const Integer half = std::min(mechanism.noise().quantile(kLeftOut),
                                  Integer(static_cast<unsigned long>((most - 1) / 2)));
    points.first = y - half, points.last = y + half;
  }
  points.first = std::max(points.first, integer(lowest));
  points.last = std::min(points.last, integer(highest));
  return points;
}

// What the decks say of this mechanism's accuracy, and other figures that stand beside the exact
// bound.
using Figures = std::function<std::vector<std::pair<std::string, double>>(const Additive&,
                                                                          const Rational& beta)>;

class AnyAdditive final : public AnyMechanism, private Door {
 public:
  AnyAdditive(Additive mechanism, Rational sensitivity, bool whole_values, Figures figures)
      : mechanism_(std::move(mechanism)),
        sensitivity_(std::move(sensitivity)),
        whole_(whole_values),
        figures_(std::move(figures)) {}

  privacy::Guarantee guarantee() const override { return mechanism_.guarantee(); }

  Result<Pmf> pmf(const Input& input, const Window& window) const override {
    auto value = TRY(point(input));
    auto points = TRY(points_in(mechanism_, value, window, kMostRows));
    Pmf out{{}, Ball(0), {}};
    list(mechanism_, value, points, {}, out);
    return out;
  }

  Result<Accuracy> accuracy(const Input&, const Rational& beta) const override {
    return Accuracy{to_double(mechanism_.accuracy(beta), Rounding::kUp),
                    figures_(mechanism_, beta)};
  }

  Result<Answer> release(const Exact<Input>& input, random::Source& source) const override {
    auto value = TRY(point(open(input)));
    auto released = TRY(mechanism_.release(Exact<std::int64_t>::from_private(value), source));
    const Grid& grid = mechanism_.grid();
    const Rational z = grid.at(released.value()), error = released.margin()->error * grid.step();
    // What is known of the range is known of the exact value too.
    const auto [lowest, highest] = mechanism_.range();
    return Answer{json_number(z), json_number(std::max(Rational(z - error), grid.at(lowest))),
                  json_number(std::min(Rational(z + error), grid.at(highest)))};
  }

  Input neighbour(const Input& input) const override {
    const auto [lowest, highest] = mechanism_.range();
    Rational moved = input.numbers.at(0) + sensitivity_;
    if (moved > mechanism_.grid().at(highest)) moved = input.numbers.at(0) - sensitivity_;
    return {.numbers = {moved}, .choice = {}};
  }

 private:
  Result<std::int64_t> point(const Input& input) const {
    if (input.numbers.size() != 1) return fail(Code::kUsage, "value: accepted is one number");
    if (whole_ && input.numbers[0].get_den() != 1) {
      return fail(Code::kUsage, "value: accepted is a whole number", "laplace takes any number");
    }
    return mechanism_.grid().round(input.numbers[0]);
  }

  Additive mechanism_;
  Rational sensitivity_;
  bool whole_;  // only whole numbers are values
  Figures figures_;
};

class AnyHistogram final : public AnyMechanism, private Door {
 public:
  explicit AnyHistogram(const Parameters& p) : p_(p) {}

  privacy::Guarantee guarantee() const override {
    return {*p_.epsilon, 0, p_.relation.value_or(privacy::Relation::kAddRemove)};
  }
  Result<Pmf> pmf(const Input& input, const Window& window) const override {
    auto mechanism = TRY(make(input));
    auto counts = TRY(points(input));
    Pmf out{{}, Ball(0), {}};
    for (std::size_t i = 0; i < counts.size(); ++i) {
      auto window_points = TRY(points_in(mechanism, counts[i], window,
                                         std::max<std::size_t>(1, kMostRows / counts.size())));
      list(mechanism, counts[i], window_points,
           i < p_.labels.size() ? p_.labels[i] : std::to_string(i), out);
    }
    out.tail = div(out.tail, Ball(static_cast<long>(counts.size())), kBits);  // of the average cell
    return out;
  }
  Result<Accuracy> accuracy(const Input& input, const Rational& beta) const override {
    auto mechanism = TRY(make(input));
    const Rational sensitivity = mechanism.noise().scale() * *p_.epsilon;
    return Accuracy{
        to_double(mechanism.accuracy(beta), Rounding::kUp),
        {{"deck_bound", deck_laplace_bound(*p_.epsilon, sensitivity, mechanism.cells(), beta)},
         {"expected_error", laplace_expected_error(mechanism)},
         {"deck_expected_error",
          deck_laplace_expected_error(*p_.epsilon, sensitivity, mechanism.cells())}}};
  }
  Result<Answer> release(const Exact<Input>& input, random::Source& source) const override {
    auto mechanism = TRY(make(open(input)));
    auto counts = TRY(points(open(input)));
    auto released = TRY(mechanism.release(
        Exact<std::vector<std::int64_t>>::from_private(std::move(counts)), source));
    const auto text = [&](const Rational& shift) {
      std::string out;
      for (const std::int64_t z : released.value())
        out += (out.empty() ? "[" : ",") + json_number(Rational(integer(z)) + shift);
      return out + "]";
    };
    return Answer{text(0), text(-released.margin()->error), text(released.margin()->error)};
  }
  Input neighbour(const Input& input) const override {
    Input out = input;
    out.numbers.at(0) += 1;
    if (p_.relation == privacy::Relation::kSubstitute && out.numbers.size() > 1)
      out.numbers[1] -= 1;
    return out;
  }

 private:
  Result<Additive> make(const Input& input) const {
    if (input.numbers.empty())
      return fail(Code::kUsage, "counts: found none; accepted is one or more");
    return histogram({.epsilon = *p_.epsilon,
                      .cells = input.numbers.size(),
                      .relation = p_.relation.value_or(privacy::Relation::kAddRemove)});
  }
  Result<std::vector<std::int64_t>> points(const Input& input) const {
    std::vector<std::int64_t> out;
    for (const Rational& number : input.numbers) {
      if (number.get_den() != 1) return fail(Code::kUsage, "counts: accepted are whole numbers");
      out.push_back(Grid::integers().round(number));
    }
    return out;
  }

  Parameters p_;
};

Result<AnyMechanismPointer> wrap(Result<Additive> mechanism, const Rational& sensitivity,
                                 bool whole_values, Figures figures) {
  if (!mechanism) return forward_error(mechanism);
  return std::make_unique<AnyAdditive>(std::move(*mechanism), sensitivity, whole_values,
                                       std::move(figures));
}

Figures laplace_figures(const Rational& epsilon, const Rational& sensitivity) {
  return [=](const Additive& mechanism,
             const Rational& beta) -> std::vector<std::pair<std::string, double>> {
    return {{"deck_bound", deck_laplace_bound(epsilon, sensitivity, 1, beta)},
            {"expected_error", laplace_expected_error(mechanism)},
            {"deck_expected_error", deck_laplace_expected_error(epsilon, sensitivity, 1)}};
  };
}

std::vector<std::pair<std::string, double>> gaussian_figures(const Additive& mechanism,
                                                             const Rational& beta) {
  const Rational sigma = mechanism.noise().scale() * mechanism.grid().step();
  return {{"deck_bound", deck_gaussian_bound(sigma, 1, beta)},
          {"sigma", to_double(sigma, Rounding::kUp)}};
}

privacy::Relation relation_of(const Parameters& p) {
  return p.relation.value_or(privacy::Relation::kAddRemove);
}

}  // namespace

Result<AnyMechanismPointer> make_laplace(const Parameters& p) {
  return wrap(laplace({.epsilon = p.epsilon.value_or(0),
                       .sensitivity = p.sensitivity.value_or(0),
                       .grid = p.grid,
                       .cells = 1,
                       .on_grid = false,
                       .relation = relation_of(p)}),
              p.sensitivity.value_or(0), false,
              laplace_figures(p.epsilon.value_or(1), p.sensitivity.value_or(1)));
}

Result<AnyMechanismPointer> make_geometric(const Parameters& p) {
  const Rational sensitivity = p.sensitivity.value_or(1);
  return wrap(geometric({.epsilon = p.epsilon.value_or(0),
                         .sensitivity = sensitivity,
                         .cells = 1,
                         .relation = relation_of(p)}),
              Rational(Grid::integers().sensitivity_on_grid(sensitivity)), true,
              laplace_figures(p.epsilon.value_or(1), sensitivity));
}

Result<AnyMechanismPointer> make_truncated_geometric(const Parameters& p) {
  const Rational sensitivity = p.sensitivity.value_or(1);
  return wrap(truncated_geometric({.epsilon = p.epsilon.value_or(0),
                                   .max = p.max.value_or(0),
                                   .sensitivity = sensitivity,
                                   .relation = relation_of(p)}),
              Rational(Grid::integers().sensitivity_on_grid(sensitivity)), true,
              [](const Additive&, const Rational&) {
                return std::vector<std::pair<std::string, double>>{};
              });
}

Result<AnyMechanismPointer> make_count(const Parameters& p) {
  return wrap(count({.epsilon = p.epsilon.value_or(0), .relation = relation_of(p)}), 1, true,
              laplace_figures(p.epsilon.value_or(1), 1));
}

Result<AnyMechanismPointer> make_histogram(const Parameters& p) {
  if (auto check =
          histogram({.epsilon = p.epsilon.value_or(0), .cells = 1, .relation = relation_of(p)});
      !check)
    return forward_error(check);
  return std::make_unique<AnyHistogram>(p);
}

Result<AnyMechanismPointer> make_gaussian(const Parameters& p) {
  return wrap(gaussian({.sensitivity = p.sensitivity.value_or(0),
                        .epsilon = p.epsilon,
                        .delta = p.delta,
                        .sigma = p.sigma,
                        .grid = p.grid,
                        .cells = 1,
                        .on_grid = false,
                        .relation = relation_of(p)}),
              p.sensitivity.value_or(0), false, gaussian_figures);
}

Result<AnyMechanismPointer> make_discrete_gaussian(const Parameters& p) {
  return wrap(discrete_gaussian({.sensitivity = p.sensitivity.value_or(0),
                                 .epsilon = p.epsilon,
                                 .delta = p.delta,
                                 .sigma = p.sigma,
                                 .rho = p.rho,
                                 .grid = p.grid,
                                 .on_grid = false,
                                 .relation = relation_of(p)}),
              p.sensitivity.value_or(0), false, gaussian_figures);
}

}  // namespace discreet::mechanism
