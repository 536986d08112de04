#include "discreet/policy/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/suggest.h"
#include "discreet/policy/names.h"

namespace discreet::policy {
const Column* Table::column(std::string_view name) const {
  for (const Column& column : columns)
    if (same_name(column.name, name)) return &column;
  return nullptr;
}

const Table* Catalog::table(std::string_view name) const {
  for (const Table& table : tables)
    if (same_name(table.rule.name, name)) return &table;
  return nullptr;
}

namespace {

// The unit's key, a link's column, or what a link points to.
bool leads_to_unit(const Policy& policy, const TableRule& rule, std::string_view column) {
  if (same_name(rule.key, column) || (rule.link && same_name(rule.link->column, column)))
    return true;
  return std::any_of(policy.tables.begin(), policy.tables.end(), [&](const TableRule& other) {
    return other.link && same_name(other.link->table, rule.name) &&
           same_name(other.link->target, column);
  });
}

// Columns that can't be read are no columns; a rule that names one is an error.
Status take_unreadable(Table& table) {
  std::vector<StoredColumn> readable;
  for (StoredColumn& column : table.stored) {
    const auto named =
        std::find_if(table.rule.columns.begin(), table.rule.columns.end(),
                     [&](const auto& rule) { return same_name(rule.first, column.name); });
    const bool has_rule = named != table.rule.columns.end();
    if (column.unreadable.empty() || (column.promise && has_rule && named->second.sound)) {
      readable.push_back(std::move(column));
      continue;
    }
    if (has_rule || same_name(table.rule.key, column.name) ||
        (table.rule.link && same_name(table.rule.link->column, column.name)))
      return fail(Code::kUsage,
                  fmt::format("the column '{}' is {}", column.name, column.unreadable),
                  column.hint);
    table.unreadable.push_back({column.name, column.unreadable, column.hint});
  }
  table.stored = std::move(readable);
  return {};
}

// Declared numbers and moments are a range too, from the least to the greatest: what else a row
// holds is clamped to it. Nothing where one of them is no end of a range (NaN, 1e300).
std::optional<Interval> range_of(const std::vector<Value>& values) {
  std::optional<Interval> out;
  const Rational limit("1000000000000000000000000000000");  // as of ranges in a policy
  for (const Value& value : values) {
    if (value.null || !(is_number(value.type) || is_time(value.type))) return std::nullopt;
    if (value.type == Type::kDouble && !std::isfinite(value.real)) return std::nullopt;
    Rational at(value.whole);
    if (value.type == Type::kTimestamp) at /= 1'000'000;
    if (value.type == Type::kDouble)  // the decimal that was written
      at = parse_number(to_text(value.real), Rounding::kDown).value_or(Rational(value.real));
    if (abs(at) > limit) return std::nullopt;
    out = out ? hull(*out, {at, at}) : Interval{at, at};
  }
  return out;
}

}  // namespace

Result<Catalog> make_catalog(const Policy& policy, Schemas schemas) {
  Catalog catalog;
  catalog.unit = policy.unit;
  catalog.left_out = policy.left_out;
  for (std::size_t t = 0; t < policy.tables.size(); ++t) {
    Table table;
    table.rule = policy.tables[t];
    table.stored = std::move(schemas[t]);
    const auto bad = [&](const std::string& what, Phrase hint = {}) {
      return fail(Code::kUsage,
                  fmt::format("{}: tables.{}: {}", policy.path, table.rule.name, what),
                  std::move(hint));
    };
    if (auto ok = take_unreadable(table); !ok)
      return bad(ok.error().message.text(), std::move(ok.error().hint));
    std::vector<std::string> names;
    for (const StoredColumn& stored : table.stored) {
      for (const std::string& other : names)
        if (same_name(other, stored.name))
          return bad(fmt::format("two columns are called '{}'", stored.name));
      names.push_back(stored.name);
    }
    const auto known = [&](const std::string& name) {
      for (const std::string& other : names)
        if (same_name(other, name)) return true;
      return false;
    };
    if (!table.rule.key.empty() && !known(table.rule.key))
      return bad(fmt::format("the key column '{}' is not in the source", table.rule.key),
                 did_you_mean(table.rule.key, names));
    if (table.rule.link && !known(table.rule.link->column))
      return bad(
          fmt::format("the link's column '{}' is not in the source", table.rule.link->column),
          did_you_mean(table.rule.link->column, names));
    for (const auto& [name, rule] : table.rule.columns)
      if (!known(name))
        return bad(fmt::format("columns.{}: there is no such column in the source", name),
                   did_you_mean(name, names));
    for (StoredColumn& stored : table.stored) {
      Column column;
      column.name = stored.name;
      column.type = stored.type;
      for (const auto& [name, rule] : table.rule.columns) {
        if (!same_name(name, stored.name)) continue;
        if (rule.type && *rule.type != stored.type) {
          const bool whole_range = *rule.type == Type::kDouble &&
                                   stored.type == Type::kInt;  // a range alone says "a number"
          if (whole_range && !stored.as_text) {
            column.type = Type::kInt;
          } else if (!can_cast(stored.type, *rule.type)) {
            return bad(fmt::format("columns.{}: the source holds {}, which can't be read as {}",
                                   name, with_article(stored.type), with_article(*rule.type)),
                       "leave the type out, or give the range or values in the source's type");
          } else {
            column.type = *rule.type;
            stored.same_type = false;
          }
        }
        column.range = rule.range;
        column.domain = rule.values;
        if (column.domain && column.type == Type::kInt)
          for (Value& value : *column.domain) {
            if (value.type != Type::kDouble) continue;
            // 0.5 cut to 0 would show a group that nobody declared; and not every double is one.
            if (std::trunc(value.real) != value.real || std::abs(value.real) >= 0x1p63)
              return bad(fmt::format("columns.{}: the source holds whole numbers, and {} is none",
                                     name, value.show()));
            value = Value::integer(static_cast<std::int64_t>(value.real));
          }
        if (column.domain && !column.range && (is_number(column.type) || is_time(column.type)))
          column.range = range_of(*column.domain);
        column.hidden = rule.hidden;
        column.unique = rule.unique;
      }
      // One person must not be several units because of texts that the owner's database takes for
      // the same.
      if (!stored.blurred.empty() && leads_to_unit(policy, table.rule, stored.name))
        return bad(fmt::format("the column '{}' tells one {} from another, and {} takes texts for "
                               "equal that differ here",
                               stored.name, policy.unit, stored.blurred),
                   stored.sharper);
      // People, and what leads to them, are never told apart by a rounded number: UBIGINT, HUGEINT
      // and DECIMAL, like reals, are read as texts.
      if (column.type == Type::kDouble && leads_to_unit(policy, table.rule, stored.name)) {
        column.type = Type::kText;
        column.range.reset();
        column.domain.reset();
        stored.same_type = false;
      }
      stored.names_unit = stored.exact && column.type == Type::kText &&
                          leads_to_unit(policy, table.rule, stored.name);
      stored.type = column.type;
      if (column.type == Type::kBool && !column.domain)
        column.domain = {Value::boolean(false), Value::boolean(true)};
      column.is_key = column.uses_key =
          !table.rule.key.empty() && same_name(stored.name, table.rule.key);
      column.stored_private = !table.rule.is_public;
      column.origin = table.rule.name + "." + stored.name;
      table.columns.push_back(std::move(column));
    }
    catalog.tables.push_back(std::move(table));
  }
  for (const Table& table : catalog.tables) {
    if (!table.rule.link) continue;
    const Link& link = *table.rule.link;
    const Table* target = catalog.table(link.table);
    const Column* there = target ? target->column(link.target) : nullptr;
    const auto bad = [&](const std::string& what, std::string hint = {}) {
      return fail(Code::kUsage,
                  fmt::format("{}: tables.{}.link: {}", policy.path, table.rule.name, what),
                  std::move(hint));
    };
    if (!there) return bad(fmt::format("'{}.{}' is not in the source", link.table, link.target));
    if (there->type != table.column(link.column)->type)
      return bad(fmt::format("'{}' is of type {}, '{}.{}' of type {}", link.column,
                             name_of(table.column(link.column)->type), link.table, link.target,
                             name_of(there->type)),
                 "give both the same columns.NAME = { type = … }");
  }
  return catalog;
}

}  // namespace discreet::policy
