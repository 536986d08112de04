#include "discreet/mechanism/compare/selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/mechanism/gap/group_selection.h"

namespace discreet::mechanism::compare {
namespace {

using gap::GroupSelection;
using gap::SelectionStrategy;

constexpr long kBits = 96;
constexpr std::int64_t kMostPoints = 120;
const Rational kNearlyAlways(999, 1000);

struct Named {
  std::string name;
  GroupSelection selection;
};

Result<std::vector<Named>> selections(const SelectionCase& given) {
  const auto make = [&](const Rational& share, SelectionStrategy strategy) {
    return GroupSelection::create({.epsilon = given.epsilon * share,
                                   .delta = given.delta,
                                   .strategy = strategy,
                                   .groups_per_unit = given.groups_per_unit});
  };
  std::vector<Named> out;
  out.push_back({"optimal", TRY(make(1, SelectionStrategy::kOptimal))});
  out.push_back({"laplace, counts included", TRY(make(1, SelectionStrategy::kLaplace))});
  out.push_back({"gaussian", TRY(make(1, SelectionStrategy::kGaussian))});
  out.push_back({"optimal at ε/2, the rest for counts",
                 TRY(make(Rational(1, 2), SelectionStrategy::kOptimal))});
  return out;
}

}  // namespace

Result<Comparison> compare_selection(const SelectionCase& given) {
  const std::vector<Named> all = TRY(selections(given));
  std::int64_t most = 1;
  for (const Named& each : all) most = std::max(most, TRY(each.selection.units_for(kNearlyAlways)));
  Comparison out{.title = "Which groups are shown",
                 .x_label = "units in the group",
                 .y_label = "probability that it is shown"};
  out.notes.push_back(fmt::format("ε = {}, δ = {}, a unit in at most {} group{}; exact",
                                  to_decimal(given.epsilon), to_text(to_double(given.delta)),
                                  given.groups_per_unit, given.groups_per_unit == 1 ? "" : "s"));
  const std::int64_t step = std::max<std::int64_t>(1, most / kMostPoints);
  for (std::int64_t units = 1; units <= most; units += step)
    out.x.push_back(static_cast<double>(units));
  for (const Named& each : all) {
    Line line{each.name, {}};
    for (const double units : out.x)
      line.y.push_back(
          each.selection.keep_probability(static_cast<std::int64_t>(units), kBits).middle());
    out.lines.push_back(std::move(line));
  }
  return out;
}

}  // namespace discreet::mechanism::compare
