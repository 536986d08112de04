#include <algorithm>
#include <array>

#include "discreet/base/try.h"
#include "discreet/mechanism/entry.h"
#include "discreet/mechanism/gap/bounded_change.h"
#include "discreet/mechanism/gap/smooth_mechanism.h"

namespace discreet::mechanism {
namespace {

constexpr long kBits = 128;

constexpr std::array<std::string_view, 4> kStatistics{"median", "quantile", "iqr", "trimmed-mean"};
constexpr Parameter kStatistic{.name = "statistic",
                               .kind = ParameterKind::kChoice,
                               .help = "what is told",
                               .required = true,
                               .choices = kStatistics};
constexpr Parameter kBound{.name = "bound",
                           .kind = ParameterKind::kPositive,
                           .help = "the proposal: one person changes it by at most this",
                           .required = true,
                           .rounding = Rounding::kUp,
                           .example = "5"};
constexpr Parameter kQuantile{.name = "quantile",
                              .kind = ParameterKind::kNotNegative,
                              .help = "of the statistic quantile: which, from 0 to 1",
                              .most = 1,
                              .example = "0.9"};
constexpr Parameter kTrim{.name = "trim",
                          .kind = ParameterKind::kNotNegative,
                          .help = "of the trimmed mean: the part left out at either side",
                          .fallback = "0.1",
                          .most = 1,
                          .example = "0.1"};
constexpr Parameter kTestShare{.name = "test-share",
                               .kind = ParameterKind::kProbability,
                               .help = "the part of ε that the test takes",
                               .fallback = "1/2",
                               .example = "1/3"};

class ProposedStatistic final : public Mechanism, private Door {
 public:
  ProposedStatistic(gap::BoundedChange change, gap::Values values)
      : change_(std::move(change)), values_(std::move(values)) {}

  privacy::Guarantee guarantee() const override { return change_.guarantee(); }
  Figures figures() const override {
    // The test sees one unit more than there are (bounded_change.h).
    return {{"threshold", static_cast<double>(change_.test().threshold() - 1)},
            {"noise_scale", to_double(change_.scale() * values_.grid().step(), Rounding::kUp)},
            {"grid", to_double(values_.grid().step())}};
  }

  Result<Pmf> pmf(const Value& input, const Window& window) const override {
    const gap::Ordered rows = TRY(ordered(input));
    const random::ScaledNoise noise = change_.distribution(rows);
    const gap::Range range = change_.values();
    const std::int64_t middle = floor_of(noise.centre).get_si();
    const gap::Range points = TRY(values_.listed(range, middle, window));
    const Ball told = change_.test().probability(change_.distance(rows), kBits);
    Pmf out;
    out.rows.push_back({Nothing{}, sub(Ball(1), told, kBits)});
    for (std::int64_t z = points.low; z <= points.high; ++z) {
      const Ball chance = noise.probability(z, {range.low, range.high}, kBits);
      out.rows.push_back({values_.number(z), mul(told, chance, kBits)});
    }
    const Rational half(1, 2);
    const auto edge = [](std::int64_t z) { return Rational(Integer(static_cast<long>(z))); };
    Ball outside = Ball(0);
    if (points.low > range.low)
      outside = add(outside, noise.below(edge(points.low) - half, kBits), kBits);
    if (points.high < range.high)
      outside = add(outside, noise.from(edge(points.high) + half, kBits), kBits);
    out.tail = mul(told, outside, kBits);
    out.figures = {{"release_probability", told.middle()}};
    return out;
  }

  Result<Accuracy> accuracy(const std::optional<Value>&, const Rational& beta) const override {
    Accuracy out{to_double(change_.error(beta) * values_.grid().step(), Rounding::kUp)};
    out.says = "where it is told, within ±{} with probability {} or more (exact)";
    out.figures = figures();
    out.figures.emplace_back("told_at_distance",
                             static_cast<double>(change_.test().distance_for(1 - beta) - 1));
    return out;
  }

  Result<Answer> release(const Exact<Value>& input, random::Source& source) const override {
    const auto told =
        TRY(change_.release(Exact<gap::Ordered>::from_private(TRY(ordered(open(input)))), source));
    if (!told.value()) return Answer{Nothing{}};
    const Rational z = values_.number(*told.value());
    const gap::Range range = change_.values();
    const Rational error = change_.error(1 - kConfidence) * values_.grid().step();
    return Answer{
        z, std::pair<Value, Value>(std::max(Rational(z - error), values_.number(range.low)),
                                   std::min(Rational(z + error), values_.number(range.high)))};
  }

  Result<std::vector<Value>> neighbours(const Value& input) const override {
    return values_.neighbours(TRY(value_as<Numbers>("values", input)), change_.parameters().unit);
  }

 private:
  Result<gap::Ordered> ordered(const Value& input) const {
    return values_.ordered(TRY(value_as<Numbers>("values", input)));
  }
  gap::BoundedChange change_;
  gap::Values values_;
};

Result<gap::Statistic> statistic_of(const Parameters& p) {
  const std::string name = *p.choice(kStatistic.name);
  const auto quantile = p.number(kQuantile.name), trim = p.number(kTrim.name);
  if (quantile.has_value() != (name == "quantile")) {
    return bad_parameter(
        std::string(kQuantile.name),
        quantile
            ? "found with the statistic " + name + "; accepted is with quantile alone"
            : std::string("missing; accepted with the statistic quantile is a number from 0 to 1"),
        quantile ? Phrase{} : advise("quantile", "0.9"));
  }
  if (trim && name != "trimmed-mean") {
    return bad_parameter(std::string(kTrim.name), "found with the statistic " + name +
                                                      "; accepted is with trimmed-mean alone");
  }
  if (name == "median")
    return gap::Statistic::create(gap::StatisticKind::kQuantile, Rational(1, 2));
  if (name == "quantile") return gap::Statistic::create(gap::StatisticKind::kQuantile, *quantile);
  if (name == "iqr") return gap::Statistic::create(gap::StatisticKind::kInterquartileRange);
  return gap::Statistic::create(gap::StatisticKind::kTrimmedMean, trim.value_or(Rational(1, 10)));
}

// Nobody changes a statistic by more than the range is wide: there would be nothing to propose.
Status check_bound(const Rational& bound, const gap::Values& values) {
  const Rational width =
      Rational(Integer(static_cast<long>(values.range().width()))) * values.grid().step();
  if (bound < width) return {};
  return bad_parameter(
      std::string(kBound.name),
      "found " + to_decimal(bound) + "; accepted is less than " + to_decimal(width) +
          ", the range's width",
      "the noise is for this bound: a useful one is far below, such as " + to_decimal(width / 20));
}

Result<MechanismPointer> make(const Parameters& p) {
  auto values =
      TRY(gap::Values::create(*p.range(gap::kValuesRange.name), p.number(gap::kValuesGrid.name)));
  const gap::Statistic statistic = TRY(statistic_of(p));
  TRY(check_bound(*p.number(kBound.name), values));
  const Rational epsilon = *p.number("epsilon"),
                 first = epsilon * p.number(kTestShare.name).value_or(Rational(1, 2));
  auto change =
      TRY(gap::BoundedChange::create({.test = {.epsilon = first, .delta = *p.number("delta")},
                                      .epsilon = epsilon - first,
                                      .statistic = statistic,
                                      .bound = *p.number(kBound.name) / values.grid().step(),
                                      .range = values.range(),
                                      .unit = gap::unit_of(p)}));
  return std::make_unique<ProposedStatistic>(std::move(change), std::move(values));
}

std::vector<Trial> trials() {
  std::vector<Value> inputs = gap::small_values();
  for (const std::size_t rows : {12, 18, 30}) {
    Numbers alike(rows, Rational(2));
    alike.back() = 4;
    inputs.emplace_back(std::move(alike));
  }
  std::vector<Trial> out;
  for (const std::string_view name : kStatistics) {
    Parameters parameters{{"epsilon", 1}, {"delta", Rational(1, 20)},       {"range", Limits{0, 4}},
                          {"grid", 1},    {"statistic", std::string(name)}, {"bound", 1}};
    if (name == "quantile") parameters.set("quantile", Rational(3, 4));
    if (name == "trimmed-mean") parameters.set("trim", Rational(1, 4));
    if (name == "iqr") parameters.set("relation", privacy::Relation::kSubstitute);
    if (name == "median") parameters.set("bound", Rational(1, 10));
    out.emplace_back();
    out.back().parameters = parameters, out.back().inputs = inputs;
  }
  // A bound that only a jump from end to end breaks: mostly the noise alone.
  Parameters always = out[0].parameters;
  always.set("bound", Rational(39, 10));
  out.emplace_back();
  out.back().parameters = always, out.back().inputs = inputs;
  return out;
}

}  // namespace

Entry propose_test_release_entry() {
  return {
      .name = "propose-test-release",
      .title = "A statistic with noise for a proposed bound, where the bound surely holds",
      .deck = "004",
      .input = {"values", Kind::kNumbers, "the private values, separated by commas"},
      .output = Kind::kNumber,
      .parameters = {required(kEpsilon), required(kDelta), kStatistic, gap::kValuesRange, kBound,
                     kQuantile, kTrim, gap::kValuesGrid, kRelation, gap::kRowsPerUnit, kTestShare},
      .example =
          "--statistic median --values 23,31,35,38,38,41,44,52,70 --range 0,100 "
          "--bound 40 --epsilon 4 --delta 1e-2",
      .trials = trials(),
      .may_withhold = true,
      .twin = Rational(5, 2),
      .maker = make};
}

}  // namespace discreet::mechanism
