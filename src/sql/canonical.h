// What a question is, as a text that doesn't depend on any engine: the same question has the same
// text, and different questions have different ones. The ledger keeps it, and finds a paid answer
// by it (--reuse), so a change of its form is a new version, and nothing else may change it: not
// the way an engine guards a division, not the words of a message.
//
//   std::string text = canonical(call(Op::kAdd, Type::kDouble,
//       {column(0, Type::kDouble), literal(Value::integer(2))}), {"c0"});  // (c0 + 2)
#pragma once

#include <string>
#include <vector>

#include "discreet/sql/algebra.h"

namespace discreet::sql {

inline constexpr int kCanonicalVersion = 2;

std::string canonical(const Expr& expr, const std::vector<std::string>& columns);
std::string canonical(const Value& value);
// Tables by their names in the policy; columns are c0, c1, … and u, the unit.
std::string canonical(const Relation& relation);

std::string quoted_text(std::string_view text);  // 'it''s'
std::string quoted_name(std::string_view name);  // "a ""name"""

}  // namespace discreet::sql
