#include "discreet/sql/known_syntax.h"

namespace discreet::sql {
namespace {

template <class T>
struct Word {
  std::string_view text;
  T meaning;
};

template <class T, std::size_t n>
std::optional<T> meaning(const Word<T> (&words)[n], std::string_view text) {
  for (const Word<T>& word : words)
    if (word.text == text) return word.meaning;
  return std::nullopt;
}

}  // namespace

const std::vector<KnownNode>& known_nodes() {
  static const std::vector<KnownNode> nodes = {
      // queries
      {"statement", "a statement", {"node"}, {"named_param_map"}, {}},
      {"SELECT_NODE",
       "a query",
       {"type", "modifiers", "cte_map", "select_list", "from_table", "where_clause",
        "group_expressions", "group_sets", "aggregate_handling", "having"},
       {"sample", "qualify"},
       {}},
      {"SET_OPERATION_NODE",
       "a set operation",
       {"type", "modifiers", "cte_map", "setop_type", "setop_all", "left", "right"},
       {"children"},
       {}},
      {"cte_map", "WITH", {"map"}, {}, {}},
      {"cte_map.map", "WITH", {"key", "value"}, {}, {}},
      // Whether a WITH query is kept or asked again says nothing of its rows.
      {"cte_map.map.value",
       "a WITH query",
       {"aliases", "query", "key_targets"},
       {},
       {"materialized"}},
      {"ORDER_MODIFIER", "ORDER BY", {"type", "orders"}, {}, {}},
      {"LIMIT_MODIFIER", "LIMIT", {"type", "limit", "offset"}, {}, {}},
      {"DISTINCT_MODIFIER", "DISTINCT", {"type", "distinct_on_targets"}, {}, {}},
      {"orders", "ORDER BY", {"type", "null_order", "expression"}, {}, {}},
      // FROM
      {"FROM EMPTY", "no table", {"type"}, {"sample"}, {"alias", "query_location"}},
      {"FROM BASE_TABLE",
       "a table",
       {"type", "alias", "query_location", "schema_name", "table_name", "column_name_alias",
        "catalog_name"},
       {"sample", "at_clause"},
       {}},
      {"FROM SUBQUERY",
       "a subquery",
       {"type", "alias", "query_location", "subquery", "column_name_alias"},
       {"sample"},
       {}},
      {"FROM JOIN",
       "a join",
       {"type", "query_location", "left", "right", "condition", "join_type", "ref_type",
        "using_columns"},
       {"sample", "delim_flipped", "duplicate_eliminated_columns"},
       {"alias"}},
      {"FROM EXPRESSION_LIST",
       "VALUES",
       {"type", "alias", "query_location", "values"},
       {"sample", "expected_names", "expected_types"},
       {}},
      // Refused once it is looked at, whatever it says.
      {"FROM TABLE_FUNCTION",
       "a table function",
       {"type", "function", "query_location"},
       {},
       {"alias", "sample", "column_name_alias", "with_ordinality"}},
      // expressions
      {"COLUMN_REF",
       "a column",
       {"class", "type", "alias", "query_location", "column_names"},
       {},
       {}},
      {"CONSTANT", "a literal", {"class", "type", "alias", "query_location", "value"}, {}, {}},
      {"CONSTANT.value", "a literal", {"type", "is_null"}, {}, {"value"}},  // none where it is NULL
      {"FUNCTION",
       "a function",
       {"class", "type", "alias", "query_location", "function_name", "schema", "children", "filter",
        "order_bys", "distinct", "is_operator"},
       {"export_state", "catalog"},
       {}},
      {"COMPARISON",
       "a comparison",
       {"class", "type", "alias", "query_location", "left", "right"},
       {},
       {}},
      {"CONJUNCTION",
       "a condition",
       {"class", "type", "alias", "query_location", "children"},
       {},
       {}},
      {"OPERATOR", "an operator", {"class", "type", "alias", "query_location", "children"}, {}, {}},
      {"BETWEEN",
       "BETWEEN",
       {"class", "type", "alias", "query_location", "input", "lower", "upper"},
       {},
       {}},
      {"CASE",
       "CASE",
       {"class", "type", "alias", "query_location", "case_checks", "else_expr"},
       {},
       {}},
      {"CASE.case_checks", "CASE", {"when_expr", "then_expr"}, {}, {}},
      // Every cast here gives NULL where it fails, so TRY_CAST is CAST.
      {"CAST",
       "CAST",
       {"class", "type", "alias", "query_location", "child", "cast_type"},
       {},
       {"try_cast"}},
      {"SUBQUERY",
       "a subquery",
       {"class", "type", "alias", "query_location", "subquery_type", "subquery", "child",
        "comparison_type"},
       {},
       {}},
      {"STAR",
       "*",
       {"class", "type", "alias", "query_location", "relation_name", "exclude_list"},
       {"columns", "replace_list", "expr", "qualified_exclude_list", "rename_list"},
       {}},
      // types, of literals and of casts
      {"logical_type", "a type", {"id", "type_info"}, {}, {}},
      // A decimal is a double here, NUMBER(10, 2) as DECIMAL(10, 2): its width doesn't matter, and
      // its scale only in a literal.
      {"DECIMAL_TYPE_INFO", "DECIMAL", {"type", "scale"}, {"alias", "extension_info"}, {"width"}},
      {"UNBOUND_TYPE_INFO",
       "a type",
       {"type", "name"},
       {"alias", "extension_info", "catalog", "schema"},
       {"user_type_modifiers"}},
  };
  return nodes;
}

std::optional<Op> comparison_named(std::string_view type) {
  constexpr Word<Op> kWords[] = {{"COMPARE_EQUAL", Op::kEqual},
                                 {"COMPARE_NOTEQUAL", Op::kNotEqual},
                                 {"COMPARE_LESSTHAN", Op::kLess},
                                 {"COMPARE_LESSTHANOREQUALTO", Op::kLessEqual},
                                 {"COMPARE_GREATERTHAN", Op::kGreater},
                                 {"COMPARE_GREATERTHANOREQUALTO", Op::kGreaterEqual},
                                 {"COMPARE_DISTINCT_FROM", Op::kDistinct},
                                 {"COMPARE_NOT_DISTINCT_FROM", Op::kNotDistinct}};
  return meaning(kWords, type);
}

std::optional<SetOperation> set_operation_named(std::string_view type, bool all) {
  constexpr Word<SetOperation> kOnce[] = {{"UNION", SetOperation::kUnion},
                                          {"EXCEPT", SetOperation::kExcept},
                                          {"INTERSECT", SetOperation::kIntersect}};
  constexpr Word<SetOperation> kAll[] = {{"UNION", SetOperation::kUnionAll},
                                         {"EXCEPT", SetOperation::kExceptAll},
                                         {"INTERSECT", SetOperation::kIntersectAll}};
  return all ? meaning(kAll, type) : meaning(kOnce, type);
}

std::optional<JoinKind> join_named(std::string_view type) {
  constexpr Word<JoinKind> kWords[] = {{"INNER", JoinKind::kInner}, {"LEFT", JoinKind::kLeft},
                                       {"RIGHT", JoinKind::kRight}, {"OUTER", JoinKind::kFull},
                                       {"FULL", JoinKind::kFull},   {"SEMI", JoinKind::kSemi},
                                       {"ANTI", JoinKind::kAnti}};
  return meaning(kWords, type);
}

std::optional<FromItem::Match> match_named(std::string_view type) {
  constexpr Word<FromItem::Match> kWords[] = {{"REGULAR", FromItem::Match::kOn},
                                              {"CROSS", FromItem::Match::kCross},
                                              {"NATURAL", FromItem::Match::kNatural}};
  return meaning(kWords, type);
}

std::optional<FromItem::Kind> from_item_named(std::string_view type) {
  constexpr Word<FromItem::Kind> kWords[] = {{"EMPTY", FromItem::Kind::kNothing},
                                             {"BASE_TABLE", FromItem::Kind::kTable},
                                             {"JOIN", FromItem::Kind::kJoin},
                                             {"SUBQUERY", FromItem::Kind::kQuery},
                                             {"EXPRESSION_LIST", FromItem::Kind::kValues},
                                             {"TABLE_FUNCTION", FromItem::Kind::kFunction}};
  return meaning(kWords, type);
}

std::optional<bool> is_descending(std::string_view type) {
  constexpr Word<bool> kWords[] = {
      {"ORDER_DEFAULT", false}, {"ASCENDING", false}, {"DESCENDING", true}};
  return meaning(kWords, type);
}

std::optional<bool> is_nulls_first(std::string_view null_order) {
  constexpr Word<bool> kWords[] = {
      {"ORDER_DEFAULT", false}, {"NULLS LAST", false}, {"NULLS FIRST", true}};
  return meaning(kWords, null_order);
}

std::optional<Term::Kind> logic_named(std::string_view type) {
  constexpr Word<Term::Kind> kWords[] = {{"CONJUNCTION_AND", Term::Kind::kAnd},
                                         {"CONJUNCTION_OR", Term::Kind::kOr}};
  return meaning(kWords, type);
}

std::optional<Term::Kind> subquery_named(std::string_view type) {
  constexpr Word<Term::Kind> kWords[] = {{"EXISTS", Term::Kind::kExists},
                                         {"SCALAR", Term::Kind::kScalar},
                                         {"ANY", Term::Kind::kInQuery}};
  return meaning(kWords, type);
}

std::optional<Term::Kind> operator_named(std::string_view type, std::size_t arguments) {
  constexpr Word<Term::Kind> kOfOne[] = {{"OPERATOR_NOT", Term::Kind::kNot},
                                         {"OPERATOR_IS_NULL", Term::Kind::kIsNull},
                                         {"OPERATOR_IS_NOT_NULL", Term::Kind::kIsNotNull}};
  constexpr Word<Term::Kind> kOfMore[] = {{"COMPARE_IN", Term::Kind::kIn},
                                          {"COMPARE_NOT_IN", Term::Kind::kNotIn}};
  if (type == "OPERATOR_COALESCE" && arguments >= 1) return Term::Kind::kCoalesce;
  if (arguments == 1) return meaning(kOfOne, type);
  return arguments > 1 ? meaning(kOfMore, type) : std::nullopt;
}

}  // namespace discreet::sql
