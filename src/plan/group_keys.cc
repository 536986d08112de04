#include "discreet/plan/group_keys.h"

#include <set>

#include "discreet/sql/keys.h"

namespace discreet::plan {

Expr grouped_by(const PlanPart& part, std::size_t key) {
  const Expr& expr = part.select.keys[key];
  return part.all_public || part.select.domains[key] ? expr : sql::short_name(expr);
}

Value as_key(Value value, Type type) {
  if (value.null) return Value::none(type);
  if (type == Type::kDouble && is_number(value.type)) {
    const double number = value.as_number();
    return Value::number(number == 0 ? 0 : number);
  }
  return value;
}

std::vector<Value> distinct_keys(const std::vector<Value>& values, Type type) {
  std::vector<Value> out;
  std::set<std::string, std::less<>> seen;
  for (const Value& value : values) {
    Value key = as_key(value, type);
    bound::KeyBytes bytes;
    write_key(bytes, key);
    if (seen.emplace(bytes.view()).second) out.push_back(std::move(key));
  }
  return out;
}

void write_key(bound::KeyBytes& out, const Value& value) {
  if (value.null) return out.null();
  switch (value.type) {
    case Type::kText:
      return out.text(value.string);
    case Type::kDouble:
      return out.real(value.real);
    case Type::kBool:
    case Type::kInt:
    case Type::kDate:
    case Type::kTimestamp:
      return out.whole(value.whole);
  }
}

Result<std::vector<Value>> read_key(std::string_view bytes, const std::vector<Expr>& keys) {
  using Kind = bound::KeyValue::Kind;
  const auto values = bound::read_key(bytes);
  const auto broken = [] {
    return fail(Code::kFailure, "a group's key is not what was planned; nothing is shown",
                "please report this query");
  };
  if (!values || values->size() != keys.size()) return broken();
  std::vector<Value> out;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bound::KeyValue& value = (*values)[i];
    const Type type = keys[i].type;
    const Kind expected = type == Type::kText     ? Kind::kText
                          : type == Type::kDouble ? Kind::kReal
                                                  : Kind::kWhole;
    if (value.kind == Kind::kNull) {
      out.push_back(Value::none(type));
    } else if (value.kind != expected) {
      return broken();
    } else if (value.kind == Kind::kText) {
      out.push_back(Value::text(std::string(value.text)));
    } else if (value.kind == Kind::kReal) {
      out.push_back(Value::number(value.real));
    } else {
      out.push_back(Value::integer(value.whole));
      out.back().type = type;
    }
  }
  return out;
}

std::vector<std::vector<Value>> distinct_groups(const std::vector<std::vector<Value>>& groups,
                                                const std::vector<Expr>& keys) {
  std::vector<std::vector<Value>> out;
  std::set<std::string, std::less<>> seen;
  for (const std::vector<Value>& group : groups) {
    std::vector<Value> values;
    bound::KeyBytes bytes;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      values.push_back(as_key(group[i], keys[i].type));
      write_key(bytes, values.back());
    }
    if (seen.emplace(bytes.view()).second) out.push_back(std::move(values));
  }
  return out;
}

std::vector<std::vector<Value>> public_groups(const Select& select) {
  if (select.groups) return *select.groups;
  std::vector<std::vector<Value>> out = {{}};
  for (std::size_t i = 0; i < select.keys.size(); ++i) {
    const std::vector<Value> values = select.domains[i].value_or(std::vector<Value>{});
    std::vector<std::vector<Value>> longer;
    longer.reserve(out.size() * values.size());
    for (const std::vector<Value>& prefix : out)
      for (const Value& value : values) {
        longer.push_back(prefix);
        longer.back().push_back(value);
      }
    out = std::move(longer);
  }
  return out;
}

std::size_t number_of_groups(const Select& select) {
  if (select.groups) return select.groups->size();
  std::size_t product = 1;
  for (const auto& domain : select.domains) {
    product *= domain ? domain->size() : 0;
    if (product > sql::kMostPublicGroups) break;
  }
  return product;
}

}  // namespace discreet::plan
