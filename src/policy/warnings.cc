#include "discreet/policy/warnings.h"

#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/number.h"
#include "discreet/base/quote.h"
#include "discreet/policy/names.h"
#include "discreet/policy/toml_text.h"

namespace discreet::policy {

using std::string;

namespace {

// Whether a column that the file stores as `stored` can have this value. Texts can have any; of
// numbers with a fraction and of moments only what can't be read at all is sure, for there are
// several ways to write one.
bool can_match(const Value& value, Type stored) {
  if (value.type != Type::kText || stored == Type::kText) return true;
  const auto read = Value::read(value.string, stored);
  if (!read || read->null) return false;
  if (stored == Type::kDouble || stored == Type::kTimestamp) return true;
  return read->show() == value.string;
}

// What an enum has that a column of this type can have.
std::vector<Value> readable_labels(const StoredColumn& stored, Type type) {
  std::vector<Value> out;
  for (const string& label : stored.labels) {
    if (is_number(type) && !parse_number(label, Rounding::kDown)) continue;
    if (const auto value = Value::read(label, type)) out.push_back(*value);
  }
  return out;
}

void look_at_labels(const string& where, const Column& column, const StoredColumn& stored,
                    std::vector<string>& out) {
  // Each server has words of its own for true and false.
  if (stored.labels.empty() || column.type == Type::kBool) return;
  const std::vector<Value> possible = readable_labels(stored, column.type);
  if (possible.empty())
    return out.push_back(
        fmt::format("{}: no row can have a value: no label of the source's enum is "
                    "{}",
                    where, with_article(column.type)));
  if (!column.domain) return;
  for (const Value& value : *column.domain)
    if (std::find(possible.begin(), possible.end(), value) == possible.end())
      out.push_back(
          fmt::format("{}: no row can have the value {}: the source's enum has no such "
                      "label",
                      where, quote(value.show())));
}

bool has_blank_ends(const string& text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  return !text.empty() && (blank(text.front()) || blank(text.back()));
}

void look_at(const string& where, const Column& column, const StoredColumn& stored,
             std::vector<string>& out) {
  look_at_labels(where, column, stored, out);
  if (!column.domain) return;
  const std::vector<Value>& values = *column.domain;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Value& value = values[i];
    for (std::size_t j = 0; j < i; ++j)
      if (value.type == Type::kText && same_name(value.string, values[j].string))
        out.push_back(
            fmt::format("{}: the values {} and {} differ only in the case of their letters; rows "
                        "are counted under the one they are spelled like",
                        where, quote(values[j].string), quote(value.string)));
    if (value.type == Type::kText && has_blank_ends(value.string))
      out.push_back(
          fmt::format("{}: the value {} begins or ends with a blank; only rows that have the blank "
                      "too are counted under it",
                      where, quote(value.string)));
    if (!stored.as_text && !can_match(value, stored.seen))
      out.push_back(fmt::format("{}: no row can have the value {}: the source holds {} there",
                                where, quote(value.show()), with_article(stored.seen)));
    if (column.range && (is_number(value.type) || is_time(value.type))) {
      const double number = value.as_number();
      if (number < to_double(column.range->low) || number > to_double(column.range->high))
        out.push_back(fmt::format("{}: the value {} is outside of the range, {} to {}", where,
                                  value.show(), end_text(column.range->low, column.type),
                                  end_text(column.range->high, column.type)));
    }
  }
}

}  // namespace

std::vector<string> warnings(const Catalog& catalog) {
  std::vector<string> out;
  for (const Table& table : catalog.tables)
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      look_at(fmt::format("tables.{}.columns.{}", table.rule.name, table.columns[i].name),
              table.columns[i], table.stored[i], out);
  return out;
}

}  // namespace discreet::policy
