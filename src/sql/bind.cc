#include "discreet/sql/bind.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "discreet/base/suggest.h"
#include "discreet/base/try.h"
#include "discreet/policy/names.h"
#include "discreet/sql/functions.h"
#include "discreet/sql/literals.h"
#include "discreet/sql/relation.h"
#include "discreet/sql/unfold.h"

namespace discreet::sql {

using std::string;

namespace {

constexpr int kDeepest = 200;  // nested expressions

bool says_nothing(const Json& value) {
  if (value.is_null() || (value.is_boolean() && !value.get<bool>())) return true;
  if (value.is_string()) return value.get_ref<const string&>().empty();
  if (value.is_array()) return value.empty();
  if (value.is_object()) {
    if (value.contains("map")) return value["map"].empty();
    if (value.contains("orders")) return value["orders"].empty();
  }
  return false;
}

// A literal text where a date is wanted is that date.
bool become(Expr& expr, Type type) {
  if (expr.type == type) return true;
  if (is_null_literal(expr)) {
    expr = literal(Value::none(type));
    return true;
  }
  if (is_text_literal(expr) && is_time(type)) {
    auto moment = type == Type::kDate ? Value::date_of(expr.literal.string)
                                      : Value::timestamp_of(expr.literal.string);
    if (!moment) return false;
    expr = literal(*moment);
    return true;
  }
  if (type == Type::kTimestamp && expr.type == Type::kDate) {
    auto range = expr.range;
    expr = call(Op::kCast, type, {std::move(expr)});
    if (range) expr.range = *range * Interval{86'400, 86'400};
    return true;
  }
  if (type == Type::kDouble && expr.type == Type::kInt)
    return true;  // printed as a double where it matters
  return false;
}

// A column that a table below has but nobody can read.
const Unreadable* unreadable(const Relation& relation, std::string_view name) {
  for (const Unreadable& one : relation.unreadable)
    if (same_name(one.name, name)) return &one;
  for (const RelationPtr& input : relation.inputs)
    if (const Unreadable* one = unreadable(*input, name)) return one;
  return nullptr;
}

}  // namespace

bool is_other_aggregate(const string& name) {
  static const std::vector<string> kNames = {
      "any_value",    "approx_quantiles", "approx_top_count", "arg_max",  "arg_min",
      "array_agg",    "bit_and",          "bit_or",           "bool_and", "bool_or",
      "corr",         "covar_pop",        "covar_samp",       "entropy",  "first",
      "group_concat", "histogram",        "kurtosis",         "last",     "list",
      "listagg",      "logical_and",      "logical_or",       "mad",      "max_by",
      "min_by",       "product",          "regr_slope",       "skewness", "string_agg"};
  return name.starts_with("anon_") || std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool unify(std::vector<Expr*> exprs, Type& type) {
  std::optional<Type> found;
  for (const Expr* expr : exprs) {
    if (is_null_literal(*expr) || (is_text_literal(*expr) && found && is_time(*found))) continue;
    if (!found || (*found == Type::kInt && expr->type == Type::kDouble) ||
        (*found == Type::kDate && expr->type == Type::kTimestamp))
      found = expr->type;
  }
  for (const Expr* expr : exprs)  // a literal text that came first
    if (found == Type::kText && is_time(expr->type)) found = expr->type;
  type = found.value_or(Type::kText);
  for (Expr* expr : exprs)
    if (!become(*expr, type)) return false;
  return true;
}

std::optional<Position> Context::position(const Json& node) const {
  const auto at = node.is_object() && node.contains("query_location") &&
                          node["query_location"].is_number_unsigned()
                      ? node["query_location"].get<std::uint64_t>()
                      : std::numeric_limits<std::uint64_t>::max();
  if (at < text_.size()) {
    std::size_t end = at;
    const auto word = [&](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
             static_cast<unsigned char>(c) >= 128;
    };
    while (end < text_.size() && word(text_[end])) ++end;
    return Position{text_, at, std::max<std::size_t>(1, end - at)};
  }
  if (node.is_object())  // a node without a place has children with one
    for (const char* child : {"child", "left", "input", "children", "case_checks", "when_expr",
                              "subquery", "node", "function", "query", "select_list"})
      if (node.contains(child)) {
        const Json& below =
            node[child].is_array() ? (node[child].empty() ? Json() : node[child][0]) : node[child];
        if (auto place = position(below)) return place;
      }
  return std::nullopt;
}

tl::unexpected<Error> Context::refuse(const Json& node, string message, string hint) const {
  return fail(Code::kRefused, std::move(message), std::move(hint), position(node));
}

Status Context::only(const Json& node, std::initializer_list<const char*> fields,
                     const char* what) const {
  for (const auto& [key, value] : node.items()) {
    if (key == "class" || key == "type" || key == "alias" || key == "query_location") continue;
    const std::string& name = key;  // clang 14 can't capture a structured binding
    if (std::find_if(fields.begin(), fields.end(),
                     [&](const char* field) { return name == field; }) != fields.end())
      continue;
    if (!says_nothing(value))
      return refuse(node, fmt::format("{} with '{}' is not understood", what, key));
  }
  return {};
}

Result<Expr> constant(const Context& at, const Json& node) {
  const Json& value = node["value"];
  if (value.value("is_null", false)) return literal(Value::none(Type::kText));
  const string type = value["type"].value("id", "");
  const Json& inner = value.contains("value") ? value["value"] : Json();
  std::optional<Value> out;
  std::optional<Rational> exact;
  if (type == "BOOLEAN" && inner.is_boolean()) out = Value::boolean(inner.get<bool>());
  if ((type == "TINYINT" || type == "SMALLINT" || type == "INTEGER" || type == "BIGINT") &&
      inner.is_number_integer())
    out = Value::integer(inner.get<std::int64_t>());
  if (type == "DOUBLE" && inner.is_number() && std::isfinite(inner.get<double>()))
    out = Value::number(inner.get<double>());
  if (type == "VARCHAR" && inner.is_string()) out = Value::text(inner.get<string>());
  if (type == "DECIMAL" && inner.is_number_integer()) {
    const int scale = value["type"]["type_info"].value("scale", 0);
    Integer ten;
    mpz_ui_pow_ui(ten.get_mpz_t(), 10, static_cast<unsigned long>(scale));
    exact = Rational(Integer(inner.dump()), ten);
    exact->canonicalize();
    out = Value::number(to_double(*exact));
  }
  if (!out && (type == "HUGEINT" || type == "UBIGINT" || type == "UHUGEINT" || type == "DECIMAL"))
    return at.refuse(node, "this number has too many digits", "write it as 1.5e20");
  if (!out) return at.refuse(node, fmt::format("a literal of type {} is not understood", type));
  Expr expr = literal(*out);
  if (exact) expr.range = Interval{*exact, *exact};
  return expr;
}

Result<Expr> Binder::bind(const Json& node) {
  if (++depth_ > kDeepest) return at_.refuse(node, "the expression is nested too deeply");
  // (A row on the left of IN is looked at once for each row on the right.)
  if (static_cast<double>(++parts_) > kMostUnfolded) return too_large(node);
  const struct Leave {
    int& depth;
    ~Leave() { --depth; }
  } leave{depth_};
  if (intercept_)
    if (auto answer = intercept_(node)) return std::move(*answer);
  const string kind = node.value("class", "");
  Result<Expr> out = [&]() -> Result<Expr> {
    if (kind == "COLUMN_REF") return column_ref(node);
    if (kind == "CONSTANT") return constant(at_, node);
    if (kind == "FUNCTION") return function(node);
    if (kind == "COMPARISON") return comparison(node);
    if (kind == "CONJUNCTION") return conjunction(node);
    if (kind == "OPERATOR") return operation(node);
    if (kind == "BETWEEN") return between(node);
    if (kind == "CASE") return cases(node);
    if (kind == "CAST") return cast(node);
    if (kind == "LIFTED" && node["index"].get<std::size_t>() < scope_.lifted.size())
      return scope_.lifted[node["index"].get<std::size_t>()].expr;
    if (kind == "SUBQUERY" || kind == "LIFTED")
      return at_.refuse(node, "a subquery can't stand here",
                        "put it into WHERE, GROUP BY or an aggregate");
    if (kind == "WINDOW")
      return at_.refuse(node, "window functions mix the rows of different people",
                        "group with GROUP BY instead");
    if (kind == "STAR")
      return at_.refuse(node, "* would show single rows", "name aggregates, such as COUNT(*)");
    if (kind == "LAMBDA") return at_.refuse(node, "lambda functions are not understood");
    if (kind == "PARAMETER")
      return at_.refuse(node, "parameters have no value here", "write the value itself");
    return at_.refuse(
        node, fmt::format("an expression of kind {} is not understood", kind.empty() ? "?" : kind));
  }();
  if (out && out->weight > kMostUnfolded) return too_large(node);
  if (out)
    if (auto place = at_.position(node)) {
      out->position = place->offset;
      out->length = place->length;
    }
  return out;
}

tl::unexpected<Error> Binder::too_large(const Json& node) const {
  return at_.refuse(node, "the expression unfolds to more than an engine can take",
                    "BETWEEN doubles what it looks at, (a, b) IN (…) repeats it for each row: nest "
                    "fewer of them");
}

Result<Expr> Binder::condition(const Json& node) {
  auto expr = TRY(bind(node));
  if (is_null_literal(expr)) expr = literal(Value::none(Type::kBool));
  if (expr.type != Type::kBool)
    return at_.refuse(node,
                      fmt::format("a condition is expected here, found a {}", name_of(expr.type)));
  return expr;
}

Result<Expr> Binder::column_ref(const Json& node) {
  const auto parts = node["column_names"].get<std::vector<string>>();
  if (parts.size() > 2) return at_.refuse(node, "a column is written column or table.column");
  const string& wanted = parts.back();
  std::vector<const Scope::Name*> found;
  std::vector<string> known;
  for (const Scope::Name& name : scope_.names) {
    if (parts.size() == 2 ? !same_name(name.table, parts[0]) : name.qualified_only) continue;
    known.push_back(name.column);
    if (same_name(name.column, wanted)) found.push_back(&name);
  }
  if (found.empty() && parts.size() == 1 && lower(wanted).starts_with("current_"))
    return time_of_asking(node);
  if (found.empty() && scope_.relation)
    if (const Unreadable* stored = unreadable(*scope_.relation, wanted))
      return at_.refuse(node, fmt::format("the column '{}' is {}", stored->name, stored->why),
                        stored->hint);
  if (found.empty())
    return at_.refuse(node, fmt::format("there is no column '{}'", fmt::join(parts, ".")),
                      did_you_mean(wanted, known));
  if (found.size() > 1)
    return at_.refuse(node, fmt::format("'{}' is in more than one table", wanted),
                      fmt::format("write {}.{}", found[0]->table, wanted));
  return expr_of(*scope_.relation, found[0]->index);
}

tl::unexpected<Error> Binder::time_of_asking(const Json& node) const {
  return at_.refuse(
      node, "the time of asking is no part of a query: the same text would mean another one",
      "write the date itself, such as DATE '2024-02-29'");
}

Result<Expr> Binder::function(const Json& node) {
  TRY(at_.only(node, {"function_name", "children", "is_operator", "schema", "distinct", "filter"},
               "a function"));
  const string name = lower(node.value("function_name", ""));
  const string schema = lower(node.value("schema", ""));
  if (!schema.empty() && schema != "main")
    return at_.refuse(node, "functions of other schemas are refused");
  if (node.value("distinct", false) || !says_nothing(node["filter"]))
    return at_.refuse(
        node,
        fmt::format("'{}' is not an aggregate: DISTINCT and FILTER don't belong to it", name));
  const Json& children = node["children"];
  static const std::vector<string> kOperators = {
      "+",   "-",   "*",    "/",  "%",      "//",        "mod",      "~~",
      "!~~", "~~*", "!~~*", "||", "concat", "date_part", "datepart", "pi"};
  const auto& known = function_names();
  static const std::vector<string> kNow = {"now",   "current_timestamp", "get_current_timestamp",
                                           "today", "current_date",      "localtimestamp"};
  if (std::find(kNow.begin(), kNow.end(), name) != kNow.end()) return time_of_asking(node);
  if (name == "row")
    return at_.refuse(
        node, "a row of several values is not understood here",
        "(a, b) IN ((1, 2), …) is; to count different pairs, join them: a || '/' || b");
  if (is_other_aggregate(name))
    return at_.refuse(node, fmt::format("the aggregate '{}' is not answered", name),
                      "COUNT, SUM, AVG, VAR, STDDEV, MEDIAN, QUANTILE, MIN, MAX and MODE are");
  if (std::find(kOperators.begin(), kOperators.end(), name) == kOperators.end() &&
      std::find(known.begin(), known.end(), name) == known.end())
    return at_.refuse(
        node,
        fmt::format("the function '{}' is not on the list of functions known to be safe", name),
        did_you_mean(name, known));
  for (const Json& child : children)
    if (!says_nothing(child["alias"]))
      return at_.refuse(
          child, fmt::format("'{}' takes no named argument '{}'", name, child.value("alias", "")));
  // A date moved by an interval: the interval is a call of its own (to_days, to_months, …), which
  // means nothing elsewhere.
  if ((name == "+" || name == "-") && children.size() == 2) {
    const auto is_interval = [](const Json& child) {
      return child.value("class", "") == "FUNCTION" &&
             lower(child.value("function_name", "")).starts_with("to_");
    };
    if (is_interval(children[1]) || (name == "+" && is_interval(children[0]))) {
      const std::size_t which = is_interval(children[1]) ? 1 : 0;
      auto moment = TRY(bind(children[1 - which]));
      return shift(node, std::move(moment), children[which], name == "-");
    }
  }
  std::vector<Expr> args;
  for (const Json& child : children) {
    auto arg = TRY(bind(child));
    args.push_back(std::move(arg));
  }
  if (name == "+" || name == "-" || name == "*" || name == "/" || name == "%" || name == "//" ||
      name == "mod")
    return arithmetic(node, name, std::move(args));
  if (name == "~~" || name == "!~~" || name == "~~*" || name == "!~~*") {
    if (args.size() != 2 || args[0].type != Type::kText || !is_text_literal(args[1]))
      return at_.refuse(node, "LIKE takes a text and a literal pattern");
    Expr like = call(name.ends_with("*") ? Op::kILike : Op::kLike, Type::kBool, std::move(args));
    return name.starts_with("!") ? call(Op::kNot, Type::kBool, {std::move(like)}) : like;
  }
  auto out = make_call(name, std::move(args), at_.calculator());
  if (!out && !out.error().position) out.error().position = at_.position(node);
  return out;
}

Result<Expr> Binder::cases(const Json& node) {
  TRY(at_.only(node, {"case_checks", "else_expr"}, "CASE"));
  std::vector<Expr> args;
  for (const Json& check : node["case_checks"]) {
    auto when = TRY(condition(check["when_expr"]));
    auto then = TRY(bind(check["then_expr"]));
    args.push_back(std::move(when));
    args.push_back(std::move(then));
  }
  auto otherwise = TRY(bind(node["else_expr"]));
  args.push_back(std::move(otherwise));
  std::vector<Expr*> results;
  for (std::size_t i = 1; i < args.size(); i += 2) results.push_back(&args[i]);
  results.push_back(&args.back());
  Type type = Type::kText;
  if (!unify(results, type)) return at_.refuse(node, "the results of CASE are not all of one type");
  std::optional<Interval> range;
  bool bounded = true, literals = true;
  std::vector<Value> domain;
  for (const Expr* result : results) {
    literals &= result->op == Op::kLiteral;
    if (result->op == Op::kLiteral) {
      Value value = result->literal;
      if (!value.null && type == Type::kDouble) value = Value::number(value.as_number());
      if (std::find(domain.begin(), domain.end(), value) == domain.end()) domain.push_back(value);
      if (value.null) continue;
    }
    bounded &= result->range.has_value();
    if (result->range) range = range ? hull(*range, *result->range) : *result->range;
  }
  Expr out = call(Op::kCase, type, std::move(args));
  if (bounded) out.range = range;
  if (literals) out.domain = domain;
  return out;
}

Result<Expr> Binder::cast(const Json& node) {
  TRY(at_.only(node, {"child", "cast_type", "try_cast"}, "CAST"));
  auto inner = TRY(bind(node["child"]));
  string name = node["cast_type"].value("id", "");
  if (name == "USER") name = node["cast_type"]["type_info"].value("user_type_name", "");
  const auto type = type_named(name);
  if (!type)
    return at_.refuse(node, fmt::format("CAST to {} is not understood", name),
                      "accepted are BOOLEAN, BIGINT, DOUBLE, DECIMAL, VARCHAR, DATE and TIMESTAMP");
  if (is_text_literal(inner) && is_time(*type)) {
    auto moment = *type == Type::kDate ? Value::date_of(inner.literal.string)
                                       : Value::timestamp_of(inner.literal.string);
    if (!moment)
      return at_.refuse(node, fmt::format("'{}' is not a {}", inner.literal.string, name_of(*type)),
                        "write it as 'YYYY-MM-DD'");
    return literal(*moment);
  }
  if (is_null_literal(inner)) return literal(Value::none(*type));
  if (!can_cast(inner.type, *type))
    return at_.refuse(node,
                      fmt::format("a {} can't be cast to {}", name_of(inner.type), name_of(*type)));
  auto range = inner.range;
  const Type from = inner.type;
  auto domain = inner.domain;
  Expr out = call(Op::kCast, *type, {std::move(inner)});
  if (is_number(from) && is_number(*type)) out.range = range;
  if (from == Type::kBool && is_number(*type)) out.range = Interval{0, 1};
  if (from == *type) out.domain = domain;
  if (is_time(from) && is_time(*type) && range)
    out.range = from == *type         ? *range
                : from == Type::kDate ? *range * Interval{86'400, 86'400}
                                      : *range / Interval{86'400, 86'400};
  return out;
}

}  // namespace discreet::sql
