// The SELECT list and GROUP BY of a query, before anything is bound.
#pragma once

#include <string>
#include <vector>

#include "discreet/sql/bind.h"

namespace discreet::sql {

// More than any table's columns, and than anyone groups by.
inline constexpr std::size_t kMostColumns = 2'000, kMostKeys = 50;

// SELECT items: `*` and `t.*` spread out, each with its name.
struct Item {
  std::string name;
  Term term;
};
Result<std::vector<Item>> select_items(const Context& at, const Query& select, const Scope& scope);
// GROUP BY's expressions, positions and output names resolved to terms; GROUP BY ALL to all items
// without aggregates.
Result<std::vector<Term>> group_terms(const Context& at, const Query& select,
                                      const std::vector<Item>& items, const Scope& scope);

}  // namespace discreet::sql
