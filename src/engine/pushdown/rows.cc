#include "discreet/engine/pushdown/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/engine/pushdown/bounding.h"
#include "discreet/engine/pushdown/merged.h"
#include "discreet/engine/pushdown/print.h"
#include "discreet/plan/group_keys.h"

namespace discreet::engine::pushdown {

using std::string;
using Strings = std::vector<string>;

policy::Type travels_as(policy::Type type) {
  switch (type) {
    case policy::Type::kText:
    case policy::Type::kDouble:
      return type;
    case policy::Type::kBool:
    case policy::Type::kInt:
    case policy::Type::kDate:
    case policy::Type::kTimestamp:
      break;
  }
  return policy::Type::kInt;
}

Result<string> scan_sql(const sql::Relation& relation, const policy::Table& table,
                        const string& from, const Dialect& dialect, const ReadColumn& read) {
  Strings items;
  string key;
  for (std::size_t i = 0; i < table.stored.size(); ++i) {
    auto column = read(table.stored[i]);
    if (!column && table.columns[i].is_key)
      return fail(Code::kRefused,
                  fmt::format("tables.{}.key: '{}' says whose a row is: {}", table.rule.name,
                              table.rule.key, column.error().message.text()),
                  fmt::format("where it holds whole numbers: columns.{} = {{ type = \"integer\" }}",
                              table.rule.key));
    if (!column) return forward_error(column);
    items.push_back(fmt::format("{} AS c{}", *column, i));
    if (table.columns[i].is_key) key = fmt::format("c{}", i);
  }
  const string rows = fmt::format("SELECT {} FROM {}", joined(items), from);
  if (!relation.has_unit) return rows;
  const policy::Type type = table.column(table.rule.key)->type;
  const string unit = relation.unit_type == policy::Type::kText
                          ? TRY(dialect.cast(key, type, policy::Type::kText))
                          : key;
  return fmt::format("SELECT *, {} AS u FROM ({}) AS t WHERE {} IS NOT NULL", unit, rows, key);
}

bool comes_in_shares(const plan::PlanPart& part) {
  if (part.direct) return false;
  for (const plan::Statistic& one : part.statistics)
    if (one.kind == bound::Total::Kind::kDistinct) return false;
  return true;
}

bool reads_one_table(const plan::PlanPart& part) {
  const sql::Relation* at = part.select.input.get();
  while (at->kind == sql::Relation::Kind::kFilter || at->kind == sql::Relation::Kind::kProject)
    at = at->inputs.front().get();
  return at->kind == sql::Relation::Kind::kScan;
}

namespace {

Result<string> slot_sql(const plan::Slot& slot, const Strings& places, const Dialect& dialect) {
  const policy::Type type = slot.value.type;
  const string value = TRY(print(slot.value, places, dialect));
  const auto text = [&]() -> Result<string> {
    if (type == policy::Type::kDouble) return dialect.real_text(dialect.number(value));
    return dialect.cast(value, type, policy::Type::kText);
  };
  switch (slot.kind) {
    case plan::Slot::Kind::kFlag:
      return fmt::format("CASE WHEN {} IS NOT NULL THEN CAST(1 AS {}) END",
                         type == policy::Type::kDouble ? dialect.number(value) : value,
                         dialect.type(policy::Type::kInt));
    // What is only told apart is carried as its hash, as bound/bounder.cc does.
    case plan::Slot::Kind::kHash:
      return dialect.hash_text(TRY(text()), dialect.secret(3));
    case plan::Slot::Kind::kWord:
      return text();
    case plan::Slot::Kind::kChoice: {
      Strings list;
      for (const policy::Value& choice : slot.choices) list.push_back(TRY(dialect.literal(choice)));
      return dialect.place_in(value, list);
    }
    case plan::Slot::Kind::kNumber:
    case plan::Slot::Kind::kLeaf:
    case plan::Slot::Kind::kScale:
    case plan::Slot::Kind::kReal:
      break;
  }
  return dialect.as_real(value, type);
}

// A public value as it travels.
policy::Value travelling(const policy::Value& value, policy::Type type) {
  policy::Value out = plan::as_key(value, type);
  out.type = travels_as(out.type);
  return out;
}

// Which rows count; nothing where all do.
Result<string> where(const plan::PlanPart& part, const Dialect& dialect) {
  const auto& select = part.select;
  const auto is = [&](std::size_t key, const policy::Value& value) -> Result<string> {
    const string name = fmt::format("k{}", key);
    if (value.null) return fmt::format("{} IS NULL", name);
    const policy::Value there = travelling(value, select.keys[key].type);
    return dialect.compared("=", there.type, name, TRY(dialect.literal(there)));
  };
  Strings out;
  // A row that a join gave to nobody counts for nobody.
  if (!part.direct) out.emplace_back("u IS NOT NULL");
  if (comes_in_shares(part)) {
    const string share = dialect.in_share("u", select.input->unit_type, reads_one_table(part));
    if (!share.empty()) out.push_back(share);
  }
  if (part.all_public && select.groups) {
    // Groups without NULL and NaN, which not every engine finds in a list, are looked up together.
    Strings lists, others;
    for (const std::vector<policy::Value>& group : *select.groups) {
      Strings values, each;
      const bool whole = std::none_of(group.begin(), group.end(), [](const policy::Value& v) {
        return v.null || (v.type == policy::Type::kDouble && std::isnan(v.real));
      });
      for (std::size_t i = 0; i < group.size(); ++i) {
        if (whole)
          values.push_back(TRY(dialect.literal(travelling(group[i], select.keys[i].type))));
        else
          each.push_back(TRY(is(i, group[i])));
      }
      if (whole)
        lists.push_back("(" + joined(values) + ")");
      else
        others.push_back("(" + joined(each, " AND ") + ")");
    }
    if (!lists.empty() && !select.keys.empty())
      others.push_back(
          fmt::format("({}) IN ({})", joined(names(select.keys.size(), "k")), joined(lists)));
    if (!select.keys.empty())
      out.push_back(others.empty() ? "FALSE" : "(" + joined(others, " OR ") + ")");
  } else {
    for (std::size_t i = 0; i < select.keys.size(); ++i) {
      if (!select.domains[i]) continue;
      Strings list;
      string null;
      for (const policy::Value& value : *select.domains[i])
        if (value.null)
          null = fmt::format(" OR k{} IS NULL", i);
        else
          list.push_back(TRY(dialect.literal(travelling(value, select.keys[i].type))));
      out.push_back(list.empty() ? fmt::format("(FALSE{})", null)
                                 : fmt::format("({}{})",
                                               dialect.among(fmt::format("k{}", i),
                                                             travels_as(select.keys[i].type), list),
                                               null));
    }
  }
  return out.empty() ? "" : " WHERE " + joined(out, " AND ");
}

}  // namespace

Result<string> rows_sql(const plan::PlanPart& part, const Dialect& dialect,
                        std::vector<std::size_t>& places) {
  const Strings columns = names(part.select.input->columns.size());
  const Printed input = TRY(print(*part.select.input, dialect));
  Strings items, values;
  if (!part.direct) items.emplace_back("u");
  for (std::size_t i = 0; i < part.select.keys.size(); ++i)
    items.push_back(
        fmt::format("{} AS k{}",
                    dialect.travelling(TRY(print(plan::grouped_by(part, i), columns, dialect)),
                                       part.select.keys[i].type),
                    i));
  for (const plan::Slot& slot : part.slots) {
    string value = TRY(slot_sql(slot, columns, dialect));
    const auto known = std::find(values.begin(), values.end(), value);
    places.push_back(static_cast<std::size_t>(known - values.begin()));
    if (known != values.end()) continue;
    items.push_back(fmt::format("{} AS s{}", value, values.size()));
    values.push_back(std::move(value));
  }
  if (items.empty()) items.emplace_back("1 AS one");
  const string shown = joined(items);
  TRY(check_merged(input.size + merged_size(shown, input.columns)));
  const string rows = fmt::format("SELECT {} FROM ({}) AS t", shown, input.text);
  const string filter = TRY(where(part, dialect));
  return filter.empty() ? rows : fmt::format("SELECT * FROM ({}) AS t{}", rows, filter);
}

Result<string> open_rows(const sql::Relation& relation, const Dialect& dialect) {
  Strings items;
  for (std::size_t i = 0; i < relation.columns.size(); ++i)
    items.push_back(fmt::format(
        "{} AS c{}", dialect.travelling(fmt::format("c{}", i), relation.columns[i].type), i));
  if (items.empty()) items.emplace_back("1 AS one");
  return fmt::format("SELECT {} FROM ({}) AS t", joined(items), TRY(print(relation, dialect)).text);
}

}  // namespace discreet::engine::pushdown
