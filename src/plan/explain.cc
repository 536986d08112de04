// A plan in words and as JSON, and what error it leads one to expect. Nothing here has seen a row.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "discreet/plan/canonical.h"
#include "discreet/plan/choose.h"
#include "discreet/plan/group_keys.h"
#include "discreet/plan/methods.h"
#include "discreet/plan/noise.h"
#include "discreet/plan/plan.h"
#include "discreet/plan/release.h"
#include "discreet/plan/selection.h"
#include "discreet/plan/shape.h"
#include "discreet/sql/canonical.h"
#include "discreet/sql/relation.h"

namespace discreet::plan {
namespace {

using Ordered = nlohmann::ordered_json;
using std::string;
using std::string_view;

string statistic_name(const PlanPart& part, const Statistic& one) {
  std::vector<string> places;
  for (const Column& column : part.select.input->columns)
    places.push_back(sql::quoted_name(column.name));
  const string slot = one.slot ? sql::canonical(part.slots[*one.slot].value, places) : "";
  switch (one.kind) {
    case Statistic::Kind::kRows:
      return "number of rows";
    case Statistic::Kind::kCount:
      return fmt::format("number of {}", slot);
    case Statistic::Kind::kSum:
      return one.center == 0
                 ? fmt::format("sum of {}", slot)
                 : fmt::format("sum of {} - {}", slot,
                               to_text(std::ldexp(static_cast<double>(one.center), one.exponent)));
    case Statistic::Kind::kSquares:
      return fmt::format("sum of squares of {}", slot);
    case Statistic::Kind::kUnits:
      return "number of units";
    case Statistic::Kind::kDistinct:
      return fmt::format("number of different {}", slot);
    case Statistic::Kind::kGroupCount:
      return fmt::format("each unit's number of rows, within [{}, {}]", one.low, one.high);
    case Statistic::Kind::kGroupSum:
      return fmt::format("each unit's sum of {}, within [{}, {}]", slot,
                         to_text(std::ldexp(static_cast<double>(one.low), one.exponent)),
                         to_text(std::ldexp(static_cast<double>(one.high), one.exponent)));
    case Statistic::Kind::kGroupMeans:
      return fmt::format("number of units with a mean of {}", slot);
    case Statistic::Kind::kGroupMean:
      return fmt::format("each unit's mean of {}, within [{}, {}]", slot,
                         to_text(std::ldexp(static_cast<double>(one.low), one.exponent)),
                         to_text(std::ldexp(static_cast<double>(one.high), one.exponent)));
    case Statistic::Kind::kHistogram:
    case Statistic::Kind::kEach:
      return fmt::format("a choice for {}", slot);
  }
  return {};
}

// What is released before its bounds are known: where a sum is centered isn't either.
string unsettled_name(const PlanPart& part, Statistic one) {
  one.center = 0;
  return statistic_name(part, one);
}

string way_words(const PlanPart& part, const Statistic& one) {
  switch (one.noise) {
    case Noise::kSmooth:
      return "noise in proportion to its smooth sensitivity";
    case Noise::kProposed:
      return fmt::format(
          "told with noise where no {} nearby could change it by more than {}, else nothing",
          one.sensitivity == 1 ? "row" : "unit's rows",
          to_text(std::ldexp(static_cast<double>(one.proposed), one.exponent)));
    case Noise::kStable:
      return part.slots[*one.slot].kind == Slot::Kind::kWord
                 ? "told where it is far ahead of any other, else nothing"
                 : "told where it is far ahead of the other candidates, else nothing";
    case Noise::kLaplace:
    case Noise::kGaussian:
    case Noise::kExponential:
      break;
  }
  return string(name_of(one.noise));
}

// A charge, as a JSON number.
double charge(const Rational& value) { return to_written_double(value, Rounding::kUp); }

// For people: six digits.
string short_number(double value) { return fmt::format("{:.6g}", value); }

string_view survey_name(Count::Kind kind) {
  switch (kind) {
    case Count::Kind::kRows:
      return "rows of a unit";
    case Count::Kind::kGroups:
      return "groups of a unit";
    case Count::Kind::kMost:
      return "rows of a unit in its largest group";
    case Count::Kind::kValue:
      return "the size of a value of a unit";
    case Count::Kind::kCut:
      return "units that lose rows";
    case Count::Kind::kLost:
      return "rows that a unit loses";
    case Count::Kind::kClamped:
      return "values of a unit that are clamped";
    case Count::Kind::kKept:
      return "rows that are kept";
  }
  return {};
}

Ordered counts_json(const std::vector<Count>& counts) {
  Ordered out = Ordered::array();
  for (const Count& count : counts)
    out.push_back({{"what", survey_name(count.kind)},
                   {"noise", "laplace"},
                   {"epsilon", charge(count.epsilon)},
                   {"sensitivity", count.sensitivity.get_d()},
                   {"bins", count.bins}});
  return out;
}

Ordered method_json(const PlanPart& part, std::size_t aggregate) {
  const Method& method = *part.methods[aggregate];
  Ordered expected = Ordered::object();
  for (const Prospect& one : method.prospects)
    expected[string(name_of(one.way))] =
        one.errors.empty() ? Ordered(one.error) : Ordered(one.errors);
  return {{"aggregate", part.select.aggregates[aggregate].text},
          {"method", name_of(method.way)},
          {"asked", method.asked},
          {"assumed_units", method.units},
          {"expected", method.of_values ? "error, as a share of the bounds' width"
                                        : "units that a value must be ahead"},
          {"expected_error", std::move(expected)}};
}

string selection_words(const PlanPart& part, const string& unit, bool settled) {
  const Selection& selection = *part.selection;
  string out = selection.by
                   ? fmt::format(
                         "Groups are shown where their number of {}s, with its noise, reaches "
                         "a threshold (δ {})",
                         unit, short_number(to_double(selection.delta)))
                   : fmt::format("Groups are chosen privately (ε {}, δ {})",
                                 short_number(to_double(selection.epsilon)),
                                 short_number(to_double(selection.delta)));
  const auto chooser = GroupChooser::of(part);
  if (!chooser || !settled) return out + ".\n";
  const auto half = chooser->units_for(Rational(1, 2)), surely = chooser->units_for(kSurely);
  if (half && surely)
    out += fmt::format(": half of those with {} {}s are shown, nearly all from {} on", *half, unit,
                       *surely);
  string others;
  for (const auto& [name, units] : selection.ways)
    if (name != name_of(selection))
      others += fmt::format("{}{} {}", others.empty() ? "" : ", ", name, units);
  return out +
         fmt::format(". That is the {} way{}{}.\n", name_of(selection),
                     others.empty() ? "" : "; half would be shown from, by another: ", others);
}

void bounds_json(const PlanPart& part, Ordered& one) {
  const bool known = part.bounding != Bounding::kToMeasure;
  one["bounds"] = part.bounding == Bounding::kDeclared ? "declared"
                  : known                              ? "measured"
                                                       : "to be measured";
  one["max_groups"] = known ? Ordered(part.bounds.groups) : Ordered();
  one["max_rows_per_group"] = known ? Ordered(part.bounds.rows) : Ordered();
  one["max_rows"] = known && part.bounds.total ? Ordered(*part.bounds.total) : Ordered();
  if (part.survey)
    one["survey"] = {{"epsilon", charge(part.survey->epsilon)},
                     {"histograms", counts_json(part.survey->counts)}};
  if (!part.left_out.empty()) one["measures_left_out"] = counts_json(part.left_out);
  if (part.fitting) {
    const Outlook& best = part.fitting->best;
    one["expected"] = {{"left_out", best.left_out},
                       {"bias", best.bias},
                       {"noise", best.noise},
                       {"total", best.total()}};
  }
}

string times(std::int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

string percent(double share) {
  return share < 0.0005 ? "less than 0.1 %" : fmt::format("about {:.2g} %", 100 * share);
}

// What becomes of those who have more than may count.
string beyond_words(const PlanPart& part) {
  if (!part.weight_bits) return " Which rows count is chosen at random.";
  const bound::Shape shape = shape_of(part);
  const bool rows = shape.max_rows != bound::kNoLimit || shape.max_total != bound::kNoLimit;
  const bool groups = shape.max_groups != bound::kNoLimit;
  return rows && groups
             ? " Of more rows each counts in part; of more groups some are chosen at random."
         : rows   ? " Of more rows each counts in part."
         : groups ? " Of more groups some are chosen at random."
                  : "";
}

string bounds_words(const PlanPart& part, const string& unit) {
  string out;
  if (part.bounding == Bounding::kToMeasure) {
    std::vector<string> what;
    for (const Count& count : part.survey->counts) what.emplace_back(survey_name(count.kind));
    return fmt::format(
        "No bounds are declared: first, with ε {}, histograms of units are read ({}), and the "
        "bounds "
        "with the least total error chosen by them. What noise there will be is known then; "
        "discreet profile shows it beforehand.\n",
        short_number(to_double(part.survey->epsilon)), fmt::join(what, ", "));
  }
  const Bounds& bounds = part.bounds;
  const bool grouped = !part.select.keys.empty();
  const bool limits_groups = grouped && (!bounds.total || bounds.groups < *bounds.total);
  if (!grouped) {
    const Integer most = bounds.most_rows();
    out = fmt::format("At most {} of each {} count{}", times(most.get_si(), "row"), unit,
                      most == 1 ? "s" : "");
  } else if (bounds.total) {
    out = fmt::format("Each {} counts with at most {} in all groups together", unit,
                      times(*bounds.total, "row"));
    if (limits_groups) out += fmt::format(", in at most {}", times(bounds.groups, "group"));
    if (bounds.rows < *bounds.total)
      out += fmt::format(", with at most {} in each", times(bounds.rows, "row"));
  } else {
    out = fmt::format("Each {} counts in at most {}, with at most {} in each", unit,
                      times(bounds.groups, "group"), times(bounds.rows, "row"));
  }
  if (part.bounding == Bounding::kMeasured && part.fitting) {
    out += fmt::format(": the least total error, by a profile of the {}s; {} of rows are left out",
                       unit, percent(part.fitting->best.left_out));
  }
  return out + "." + beyond_words(part) + "\n";
}

}  // namespace

string json(const Plan& plan) {
  Ordered out;
  if (plan.question.open) {
    out["query"] = sql::canonical(*plan.question.open);
    out["epsilon"] = out["delta"] = 0;
    return out.dump(-1, ' ', false, Ordered::error_handler_t::replace);
  }
  out["query"] = canonical_query(plan);
  out["epsilon"] = charge(plan.cost.epsilon);
  out["delta"] = charge(plan.cost.delta);
  out["parts"] = Ordered::array();
  for (const PlanPart& part : plan.parts) {
    Ordered one;
    one["groups"] = part.select.keys.empty() ? "none" : part.selection ? "selected" : "public";
    if (part.all_public && !part.select.keys.empty())
      one["public_groups"] = number_of_groups(part.select);
    bounds_json(part, one);
    one["bounding"] = !part.direct                     ? "random"
                      : part.select.input->rows_proved ? "proved"
                                                       : "promised";
    const bool settled = part.bounding != Bounding::kToMeasure;
    if (part.selection) {
      one["selection"] = {{"mechanism", name_of(*part.selection)},
                          {"epsilon", charge(part.selection->epsilon)},
                          {"delta", charge(part.selection->delta)},
                          {"min_units", part.selection->min_units}};
      const auto chooser = GroupChooser::of(part);
      if (chooser && settled) {
        const auto half = chooser->units_for(Rational(1, 2)), surely = chooser->units_for(kSurely);
        if (half) one["selection"]["half_shown_at"] = *half;
        if (surely) one["selection"]["surely_shown_at"] = *surely;
        if (const auto threshold = chooser->threshold()) one["selection"]["threshold"] = *threshold;
        Ordered ways = Ordered::object();
        for (const auto& [name, units] : part.selection->ways) ways[name] = units;
        one["selection"]["half_shown_at_by"] = std::move(ways);
      }
    }
    if (part.gaussian)
      one["gaussian"] = {{"epsilon", charge(part.gaussian->epsilon)},
                         {"delta", charge(part.gaussian->delta)}};
    one["numbers"] = Ordered::array();
    for (const Statistic& statistic : part.statistics) {
      if (!settled) {
        one["numbers"].push_back(
            {{"what", unsettled_name(part, statistic)}, {"epsilon", charge(statistic.epsilon)}});
        continue;
      }
      const double step = std::ldexp(1.0, statistic.exponent);
      Ordered number{{"what", statistic_name(part, statistic)},
                     {"noise", name_of(statistic.noise)},
                     {"epsilon", charge(statistic.epsilon)}};
      number["sensitivity"] = to_double(Rational(statistic.sensitivity)) * step;
      if (chooses(statistic.noise)) {
        number["sensitivity"] = to_double(Rational(statistic.sensitivity));
        if (statistic.noise == Noise::kExponential)
          number["candidates"] = part.slots[*statistic.slot].leaves;
        if (statistic.delta > 0) number["delta"] = charge(statistic.delta);
        if (statistic.noise == Noise::kSmooth || statistic.noise == Noise::kProposed)
          number["grid"] = step;
        if (statistic.noise == Noise::kProposed)
          number["proposed_bound"] = static_cast<double>(statistic.proposed) * step;
      } else {
        number["scale"] = to_double(statistic.scale) * step;
        number["grid"] = step_of(statistic);
      }
      if (statistic.slot && part.slots[*statistic.slot].kind != Slot::Kind::kWord)
        number["bounds"] = {to_double(part.slots[*statistic.slot].bounds.low),
                            to_double(part.slots[*statistic.slot].bounds.high)};
      one["numbers"].push_back(std::move(number));
    }
    one["methods"] = Ordered::array();
    for (std::size_t i = 0; i < part.methods.size(); ++i)
      if (part.methods[i]) one["methods"].push_back(method_json(part, i));
    one["outputs"] = Ordered::array();
    const std::vector<string> places = released_places(part);
    for (const Output& output : part.select.outputs)
      one["outputs"].push_back(
          {{"name", output.name}, {"is", sql::canonical(output.expr, places)}});
    if (part.select.having) one["having"] = sql::canonical(*part.select.having, places);
    out["parts"].push_back(std::move(one));
  }
  for (const string& order : canonical_order(plan)) out["order"].push_back(order);
  if (plan.question.limit) out["limit"] = *plan.question.limit;
  if (plan.question.offset) out["offset"] = *plan.question.offset;
  out["notes"] = plan.notes;
  return out.dump(-1, ' ', false, Ordered::error_handler_t::replace);
}

string words(const Plan& plan, const string& unit) {
  if (plan.question.open)
    return "This asks about public tables only: it is answered exactly and costs nothing.\n";
  string out;
  for (const PlanPart& part : plan.parts) {
    const bool settled = part.bounding != Bounding::kToMeasure;
    if (part.direct) {
      out += part.select.input->rows_proved
                 ? fmt::format("Each {} has one row here: nothing has to be left out.\n", unit)
                 : fmt::format(
                       "The owner promises that each {} has no more rows than may count: nothing "
                       "has to be left out.\n",
                       unit);
    } else {
      out += bounds_words(part, unit);
    }
    if (part.all_public && !part.select.keys.empty())
      out += fmt::format("All groups are public ({}){}.\n", number_of_groups(part.select),
                         part.selection ? "; those of too few units are left out"
                                        : ": each is shown, also an empty one");
    if (part.selection) {
      out += selection_words(part, unit, settled);
    }
    for (const Statistic& statistic : part.statistics) {
      if (!settled) {
        out += fmt::format("- {}: ε {}\n", unsettled_name(part, statistic),
                           short_number(to_double(statistic.epsilon)));
        continue;
      }
      const double step = std::ldexp(1.0, statistic.exponent);
      if (statistic.noise == Noise::kExponential) {
        out += fmt::format("- {}: the exponential mechanism among {} candidates, ε {}\n",
                           statistic_name(part, statistic), part.slots[*statistic.slot].leaves,
                           short_number(to_double(statistic.epsilon)));
      } else if (chooses(statistic.noise)) {
        out += fmt::format(
            "- {}: {}, ε {}{}\n", statistic_name(part, statistic), way_words(part, statistic),
            short_number(to_double(statistic.epsilon)),
            statistic.delta > 0 ? ", δ " + short_number(to_double(statistic.delta)) : "");
      } else {
        out += fmt::format("- {}: {} noise of {} {}, sensitivity {} a group\n",
                           statistic_name(part, statistic),
                           statistic.noise == Noise::kLaplace ? "Laplace" : "Gaussian",
                           statistic.noise == Noise::kLaplace ? "scale" : "standard deviation",
                           short_number(to_double(statistic.scale) * step),
                           short_number(to_double(Rational(statistic.sensitivity)) * step));
      }
    }
  }
  for (const PlanPart& part : plan.parts)
    for (std::size_t i = 0; i < part.methods.size(); ++i)
      if (part.methods[i])
        out += words(*part.methods[i], part.select.aggregates[i].text, unit) + "\n";
  // Always said: whether there are any is the rows' to know.
  out += fmt::format("Rows without a {} are left out.\n", unit);
  for (const string& note : plan.notes) out += fmt::format("Note: {}.\n", note);
  out += fmt::format("It costs ε = {}, δ = {}.\n", to_decimal(plan.cost.epsilon),
                     to_decimal(plan.cost.delta));
  return out;
}

std::vector<std::optional<double>> expected_error(const PlanPart& part, std::int64_t group_size,
                                                  const Rational& confidence) {
  using S = Statistic::Kind;
  std::vector<Cell> statistics;
  const auto n = static_cast<double>(group_size);
  for (std::size_t s = 0; s < part.statistics.size(); ++s) {
    const Statistic& one = part.statistics[s];
    const double step = std::ldexp(1.0, one.exponent);
    if (one.noise == Noise::kProposed) {
      const auto mechanism = proposed_mechanism(part, one);
      if (!mechanism) {
        statistics.push_back({Value::integer(0), {}});
        continue;
      }
      const Interval& bounds = part.slots[*one.slot].bounds;
      const double middle = to_double(Rational((bounds.low + bounds.high) / 2));
      const double margin = to_double(mechanism->error(1 - confidence)) * step;
      statistics.push_back({Value::number(middle), std::pair{middle - margin, middle + margin}});
      continue;
    }
    if (chooses(one.noise)) {
      statistics.push_back({Value::integer(0), {}});
      continue;
    }
    std::size_t partners = 1;
    for (const auto& parts : part.parts)
      if (std::find(parts.begin(), parts.end(), s) != parts.end())
        partners = std::max(partners, parts.size());
    const auto noise = noise_of(one);
    const double margin =
        noise ? to_double((*noise)->quantile((1 - confidence) / static_cast<long>(partners))) *
                    step_of(one)
              : 0;
    double value = n;
    if (one.kind == S::kSum && one.slot)
      value = one.center != 0 ? 0
                              : n *
                                    (to_double(part.slots[*one.slot].bounds.low) +
                                     to_double(part.slots[*one.slot].bounds.high)) /
                                    2;
    if (one.kind == S::kGroupMean) value = 0;
    if (one.kind == S::kGroupSum) {
      const auto middle = one.low + (one.high - one.low) / 2;  // on the grid
      value = n * static_cast<double>(middle) * step;
    }
    if (one.kind == S::kSquares) {
      const Interval& bounds = part.slots[*one.slot].bounds;
      const double width = to_double(Rational(bounds.high - bounds.low));
      value = n * width * width / 12;
    }
    statistics.push_back({Value::number(value), std::pair{value - margin, value + margin}});
  }
  std::vector<Cell> columns;
  for (const Expr& key : part.select.keys) columns.push_back({Value::none(key.type), {}});
  for (std::size_t a = 0; a < part.parts.size(); ++a) {
    std::vector<Cell> parts;
    for (const std::size_t s : part.parts[a]) parts.push_back(statistics[s]);
    columns.push_back(derive(part, a, parts));
  }
  std::vector<std::optional<double>> out;
  for (const Output& output : part.select.outputs) {
    const Cell cell = evaluate(output.expr, columns);
    const bool number = cell.interval && is_number(output.expr.type) && !cell.value.null;
    out.push_back(number ? std::optional((cell.interval->second - cell.interval->first) / 2)
                         : std::nullopt);
  }
  return out;
}

}  // namespace discreet::plan
