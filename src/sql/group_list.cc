#include "discreet/sql/group_list.h"

#include <algorithm>
#include <set>

#include "discreet/base/try.h"
#include "discreet/sql/keys.h"
#include "discreet/sql/relation.h"

namespace discreet::sql {
namespace {

using Row = std::vector<Value>;

// Keys whose values are known together: one key, or all that come from one public relation.
struct Block {
  std::vector<std::size_t> keys;
  std::vector<Row> rows;
};

Expr all_of(std::vector<Expr> conditions) {
  return conditions.size() == 1 ? conditions[0]
                                : call(Op::kAnd, Type::kBool, std::move(conditions));
}

// What the keys are where an outer join finds no public row; nothing if such a row never passes.
Result<std::optional<Row>> without_match(const std::vector<const Facts*>& keys,
                                         const Calculator& calculator) {
  const auto of_nulls = [&](const Expr& expr) -> Result<Value> {
    Columns columns;
    collect_columns(expr, columns);
    Row nulls;
    for (const auto& [index, column] : columns) nulls.push_back(Value::none(column->type));
    auto values = TRY(calculator.values(renumbered(expr, columns), {nulls}));
    return std::move(values[0]);
  };
  for (const Expr& condition : keys[0]->conditions) {
    const Value truth = TRY(of_nulls(condition));
    if (truth.null || truth.whole == 0) return std::optional<Row>();
  }
  Row out;
  for (const Facts* key : keys) out.push_back(TRY(of_nulls(key->expr)));
  return std::optional(std::move(out));
}

// The different values of keys that come from the same rows of a public relation.
Result<std::vector<Row>> look_up(const std::vector<const Facts*>& keys, const Tools& tools) {
  RelationPtr rows = keys[0]->relation;
  if (!keys[0]->conditions.empty()) rows = filtered(rows, all_of(keys[0]->conditions));
  std::vector<Expr> exprs;
  for (const Facts* key : keys) exprs.push_back(key->expr);
  const std::vector<std::string> names(exprs.size());
  auto top = std::make_shared<Relation>(*distinct(projected(rows, std::move(exprs), names)));
  top->inputs = {std::make_shared<Relation>(*top)};
  top->kind = Relation::Kind::kTop;
  top->exprs.clear();
  top->limit = kMostPublicGroups + 1;
  auto found = TRY(tools.public_rows->rows(*top));
  std::set<Row> out(found.begin(), found.end());
  if (keys[0]->may_lack)
    if (auto nulls = TRY(without_match(keys, tools.calculator))) out.insert(std::move(*nulls));
  return std::vector<Row>(out.begin(), out.end());
}

class Lister {
 public:
  Lister(Select& select, const Tools& tools) : select_(select), tools_(tools) {}

  Status list() {
    const std::size_t count = select_.keys.size();
    bool all = true;
    for (const Expr& key : select_.keys) {
      facts_.push_back(facts_of(key, select_.input));
      known_.push_back(TRY(values_of(facts_.back(), tools_.calculator)));
      all = all && (known_.back() || can_look_up(facts_.back()));
    }
    std::vector<Block> blocks;
    std::size_t product = 1;
    std::vector<bool> done(count, false);
    for (std::size_t i = 0; i < count && all; ++i) {
      if (done[i]) continue;
      blocks.push_back(TRY(block(i, done)));
      product *= std::max<std::size_t>(1, blocks.back().rows.size());
      all = product <= kMostPublicGroups;
    }
    if (!all) return some();
    for (std::size_t i = 0; i < count; ++i) select_.domains.emplace_back();
    for (const Block& one : blocks)
      for (std::size_t k = 0; k < one.keys.size(); ++k) {
        auto& domain = select_.domains[one.keys[k]].emplace();
        std::set<Value> seen;
        for (const Row& row : one.rows)
          if (seen.insert(row[k]).second) domain.push_back(row[k]);
      }
    if (blocks.size() < count) combine(blocks);
    return {};
  }

 private:
  bool can_look_up(const Facts& key) const {
    return tools_.public_rows && !key.relation->is_private;
  }

  // Where a key is private the rest is chosen with it: only declared values stay what they are.
  Status some() {
    for (std::optional<KeyValues>& known : known_)
      select_.domains.push_back(known && !known->derived ? std::optional(std::move(known->values))
                                                         : std::nullopt);
    return {};
  }

  Result<Block> block(std::size_t first, std::vector<bool>& done) {
    Block out;
    if (known_[first]) {
      out.keys = {first};
      for (const Value& value : known_[first]->values) out.rows.push_back({value});
      return out;
    }
    std::vector<const Facts*> keys;
    for (std::size_t i = first; i < facts_.size(); ++i) {
      if (known_[i] || facts_[i].relation != facts_[first].relation ||
          facts_[i].path != facts_[first].path)
        continue;
      done[i] = true;
      out.keys.push_back(i);
      keys.push_back(&facts_[i]);
    }
    out.rows = TRY(look_up(keys, tools_));
    return out;
  }

  // Every combination of the blocks' rows, the last block turning fastest.
  void combine(const std::vector<Block>& blocks) {
    std::vector<Row> groups = {Row(select_.keys.size())};
    for (const Block& one : blocks) {
      std::vector<Row> longer;
      longer.reserve(groups.size() * one.rows.size());
      for (const Row& group : groups)
        for (const Row& row : one.rows) {
          longer.push_back(group);
          for (std::size_t k = 0; k < one.keys.size(); ++k) longer.back()[one.keys[k]] = row[k];
        }
      groups = std::move(longer);
    }
    select_.groups = std::move(groups);
  }

  Select& select_;
  const Tools& tools_;
  std::vector<Facts> facts_;
  std::vector<std::optional<KeyValues>> known_;
};

}  // namespace

Status list_groups(Select& select, const Tools& tools) { return Lister(select, tools).list(); }

}  // namespace discreet::sql
