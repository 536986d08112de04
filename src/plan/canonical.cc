#include "discreet/plan/canonical.h"

#include <fmt/format.h>

#include "discreet/sql/canonical.h"
#include "discreet/sql/relation.h"

namespace discreet::plan {

using std::string;

namespace {

// Everything that an aggregate depends on.
string aggregate_text(const Aggregate& one, const std::vector<string>& places) {
  const bool of_rows = one.form->of == sql::AggregateForm::Of::kRows;
  string out = of_rows ? string(one.form->name.substr(0, one.form->name.size() - 1))
                       : fmt::format("{}({}", one.form->name,
                                     one.arg ? sql::canonical(*one.arg, places) : "");
  if (one.form->share) out += ", " + to_decimal(one.share);
  if (one.bounds)
    out +=
        fmt::format(", bounds [{}, {}]", to_decimal(one.bounds->low), to_decimal(one.bounds->high));
  if (one.per_group)
    out += fmt::format(", per group [{}, {}]", to_decimal(one.per_group->low),
                       to_decimal(one.per_group->high));
  if (!one.method.empty()) out += ", method " + one.method;
  if (one.proposed) out += ", bound " + to_decimal(*one.proposed);
  if (one.epsilon) out += ", epsilon " + to_decimal(*one.epsilon);
  return out + ")";
}

string list_text(const std::vector<Value>& values) {
  string out;
  for (const Value& value : values) out += (out.empty() ? "" : ", ") + sql::canonical(value);
  return "(" + out + ")";
}

// The groups that may be shown. They are the policy's, the query's or a public table's, which may
// change while the query is the same.
string groups_text(const Select& select) {
  string out;
  for (std::size_t i = 0; i < select.domains.size() && !select.groups; ++i)
    if (select.domains[i]) out += fmt::format(" WITH k{} OF {}", i, list_text(*select.domains[i]));
  if (!select.groups) return out;
  for (const std::vector<Value>& group : *select.groups)
    out += (out.empty() ? "" : ", ") + list_text(group);
  return fmt::format(" WITH KEYS OF ({})", out);
}

// Which groups are released, and what of a unit counts.
string bounds_text(const PlanPart& part) {
  string out = part.bounding == Bounding::kDeclared
                   ? fmt::format(" WITHIN {} GROUPS, {} ROWS", part.bounds.groups, part.bounds.rows)
                   : string(" WITHIN MEASURED BOUNDS");
  if (part.bounding == Bounding::kDeclared && part.bounds.total)
    out += fmt::format(", {} IN ALL", *part.bounds.total);
  if (part.selection) out += fmt::format(", CHOSEN OF {} UNITS", part.selection->min_units);
  return out;
}

string part_text(const PlanPart& part) {
  const std::vector<string> places = released_places(part);
  string out;
  for (const Output& output : part.select.outputs)
    out += fmt::format("{}{} AS {}", out.empty() ? "" : ", ", sql::canonical(output.expr, places),
                       sql::quoted_name(output.name));
  if (part.select.having) out += " HAVING " + sql::canonical(*part.select.having, places);
  return out + groups_text(part.select) + bounds_text(part);
}

}  // namespace

std::vector<string> released_places(const PlanPart& part) {
  std::vector<string> out;
  for (std::size_t i = 0; i < part.select.keys.size(); ++i) out.push_back(fmt::format("k{}", i));
  for (std::size_t i = 0; i < part.select.aggregates.size(); ++i)
    out.push_back(fmt::format("a{}", i));
  return out;
}

string canonical_query(const Plan& plan) {
  string out;
  for (std::size_t p = 0; p < plan.parts.size(); ++p) {
    const PlanPart& part = plan.parts[p];
    const std::vector<string> places = places_of(*part.select.input);
    std::vector<string> items;
    for (const Expr& key : part.select.keys) items.push_back(sql::canonical(key, places));
    const string keys = fmt::format("{}", fmt::join(items, ", "));
    // As they were asked: bounds that were measured are not part of the question.
    const bool measured = part.bounding != Bounding::kDeclared && p < plan.question.selects.size();
    for (const Aggregate& one :
         measured ? plan.question.selects[p].aggregates : part.select.aggregates)
      items.push_back(aggregate_text(one, places));
    out += fmt::format("{}SELECT {} FROM ({}){}", out.empty() ? "" : " UNION ALL ",
                       fmt::join(items, ", "), sql::canonical(*part.select.input),
                       keys.empty() ? "" : " GROUP BY " + keys);
  }
  return out;
}

std::vector<string> canonical_order(const Plan& plan) {
  std::vector<string> out, places;
  if (plan.parts.empty()) return out;
  const PlanPart& first = plan.parts.front();
  if (plan.question.order_on_outputs) {
    for (std::size_t i = 0; i < first.select.outputs.size(); ++i)
      places.push_back(fmt::format("o{}", i));
  } else {
    places = released_places(first);
  }
  for (const Order& order : plan.question.order)
    out.push_back(fmt::format("{}{}{}", sql::canonical(order.expr, places),
                              order.descending ? " DESC" : "",
                              order.nulls_first ? " NULLS FIRST" : ""));
  return out;
}

string canonical(const Plan& plan) {
  string out =
      fmt::format("discreet {}: {}", sql::kCanonicalVersion,
                  plan.question.open ? sql::canonical(*plan.question.open) : canonical_query(plan));
  for (const PlanPart& part : plan.parts) out += " RELEASE " + part_text(part);
  const std::vector<string> order = canonical_order(plan);
  if (!order.empty()) out += fmt::format(" ORDER BY {}", fmt::join(order, ", "));
  if (plan.question.limit) out += fmt::format(" LIMIT {}", *plan.question.limit);
  if (plan.question.offset) out += fmt::format(" OFFSET {}", *plan.question.offset);
  return out + fmt::format(" FOR EPSILON {}, DELTA {}", to_decimal(plan.cost.epsilon),
                           to_decimal(plan.cost.delta));
}

}  // namespace discreet::plan
