#include "discreet/sql/links.h"

#include <algorithm>
#include <set>

namespace discreet::sql {
namespace {

bool is_inner_join(const Relation& relation) {
  return relation.kind == Relation::Kind::kJoin && relation.join == JoinKind::kInner;
}

// A tree of inner joins and filters, taken apart: what is joined, where its columns begin, and
// which pairs of columns are equal in every row.
struct Tree {
  struct Leaf {
    const Relation* relation;
    std::size_t begin;
  };
  std::vector<Leaf> leaves;
  std::vector<std::pair<std::size_t, std::size_t>> equal;

  void equate(const Expr& condition, std::size_t begin) {
    if (condition.op == Op::kAnd)
      for (const Expr& part : condition.args) equate(part, begin);
    if (condition.op == Op::kEqual && condition.args[0].op == Op::kColumn &&
        condition.args[1].op == Op::kColumn)
      equal.push_back({begin + condition.args[0].column, begin + condition.args[1].column});
  }
  void take(const Relation& relation, std::size_t begin) {
    const bool filter = relation.kind == Relation::Kind::kFilter;
    if (!filter && !is_inner_join(relation)) {
      leaves.push_back({&relation, begin});
      return;
    }
    if (relation.condition) equate(*relation.condition, begin);
    for (const RelationPtr& input : relation.inputs) {
      take(*input, begin);
      begin += input->columns.size();
    }
  }

  // Whether the query joins this linked table's rows with rows of its link's target.
  bool follows(const Leaf& linked) const {
    const Relation& owned = *linked.relation->inputs[0];
    const std::size_t here = linked.begin + owned.condition->args[0].column;
    const std::string& target = owned.columns.back().origin;
    return std::any_of(equal.begin(), equal.end(), [&](auto pair) {
      if (pair.second == here) std::swap(pair.first, pair.second);
      if (pair.first != here) return false;
      return std::any_of(leaves.begin(), leaves.end(), [&](const Leaf& other) {
        if (other.begin == linked.begin || !other.relation->has_unit || pair.second < other.begin ||
            pair.second >= other.begin + other.relation->columns.size())
          return false;
        return other.relation->columns[pair.second - other.begin].origin == target;
      });
    });
  }
};

using Bare = std::set<std::pair<const Relation*, std::size_t>>;  // leaves that need no owners

RelationPtr rebuild(const RelationPtr& relation, std::size_t begin, const Bare& bare) {
  if (bare.contains({relation.get(), begin})) return relation->inputs[0]->inputs[0];
  auto out = std::make_shared<Relation>(*relation);
  const bool inside = relation->kind == Relation::Kind::kFilter || is_inner_join(*relation);
  for (RelationPtr& input : out->inputs) {
    const std::size_t columns = input->columns.size();
    input = inside ? rebuild(input, begin, bare) : follow_links_once(input);
    begin += columns;
  }
  if (inside)
    out->has_unit = std::any_of(out->inputs.begin(), out->inputs.end(),
                                [](const RelationPtr& input) { return input->has_unit; });
  return out;
}

}  // namespace

RelationPtr follow_links_once(const RelationPtr& relation) {
  Tree tree;
  tree.take(*relation, 0);
  Bare bare;
  for (const Tree::Leaf& leaf : tree.leaves)
    if (leaf.relation->linked && tree.follows(leaf)) bare.insert({leaf.relation, leaf.begin});
  return rebuild(relation, 0, bare);
}

}  // namespace discreet::sql
