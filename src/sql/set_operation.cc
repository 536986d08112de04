// UNION ALL below an aggregate; UNION, EXCEPT and INTERSECT of public queries.
#include <fmt/format.h>

#include <set>

#include "discreet/base/try.h"
#include "discreet/policy/names.h"
#include "discreet/sql/from.h"
#include "discreet/sql/relation.h"
#include "discreet/sql/reveal.h"
#include "discreet/sql/rows_of.h"

namespace discreet::sql {

using std::string;

namespace {

const char* name_of(SetOperation operation) {
  switch (operation) {
    case SetOperation::kUnionAll:
    case SetOperation::kUnion:
      return "UNION";
    case SetOperation::kExcept:
    case SetOperation::kExceptAll:
      return "EXCEPT";
    case SetOperation::kIntersect:
    case SetOperation::kIntersectAll:
      return "INTERSECT";
  }
  return "";
}

}  // namespace

Result<RelationPtr> From::set_operation(const Query& query, const Ctes& ctes) {
  const Place& place = query.place;
  auto left = TRY(this->query(query.sides[0], ctes));
  auto right = TRY(this->query(query.sides[1], ctes));
  if (query.operation != SetOperation::kUnionAll && (left->is_private || right->is_private))
    return at_.refuse(place, "UNION, EXCEPT and INTERSECT compare different people's rows",
                      "UNION ALL is answered");
  if (left->columns.size() != right->columns.size())
    return at_.refuse(place, fmt::format("{} of {} and {} columns", name_of(query.operation),
                                         left->columns.size(), right->columns.size()));
  if (left->is_private != right->is_private)
    return at_.refuse(place, "UNION ALL of private and public rows: the public ones have no owner");
  if (left->is_private && !same_units(catalog_, *left, *right))
    return at_.refuse(place,
                      fmt::format("the two sides' {} keys are of different types", catalog_.unit));
  auto out = std::make_shared<Relation>();
  out->kind = Relation::Kind::kUnion;
  out->operation = query.operation;
  out->inputs = {left, right};
  out->is_private = left->is_private;
  out->has_unit = left->has_unit;
  for (const RelationPtr& side : out->inputs) {
    out->chosen_by |= side->chosen_by;
    // In how many parts a row is tells what those were chosen by.
    out->rows_tell |= side->rows_tell;
    out->rows_tell |= side->chosen_by;
  }
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
        return at_.refuse(place,
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
      TRY(at_.spend((a.domain->size() + values.size()) / 32, place));
      std::set<Value> seen(a.domain->begin(), a.domain->end());
      for (const Value& value : values)
        if (seen.insert(value).second) a.domain->push_back(value);
    } else {
      a.domain.reset();
    }
    a.is_key &= b.is_key;
    a.uses_key |= b.uses_key;
    a.hidden |= b.hidden;
    // What the question wrote into a part names the rows that it chose for it.
    if (!a.stored_private) tell(a, left->chosen_by);
    if (!b.stored_private) tell(a, right->chosen_by);
    a.stored_private &= b.stored_private;
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
  if (out->is_private) return limited(query, out, {}, items.size());
  auto sort = TRY(sorting(query, items));
  if (items.size() > out->columns.size())
    return at_.refuse(items.back().term.place,
                      "ORDER BY takes an output column's name or number here");
  return limited(query, out, std::move(sort), items.size());
}

}  // namespace discreet::sql
