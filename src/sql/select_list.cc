#include "discreet/sql/select_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"

namespace discreet::sql {

using std::string;

namespace {

string name_of(const Term& term, std::size_t number) {
  if (!term.alias.empty()) return term.alias;
  if (term.kind == Term::Kind::kColumn) return term.names.back();
  if (term.kind == Term::Kind::kCall && !term.is_operator && !term.name.empty())
    return term.name == "count_star" ? "count" : term.name;
  return fmt::format("col{}", number);
}

// Every column of `*` or `t.*` as if it had been named.
Status spread(const Context& at, const Term& star, const Scope& scope, std::vector<Item>& out) {
  std::vector<string> excluded = star.names;
  const string& table = star.name;
  bool any = false;
  for (const Scope::Name& name : scope.names) {
    if (!table.empty() && !same_name(name.table, table)) continue;
    if (table.empty() && name.qualified_only) continue;
    any = true;
    const auto left_out = std::find_if(excluded.begin(), excluded.end(), [&](const string& one) {
      return same_name(one, name.column);
    });
    if (left_out != excluded.end()) {
      excluded.erase(left_out);
      continue;
    }
    Term column;
    column.kind = Term::Kind::kColumn;
    column.place = star.place;
    column.names = {name.table, name.column};
    out.push_back({name.column, std::move(column)});
  }
  if (!any) return at.refuse(star.place, fmt::format("there is no table '{}' in FROM", table));
  if (!excluded.empty())
    return at.refuse(star.place, fmt::format("EXCLUDE: there is no column \"{}\"", excluded[0]));
  return {};
}

}  // namespace

Result<std::vector<Item>> select_items(const Context& at, const Query& select, const Scope& scope) {
  std::vector<Item> out;
  for (const Term& term : select.items) {
    if (term.kind == Term::Kind::kStar)
      TRY(spread(at, term, scope, out));
    else
      out.push_back({name_of(term, out.size() + 1), term});
    if (out.size() > kMostColumns)
      return at.refuse(term.place, fmt::format("a SELECT has more than {} columns", kMostColumns));
  }
  return out;
}

Result<std::vector<Term>> group_terms(const Context& at, const Query& select,
                                      const std::vector<Item>& items, const Scope& scope) {
  std::vector<Term> out;
  if (select.group_by_all) {
    for (const Item& item : items)
      if (!at.has_aggregate(item.term)) out.push_back(item.term);
    if (out.size() > kMostKeys)
      return at.refuse(select.place,
                       fmt::format("GROUP BY ALL has more than {} expressions", kMostKeys));
    return out;
  }
  if (select.grouping_sets)
    return at.refuse(select.groups.empty() ? select.place : select.groups[0].place,
                     "GROUPING SETS, ROLLUP and CUBE are not answered",
                     "ask one query for each grouping");
  if (select.groups.size() > kMostKeys)
    return at.refuse(select.groups[kMostKeys].place,
                     fmt::format("GROUP BY has more than {} expressions", kMostKeys));
  for (const Term& term : select.groups) {
    if (const auto index = whole_number(term)) {
      if (*index < 1 || static_cast<std::size_t>(*index) > items.size())
        return at.refuse(term.place, fmt::format("GROUP BY {}: there are {} columns in SELECT",
                                                 *index, items.size()));
      out.push_back(items[static_cast<std::size_t>(*index) - 1].term);
      continue;
    }
    const auto item = std::find_if(items.begin(), items.end(), [&](const Item& one) {
      return term.kind == Term::Kind::kColumn && term.names.size() == 1 &&
             same_name(one.name, term.names[0]);
    });
    const bool is_column =
        item != items.end() &&
        std::any_of(scope.names.begin(), scope.names.end(),
                    [&](const Scope::Name& one) { return same_name(one.column, term.names[0]); });
    out.push_back(item != items.end() && !is_column ? item->term : term);
  }
  for (const Term& term : out)
    if (at.has_aggregate(term)) return at.refuse(term.place, "an aggregate can't be grouped by");
  return out;
}

}  // namespace discreet::sql
