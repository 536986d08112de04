// ORDER BY and LIMIT of queries over public tables. (Of private ones they stand around what is
// released: check.cc.)
#include <fmt/format.h>

#include "discreet/policy/names.h"
#include "discreet/sql/from.h"

namespace discreet::sql {

using std::string;

Result<std::vector<Sort>> From::sorting(const Json& node, std::vector<Item>& items) const {
  std::vector<Sort> out;
  const std::size_t shown = items.size();
  for (const Json& modifier : node["modifiers"]) {
    if (modifier.value("type", "") != "ORDER_MODIFIER") continue;
    for (const Json& order : modifier["orders"]) {
      const Json& by = order["expression"];
      Sort sort;
      sort.descending = order.value("type", "") == "DESCENDING";
      sort.nulls_first = nulls_first(order);
      if (by.value("class", "") == "STAR") {  // ORDER BY ALL
        for (sort.column = 0; sort.column < shown; ++sort.column) out.push_back(sort);
        continue;
      }
      sort.column = items.size();
      if (const auto position = position_of(by)) {
        if (*position < 1 || static_cast<std::size_t>(*position) > shown)
          return at_.refuse(by, fmt::format("ORDER BY {}: there are {} columns", *position, shown));
        sort.column = static_cast<std::size_t>(*position) - 1;
      } else if (by.value("class", "") == "COLUMN_REF" && by["column_names"].size() == 1) {
        for (std::size_t i = shown; i-- > 0;)
          if (same_name(items[i].name, by["column_names"][0].get<string>())) sort.column = i;
      }
      if (sort.column == items.size()) items.push_back({"", by});
      out.push_back(sort);
    }
  }
  return out;
}

Result<RelationPtr> From::limited(const Json& node, RelationPtr relation, std::vector<Sort> sort,
                                  std::size_t columns) const {
  auto out = std::make_shared<Relation>();
  for (const Json& modifier : node["modifiers"]) {
    const string type = modifier.value("type", "");
    if (type == "ORDER_MODIFIER" || type == "DISTINCT_MODIFIER") continue;
    if (type != "LIMIT_MODIFIER")
      return at_.refuse(node, type == "LIMIT_PERCENT_MODIFIER"
                                  ? "LIMIT takes a number of rows, not a share"
                                  : fmt::format("{} is not understood", type));
    if (relation->is_private)
      return at_.refuse(node, "LIMIT in a subquery would choose among people's rows",
                        "LIMIT the outermost query: it then chooses among released rows");
    for (auto [field, place] : {std::pair{"limit", &out->limit}, {"offset", &out->offset}}) {
      if (!modifier.contains(field) || modifier[field].is_null()) continue;
      const auto count = position_of(modifier[field]);
      if (!count || *count < 0) return at_.refuse(modifier[field], "LIMIT takes a whole number");
      *place = *count;
    }
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
