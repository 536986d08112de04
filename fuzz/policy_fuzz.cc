// The owner's policy, as any TOML text, and the catalog that is made from it. Sources are looked
// for in the fixture's folder: parsing asks the file system which files there are, and changes
// nothing.
#include "discreet/service/terms.h"
#include "discreet/sql/canonical.h"
#include "discreet/sql/rows_of.h"
#include "fixture.h"
#include "target.h"

namespace discreet::fuzz {
namespace {

// A pattern in a source is looked for in the whole file system, which takes a while and finds
// nothing new; an escape can hide one.
bool looks_far(std::string_view text) {
  return text.find_first_of("*?") != text.npos || text.find("\\u") != text.npos ||
         text.find("\\U") != text.npos;
}

void require_sound(const policy::Policy& policy) {
  require(!policy.name.empty() && !policy.unit.empty(),
          "a policy says its name and who is protected");
  require(policy.epsilon > 0 && policy.delta >= 0 && policy.delta < 1, "a budget is one");
  require(!policy.tables.empty(), "a policy has a table");
  for (const policy::TableRule& table : policy.tables) {
    require(policy.table(table.name) == &table, "a table has a name of its own");
    require((table.key.empty() ? 0 : 1) + (table.link ? 1 : 0) + (table.is_public ? 1 : 0) == 1,
            "a table says whose rows these are, once");
    require(!identities(table.from).empty(), "a table has a file");
    for (const auto& count : {table.max_groups, table.max_rows_per_group, table.rows_per_unit})
      if (count) require(*count >= 1 && !table.is_public, "a bound is one");
    for (const auto& [name, column] : table.columns) {
      if (column.range)
        require(column.range->low <= column.range->high, "a range has its ends in order");
      if (column.values) require(!column.values->empty(), "a list of values has one");
    }
  }
}

// Files that hold just the columns that the policy speaks of, as text or as whole numbers.
std::vector<std::vector<policy::StoredColumn>> schemas_of(const policy::Policy& policy,
                                                          bool as_text) {
  std::vector<std::vector<policy::StoredColumn>> out;
  for (const policy::TableRule& table : policy.tables) {
    std::vector<std::string> names;
    const auto add = [&](const std::string& name) {
      if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    };
    for (const auto& [name, column] : table.columns) add(name);
    add(table.key);
    if (table.link) add(table.link->column);
    for (const policy::TableRule& other : policy.tables)
      if (other.link && policy.table(other.link->table) == &table) add(other.link->target);
    out.emplace_back();
    for (const std::string& name : names) {
      policy::StoredColumn column;
      column.name = name;
      column.type = column.seen = as_text ? policy::Type::kText : policy::Type::kInt;
      column.as_text = as_text;
      column.same_type = true;
      out.back().push_back(std::move(column));
    }
  }
  return out;
}

void require_catalog(const policy::Policy& policy, bool as_text) {
  const auto catalog = policy::make_catalog(policy, schemas_of(policy, as_text));
  if (!catalog) return require_refusal(catalog.error(), {Code::kUsage});
  for (const policy::Table& table : catalog->tables) {
    const sql::RelationPtr rows = sql::rows_of(*catalog, table);
    require(rows && rows->has_unit == !table.rule.is_public, "private rows have owners");
    for (const auto& [name, rule] : table.rule.columns) {
      const policy::Column* column = table.column(name);
      require(column && column->hidden == rule.hidden, "a rule is about the column it names");
      if (!column->domain || !rule.values) continue;
      require(*column->domain == *rule.values, "public values are those of the policy");
      for (const policy::Value& value : *column->domain)
        require(value.type == column->type, "public values are of the column's type");
    }
    if (table.rule.is_public || table.rule.name.find('\0') != std::string::npos) continue;
    const auto plan =
        plan_of("SELECT COUNT(*) FROM " + sql::quoted_name(table.rule.name), *catalog);
    require(plan.has_value(), "rows of a private table can be counted: " +
                                  (plan ? std::string() : plan.error().message.text()));
    require_paid(*plan);
  }
}

}  // namespace

void target(std::string_view bytes) {
  if (looks_far(bytes)) return;
  const auto policy = policy::Policy::parse(std::string(bytes), "policy.toml", fixture_folder());
  if (!policy) return require_refusal(policy.error(), {Code::kUsage, Code::kFailure});
  require_sound(*policy);
  if (const auto terms = service::terms_of(*policy); !terms)
    require_refusal(terms.error(), {Code::kUsage, Code::kFailure});
  require_catalog(*policy, true);
  require_catalog(*policy, false);
}

}  // namespace discreet::fuzz
