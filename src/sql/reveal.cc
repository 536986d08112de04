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
  void link(const Relation& relation, const std::vector<Roots>& inputs) {
    if (!relation.condition) return;
    std::vector<const Expr*> parts;
    parts_of(*relation.condition, parts);
    for (const Expr* part : parts) {
      Roots together;
      collect(*part, inputs, together);
      if (together.size() > 1) links_.push_back(std::move(together));
    }
  }
  Roots with_linked(Roots roots) const {
    for (bool more = true; more;) {
      more = false;
      for (const Roots& together : links_) {
        const bool touches = std::any_of(together.begin(), together.end(),
                                         [&](const Relation* one) { return roots.contains(one); });
        if (!touches) continue;
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
    link(relation, inputs);
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

struct Uses {
  bool key = false, hidden = false;
};

void collect(const Expr& expr, const std::vector<const Column*>& columns, Uses& out) {
  out.key |= expr.uses_key || expr.is_key;
  out.hidden |= expr.uses_hidden;
  if (expr.op == Op::kColumn && expr.column < columns.size()) {
    const Column& column = *columns[expr.column];
    out.key |= column.is_key || column.uses_key;
    out.hidden |= column.hidden;
  }
  for (const Expr& arg : expr.args) collect(arg, columns, out);
}

}  // namespace

void mark_revealed(Relation& relation) {
  if (!relation.is_private || !relation.condition) return;
  Origins origins;
  const std::vector<Roots> below = origins.below(relation);
  origins.link(relation, below);
  // What the condition sees: the relation's own columns as far as they go (they are marked on the
  // way), then those that a SEMI or ANTI join leaves behind.
  std::vector<const Column*> columns;
  for (const RelationPtr& input : relation.inputs)
    for (const Column& column : input->columns) columns.push_back(&column);
  for (std::size_t i = 0; i < relation.columns.size() && i < columns.size(); ++i)
    columns[i] = &relation.columns[i];
  std::vector<const Expr*> parts;
  parts_of(*relation.condition, parts);
  // One part can mark what another compares: a.hidden = b.x AND b.y = c.z.
  for (bool changed = true; changed;) {
    changed = false;
    for (const Expr* part : parts) {
      Uses uses;
      collect(*part, columns, uses);
      Roots told;
      collect(*part, below, told);
      if ((!uses.key && !uses.hidden) || told.empty()) continue;
      // How many public rows match tells the value as well as which.
      relation.rows_tell_key |= uses.key;
      relation.rows_tell_hidden |= uses.hidden;
      told = origins.with_linked(std::move(told));
      for (std::size_t i = 0; i < relation.columns.size() && i < below.size(); ++i) {
        const bool reached = std::any_of(below[i].begin(), below[i].end(),
                                         [&](const Relation* root) { return told.contains(root); });
        Column& column = relation.columns[i];
        if (!reached || ((column.uses_key || !uses.key) && (column.hidden || !uses.hidden)))
          continue;
        column.uses_key |= uses.key;
        column.hidden |= uses.hidden;
        changed = true;
      }
    }
  }
}

}  // namespace discreet::sql
