#include "discreet/sql/literal_rows.h"

#include <algorithm>

namespace discreet::sql {
namespace {

// Of the columns' types, so that a list has them too.
bool is_row(const Relation& relation, const std::vector<Column>& columns) {
  if (relation.kind != Relation::Kind::kProject ||
      relation.inputs[0]->kind != Relation::Kind::kOne || relation.exprs.empty() ||
      relation.exprs.size() != columns.size())
    return false;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (relation.exprs[i].op != Op::kLiteral || relation.exprs[i].type != columns[i].type)
      return false;
  return true;
}

bool gather(const Relation& relation, const std::vector<Column>& columns,
            std::vector<const std::vector<Expr>*>& out) {
  if (is_row(relation, columns)) {
    out.push_back(&relation.exprs);
    return true;
  }
  return relation.kind == Relation::Kind::kUnion && relation.operation == SetOperation::kUnionAll &&
         std::all_of(relation.inputs.begin(), relation.inputs.end(),
                     [&](const RelationPtr& input) { return gather(*input, columns, out); });
}

}  // namespace

std::vector<const std::vector<Expr>*> literal_rows(const Relation& relation) {
  std::vector<const std::vector<Expr>*> out;
  if (relation.kind != Relation::Kind::kUnion || relation.is_private ||
      !gather(relation, relation.columns, out))
    return {};
  return out;
}

}  // namespace discreet::sql
