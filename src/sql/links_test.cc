// A query that joins a linked table with its link's target on the link's own columns has followed
// the link: its rows' owners are there. On any other column they aren't, and are looked up.
#include "discreet/sql/links.h"

#include <gtest/gtest.h>

#include "discreet/sql/relation.h"

namespace discreet::sql {
namespace {

RelationPtr scan(const char* table, std::vector<std::string> names, bool has_unit) {
  auto out = std::make_shared<Relation>();
  out->table = table;
  out->is_private = true;
  out->has_unit = has_unit;
  for (const std::string& name : names) {
    policy::Column column;
    column.name = name;
    column.type = Type::kInt;
    column.origin = std::string(table) + "." + name;
    out->columns.push_back(column);
  }
  return out;
}

Expr equal(std::size_t a, std::size_t b) {
  return call(Op::kEqual, Type::kBool, {column(a, Type::kInt), column(b, Type::kInt)});
}

// Rows of r(visit, dose), each with the owner that visits(visit, nights) says, as rows_of makes
// them.
RelationPtr linked_rows() {
  const RelationPtr own = scan("r", {"visit", "dose"}, false);
  const RelationPtr owners = scan("visits", {"visit"}, true);
  auto joined = std::make_shared<Relation>();
  joined->kind = Relation::Kind::kJoin;
  joined->inputs = {own, owners};
  joined->is_private = joined->has_unit = true;
  joined->columns = own->columns;
  joined->columns.push_back(owners->columns[0]);
  joined->condition = equal(0, 2);
  auto out = std::make_shared<Relation>();
  out->kind = Relation::Kind::kProject;
  out->inputs = {joined};
  out->is_private = out->has_unit = out->linked = true;
  out->exprs = {column(0, Type::kInt), column(1, Type::kInt)};
  out->columns = own->columns;
  return out;
}

RelationPtr join(const RelationPtr& left, const RelationPtr& right, Expr condition,
                 JoinKind kind = JoinKind::kInner) {
  auto out = std::make_shared<Relation>();
  out->kind = Relation::Kind::kJoin;
  out->join = kind;
  out->inputs = {left, right};
  out->is_private = out->has_unit = true;
  out->columns = left->columns;
  out->columns.insert(out->columns.end(), right->columns.begin(), right->columns.end());
  out->condition = std::move(condition);
  return out;
}

// Is the left side's owner no longer looked up?
bool is_bare(const RelationPtr& joined) { return !follow_links_once(joined)->inputs[0]->linked; }

TEST(Links, AreFollowedByTheirOwnColumnsOnly) {
  const RelationPtr rows = linked_rows(), visits = scan("visits", {"visit", "nights"}, true);
  EXPECT_TRUE(is_bare(join(rows, visits, equal(0, 2))));
  EXPECT_TRUE(is_bare(join(rows, visits, equal(2, 0))));
  EXPECT_FALSE(is_bare(join(rows, visits, equal(0, 3))));  // another column of the target
  EXPECT_FALSE(is_bare(join(rows, visits, equal(1, 2))));  // another column of the linked table
  EXPECT_FALSE(is_bare(join(rows, visits, equal(0, 1))));  // nothing of the target
  EXPECT_FALSE(is_bare(join(rows, visits, equal(0, 2), JoinKind::kLeft)));
  // Another linked table isn't the target, though its column has the same values.
  EXPECT_FALSE(is_bare(join(rows, linked_rows(), equal(0, 2))));
  // Nor is a target without units.
  EXPECT_FALSE(is_bare(join(rows, scan("visits", {"visit", "nights"}, false), equal(0, 2))));
}

TEST(Links, SomebodyOwnsTheRows) {
  const RelationPtr rows = linked_rows(), visits = scan("visits", {"visit", "nights"}, true);
  const RelationPtr followed = follow_links_once(join(rows, visits, equal(0, 2)));
  EXPECT_TRUE(followed->has_unit);
  EXPECT_FALSE(followed->inputs[0]->has_unit);
  EXPECT_TRUE(followed->inputs[1]->has_unit);
  EXPECT_TRUE(follow_links_once(join(rows, linked_rows(), equal(0, 2)))->has_unit);
}

}  // namespace
}  // namespace discreet::sql
