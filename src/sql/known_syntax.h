// What is known of DuckDB's parse tree: each kind of node with all of its fields, and each word
// that a field may hold.
//
// A field is read into our tree, or must be as it is where nothing was said, or is one of the few
// whose value can't matter. What is not on a list is refused (read_syntax.cc).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "discreet/sql/syntax.h"

namespace discreet::sql {

// What is known of one kind of node.
struct KnownNode {
  std::string_view kind;                   // DuckDB's class or type; "FROM …" for those in FROM
  const char* what;                        // as a refusal calls it
  std::vector<std::string_view> read;      // must be there
  std::vector<std::string_view> neutral;   // may be there, but say nothing: null, false, "", []
  std::vector<std::string_view> harmless;  // may be there and say anything
};
const std::vector<KnownNode>& known_nodes();

inline constexpr const char* kAcceptedTypes =
    "accepted are BOOLEAN, BIGINT, DOUBLE, DECIMAL, VARCHAR, DATE and TIMESTAMP";

// Words, each as DuckDB writes it; nothing where one isn't known.
std::optional<Op> comparison_named(std::string_view type);
std::optional<SetOperation> set_operation_named(std::string_view type, bool all);
std::optional<JoinKind> join_named(std::string_view type);
std::optional<FromItem::Match> match_named(std::string_view type);
std::optional<FromItem::Kind> from_item_named(std::string_view type);
std::optional<bool> is_descending(std::string_view type);
std::optional<bool> is_nulls_first(std::string_view null_order);
std::optional<Term::Kind> logic_named(std::string_view type);
std::optional<Term::Kind> subquery_named(std::string_view type);
// An operator of that many arguments.
std::optional<Term::Kind> operator_named(std::string_view type, std::size_t arguments);

}  // namespace discreet::sql
