// ORDER BY and LIMIT of queries over public tables. (Of private ones they stand around what is
// released: check.cc.)
#include <fmt/format.h>

#include "discreet/sql/from.h"

namespace discreet::sql {

Result<std::vector<Sort>> From::sorting(const Query& query, std::vector<Item>& items) const {
  std::vector<Sort> out;
  const std::size_t shown = items.size();
  for (const OrderTerm& order : query.order) {
    const Term& by = order.term;
    Sort sort;
    sort.descending = order.descending;
    sort.nulls_first = order.nulls_first;
    if (by.kind == Term::Kind::kStar) {  // ORDER BY ALL
      for (sort.column = 0; sort.column < shown; ++sort.column) out.push_back(sort);
      continue;
    }
    sort.column = items.size();
    if (const auto position = whole_number(by)) {
      if (*position < 1 || static_cast<std::size_t>(*position) > shown)
        return at_.refuse(by.place,
                          fmt::format("ORDER BY {}: there are {} columns", *position, shown));
      sort.column = static_cast<std::size_t>(*position) - 1;
    } else if (by.kind == Term::Kind::kColumn && by.names.size() == 1) {
      for (std::size_t i = shown; i-- > 0;)
        if (same_name(items[i].name, by.names[0])) sort.column = i;
    }
    if (sort.column == items.size()) items.push_back({"", by});
    out.push_back(sort);
  }
  return out;
}

Result<RelationPtr> From::limited(const Query& query, RelationPtr relation, std::vector<Sort> sort,
                                  std::size_t columns) const {
  auto out = std::make_shared<Relation>();
  if (relation->is_private && (query.limit || query.offset))
    return at_.refuse(query.place, "LIMIT in a subquery would choose among people's rows",
                      "LIMIT the outermost query: it then chooses among released rows");
  for (auto [term, place] : {std::pair{&query.limit, &out->limit}, {&query.offset, &out->offset}}) {
    if (!*term) continue;
    const auto count = whole_number(**term);
    if (!count || *count < 0) return at_.refuse((*term)->place, "LIMIT takes a whole number");
    *place = *count;
  }
  if (relation->is_private || (sort.empty() && !out->limit && !out->offset)) return relation;
  out->kind = Relation::Kind::kTop;
  out->columns.assign(relation->columns.begin(),
                      relation->columns.begin() + static_cast<std::ptrdiff_t>(columns));
  out->inputs = {std::move(relation)};
  out->sort = std::move(sort);
  return out;
}

}  // namespace discreet::sql
