// UNION ALL below an aggregate; UNION, EXCEPT and INTERSECT of public queries.
#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/policy/names.h"
#include "discreet/sql/from.h"
#include "discreet/sql/relation.h"

namespace discreet::sql {

using std::string;

Result<RelationPtr> From::set_operation(const Json& node, const Ctes& ctes) {
  TRY(at_.only(node, {"modifiers", "cte_map", "setop_type", "setop_all", "left", "right"},
               "a set operation"));
  const string name = node.value("setop_type", "");
  const bool all = node.value("setop_all", false);
  const auto operation = name == "UNION"    ? all ? SetOperation::kUnionAll : SetOperation::kUnion
                         : name == "EXCEPT" ? all ? SetOperation::kExceptAll : SetOperation::kExcept
                         : name == "INTERSECT"
                             ? all ? SetOperation::kIntersectAll : SetOperation::kIntersect
                             : std::optional<SetOperation>();
  if (!operation) return at_.refuse(node["left"], fmt::format("{} is not understood", name));
  auto left = TRY(query(node["left"], ctes));
  auto right = TRY(query(node["right"], ctes));
  if (operation != SetOperation::kUnionAll && (left->is_private || right->is_private))
    return at_.refuse(node["left"], "UNION, EXCEPT and INTERSECT compare different people's rows",
                      "UNION ALL is answered");
  if (left->columns.size() != right->columns.size())
    return at_.refuse(node["left"], fmt::format("{} of {} and {} columns", name,
                                                left->columns.size(), right->columns.size()));
  if (left->is_private != right->is_private)
    return at_.refuse(node["left"],
                      "UNION ALL of private and public rows: the public ones have no owner");
  if (left->is_private && left->unit_type != right->unit_type)
    return at_.refuse(node["left"],
                      fmt::format("the two sides' {} keys are of different types", catalog_.unit));
  auto out = std::make_shared<Relation>();
  out->kind = Relation::Kind::kUnion;
  out->operation = *operation;
  out->inputs = {left, right};
  out->is_private = left->is_private;
  out->has_unit = left->has_unit;
  out->rows_tell_key = left->rows_tell_key || right->rows_tell_key;
  out->rows_tell_hidden = left->rows_tell_hidden || right->rows_tell_hidden;
  out->unit_type = left->unit_type;
  std::vector<Expr> casts[2];
  bool cast = false;
  for (std::size_t i = 0; i < left->columns.size(); ++i) {
    Column a = left->columns[i];
    const Column& b = right->columns[i];
    for (int side = 0; side < 2; ++side)
      casts[side].push_back(column(i, side == 0 ? a.type : b.type));
    if (a.type != b.type) {
      if (!is_number(a.type) || !is_number(b.type))
        return at_.refuse(node["left"],
                          fmt::format("UNION ALL: the columns '{}' and '{}' are of different types",
                                      a.name, b.name));
      casts[a.type == Type::kInt ? 0 : 1][i] =
          call(Op::kCast, Type::kDouble, {column(i, Type::kInt)});
      a.type = Type::kDouble;
      cast = true;
    }
    a.range = a.range && b.range ? std::optional(hull(*a.range, *b.range)) : std::nullopt;
    if (a.domain && b.domain) {
      auto values = *b.domain;
      for (auto* side : {&*a.domain, &values})
        for (Value& value : *side)
          if (value.type == Type::kInt && a.type == Type::kDouble)
            value = value.null ? Value::none(a.type) : Value::number(value.as_number());
      for (const Value& value : values)
        if (std::find(a.domain->begin(), a.domain->end(), value) == a.domain->end())
          a.domain->push_back(value);
    } else {
      a.domain.reset();
    }
    a.is_key &= b.is_key;
    a.uses_key |= b.uses_key;
    a.hidden |= b.hidden;
    a.nonnegative &= b.nonnegative;
    a.unique = false;  // the two sides may share values
    if (!same_name(a.origin, b.origin)) a.origin.clear();
    out->columns.push_back(a);
  }
  if (cast)
    for (int side = 0; side < 2; ++side) {
      std::vector<string> names;
      for (const Column& column : out->columns) names.push_back(column.name);
      out->inputs[static_cast<std::size_t>(side)] =
          projected(out->inputs[static_cast<std::size_t>(side)], casts[side], names);
    }
  std::vector<Item> items;
  for (const Column& column : out->columns) items.push_back({column.name, {}});
  if (out->is_private) return limited(node, out, {}, items.size());
  auto sort = TRY(sorting(node, items));
  if (items.size() > out->columns.size())
    return at_.refuse(items.back().node, "ORDER BY takes an output column's name or number here");
  return limited(node, out, std::move(sort), items.size());
}

}  // namespace discreet::sql
