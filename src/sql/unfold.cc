#include "discreet/sql/unfold.h"

#include <algorithm>
#include <map>

namespace discreet::sql {
namespace {

struct Size {
  int depth = 1;
  double printed = 0;           // with all below
  double visits = 0;            // … by an optimiser that looks below an aggregate twice
  double largest = 1;           // expression, in this relation or below
  std::vector<double> columns;  // what each column unfolds to
};

// In operations: planning a join takes as long as so many.
constexpr double kOfRelation = 20, kOfJoin = 200;

double own_size(const Relation& relation) {
  if (relation.kind == Relation::Kind::kJoin) return kOfJoin;
  // The rows of a VALUES list are no more than their literals.
  const bool literals = relation.inputs.empty() ? relation.kind == Relation::Kind::kOne
                                                : relation.inputs[0]->kind == Relation::Kind::kOne;
  return literals ? 0 : kOfRelation;
}

// Each relation is looked at once, however often it is used.
class Sizes {
 public:
  const Size& of(const Relation& relation) {
    const auto known = sizes_.find(&relation);
    if (known != sizes_.end()) return known->second;
    Size out;
    out.printed = own_size(relation);
    out.visits = out.printed > 0 ? 1 : 0;
    std::vector<double> inputs;
    for (const RelationPtr& input : relation.inputs) {
      const Size& below = of(*input);
      out.printed += below.printed;
      out.visits += (relation.kind == Relation::Kind::kFold ? 2 : 1) * below.visits;
      out.depth = std::max(out.depth, below.depth + 1);
      out.largest = std::max(out.largest, below.largest);
      inputs.insert(inputs.end(), below.columns.begin(), below.columns.end());
    }
    const auto add = [&](const Expr& expr) {
      const double size = of_expr(expr, inputs);
      out.largest = std::max(out.largest, size);
      out.printed += expr.weight;
      return size;
    };
    if (relation.condition) add(*relation.condition);
    for (const Folded& one : relation.folds) add(one.arg);
    for (const Expr& expr : relation.exprs)
      // a grouping is calculated once
      out.columns.push_back(relation.kind == Relation::Kind::kFold ? (add(expr), 1) : add(expr));
    if (relation.kind == Relation::Kind::kFilter || relation.kind == Relation::Kind::kJoin)
      out.columns = inputs;
    out.columns.resize(relation.columns.size(), 1);
    return sizes_.emplace(&relation, std::move(out)).first->second;
  }

 private:
  static double of_expr(const Expr& expr, const std::vector<double>& columns) {
    if (expr.op == Op::kColumn) return expr.column < columns.size() ? columns[expr.column] : 1;
    double out = 1;
    for (const Expr& arg : expr.args) out += of_expr(arg, columns);
    if (expr.op == Op::kBetween) out += of_expr(expr.args[0], columns);  // two comparisons
    return out;
  }
  std::map<const Relation*, Size> sizes_;
};

}  // namespace

double unfolded_size(const Relation& relation) {
  Sizes sizes;
  const Size& size = sizes.of(relation);
  return std::max({size.printed, size.largest, kOfRelation * size.visits});
}

int depth_of(const Relation& relation) {
  Sizes sizes;
  return sizes.of(relation).depth;
}

}  // namespace discreet::sql
