// The SELECT list and GROUP BY of a query's tree, before anything is bound.
#pragma once

#include <string>
#include <vector>

#include "discreet/sql/bind.h"

namespace discreet::sql {

// SELECT items: `*` and `t.*` spread out, each with its name.
struct Item {
  std::string name;
  Json node;
};
Result<std::vector<Item>> select_items(const Context& at, const Json& select, const Scope& scope);
// GROUP BY's expressions, positions and output names resolved to nodes; GROUP BY ALL to all items
// without aggregates.
Result<std::vector<Json>> group_nodes(const Context& at, const Json& select,
                                      const std::vector<Item>& items, const Scope& scope);
bool has_aggregate(const Json& node);
// Of one entry of ORDER BY.
bool nulls_first(const Json& order);

bool is_aggregate_name(const std::string& name);
// A literal whole number: a position in ORDER BY or GROUP BY, a LIMIT.
std::optional<std::int64_t> position_of(const Json& node);
// A field that is a text, else nothing.
std::string text_field(const Json& node, const char* field);

}  // namespace discreet::sql
