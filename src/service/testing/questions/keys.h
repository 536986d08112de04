// What can be grouped by, and which of it is public.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "discreet/service/testing/questions/expressions.h"

namespace discreet::service::testing::questions {

// The columns whose values the policy or a VALUES list gives: "t.w" to the oracle's literals.
using Declared = std::map<std::string, std::vector<std::string>>;

// A key over t's columns.
Piece random_key(Draw& draw, Expressions& expressions, const World& world);

// docs/sql.md, "Keys", as a query for all that a public key can be (a column v, each value once);
// nothing where groups have to be chosen privately. The values of a column that is grouped by, the
// literals of a CASE and the parts of a calendar are listed. Truth values are false and true. What
// is made of listed columns is what comes of all combinations of their values and NULL, where NULL
// itself counts only if it is made of no NULL.
std::optional<std::string> public_values(const Piece& key, const Declared& declared);

// A value, as text by which groups are told apart: −0 is 0, NaN is NaN.
std::string canonical_sql(const Piece& value);                             // in the oracle
std::string canonical(const std::string& oracle_text, policy::Type type);  // of its answer
std::string canonical(const policy::Value& value, policy::Type type);      // of ours

}  // namespace discreet::service::testing::questions
