#include <fmt/format.h>

#include "discreet/base/try.h"
#include "discreet/mechanism/entry.h"
#include "discreet/mechanism/gap/group_selection.h"
#include "discreet/mechanism/gap/groups_parameters.h"
#include "discreet/mechanism/grid.h"

namespace discreet::mechanism {
namespace {

using gap::GroupSelection;

constexpr long kBits = 128;

constexpr Parameter kStrategy{.name = "strategy",
                              .kind = ParameterKind::kChoice,
                              .help = "how it is chosen",
                              .fallback = "optimal",
                              .choices = gap::kSelectionStrategies};
constexpr Parameter kMinUnits{.name = "min-units",
                              .kind = ParameterKind::kWhole,
                              .help = "groups of fewer units are never shown",
                              .fallback = "1",
                              .most = 1'000'000'000,
                              .example = "10"};

class OneGroup final : public Mechanism, private Door {
 public:
  explicit OneGroup(GroupSelection selection) : selection_(std::move(selection)) {}

  privacy::Guarantee guarantee() const override { return selection_.guarantee(); }
  privacy::Event event() const override { return selection_.event(); }
  Figures figures() const override {
    Figures out;
    const auto half = selection_.units_for(Rational(1, 2));
    // The optimal strategy is as if truncated geometric noise, symmetric about 0, had to reach a
    // threshold: that is where every other group is shown.
    if (const auto threshold = selection_.threshold())
      out.emplace_back("threshold", static_cast<double>(*threshold));
    else if (half)
      out.emplace_back("threshold", static_cast<double>(*half));
    if (half) out.emplace_back("shown_half_the_time_from", static_cast<double>(*half));
    return out;
  }

  Result<Pmf> pmf(const Value& input, const Window&) const override {
    const Ball keep = selection_.keep_probability(TRY(units_of(input)), kBits);
    Pmf out{{{shown(), keep}, {Nothing{}, sub(Ball(1), keep, kBits)}}};
    out.figures = figures();
    out.figures.insert(out.figures.begin(), {"keep_probability", keep.middle()});
    return out;
  }

  // From how many units on it is shown.
  Result<Accuracy> accuracy(const std::optional<Value>&, const Rational& beta) const override {
    Accuracy out{static_cast<double>(TRY(selection_.units_for(1 - beta)))};
    out.says = "shown where there are {} or more units, with probability {} (exact)";
    out.figures = figures();
    return out;
  }

  Result<Answer> release(const Exact<Value>& input, random::Source& source) const override {
    const std::int64_t units = TRY(units_of(open(input)));
    const auto released =
        TRY(selection_.release(Exact<std::vector<int>>::from_private({0}),
                               Exact<std::vector<std::int64_t>>::from_private({units}), source));
    return released.value().empty() ? Answer{Nothing{}} : Answer{shown()};
  }

  Result<std::vector<Value>> neighbours(const Value& input) const override {
    const Rational units = TRY(value_as<Rational>("users", input));
    std::vector<Value> out{Rational(units + 1)};
    if (units > 0) out.emplace_back(Rational(units - 1));
    return out;
  }

 private:
  static Value shown() { return Label{0, "shown"}; }
  static Result<std::int64_t> units_of(const Value& input) {
    const Rational units = TRY(value_as<Rational>("users", input));
    // It is private: what kind of number it is, and no more, is said.
    if (units.get_den() != 1 || units < 0)
      return bad_parameter(
          "users", fmt::format("found a number {}; accepted is a whole number of at least 0",
                               units < 0 ? "below 0" : "that isn't whole"));
    return Grid::integers().round(units);
  }

  GroupSelection selection_;
};

Result<MechanismPointer> make(const Parameters& p) {
  const auto strategy = TRY(gap::strategy_named(p.choice("strategy").value_or("optimal")));
  GroupSelection selection =
      TRY(GroupSelection::create({.epsilon = *p.number("epsilon"),
                                  .delta = *p.number("delta"),
                                  .strategy = strategy,
                                  .groups_per_unit = p.whole("bins-per-unit").value_or(1),
                                  .min_units = p.whole("min-units").value_or(1),
                                  .relation = p.relation()}));
  return std::make_unique<OneGroup>(std::move(selection));
}

// Every small group, by each strategy.
std::vector<Trial> trials() {
  std::vector<Value> groups;
  for (long units = 0; units <= 20; ++units) groups.emplace_back(Rational(units));
  const auto by = [](const char* strategy) {
    return Parameters{
        {"epsilon", 1}, {"delta", Rational(1, 50)}, {"strategy", std::string(strategy)}};
  };
  Parameters more = by("laplace");
  more.set("bins-per-unit", 2), more.set("min-units", 3);
  more.set("relation", privacy::Relation::kSubstitute);
  return {
      {by("optimal"), groups}, {by("laplace"), groups}, {by("gaussian"), groups}, {more, groups}};
}

}  // namespace

Entry partition_selection_entry() {
  return {.name = "partition-selection",
          .title = "Whether a group that nobody listed may be shown, by the units in it",
          .deck = "004",
          .input = {"users", Kind::kNumber, "how many units are in the group, which is private"},
          .output = Kind::kLabel,
          .parameters = {required(kEpsilon), required(kDelta), kStrategy, gap::kBinsPerUnit,
                         kMinUnits, kRelation},
          .example = "--users 8 --epsilon 0.5 --delta 0.02",
          .trials = trials(),
          .may_withhold = true,
          .maker = make};
}

}  // namespace discreet::mechanism
