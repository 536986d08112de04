#include "discreet/policy/column_rule.h"

#include <algorithm>

#include "discreet/base/suggest.h"
#include "discreet/base/try.h"

namespace discreet::policy {
namespace {

using std::string;

Result<Value> value_at(const Place& at, const toml::node& node, std::optional<Type> type) {
  std::optional<Value> value;
  if (auto flag = node.value_exact<bool>()) value = Value::boolean(*flag);
  if (auto whole = node.value_exact<std::int64_t>()) value = Value::integer(*whole);
  if (auto real = node.value_exact<double>()) value = Value::number(*real);
  if (auto text = node.value_exact<string>()) value = Value::text(*text);
  if (auto date = node.value_exact<toml::date>())
    value = Value::date(days_from(date->year, date->month, date->day));
  if (!value) return at.fail("accepted is a text, number, date, true or false");
  if (type && *type != value->type) {
    std::optional<Value> cast;
    if (*type == Type::kDouble && value->type == Type::kInt)
      cast = Value::number(static_cast<double>(value->whole));
    if (*type == Type::kDate && value->type == Type::kText) cast = Value::date_of(value->string);
    if (*type == Type::kTimestamp && value->type == Type::kText)
      cast = Value::timestamp_of(value->string);
    if (*type == Type::kText) cast = Value::text(value->show());
    if (!cast)
      return at.fail(
          fmt::format("found {}, accepted is a value of type {}", value->show(), name_of(*type)));
    value = cast;
  }
  return *value;
}

// An end of a range: a number, or a date (also as text) in days or a timestamp in seconds.
Result<Rational> end_at(const Place& at, const toml::node& node, std::optional<Type>& type) {
  std::optional<Value> moment;
  if (auto date = node.value_exact<toml::date>())
    moment = Value::date(days_from(date->year, date->month, date->day));
  if (auto text = node.value_exact<string>()) {
    moment = Value::date_of(*text);
    if (!moment || type == Type::kTimestamp) moment = Value::timestamp_of(*text);
  }
  if (moment) {
    if (type && !is_time(*type))
      return at.fail(fmt::format("a date is not in a range of type {}", name_of(*type)));
    if (!type) type = moment->type;
    if (*type == Type::kDate && moment->type == Type::kTimestamp) type = Type::kTimestamp;
    if (moment->type == Type::kTimestamp) {
      Rational seconds(Integer(std::to_string(moment->whole)), Integer(1'000'000));
      seconds.canonicalize();
      return seconds;
    }
    return Rational(moment->whole);
  }
  auto number = number_at(at, node, Rounding::kDown);
  if (!number) return at.fail("accepted is a number or a date, such as 0 or \"2024-01-31\"");
  if (type && is_time(*type))
    return at.fail(fmt::format("accepted is {}, such as \"2024-01-31\"", with_article(*type)));
  return number;
}

}  // namespace

Result<ColumnRule> column_at(const Place& at, const toml::node& node) {
  const toml::table* table = node.as_table();
  if (!table) return at.fail("accepted is a table, such as { range = [0, 100] }");
  TRY(known_keys(at, *table, {"type", "range", "values", "hidden", "unique", "sound"}));
  ColumnRule rule;
  if (const auto* type = table->get("type")) {
    auto name = TRY(text_at(at.in("type"), *type));
    rule.type = type_named(name);
    if (!rule.type) {
      const std::vector<string> names = {"boolean", "integer", "double",
                                         "text",    "date",    "timestamp"};
      return at.in("type").fail(fmt::format("unknown type '{}'", name), did_you_mean(name, names));
    }
  }
  if (const auto* range = table->get("range")) {
    const Place here = at.in("range");
    const toml::array* ends = range->as_array();
    if (!ends || ends->size() != 2)
      return here.fail("accepted is [lowest, highest], such as [0, 5000]");
    const bool declared = rule.type.has_value();
    if (declared && !is_number(*rule.type) && !is_time(*rule.type))
      return here.fail(fmt::format("a column of type {} has no range", name_of(*rule.type)));
    auto low = TRY(end_at(here, *ends->get(0), rule.type));
    auto high = TRY(end_at(here, *ends->get(1), rule.type));
    if (low > high)
      return here.fail("the lowest value is above the highest", "write [lowest, highest]");
    const Rational limit("1000000000000000000000000000000");
    if (abs(low) > limit || abs(high) > limit)
      return here.fail("accepted are numbers within ±1e30");
    if (!rule.type) rule.type = Type::kDouble;
    rule.range = Interval{low, high};
  }
  if (const auto* values = table->get("values")) {
    const Place here = at.in("values");
    const toml::array* list = values->as_array();
    if (!list || list->empty())
      return here.fail("accepted is a list of at least one value, such as [\"A\", \"B\"]");
    rule.values.emplace();
    for (const auto& item : *list) {
      auto value = TRY(value_at(here, item, rule.type));
      if (!rule.type) rule.type = value.type;
      if (value.type != *rule.type) return here.fail("the values are not all of one type");
      if (std::find(rule.values->begin(), rule.values->end(), value) != rule.values->end())
        return here.fail(fmt::format("{} stands there twice", value.show()));
      rule.values->push_back(value);
    }
  }
  if (const auto* hidden = table->get("hidden")) {
    auto flag = TRY(bool_at(at.in("hidden"), *hidden));
    rule.hidden = flag;
  }
  if (const auto* unique = table->get("unique")) {
    auto flag = TRY(bool_at(at.in("unique"), *unique));
    rule.unique = flag;
  }
  if (const auto* sound = table->get("sound")) {
    auto flag = TRY(bool_at(at.in("sound"), *sound));
    rule.sound = flag;
  }
  return rule;
}

}  // namespace discreet::policy
