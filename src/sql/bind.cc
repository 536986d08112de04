#include "discreet/sql/bind.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "discreet/base/suggest.h"
#include "discreet/base/try.h"
#include "discreet/policy/names.h"
#include "discreet/sql/functions.h"
#include "discreet/sql/known_syntax.h"
#include "discreet/sql/literals.h"
#include "discreet/sql/patterns.h"
#include "discreet/sql/relation.h"
#include "discreet/sql/reveal.h"
#include "discreet/sql/unfold.h"

namespace discreet::sql {

using std::string;

namespace {

constexpr int kDeepest = 200;  // nested expressions

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

std::optional<Position> Context::position(const Place& place) const {
  return position_in(text_, place);
}

tl::unexpected<Error> Context::refuse(const Place& place, string message, string hint) const {
  return fail(Code::kRefused, std::move(message), std::move(hint), position(place));
}

Status Context::spend(std::size_t steps, const Place& place) const {
  steps_ += steps;
  if (steps_ <= kMostSteps) return {};
  return refuse(place, fmt::format("planning this question takes more than {} steps", kMostSteps),
                "ask for less at a time: fewer columns, conditions and levels");
}

Expr constant(const Term& term) {
  Expr expr = literal(term.literal);
  if (term.exact) expr.range = Interval{*term.exact, *term.exact};
  return expr;
}

Result<Expr> Binder::bind(const Term& term) {
  if (++depth_ > kDeepest) return at_.refuse(term.place, "the expression is nested too deeply");
  const struct Leave {
    int& depth;
    ~Leave() { --depth; }
  } leave{depth_};
  TRY(at_.spend(1, term.place));
  if (intercept_)
    if (auto answer = intercept_(term)) return std::move(*answer);
  Result<Expr> out = meaning(term);
  if (out && out->weight > kMostUnfolded) return too_large(term);
  if (out)
    if (auto place = at_.position(term.place)) {
      out->position = place->offset;
      out->length = place->length;
    }
  return out;
}

Result<Expr> Binder::meaning(const Term& term) {
  using Kind = Term::Kind;
  switch (term.kind) {
    case Kind::kColumn:
      return column_ref(term);
    case Kind::kLiteral:
      return constant(term);
    case Kind::kCall:
      return function(term);
    case Kind::kCompare: {
      auto left = TRY(bind(term.args[0]));
      auto right = TRY(bind(term.args[1]));
      return compare(term, term.op, std::move(left), std::move(right));
    }
    case Kind::kAnd:
    case Kind::kOr:
      return logic(term);
    case Kind::kNot: {
      auto arg = TRY(bind(term.args[0]));
      if (arg.type != Type::kBool) return at_.refuse(term.place, "NOT takes a truth value");
      return call(Op::kNot, Type::kBool, {std::move(arg)});
    }
    case Kind::kIsNull:
    case Kind::kIsNotNull: {
      auto arg = TRY(bind(term.args[0]));
      return call(term.kind == Kind::kIsNull ? Op::kIsNull : Op::kIsNotNull, Type::kBool,
                  {std::move(arg)});
    }
    case Kind::kIn:
    case Kind::kNotIn:
      return in(term);
    case Kind::kCoalesce:
      return coalesce(term);
    case Kind::kBetween:
      return between(term);
    case Kind::kCase:
      return cases(term);
    case Kind::kCast:
      return cast(term);
    case Kind::kStar:
      return at_.refuse(term.place, "* would show single rows",
                        "name aggregates, such as COUNT(*)");
    case Kind::kLifted:
      if (term.lifted < scope_.lifted.size()) {
        Expr lifted = scope_.lifted[term.lifted].expr;
        see_marks(lifted, *scope_.relation);
        return lifted;
      }
      break;
    case Kind::kExists:
    case Kind::kScalar:
    case Kind::kInQuery:
      break;
  }
  return at_.refuse(term.place, "a subquery can't stand here",
                    "put it into WHERE, GROUP BY or an aggregate");
}

tl::unexpected<Error> Binder::too_large(const Term& term) const {
  return at_.refuse(term.place, "the expression unfolds to more than an engine can take",
                    "BETWEEN doubles what it looks at, (a, b) IN (…) repeats it for each row: nest "
                    "fewer of them");
}

Result<Expr> Binder::condition(const Term& term) {
  auto expr = TRY(bind(term));
  if (is_null_literal(expr)) expr = literal(Value::none(Type::kBool));
  if (expr.type != Type::kBool)
    return at_.refuse(
        term.place, fmt::format("a condition is expected here, found {}", with_article(expr.type)));
  return expr;
}

Result<Expr> Binder::column_ref(const Term& term) {
  const std::vector<string>& parts = term.names;
  if (parts.size() > 2) return at_.refuse(term.place, "a column is written column or table.column");
  const string& wanted = parts.back();
  std::vector<const Scope::Name*> found;
  const auto each_in_sight = [&](auto visit) {
    for (const Scope::Name& name : scope_.names)
      if (parts.size() == 2 ? same_name(name.table, parts[0]) : !name.qualified_only) visit(name);
  };
  TRY(at_.spend(scope_.names.size() / 32, term.place));
  each_in_sight([&](const Scope::Name& name) {
    if (same_name(name.column, wanted)) found.push_back(&name);
  });
  if (found.empty() && parts.size() == 1 && lower(wanted).starts_with("current_"))
    return time_of_asking(term);
  if (found.empty() && scope_.relation)
    if (const Unreadable* stored = unreadable(*scope_.relation, wanted))
      return at_.refuse(term.place, fmt::format("the column '{}' is {}", stored->name, stored->why),
                        stored->hint);
  if (found.empty()) {
    std::vector<string> known;
    each_in_sight([&](const Scope::Name& name) { known.push_back(name.column); });
    return at_.refuse(term.place, fmt::format("there is no column '{}'", fmt::join(parts, ".")),
                      did_you_mean(wanted, known));
  }
  if (found.size() > 1)
    return at_.refuse(term.place, fmt::format("'{}' is in more than one table", wanted),
                      fmt::format("write {}.{}", found[0]->table, wanted));
  const Column& column = scope_.relation->columns[found[0]->index];
  if (column.domain) TRY(at_.spend(column.domain->size() / 32, term.place));
  return expr_of(*scope_.relation, found[0]->index);
}

tl::unexpected<Error> Binder::time_of_asking(const Term& term) const {
  return at_.refuse(
      term.place, "the time of asking is no part of a query: the same text would mean another one",
      "write the date itself, such as DATE '2024-02-29'");
}

Status Binder::may_call(const Term& term) const {
  if (!term.order.empty())
    return at_.refuse(term.place, "a function with 'order_bys' is not understood");
  const string schema = lower(term.schema);
  if (!schema.empty() && schema != "main")
    return at_.refuse(term.place, "functions of other schemas are refused");
  const string& name = term.name;
  if (term.distinct || !term.filter.empty())
    return at_.refuse(
        term.place,
        fmt::format("'{}' is not an aggregate: DISTINCT and FILTER don't belong to it", name));
  static const std::vector<string> kOperators = {
      "+",   "-",   "*",    "/",  "%",      "//",        "mod",      "~~",
      "!~~", "~~*", "!~~*", "||", "concat", "date_part", "datepart", "pi"};
  const auto& known = function_names();
  static const std::vector<string> kNow = {"now",   "current_timestamp", "get_current_timestamp",
                                           "today", "current_date",      "localtimestamp"};
  if (std::find(kNow.begin(), kNow.end(), name) != kNow.end()) return time_of_asking(term);
  if (name == "row")
    return at_.refuse(
        term.place, "a row of several values is not understood here",
        "(a, b) IN ((1, 2), …) is; to count different pairs, join them: a || '/' || b");
  if (is_other_aggregate(name))
    return at_.refuse(
        term.place, fmt::format("the aggregate '{}' is not answered", name),
        list_of(at_.aggregates(), [](const AggregateForm&) { return true; }) + " are");
  if (std::find(kOperators.begin(), kOperators.end(), name) == kOperators.end() &&
      std::find(known.begin(), known.end(), name) == known.end())
    return at_.refuse(
        term.place,
        fmt::format("the function '{}' is not on the list of functions known to be safe", name),
        did_you_mean(name, known));
  for (const Term& arg : term.args)
    if (!arg.alias.empty())
      return at_.refuse(arg.place,
                        fmt::format("'{}' takes no named argument '{}'", name, arg.alias));
  return {};
}

Result<Expr> Binder::function(const Term& term) {
  TRY(may_call(term));
  const string& name = term.name;
  // A date moved by an interval: the interval is a call of its own (to_days, to_months, …), which
  // means nothing elsewhere.
  if ((name == "+" || name == "-") && term.args.size() == 2) {
    const auto is_interval = [](const Term& arg) {
      return arg.kind == Term::Kind::kCall && arg.name.starts_with("to_");
    };
    if (is_interval(term.args[1]) || (name == "+" && is_interval(term.args[0]))) {
      const std::size_t which = is_interval(term.args[1]) ? 1 : 0;
      auto moment = TRY(bind(term.args[1 - which]));
      return shift(term, std::move(moment), term.args[which], name == "-");
    }
  }
  std::vector<Expr> args;
  for (const Term& arg : term.args) {
    auto bound = TRY(bind(arg));
    args.push_back(std::move(bound));
  }
  if (name == "+" || name == "-" || name == "*" || name == "/" || name == "%" || name == "//" ||
      name == "mod")
    return arithmetic(term, name, std::move(args));
  if (name == "~~" || name == "!~~" || name == "~~*" || name == "!~~*") {
    if (args.size() != 2 || args[0].type != Type::kText || !is_text_literal(args[1]))
      return at_.refuse(term.place, "LIKE takes a text and a literal pattern");
    if (auto problem = like_problem(args[1].literal.string))
      return at_.refuse(term.place, *problem, "join several patterns by AND or OR");
    Expr like = call(name.ends_with("*") ? Op::kILike : Op::kLike, Type::kBool, std::move(args));
    return name.starts_with("!") ? call(Op::kNot, Type::kBool, {std::move(like)}) : like;
  }
  auto out = make_call(name, std::move(args), at_.calculator());
  if (!out && !out.error().position) out.error().position = at_.position(term.place);
  return out;
}

Result<Expr> Binder::cases(const Term& term) {
  std::vector<Expr> args;
  for (std::size_t i = 0; i < term.args.size(); ++i) {
    const bool is_when = i % 2 == 0 && i + 1 < term.args.size();
    auto one = TRY(is_when ? condition(term.args[i]) : bind(term.args[i]));
    args.push_back(std::move(one));
  }
  std::vector<Expr*> results;
  for (std::size_t i = 1; i < args.size(); i += 2) results.push_back(&args[i]);
  results.push_back(&args.back());
  Type type = Type::kText;
  if (!unify(results, type))
    return at_.refuse(term.place, "the results of CASE are not all of one type");
  std::optional<Interval> range;
  bool bounded = true, literals = true;
  std::vector<Value> domain;
  std::set<Value> seen;
  for (const Expr* result : results) {
    literals &= result->op == Op::kLiteral;
    if (result->op == Op::kLiteral) {
      Value value = result->literal;
      if (!value.null && type == Type::kDouble) value = Value::number(value.as_number());
      if (seen.insert(value).second) domain.push_back(value);
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

Result<Expr> Binder::cast(const Term& term) {
  auto inner = TRY(bind(term.args[0]));
  const string& name = term.name;
  const auto type = type_named(name);
  if (!type)
    return at_.refuse(term.place, fmt::format("CAST to {} is not understood", name),
                      kAcceptedTypes);
  if (is_text_literal(inner) && is_time(*type)) {
    auto moment = *type == Type::kDate ? Value::date_of(inner.literal.string)
                                       : Value::timestamp_of(inner.literal.string);
    if (!moment)
      return at_.refuse(term.place,
                        fmt::format("'{}' is not {}", inner.literal.string, with_article(*type)),
                        "write it as 'YYYY-MM-DD'");
    return literal(*moment);
  }
  if (is_null_literal(inner)) return literal(Value::none(*type));
  if (!can_cast(inner.type, *type))
    return at_.refuse(term.place, fmt::format("{} can't be cast to {}", with_article(inner.type),
                                              name_of(*type)));
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
