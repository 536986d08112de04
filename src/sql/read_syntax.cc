#include "discreet/sql/read_syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "discreet/base/try.h"
#include "discreet/sql/known_syntax.h"
#include "discreet/sql/spelling.h"

namespace discreet::sql {
namespace {

using Json = nlohmann::json;
using std::string;
using Kind = Term::Kind;

bool says_nothing(const Json& value) {
  if (value.is_null() || (value.is_boolean() && !value.get<bool>())) return true;
  if (value.is_string()) return value.get_ref<const string&>().empty();
  return value.is_array() && value.empty();
}

bool among(std::string_view name, const std::vector<std::string_view>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A text field of any object, else nothing.
string word(const Json& node, const char* field) {
  const auto found = node.is_object() ? node.find(field) : node.end();
  return found != node.end() && found->is_string() ? found->get<string>() : "";
}

// Counts how deep the recursion is, errors included.
class Level {
 public:
  explicit Level(int& depth) : depth_(++depth) {}
  ~Level() { --depth_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  int& depth_;
};

// Reads in place: what it fills is the caller's, so that deep trees need little of the stack.
class Reader {
 public:
  explicit Reader(const string& text) : text_(text) {}

  Status statement(const Json& node, Query& out) {
    TRY(only(node, "statement"));
    return query(node["node"], out);
  }

 private:
  static constexpr int kDeepest = 1500;

  tl::unexpected<Error> refuse(const Json& node, string message, string hint = {}) const {
    return fail(Code::kRefused, std::move(message), std::move(hint),
                position_in(text_, place_of(node)));
  }
  tl::unexpected<Error> not_understood(const Json& node, const char* what,
                                       std::string_view field) const {
    return refuse(node, fmt::format("{} with '{}' is not understood", what, field));
  }

  Place own_place(const Json& node) const {
    const auto found = node.is_object() ? node.find("query_location") : node.end();
    if (found == node.end() || !found->is_number_unsigned()) return std::nullopt;
    const auto place = found->get<std::uint64_t>();
    return place < text_.size() ? Place(place) : std::nullopt;
  }
  // Of a node that isn't read to its end: a node without a place has children with one.
  Place place_of(const Json& node) const {
    if (auto own = own_place(node)) return own;
    if (!node.is_object()) return std::nullopt;
    for (const char* child : {"child", "left", "input", "children", "case_checks", "when_expr",
                              "subquery", "node", "function", "query", "select_list"})
      if (const auto found = node.find(child); found != node.end()) {
        const bool is_list = found->is_array();
        if (is_list && found->empty()) continue;
        if (auto place = place_of(is_list ? found->front() : *found)) return place;
      }
    return std::nullopt;
  }

  // Refuses a node of which anything isn't on the list.
  Status only(const Json& node, std::string_view kind) const {
    const auto& nodes = known_nodes();
    const auto known = std::find_if(nodes.begin(), nodes.end(),
                                    [&](const KnownNode& one) { return one.kind == kind; });
    if (known == nodes.end() || !node.is_object())
      return refuse(node, fmt::format("{} is not understood", kind));
    for (const auto& [key, value] : node.items())
      if (!among(key, known->read) && !among(key, known->harmless) &&
          !(among(key, known->neutral) && says_nothing(value)))
        return not_understood(node, known->what, key);
    for (const std::string_view field : known->read)
      if (!node.contains(field))
        return refuse(node, fmt::format("{} without '{}' is not understood", known->what, field));
    return {};
  }

  // Fields of a kind that is known; `node` is where a refusal points.
  Status read(const Json& node, const char* field, string& out) const {
    const Json& value = node[field];
    if (value.is_string()) out = value.get<string>();
    if (!value.is_string() && !value.is_null()) return not_understood(node, "this", field);
    return {};
  }
  Status read(const Json& node, const char* field, bool& out) const {
    if (!node[field].is_boolean()) return not_understood(node, "this", field);
    out = node[field].get<bool>();
    return {};
  }
  Status read(const Json& node, const char* field, std::vector<string>& out) const {
    if (!node[field].is_array()) return not_understood(node, "this", field);
    for (const Json& one : node[field]) {
      if (!one.is_string()) return not_understood(node, "this", field);
      out.push_back(one.get<string>());
    }
    return {};
  }
  Status list(const Json& node, const char* field) const {
    if (!node[field].is_array()) return not_understood(node, "this", field);
    return {};
  }
  Status read(const Json& node, const char* field, std::vector<Term>& out) {
    TRY(list(node, field));
    out.reserve(out.size() + node[field].size());
    for (const Json& one : node[field]) TRY(term(one, out.emplace_back()));
    return {};
  }
  Status read(const Json& node, const char* field, std::optional<Term>& out) {
    if (node[field].is_null()) return {};
    return term(node[field], out.emplace());
  }

  // --- queries

  Status query(const Json& node, Query& out) {
    const Level level(depth_);
    if (depth_ > kDeepest) return refuse(node, "the query is nested too deeply");
    const string type = word(node, "type");
    if (type == "SELECT_NODE") return select(node, out);
    if (type == "SET_OPERATION_NODE") return set_operation(node, out);
    return refuse(node, type == "RECURSIVE_CTE_NODE" ? "recursive queries are refused"
                                                     : "this query is not understood");
  }

  Status inner(const Json& node, QueryPtr& out) {
    TRY(only(node, "statement"));
    Query inside;
    TRY(query(node["node"], inside));
    out = QueryPtr(std::move(inside));
    return {};
  }

  Status select(const Json& node, Query& out) {
    TRY(only(node, "SELECT_NODE"));
    TRY(ctes(node["cte_map"], out));
    TRY(from(node["from_table"], out.from));
    TRY(read(node, "select_list", out.items));
    if (out.items.empty()) return not_understood(node, "a query", "select_list");
    out.place = out.items[0].place;
    TRY(read(node, "where_clause", out.where));
    TRY(read(node, "group_expressions", out.groups));
    TRY(list(node, "group_sets"));
    out.grouping_sets = node["group_sets"].size() > 1;
    const string handling = word(node, "aggregate_handling");
    out.group_by_all = handling == "FORCE_AGGREGATES";
    if (!out.group_by_all && handling != "STANDARD_HANDLING")
      return refuse(node, "this form of GROUP BY is not understood");
    TRY(read(node, "having", out.having));
    return modifiers(node, out);
  }

  Status set_operation(const Json& node, Query& out) {
    TRY(only(node, "SET_OPERATION_NODE"));
    out.kind = Query::Kind::kSetOperation;
    TRY(ctes(node["cte_map"], out));
    bool all = false;
    TRY(read(node, "setop_all", all));
    const string name = word(node, "setop_type");
    const auto operation = set_operation_named(name, all);
    if (!operation) return refuse(node["left"], fmt::format("{} is not understood", name));
    out.operation = *operation;
    out.sides.resize(2);
    TRY(query(node["left"], out.sides[0]));
    TRY(query(node["right"], out.sides[1]));
    out.place = out.sides[0].place;
    return modifiers(node, out);
  }

  Status ctes(const Json& node, Query& out) {
    TRY(only(node, "cte_map"));
    TRY(list(node, "map"));
    for (const Json& entry : node["map"]) {
      TRY(only(entry, "cte_map.map"));
      const Json& value = entry["value"];
      TRY(only(value, "cte_map.map.value"));
      Cte& cte = out.ctes.emplace_back();
      TRY(read(entry, "key", cte.name));
      TRY(read(value, "aliases", cte.renamed));
      if (!says_nothing(value["key_targets"]))
        return refuse(value, fmt::format("WITH {} USING KEY is not understood", cte.name));
      TRY(statement(value["query"], cte.query));
    }
    return {};
  }

  // ORDER BY, LIMIT and DISTINCT, each once at most.
  Status modifiers(const Json& node, Query& out) {
    TRY(list(node, "modifiers"));
    std::vector<string> seen;
    for (const Json& modifier : node["modifiers"]) {
      const string type = word(modifier, "type");
      const bool is_known = type == "ORDER_MODIFIER" || type == "LIMIT_MODIFIER" ||
                            (type == "DISTINCT_MODIFIER" && out.kind == Query::Kind::kSelect);
      if (!is_known || std::find(seen.begin(), seen.end(), type) != seen.end())
        return refuse(node, type == "LIMIT_PERCENT_MODIFIER"
                                ? "LIMIT takes a number of rows, not a share"
                                : fmt::format("{} is not understood", type));
      seen.push_back(type);
      TRY(only(modifier, type));
      if (type == "ORDER_MODIFIER") {
        TRY(order(modifier, out.order));
      } else if (type == "LIMIT_MODIFIER") {
        TRY(read(modifier, "limit", out.limit));
        TRY(read(modifier, "offset", out.offset));
      } else {
        if (!says_nothing(modifier["distinct_on_targets"]))
          return refuse(node["select_list"][0], "DISTINCT ON is not understood");
        out.distinct = true;
      }
    }
    return {};
  }

  Status order(const Json& modifier, std::vector<OrderTerm>& out) {
    TRY(list(modifier, "orders"));
    out.reserve(modifier["orders"].size());
    for (const Json& one : modifier["orders"]) {
      TRY(only(one, "orders"));
      const auto descending = is_descending(word(one, "type"));
      const auto nulls_first = is_nulls_first(word(one, "null_order"));
      if (!descending || !nulls_first)
        return refuse(one["expression"], "this order is not understood");
      OrderTerm& made = out.emplace_back();
      made.descending = *descending;
      made.nulls_first = *nulls_first;
      Json expression = one["expression"];
      // ORDER BY ALL is COLUMNS(*), which means something else elsewhere.
      if (word(expression, "class") == "STAR" && expression.contains("columns") &&
          expression["columns"] == true)
        expression["columns"] = false;
      TRY(term(expression, made.term));
    }
    return {};
  }

  // --- FROM

  Status from(const Json& node, FromItem& out) {
    const Level level(depth_);
    if (depth_ > kDeepest) return refuse(node, "the query is nested too deeply");
    const string type = word(node, "type");
    const auto kind = from_item_named(type);
    if (!kind) return refuse(node, fmt::format("{} in FROM is not understood", type));
    TRY(only(node, "FROM " + type));
    out.kind = *kind;
    out.place = own_place(node);
    switch (*kind) {
      case FromItem::Kind::kNothing:
        return {};
      case FromItem::Kind::kTable:
        TRY(read(node, "alias", out.alias));
        TRY(read(node, "column_name_alias", out.renamed));
        TRY(read(node, "catalog_name", out.catalog));
        TRY(read(node, "schema_name", out.schema));
        return read(node, "table_name", out.table);
      case FromItem::Kind::kJoin:
        return join(node, out);
      case FromItem::Kind::kQuery:
        TRY(read(node, "alias", out.alias));
        TRY(read(node, "column_name_alias", out.renamed));
        TRY(inner(node["subquery"], out.query));
        if (!out.place) out.place = out.query->place;
        return {};
      case FromItem::Kind::kValues:
        TRY(read(node, "alias", out.alias));
        return values(node, out);
      case FromItem::Kind::kFunction:
        out.place = place_of(node["function"]);
        return {};
    }
    return {};
  }

  Status join(const Json& node, FromItem& out) {
    out.sides.resize(2);
    TRY(from(node["left"], out.sides[0]));
    TRY(from(node["right"], out.sides[1]));
    if (!out.place) out.place = out.sides[0].place;
    const auto kind = join_named(word(node, "join_type"));
    if (!kind)
      return refuse(node, fmt::format("a {} join is not understood", word(node, "join_type")),
                    "INNER, LEFT, RIGHT, FULL, SEMI and ANTI joins are");
    const auto match = match_named(word(node, "ref_type"));
    if (!match)
      return refuse(node, fmt::format("a {} join is not understood", word(node, "ref_type")));
    out.join = *kind;
    out.match = *match;
    TRY(read(node, "using_columns", out.shared));
    return read(node, "condition", out.condition);
  }

  Status values(const Json& node, FromItem& out) {
    TRY(list(node, "values"));
    for (const Json& row : node["values"]) {
      if (!row.is_array() || row.empty()) return not_understood(node, "VALUES", "values");
      out.values.emplace_back().reserve(row.size());
      for (const Json& one : row) TRY(term(one, out.values.back().emplace_back()));
    }
    if (out.values.empty()) return not_understood(node, "VALUES", "values");
    return {};
  }

  // --- expressions

  Status term(const Json& node, Term& out) {
    const Level level(depth_);
    const string kind = word(node, "class");
    if (depth_ > kDeepest) return refuse(node, "the expression is nested too deeply");
    if (kind == "WINDOW")
      return refuse(node, "window functions mix the rows of different people",
                    "group with GROUP BY instead");
    if (kind == "LAMBDA") return refuse(node, "lambda functions are not understood");
    if (kind == "PARAMETER")
      return refuse(node, "parameters have no value here", "write the value itself");
    struct Way {
      const char* kind;
      Status (Reader::*read)(const Json&, Term&);
    };
    constexpr Way kWays[] = {{"COLUMN_REF", &Reader::column}, {"CONSTANT", &Reader::literal},
                             {"FUNCTION", &Reader::call},     {"COMPARISON", &Reader::comparison},
                             {"CONJUNCTION", &Reader::logic}, {"OPERATOR", &Reader::operation},
                             {"BETWEEN", &Reader::between},   {"CASE", &Reader::cases},
                             {"CAST", &Reader::cast},         {"SUBQUERY", &Reader::subquery},
                             {"STAR", &Reader::star}};
    const auto* way = std::find_if(std::begin(kWays), std::end(kWays),
                                   [&](const Way& one) { return kind == one.kind; });
    if (way == std::end(kWays))
      return refuse(node, fmt::format("an expression of kind {} is not understood",
                                      kind.empty() ? "?" : kind));
    TRY(only(node, kind));
    TRY(read(node, "alias", out.alias));
    TRY((this->*way->read)(node, out));
    out.place = own_place(node);
    if (!out.place && !out.args.empty()) out.place = out.args[0].place;
    if (!out.place && out.query) out.place = out.query->place;
    if (out.kind == Kind::kCall) respell(out);
    return {};
  }

  Status of_type(const Json& node, const char* type) const {
    if (word(node, "type") == type) return {};
    return refuse(node,
                  fmt::format("an expression of type {} is not understood", word(node, "type")));
  }

  Status column(const Json& node, Term& out) {
    TRY(of_type(node, "COLUMN_REF"));
    out.kind = Kind::kColumn;
    TRY(read(node, "column_names", out.names));
    if (out.names.empty()) return not_understood(node, "a column", "column_names");
    return {};
  }

  Status star(const Json& node, Term& out) {
    TRY(of_type(node, "STAR"));
    out.kind = Kind::kStar;
    TRY(read(node, "relation_name", out.name));
    return read(node, "exclude_list", out.names);
  }

  // A type's name; what else is said of it must not matter. `what` is said before the name of a
  // type that isn't understood.
  Status type_name(const Json& node, const Json& type, const char* what, string& name,
                   std::int64_t& scale) const {
    TRY(only(type, "logical_type"));
    name = word(type, "id");
    const Json& info = type["type_info"];
    const string kind = word(info, "type");
    if (info.is_null() && name != "UNBOUND") return {};
    if (!(name == "DECIMAL" && kind == "DECIMAL_TYPE_INFO") &&
        !(name == "UNBOUND" && kind == "UNBOUND_TYPE_INFO"))
      return refuse(node, fmt::format("{} {} is not understood", what, name),
                    word(node, "class") == "CAST" ? kAcceptedTypes : "");
    if (auto ok = only(info, kind); !ok) {
      ok.error().position = position_in(text_, place_of(node));
      return ok;
    }
    if (name == "UNBOUND") return read(info, "name", name);
    if (!info["scale"].is_number_unsigned() || info["scale"] > 38)
      return not_understood(node, "DECIMAL", "scale");
    scale = info["scale"].get<std::int64_t>();
    return {};
  }

  Status literal(const Json& node, Term& out) {
    TRY(of_type(node, "VALUE_CONSTANT"));
    const Json& value = node["value"];
    TRY(only(value, "CONSTANT.value"));
    out.kind = Kind::kLiteral;
    string type;
    std::int64_t scale = 0;
    TRY(type_name(node, value["type"], "a literal of type", type, scale));
    bool is_null = false;
    TRY(read(value, "is_null", is_null));
    out.literal = Value::none(Type::kText);
    if (is_null) return {};
    const Json inner = value.contains("value") ? value["value"] : Json();
    if (type == "BOOLEAN" && inner.is_boolean()) out.literal = Value::boolean(inner.get<bool>());
    if (among(type, {"TINYINT", "SMALLINT", "INTEGER", "BIGINT"}) && inner.is_number_integer() &&
        !(inner.is_number_unsigned() && inner.get<std::uint64_t>() > INT64_MAX))
      out.literal = Value::integer(inner.get<std::int64_t>());
    if (type == "DOUBLE" && inner.is_number() && std::isfinite(inner.get<double>()))
      out.literal = Value::number(inner.get<double>());
    if (type == "VARCHAR" && inner.is_string()) out.literal = Value::text(inner.get<string>());
    if (type == "DECIMAL" && inner.is_number_integer()) {
      Integer ten;
      mpz_ui_pow_ui(ten.get_mpz_t(), 10, static_cast<unsigned long>(scale));
      out.exact = Rational(Integer(inner.dump()), ten);
      out.exact->canonicalize();
      out.literal = Value::number(to_double(*out.exact));
    }
    if (!out.literal.null) return {};
    if (among(type, {"HUGEINT", "UBIGINT", "UHUGEINT", "DECIMAL"}))
      return refuse(node, "this number has too many digits", "write it as 1.5e20");
    return refuse(node, fmt::format("a literal of type {} is not understood", type));
  }

  Status call(const Json& node, Term& out) {
    TRY(of_type(node, "FUNCTION"));
    out.kind = Kind::kCall;
    TRY(read(node, "function_name", out.name));
    TRY(read(node, "schema", out.schema));
    TRY(read(node, "distinct", out.distinct));
    TRY(read(node, "is_operator", out.is_operator));
    TRY(read(node, "children", out.args));
    if (!node["filter"].is_null()) TRY(term(node["filter"], out.filter.emplace_back()));
    if (node["order_bys"].is_null()) return {};
    TRY(only(node["order_bys"], "ORDER_MODIFIER"));
    TRY(of_type(node["order_bys"], "ORDER_MODIFIER"));
    return order(node["order_bys"], out.order);
  }

  Status comparison(const Json& node, Term& out) {
    const auto op = comparison_named(word(node, "type"));
    if (!op)
      return refuse(node, fmt::format("the comparison {} is not understood", word(node, "type")));
    out.kind = Kind::kCompare;
    out.op = *op;
    out.args.resize(2);
    TRY(term(node["left"], out.args[0]));
    return term(node["right"], out.args[1]);
  }

  Status logic(const Json& node, Term& out) {
    const auto kind = logic_named(word(node, "type"));
    if (!kind) return refuse(node, "this condition is not understood");
    out.kind = *kind;
    return read(node, "children", out.args);
  }

  Status operation(const Json& node, Term& out) {
    const auto kind = operator_named(word(node, "type"), node["children"].size());
    if (!kind)
      return refuse(node, fmt::format("the operator {} is not understood", word(node, "type")));
    out.kind = *kind;
    return read(node, "children", out.args);
  }

  Status between(const Json& node, Term& out) {
    TRY(of_type(node, "COMPARE_BETWEEN"));
    out.kind = Kind::kBetween;
    out.args.resize(3);
    TRY(term(node["input"], out.args[0]));
    TRY(term(node["lower"], out.args[1]));
    return term(node["upper"], out.args[2]);
  }

  Status cases(const Json& node, Term& out) {
    TRY(of_type(node, "CASE_EXPR"));
    TRY(list(node, "case_checks"));
    out.kind = Kind::kCase;
    out.args.reserve(2 * node["case_checks"].size() + 1);
    for (const Json& check : node["case_checks"]) {
      TRY(only(check, "CASE.case_checks"));
      TRY(term(check["when_expr"], out.args.emplace_back()));
      TRY(term(check["then_expr"], out.args.emplace_back()));
    }
    return term(node["else_expr"], out.args.emplace_back());
  }

  Status cast(const Json& node, Term& out) {
    TRY(of_type(node, "OPERATOR_CAST"));
    out.kind = Kind::kCast;
    std::int64_t scale = 0;
    TRY(type_name(node, node["cast_type"], "CAST to", out.name, scale));
    return term(node["child"], out.args.emplace_back());
  }

  Status subquery(const Json& node, Term& out) {
    TRY(of_type(node, "SUBQUERY"));
    const auto kind = subquery_named(word(node, "subquery_type"));
    const bool looks = kind == Kind::kInQuery;
    if (!kind || looks == node["child"].is_null() ||
        word(node, "comparison_type") != (looks ? "COMPARE_EQUAL" : "INVALID"))
      return refuse(node, "this comparison with a subquery is not understood",
                    "EXISTS, IN and scalar subqueries are");
    out.kind = *kind;
    if (looks) TRY(term(node["child"], out.args.emplace_back()));
    return inner(node["subquery"], out.query);
  }

  const string& text_;
  int depth_ = 0;
};

// What DuckDB says where it can't parse or won't serialize.
tl::unexpected<Error> parse_error(const Json& root, const string& text) {
  if (word(root, "error_type") == "not implemented")
    return fail(Code::kRefused, "only SELECT statements are answered",
                "COPY, PRAGMA, ATTACH, SET, INSERT and the like are refused", Position{text, 0, 1});
  std::optional<Position> position;
  if (const auto offset = parse_number(word(root, "position"), Rounding::kDown);
      offset && offset->get_den() == 1 && *offset >= 0 &&
      *offset <= Rational(static_cast<unsigned long>(text.size())))
    position = Position{text, offset->get_num().get_ui(), 1};
  const string message = word(root, "error_message");
  // Its own words advise to change a setting of it.
  if (message.starts_with("Max expression depth"))
    return fail(Code::kRefused, "the expression is nested too deeply");
  return fail(Code::kUsage, message.empty() ? "it is not a query" : message, {}, position);
}

}  // namespace

Result<Query> read_syntax(const string& serialized, const string& text) {
  const Json root = Json::parse(serialized, nullptr, false);
  if (root.is_discarded() || !root.is_object())
    return fail(Code::kUsage, "the query could not be parsed");
  if (!root.contains("error") || root["error"] != false) return parse_error(root, text);
  const Json statements = root.value("statements", Json::array());
  if (!statements.is_array() || statements.empty())
    return fail(Code::kUsage, "there is no query in the text", "write a SELECT statement");
  if (statements.size() != 1)
    return fail(Code::kRefused,
                fmt::format("found {} statements, one is answered at a time", statements.size()),
                "ask them one by one");
  if (statements[0].contains("named_param_map") && !statements[0]["named_param_map"].empty())
    return fail(Code::kRefused, "parameters ($1, ?) have no value here", "write the value itself");
  Query out;
  TRY(Reader(text).statement(statements[0], out));
  return out;
}

}  // namespace discreet::sql
