#include "discreet/sql/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/suggest.h"
#include "discreet/base/try.h"
#include "discreet/policy/names.h"
#include "discreet/sql/bind.h"
#include "discreet/sql/from.h"
#include "discreet/sql/keys.h"
#include "discreet/sql/links.h"
#include "discreet/sql/relation.h"
#include "discreet/sql/select_list.h"
#include "discreet/sql/unfold.h"

namespace discreet::sql {

using std::string;

std::string_view name_of(Aggregate::Kind kind) {
  using Kind = Aggregate::Kind;
  switch (kind) {
    case Kind::kCountRows:
      return "COUNT(*)";
    case Kind::kCount:
      return "COUNT";
    case Kind::kCountDistinct:
      return "COUNT(DISTINCT)";
    case Kind::kCountUnits:
      return "COUNT(DISTINCT unit)";
    case Kind::kSum:
      return "SUM";
    case Kind::kAvg:
      return "AVG";
    case Kind::kVarPop:
      return "VAR_POP";
    case Kind::kVarSamp:
      return "VAR_SAMP";
    case Kind::kStddevPop:
      return "STDDEV_POP";
    case Kind::kStddevSamp:
      return "STDDEV_SAMP";
    case Kind::kQuantile:
      return "QUANTILE";
    case Kind::kMin:
      return "MIN";
    case Kind::kMax:
      return "MAX";
    case Kind::kMode:
      return "MODE";
  }
  return {};
}

namespace {

class Checker {
 public:
  Checker(const Parsed& parsed, const Catalog& catalog, const Calculator& calculator)
      : parsed_(parsed), at_(parsed.text, calculator), catalog_(catalog), from_(at_, catalog) {}

  Result<Question> check() {
    Question question;
    question.text = parsed_.text;
    question.options = parsed_.options;
    Ctes none, ctes{&none, {}};
    TRY(from_.with(parsed_.root, ctes));
    std::vector<Json> selects;
    Status shape = spread(parsed_.root, selects);
    if (!shape) {  // perhaps public tables may be asked so
      auto open = from_.query(parsed_.root, none);
      if (!open || (*open)->is_private) return forward_error(shape);
      open_question(question, *open);
      return question;
    }
    // Public tables only: the whole query is an ordinary one.
    std::vector<Scope> scopes;
    bool is_private = false;
    for (Json& select : selects) {
      auto scope = TRY(from_.rows(select, ctes));
      if (unfolded_size(*scope.relation) > kMostUnfolded)
        return at_.refuse(select["from_table"], "the query unfolds to more than an engine can take",
                          "use fewer levels of subqueries that use the one below twice");
      if (depth_of(*scope.relation) > kDeepestRelation)
        return at_.refuse(select["from_table"], "the query is nested too deeply",
                          "use fewer levels of subqueries");
      is_private |= scope.relation->is_private;
      scopes.push_back(std::move(scope));
    }
    if (!is_private) {
      auto open = TRY(from_.query(parsed_.root, none));
      open_question(question, open);
      return question;
    }
    for (std::size_t i = 0; i < selects.size(); ++i) {
      if (!scopes[i].relation->is_private)
        return at_.refuse(selects[i]["select_list"][0],
                          "this part of UNION ALL asks about public tables only",
                          "ask it by itself: it costs nothing");
      for (const char* place : {"select_list", "group_expressions", "having"})
        TRY(from_.lift(selects[i][place], scopes[i], ctes));
      auto select = TRY(released(selects[i], scopes[i]));
      if (i > 0 && select.outputs.size() != question.parts[0].outputs.size())
        return at_.refuse(selects[i]["select_list"][0],
                          "the parts of UNION ALL have different numbers of columns");
      question.parts.push_back(std::move(select));
    }
    if (parsed_.options.unit_column) {
      bool known = false;
      for (const Table& table : catalog_.tables)
        known |= !table.rule.key.empty() &&
                 (same_name(table.rule.key, *parsed_.options.unit_column) ||
                  same_name(table.rule.name + "." + table.rule.key, *parsed_.options.unit_column));
      if (!known)
        return fail(
            Code::kRefused,
            fmt::format("privacy_unit_column={}: the policy protects the {}, by another column",
                        *parsed_.options.unit_column, catalog_.unit),
            "leave privacy_unit_column out: who is protected is the policy's to say");
    }
    names_.clear();
    for (const Output& output : question.parts[0].outputs) names_.push_back(output.name);
    question.order_on_outputs = question.parts.size() > 1;
    TRY(modifiers(question, &scopes[0]));
    question.singles = from_.singles();
    return question;
  }

 private:
  void open_question(Question& question, const RelationPtr& relation) const {
    question.open = relation;
    question.singles = from_.singles();
    for (const Column& column : relation->columns) question.open_names.push_back(column.name);
  }

  // The SELECTs of a top-level UNION ALL.
  Status spread(const Json& node, std::vector<Json>& out) {
    const string type = node.value("type", "");
    if (type == "SELECT_NODE") {
      if (&node != &parsed_.root && (!node["modifiers"].empty() || !node["cte_map"]["map"].empty()))
        return at_.refuse(node["select_list"][0],
                          "a part of UNION ALL has its own ORDER BY, LIMIT, DISTINCT or WITH",
                          "put them around the whole");
      out.push_back(node);
      return {};
    }
    if (type != "SET_OPERATION_NODE")
      return at_.refuse(node, type == "RECURSIVE_CTE_NODE" ? "recursive queries are refused"
                                                           : "this query is not understood");
    if (auto ok =
            at_.only(node, {"modifiers", "cte_map", "setop_type", "setop_all", "left", "right"},
                     "a set operation");
        !ok)
      return ok;
    if (node.value("setop_type", "") != "UNION" || !node.value("setop_all", false))
      return at_.refuse(node["left"]["select_list"][0],
                        "UNION, EXCEPT and INTERSECT are not answered", "UNION ALL is");
    if (&node != &parsed_.root && !node["modifiers"].empty())
      return at_.refuse(node, "a part of UNION ALL has its own ORDER BY or LIMIT");
    TRY(spread(node["left"], out));
    return spread(node["right"], out);
  }

  Result<Select> released(const Json& node, const Scope& scope) {
    TRY(at_.only(node,
                 {"modifiers", "cte_map", "select_list", "from_table", "where_clause",
                  "group_expressions", "group_sets", "aggregate_handling", "having"},
                 "a query"));
    Select out;
    out.input = follow_links_once(scope.relation);
    auto items = TRY(select_items(at_, node, scope));
    auto groups = TRY(group_nodes(at_, node, items, scope));
    bool distinct = false;
    for (const Json& modifier : node["modifiers"])
      if (modifier.value("type", "") == "DISTINCT_MODIFIER") {
        if (modifier.contains("distinct_on_targets") && !modifier["distinct_on_targets"].empty())
          return at_.refuse(node["select_list"][0], "DISTINCT ON is not understood");
        distinct = true;
      }
    const bool aggregates = has_aggregate(node["select_list"]) || !node["having"].is_null();
    if (distinct && groups.empty() && !aggregates)  // SELECT DISTINCT ward is GROUP BY ward
      for (const Item& item : items) groups.push_back(item.node);
    for (const Item& item : items)
      if (item.node.value("class", "") == "WINDOW")
        return at_.refuse(item.node, "window functions mix the rows of different people",
                          "group with GROUP BY instead");
    if (groups.empty() && !aggregates)
      for (const Item& item : items)
        if (item.node.value("class", "") == "FUNCTION" &&
            is_other_aggregate(lower(item.node.value("function_name", "")))) {
          auto refused = Binder(at_, scope).bind(item.node);
          return forward_error(refused);
        }
    if (groups.empty() && !aggregates)
      return at_.refuse(node["select_list"][0], "this would show single rows",
                        "ask for aggregates: COUNT(*), SUM, AVG, … with GROUP BY");
    keys_.clear();
    Binder rows(at_, scope);
    for (const Json& group : groups) {
      auto key = TRY(rows.bind(group));
      if (key.is_key || key.uses_key)
        return at_.refuse(
            group, fmt::format("grouping by the {}'s key would show single people", catalog_.unit),
            "group by it in a subquery, and aggregate outside");
      if (key.uses_hidden)
        return at_.refuse(group,
                          "this column is hidden by the policy, or it is joined on one that is",
                          "a hidden column may stand in WHERE, not in the answer");
      if (std::find(keys_.begin(), keys_.end(), key) != keys_.end()) continue;
      keys_.push_back(key);
      auto domain = TRY(domain_of(key, at_.calculator()));
      out.domains.push_back(std::move(domain));
      string name;
      for (const Item& item : items)
        if (item.node == group) name = item.name;
      if (name.empty() && group.value("class", "") == "COLUMN_REF")
        name = group["column_names"].back().get<string>();
      out.key_names.push_back(name.empty() ? fmt::format("key{}", out.keys.size() + 1) : name);
      out.keys.push_back(std::move(key));
    }
    for (const Item& item : items) {
      auto expr = TRY(output(item.node, scope, out, nullptr));
      out.outputs.push_back({item.name, std::move(expr)});
    }
    if (!node["having"].is_null()) {
      auto condition = TRY(output(node["having"], scope, out, &out));
      if (condition.type != Type::kBool)
        return at_.refuse(node["having"], "HAVING takes a condition");
      out.having = std::move(condition);
    }
    return out;
  }

  // An expression over released values: keys, aggregates and literals.
  Result<Expr> output(const Json& node, const Scope& scope, Select& select, const Select* aliases) {
    const auto intercept = [&, this](const Json& part) -> std::optional<Result<Expr>> {
      const string kind = part.value("class", "");
      if (kind == "FUNCTION" && is_aggregate_name(lower(part.value("function_name", "")))) {
        auto index = TRY(aggregate(part, scope, select));
        return over(select, index);
      }
      if (has_aggregate(part) || kind == "CONSTANT") return std::nullopt;
      if (kind == "WINDOW" || kind == "SUBQUERY" || kind == "STAR")
        return std::nullopt;  // refused with their own words
      if (aliases && kind == "COLUMN_REF" && part["column_names"].size() == 1)
        for (const Output& one : aliases->outputs)
          if (same_name(one.name, part["column_names"][0].get<string>())) return one.expr;
      Binder plain(at_, scope);
      auto expr = plain.bind(part);
      if (expr) {
        const auto found = std::find(keys_.begin(), keys_.end(), *expr);
        if (found != keys_.end())
          return over(select, static_cast<std::size_t>(found - keys_.begin()));
      }
      if (kind == "LIFTED")
        return at_.refuse(part, "a subquery beside released values is not answered",
                          "put it into GROUP BY, WHERE or an aggregate; or ask it by itself");
      if (kind != "COLUMN_REF") return std::nullopt;
      if (!expr) return forward_error(expr);
      if (expr->is_key || expr->uses_key)
        return at_.refuse(part, fmt::format("the {}'s key can't be shown", catalog_.unit),
                          "COUNT(DISTINCT key) counts them");
      return at_.refuse(part, fmt::format("'{}' must be in GROUP BY or in an aggregate",
                                          part["column_names"].back().get<string>()));
    };
    Scope empty;
    Binder binder(at_, empty, intercept);
    return binder.bind(node);
  }

  static Expr over(const Select& select, std::size_t index) {
    if (index < select.keys.size()) return column(index, select.keys[index].type);
    return column(index, value_type(select.aggregates[index - select.keys.size()]));
  }

  static Type value_type(const Aggregate& aggregate) {
    using Kind = Aggregate::Kind;
    switch (aggregate.kind) {
      case Kind::kCountRows:
      case Kind::kCount:
      case Kind::kCountDistinct:
      case Kind::kCountUnits:
        return Type::kInt;
      case Kind::kQuantile:
      case Kind::kMin:
      case Kind::kMax:
        return is_time(aggregate.arg->type) ? aggregate.arg->type : Type::kDouble;
      case Kind::kMode:
        return aggregate.arg->type;
      case Kind::kSum:
      case Kind::kAvg:
      case Kind::kVarPop:
      case Kind::kVarSamp:
      case Kind::kStddevPop:
      case Kind::kStddevSamp:
        break;
    }
    return Type::kDouble;
  }

  Result<Interval> interval(const Json& node) {
    const auto wrong = [&] {
      return at_.refuse(node, "bounds are two literal numbers, the lower first",
                        "contribution_bounds_per_group => (0, 5000)");
    };
    if (node.value("class", "") != "FUNCTION" || node.value("function_name", "") != "row" ||
        node["children"].size() != 2)
      return wrong();
    Rational ends[2];
    for (std::size_t i = 0; i < 2; ++i) {
      auto end = TRY(number(node["children"][i]));
      ends[i] = end;
    }
    const Rational limit("1000000000000000000000000000000");
    if (ends[0] > ends[1] || abs(ends[0]) > limit || abs(ends[1]) > limit) return wrong();
    return Interval{ends[0], ends[1]};
  }

  // A literal number, perhaps negative.
  Result<Rational> number(const Json& node) {
    if (node.value("class", "") == "FUNCTION" && node.value("function_name", "") == "-" &&
        node["children"].size() == 1) {
      auto inner = TRY(number(node["children"][0]));
      return Rational(-inner);
    }
    if (node.value("class", "") != "CONSTANT")
      return at_.refuse(node, "a literal number is expected here");
    auto value = TRY(constant(at_, node));
    if (!value.range) return at_.refuse(node, "a literal number is expected here");
    return value.range->low;
  }

  Result<std::size_t> aggregate(const Json& node, const Scope& scope, Select& select) {
    using Kind = Aggregate::Kind;
    TRY(at_.only(node, {"function_name", "children", "distinct", "filter", "schema", "order_bys"},
                 "an aggregate"));
    const string name = lower(node.value("function_name", ""));
    Aggregate out;
    if (auto place = at_.position(node)) {
      out.position = place->offset;
      std::size_t end = place->offset;
      int depth = 0;
      while (end < parsed_.text.size()) {  // to the closing parenthesis; for display only
        const char c = parsed_.text[end++];
        if (c == '(') ++depth;
        if (c == ')' && --depth <= 0) break;
      }
      out.text = parsed_.text.substr(place->offset, end - place->offset);
    }
    std::vector<Json> args;
    for (const Json& child : node["children"]) {
      const string label = lower(child.value("alias", ""));
      if (label.empty()) {
        if (name == "count" && child.value("class", "") == "STAR" && node["children"].size() > 1) {
          TRY(at_.only(child, {}, "*"));
          continue;  // COUNT(*, contribution_bounds_per_group => …)
        }
        args.push_back(child);
      } else if (label == "contribution_bounds_per_group" ||
                 label == "contribution_bounds_per_row") {
        auto bounds = TRY(interval(child));
        (label.ends_with("group") ? out.per_group : out.bounds) = bounds;
      } else if (label == "epsilon") {
        auto epsilon = TRY(number(child));
        if (epsilon <= 0) return at_.refuse(child, "epsilon => … is a number above 0");
        out.epsilon = epsilon;
      } else {
        const std::vector<string> names = {"contribution_bounds_per_group",
                                           "contribution_bounds_per_row", "epsilon"};
        return at_.refuse(child, fmt::format("unknown argument '{}'", label),
                          did_you_mean(label, names));
      }
    }
    if (has_aggregate(Json(args))) return at_.refuse(node, "an aggregate inside an aggregate");
    const bool is_distinct = node.value("distinct", false);
    bool from_above = false;
    // PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)
    if (!node["order_bys"].is_null() && !node["order_bys"]["orders"].empty()) {
      const Json& orders = node["order_bys"]["orders"];
      if (orders.size() != 1 || args.size() != 1 ||
          !(name.starts_with("quantile") || name.starts_with("percentile")))
        return at_.refuse(node, "ORDER BY inside this aggregate is not understood");
      from_above = orders[0].value("type", "") == "DESCENDING";
      args.insert(args.begin(), orders[0]["expression"]);
    }
    if (name == "count_star" || (name == "count" && args.empty())) {
      out.kind = Kind::kCountRows;
      if (is_distinct)
        return at_.refuse(node, "COUNT(DISTINCT *) is not understood", "name a column");
    } else if (name == "count") {
      out.kind = is_distinct ? Kind::kCountDistinct : Kind::kCount;
    } else if (name == "sum") {
      out.kind = Kind::kSum;
    } else if (name == "avg" || name == "mean") {
      out.kind = Kind::kAvg;
    } else if (name == "var_pop") {
      out.kind = Kind::kVarPop;
    } else if (name == "var_samp" || name == "variance") {
      out.kind = Kind::kVarSamp;
    } else if (name == "stddev_pop") {
      out.kind = Kind::kStddevPop;
    } else if (name == "stddev_samp" || name == "stddev") {
      out.kind = Kind::kStddevSamp;
    } else if (name == "min") {
      out.kind = Kind::kMin;
    } else if (name == "max") {
      out.kind = Kind::kMax;
    } else if (name == "mode") {
      out.kind = Kind::kMode;
    } else {
      out.kind = Kind::kQuantile;
    }
    if (is_distinct && out.kind != Kind::kCountDistinct)
      return at_.refuse(node, fmt::format("{}(DISTINCT …) is not answered", name),
                        "COUNT(DISTINCT …) is");
    out.quantile = Rational(1, 2);
    if (out.kind == Kind::kQuantile && name != "median") {
      if (args.size() != 2)
        return at_.refuse(node, fmt::format("{} takes an expression and a literal share", name),
                          "QUANTILE(cost, 0.9)");
      if (args[1].value("class", "") == "FUNCTION" || args[1].value("class", "") == "OPERATOR")
        return at_.refuse(args[1], "one quantile is answered at a time",
                          fmt::format("write {0}(x, 0.25), {0}(x, 0.5)", name));
      auto p = TRY(number(args[1]));
      if (p < 0 || p > 1) return at_.refuse(args[1], "a quantile is a number from 0 to 1");
      out.quantile = from_above ? Rational(1 - p) : p;
      args.pop_back();
    }
    if (out.kind != Kind::kCountRows && args.size() != 1)
      return at_.refuse(
          node, fmt::format("{} takes one expression", name),
          name == "count" ? "COUNT(DISTINCT a || '/' || b) counts different pairs" : "");
    Binder rows(at_, scope);
    if (!args.empty()) {
      auto arg = TRY(rows.bind(args[0]));
      if (out.kind == Kind::kCountDistinct && arg.is_key) {
        out.kind = Kind::kCountUnits;
        arg = literal(Value::integer(1));
      }
      out.arg = std::move(arg);
      if ((out.kind == Kind::kSum || out.kind == Kind::kAvg) && out.arg->type == Type::kBool)
        out.arg = as_number(std::move(*out.arg));
    }
    const bool counts = out.kind == Kind::kCountRows || out.kind == Kind::kCount ||
                        out.kind == Kind::kCountDistinct || out.kind == Kind::kCountUnits;
    if (!counts) {
      if (out.arg->uses_key)
        return at_.refuse(node, fmt::format("{} of the {}'s key is refused", name, catalog_.unit),
                          "COUNT(DISTINCT key) counts them");
      if (out.arg->uses_hidden)
        return at_.refuse(node, "this column is hidden by the policy",
                          "it may stand in WHERE and COUNT");
      const bool ordered =
          out.kind == Kind::kQuantile || out.kind == Kind::kMin || out.kind == Kind::kMax;
      if (out.kind == Kind::kMode) {
        if (!out.arg->domain)
          return at_.refuse(
              node, "MODE chooses among declared values, and the policy lists none for this column",
              "columns.NAME = { values = […] } in the policy");
      } else {
        if (!is_number(out.arg->type) && !(ordered && is_time(out.arg->type)))
          return at_.refuse(
              node, fmt::format("{} takes a number, found a {}", name, name_of(out.arg->type)),
              out.arg->type == Type::kText ? "CAST(x AS DOUBLE) makes one; texts are grouped by"
                                           : "");
        if (out.per_group && out.kind != Kind::kSum && out.kind != Kind::kAvg)
          return at_.refuse(node,
                            fmt::format("contribution_bounds_per_group is for COUNT, SUM and AVG"));
        if (!out.bounds) out.bounds = out.arg->range;
        if (!out.bounds && !out.per_group)
          return at_.refuse(
              node,
              fmt::format("{} needs bounds, and nothing says how large these values can be", name),
              "declare columns.NAME = { range = [low, high] } in the policy, or "
              "write contribution_bounds_per_row => (low, high) after the expression, or "
              "contribution_bounds_per_group => (low, high)");
        if (out.per_group && out.per_group->low == 0 && out.per_group->high == 0)
          return at_.refuse(node, "bounds (0, 0) leave nothing to measure");
      }
    } else if (out.per_group &&
               (out.kind == Kind::kCountDistinct || out.kind == Kind::kCountUnits)) {
      return at_.refuse(node, "contribution_bounds_per_group is for COUNT, SUM and AVG");
    } else if (out.bounds) {
      return at_.refuse(node, "a count has no bounds per row");
    }
    if (out.per_group && counts && out.per_group->high <= 0)
      return at_.refuse(node, "a count's upper bound is above 0");
    if (!node["filter"].is_null()) {
      if (has_aggregate(node["filter"]))
        return at_.refuse(node["filter"], "an aggregate can't stand in FILTER");
      auto condition = TRY(rows.condition(node["filter"]));
      if (out.kind == Kind::kCountRows) {
        out.kind = Kind::kCount;
        out.arg = literal(Value::integer(1));
      }
      out.arg = only_where(std::move(condition), std::move(*out.arg));
    }
    // The same aggregate again is the same number.
    for (std::size_t i = 0; i < select.aggregates.size(); ++i) {
      const Aggregate& other = select.aggregates[i];
      const bool same_arg =
          other.arg.has_value() == out.arg.has_value() && (!out.arg || *other.arg == *out.arg);
      if (other.kind == out.kind && same_arg && other.bounds == out.bounds &&
          other.per_group == out.per_group && other.quantile == out.quantile &&
          other.epsilon == out.epsilon)
        return select.keys.size() + i;
    }
    select.aggregates.push_back(std::move(out));
    return select.keys.size() + select.aggregates.size() - 1;
  }

  Status modifiers(Question& question, const Scope* scope) {
    for (const Json& modifier : parsed_.root["modifiers"]) {
      const string type = modifier.value("type", "");
      if (type == "DISTINCT_MODIFIER") continue;
      if (type == "LIMIT_MODIFIER") {
        for (auto [field, place] :
             {std::pair{"limit", &question.limit}, {"offset", &question.offset}}) {
          if (!modifier.contains(field) || modifier[field].is_null()) continue;
          auto count = TRY(number(modifier[field]));
          if (count.get_den() != 1 || count < 0 || count > 1'000'000'000)
            return at_.refuse(modifier[field], "LIMIT takes a whole number");
          *place = count.get_num().get_si();
        }
        continue;
      }
      if (type != "ORDER_MODIFIER")
        return at_.refuse(parsed_.root, type == "LIMIT_PERCENT_MODIFIER"
                                            ? "LIMIT takes a number of rows, not a share"
                                            : fmt::format("{} is not understood", type));
      for (const Json& order : all_spread(modifier["orders"])) {
        Order out;
        out.descending = order.value("type", "") == "DESCENDING";
        out.nulls_first = nulls_first(order);
        auto expr = TRY(ordering(order["expression"], question, scope));
        out.expr = std::move(expr);
        question.order.push_back(std::move(out));
      }
    }
    return {};
  }

  // ORDER BY ALL orders by each column in turn.
  std::vector<Json> all_spread(const Json& orders) const {
    std::vector<Json> out;
    for (const Json& order : orders) {
      if (order["expression"].value("class", "") != "STAR") {
        out.push_back(order);
        continue;
      }
      for (std::size_t i = 0; i < names_.size(); ++i) {
        out.push_back(order);
        out.back()["expression"] = Json{
            {"class", "CONSTANT"}, {"value", {{"type", {{"id", "INTEGER"}}}, {"value", i + 1}}}};
      }
    }
    return out;
  }

  Result<Expr> ordering(const Json& node, Question& question, const Scope* scope) {
    const auto of_output = [&](std::size_t i) -> Expr {
      if (question.order_on_outputs) return column(i, question.parts[0].outputs[i].expr.type);
      return question.parts[0].outputs[i].expr;
    };
    if (const auto index = position_of(node)) {
      if (*index < 1 || static_cast<std::size_t>(*index) > names_.size())
        return at_.refuse(node,
                          fmt::format("ORDER BY {}: there are {} columns", *index, names_.size()));
      return of_output(static_cast<std::size_t>(*index) - 1);
    }
    if (node.value("class", "") == "COLUMN_REF" && node["column_names"].size() == 1)
      for (std::size_t i = 0; i < names_.size(); ++i)
        if (same_name(names_[i], node["column_names"][0].get<string>())) return of_output(i);
    if (question.order_on_outputs)
      return at_.refuse(node, "ORDER BY takes an output column's name or number here");
    return output(node, *scope, question.parts[0], &question.parts[0]);
  }

  const Parsed& parsed_;
  Context at_;
  const Catalog& catalog_;
  From from_;
  std::vector<Expr> keys_;  // of the SELECT at hand
  std::vector<string> names_;
};

}  // namespace

Result<Question> check(const Parsed& parsed, const Catalog& catalog, const Calculator& calculator) {
  return Checker(parsed, catalog, calculator).check();
}

}  // namespace discreet::sql
