#include "discreet/mechanism/gap/smooth_mechanism.h"

#include "discreet/base/try.h"

namespace discreet::mechanism::gap {
namespace {

constexpr long kBits = 128;

class SmoothMechanism final : public Mechanism, private Door {
 public:
  SmoothMechanism(SmoothQuantile quantile, Values values)
      : quantile_(std::move(quantile)), values_(std::move(values)) {}

  privacy::Guarantee guarantee() const override { return quantile_.guarantee(); }
  Figures figures() const override {
    const SmoothNoise& noise = quantile_.noise();
    return {{"smoothness", to_double(noise.beta())},
            {"scale_over_smooth_sensitivity", to_double(noise.factor(), Rounding::kUp)},
            {"grid", to_double(values_.grid().step())}};
  }

  Result<Pmf> pmf(const Value& input, const Window& window) const override {
    const Ordered rows = TRY(ordered(input));
    const random::ScaledNoise noise = quantile_.distribution(rows);
    const Range& range = values_.range();
    const Range points = TRY(values_.listed(range, quantile_.exact(rows), window));
    Pmf out;
    for (std::int64_t z = points.low; z <= points.high; ++z)
      out.rows.push_back({values_.number(z), noise.probability(z, {range.low, range.high}, kBits)});
    const Rational half(1, 2);
    const auto edge = [](std::int64_t z) { return Rational(Integer(static_cast<long>(z))); };
    if (points.low > range.low)
      out.tail = add(out.tail, noise.below(edge(points.low) - half, kBits), kBits);
    if (points.high < range.high)
      out.tail = add(out.tail, noise.from(edge(points.high) + half, kBits), kBits);
    return out;
  }

  Result<Accuracy> accuracy(const std::optional<Value>& input,
                            const Rational& beta) const override {
    const Ordered rows = TRY(ordered(input.value_or(Nothing{})));
    const Rational step = values_.grid().step();
    const double sensitivity = quantile_.sensitivity(rows).enclose(kBits).upper();
    return Accuracy{to_double(values_.number(quantile_.error(rows, beta)), Rounding::kUp),
                    {{"smooth_sensitivity", sensitivity * to_double(step, Rounding::kUp)},
                     {"grid", to_double(step)}}};
  }

  Result<Answer> release(const Exact<Value>& input, random::Source& source) const override {
    const auto told =
        TRY(quantile_.release(Exact<Ordered>::from_private(TRY(ordered(open(input)))), source));
    return Answer{values_.number(told.value())};
  }

  Result<std::vector<Value>> neighbours(const Value& input) const override {
    return values_.neighbours(TRY(value_as<Numbers>("values", input)), quantile_.parameters().unit);
  }

 private:
  Result<Ordered> ordered(const Value& input) const {
    return values_.ordered(TRY(value_as<Numbers>("values", input)));
  }

  SmoothQuantile quantile_;
  Values values_;
};

}  // namespace

Result<MechanismPointer> smooth_mechanism(const Parameters& p, const Rational& quantile) {
  auto values = TRY(Values::create(*p.range(kValuesRange.name), p.number(kValuesGrid.name)));
  auto made = TRY(SmoothQuantile::create({.noise = {.epsilon = *p.number("epsilon"),
                                                    .delta = p.number("delta").value_or(0),
                                                    .optimised = p.flag(kOptimised.name)},
                                          .quantile = quantile,
                                          .range = values.range(),
                                          .unit = unit_of(p)}));
  return std::make_unique<SmoothMechanism>(std::move(made), std::move(values));
}

std::vector<Value> small_values() {
  return {Numbers{},
          Numbers{2},
          Numbers{0, 4},
          Numbers{0, 0, 4, 4},
          Numbers{1, 1, 1, 4, 4},
          Numbers{2, 2, 2, 2, 2, 2, 2},
          Numbers{0, 1, 2, 3, 4},
          Numbers{0, 0, 0, 0, 0, 0, 1, 3, 4, 4, 4, 4, 4, 4}};
}

}  // namespace discreet::mechanism::gap
