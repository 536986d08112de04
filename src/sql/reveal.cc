#include "discreet/sql/reveal.h"

#include <algorithm>
#include <map>
#include <set>

namespace discreet::sql {
namespace {

using Roots = std::set<const Relation*>;

void collect(const Expr& expr, const std::vector<Roots>& below, Roots& out) {
  if (expr.op == Op::kColumn && expr.column < below.size())
    out.insert(below[expr.column].begin(), below[expr.column].end());
  for (const Expr& arg : expr.args) collect(arg, below, out);
}

void parts_of(const Expr& condition, std::vector<const Expr*>& out) {
  if (condition.op != Op::kAnd) return out.push_back(&condition);
  for (const Expr& part : condition.args) parts_of(part, out);
}

bool meet(const Roots& a, const Roots& b) {
  return std::any_of(a.begin(), a.end(), [&](const Relation* one) { return b.contains(one); });
}

// Which public relations the values of relations' columns come from. Each relation is looked at
// once, however often a query uses it.
class Origins {
 public:
  // Of the relation's inputs side by side, as its condition sees them.
  std::vector<Roots> below(const Relation& relation) {
    std::vector<Roots> out;
    for (const RelationPtr& input : relation.inputs) {
      const std::vector<Roots>& roots = of(*input);
      out.insert(out.end(), roots.begin(), roots.end());
    }
    return out;
  }

  // Public relations that some condition compares with one another tell the same.
  // Says how many links there were before.
  std::size_t link(const std::vector<const Expr*>& parts, const std::vector<Roots>& inputs) {
    const std::size_t before = links_.size();
    for (const Expr* part : parts) {
      Roots together;
      collect(*part, inputs, together);
      if (together.size() > 1) links_.push_back(std::move(together));
    }
    return before;
  }
  void forget(std::size_t links) { links_.resize(links); }
  Roots with_linked(Roots roots) const {
    for (bool more = true; more;) {
      more = false;
      for (const Roots& together : links_) {
        if (!meet(together, roots)) continue;
        for (const Relation* one : together) more |= roots.insert(one).second;
      }
    }
    return roots;
  }

 private:
  const std::vector<Roots>& of(const Relation& relation) {
    const auto known = known_.find(&relation);
    if (known != known_.end()) return known->second;
    return known_.emplace(&relation, find(relation)).first->second;
  }

  std::vector<Roots> find(const Relation& relation) {
    std::vector<Roots> out(relation.columns.size());
    if (!relation.is_private) {
      for (Roots& roots : out) roots.insert(&relation);
      return out;
    }
    const std::vector<Roots> inputs = below(relation);
    if (relation.condition) {
      std::vector<const Expr*> parts;
      parts_of(*relation.condition, parts);
      link(parts, inputs);
    }
    switch (relation.kind) {
      case Relation::Kind::kProject:
        for (std::size_t i = 0; i < relation.exprs.size(); ++i)
          collect(relation.exprs[i], inputs, out[i]);
        break;
      case Relation::Kind::kFold:
        for (std::size_t i = 0; i < out.size(); ++i)
          collect(i < relation.exprs.size() ? relation.exprs[i]
                                            : relation.folds[i - relation.exprs.size()].arg,
                  inputs, out[i]);
        break;
      case Relation::Kind::kUnion:  // the inputs one below the other
        for (std::size_t i = 0; i < inputs.size(); ++i)
          out[i % out.size()].insert(inputs[i].begin(), inputs[i].end());
        break;
      case Relation::Kind::kScan:
      case Relation::Kind::kOne:
        break;
      case Relation::Kind::kFilter:
      case Relation::Kind::kJoin:
      case Relation::Kind::kTop:
        for (std::size_t i = 0; i < out.size() && i < inputs.size(); ++i) out[i] = inputs[i];
        break;
    }
    return out;
  }

  std::map<const Relation*, std::vector<Roots>> known_;
  std::vector<Roots> links_;
};

void collect(const Expr& expr, const std::vector<Tells>& columns, Tells& out) {
  out.key |= expr.uses_key || expr.is_key;
  out.hidden |= expr.uses_hidden;
  if (expr.op == Op::kColumn && expr.column < columns.size()) {
    out.key |= columns[expr.column].key;
    out.hidden |= columns[expr.column].hidden;
  }
  for (const Expr& arg : expr.args) collect(arg, columns, out);
}

std::vector<Tells> told_by_columns(const std::vector<RelationPtr>& inputs) {
  std::vector<Tells> out;
  for (const RelationPtr& input : inputs)
    for (const Column& column : input->columns)
      out.push_back({column.is_key || column.uses_key, column.hidden});
  return out;
}

// What the parts of a relation's condition choose its rows by. That two stored columns are equal
// brings rows of one owner together, and compares neither with what the question wrote.
Tells chosen_by(const std::vector<const Expr*>& parts, const Relation& relation,
                const std::vector<Tells>& columns) {
  const auto is_stored = [&](const Expr& expr) {
    std::size_t at = expr.column;
    for (const RelationPtr& input : relation.inputs) {
      if (at < input->columns.size())
        return expr.op == Op::kColumn && input->columns[at].stored_private;
      at -= input->columns.size();
    }
    return false;
  };
  Tells out;
  for (const Expr* part : parts)
    if (part->op != Op::kEqual || !is_stored(part->args[0]) || !is_stored(part->args[1]))
      collect(*part, columns, out);
  return out;
}

// Marks the columns that these parts of a condition tell; says what they tell at all.
Tells mark(const std::vector<const Expr*>& parts, const std::vector<Roots>& below,
           const Origins& origins, std::vector<Tells>& columns) {
  Tells all;
  // One part can mark what another compares: a.hidden = b.x AND b.y = c.z.
  for (bool changed = true; changed;) {
    changed = false;
    for (const Expr* part : parts) {
      Tells tells;
      collect(*part, columns, tells);
      Roots told;
      collect(*part, below, told);
      if (!tells.any() || told.empty()) continue;
      all |= tells;
      told = origins.with_linked(std::move(told));
      for (std::size_t i = 0; i < columns.size(); ++i) {
        Tells& column = columns[i];
        if (((column.key || !tells.key) && (column.hidden || !tells.hidden)) ||
            !meet(below[i], told))
          continue;
        column |= tells;
        changed = true;
      }
    }
  }
  return all;
}

// What an aggregate looks at, taken apart where nothing is compared across: FILTER, which is CASE
// WHEN condition THEN value END, looks at the condition's parts and at the value.
void parts_of_measured(const Expr& arg, std::vector<const Expr*>& out) {
  const bool filters = arg.op == Op::kCase && arg.args.size() == 3 &&
                       arg.args[2].op == Op::kLiteral && arg.args[2].literal.null;
  if (!filters) return out.push_back(&arg);
  parts_of(arg.args[0], out);
  parts_of_measured(arg.args[1], out);
}

}  // namespace

void tell(Column& column, const Tells& tells) {
  column.uses_key |= tells.key && !column.is_key;
  column.hidden |= tells.hidden;
}

void mark_revealed(Relation& relation) {
  if (!relation.is_private) return;
  std::vector<Tells> columns = told_by_columns(relation.inputs);
  Tells here;
  if (relation.condition) {
    Origins origins;
    const std::vector<Roots> below = origins.below(relation);
    std::vector<const Expr*> parts;
    parts_of(*relation.condition, parts);
    origins.link(parts, below);
    // How many public rows match tells the value as well as which.
    relation.rows_tell |= mark(parts, below, origins, columns);
    here = chosen_by(parts, relation, columns);
    relation.chosen_by |= here;
  }
  // Whether the row of a side is missing tells what chose it, here or below.
  const std::size_t middle = relation.inputs[0]->columns.size();
  const bool joins = relation.kind == Relation::Kind::kJoin;
  for (const std::size_t side : {0, 1}) {
    if (!joins || !(side == 0 ? may_lack_left(relation.join) : may_lack_right(relation.join)))
      continue;
    Tells tells = here;
    tells |= relation.inputs[side]->chosen_by;
    relation.rows_tell |= tells;
    for (std::size_t i = 0; i < columns.size(); ++i)
      if ((i < middle) == (side == 0)) columns[i] |= tells;
  }
  // (A SEMI or ANTI join leaves the others behind.)
  for (std::size_t i = 0; i < relation.columns.size() && i < columns.size(); ++i)
    tell(relation.columns[i], columns[i]);
}

void see_marks(Expr& expr, const Relation& relation) {
  if (expr.op == Op::kColumn && expr.column < relation.columns.size()) {
    const Column& column = relation.columns[expr.column];
    expr.uses_key |= column.is_key || column.uses_key;
    expr.uses_hidden |= column.hidden;
  }
  for (Expr& arg : expr.args) {
    see_marks(arg, relation);
    expr.uses_key |= arg.uses_key;
    expr.uses_hidden |= arg.uses_hidden;
  }
}

std::vector<Tells> told_by_groups(const RelationPtr& rows, const std::vector<Expr>& keys,
                                  const std::vector<const Expr*>& args) {
  std::vector<Tells> out(args.size());
  if (!rows->is_private || keys.empty()) return out;
  Origins origins;
  Relation filter;  // as one on the rows would tell it
  filter.inputs = {rows};
  const std::vector<Roots> below = origins.below(filter);
  const std::vector<Tells> before = told_by_columns(filter.inputs);
  for (std::size_t i = 0; i < args.size(); ++i) {
    Tells looked;
    collect(*args[i], before, looked);
    if (!looked.any()) continue;
    std::vector<const Expr*> parts;
    parts_of_measured(*args[i], parts);
    std::vector<Tells> columns = before;
    const std::size_t links = origins.link(parts, below);
    mark(parts, below, origins, columns);
    origins.forget(links);
    for (const Expr& key : keys) collect(key, columns, out[i]);
  }
  return out;
}

}  // namespace discreet::sql
