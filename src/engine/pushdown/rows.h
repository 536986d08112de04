// The rows of a part of a plan, as the bounding takes them: u, k0, k1, …, s0, s1, …
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "discreet/engine/pushdown/dialect.h"
#include "discreet/plan/plan.h"
#include "discreet/policy/catalog.h"

namespace discreet::engine::pushdown {

// Rows of groups that are not public, where all are or some keys' values are, are left out: they
// must take no place of a group that is.
// Slots of one expression share a column: places[i] is slot i's.
Result<std::string> rows_sql(const plan::PlanPart& part, const Dialect& dialect,
                             std::vector<std::size_t>& places);

// A table's rows (Dialect::scan): its columns as `read` has them, c0, c1, …, from the quoted table;
// and u, the unit, where there is one. Rows without a unit are nobody's.
using ReadColumn = std::function<Result<std::string>(const policy::StoredColumn&)>;
Result<std::string> scan_sql(const sql::Relation& relation, const policy::Table& table,
                             const std::string& from, const Dialect& dialect,
                             const ReadColumn& read);

// Whether the rows may be asked for in shares of units, each by a statement of its own: what units
// contribute adds up. How many different values there are doesn't.
bool comes_in_shares(const plan::PlanPart& part);
// Whether one table is all that is read: reading it again costs less than bounding does.
bool reads_one_table(const plan::PlanPart& part);

// The type of a value on its way: a whole number for all but reals and texts.
policy::Type travels_as(policy::Type type);

}  // namespace discreet::engine::pushdown
