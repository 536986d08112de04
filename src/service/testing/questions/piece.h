// A piece of a question, written twice: as a user writes it, and as plain DuckDB says what
// docs/sql.md promises (arithmetic in doubles, x/0 is NULL, a value that can't be cast is NULL).
//
//   Piece half = write(policy::Type::kDouble, "({} / 2)", "(CAST({} AS DOUBLE) / 2)", {age});
#pragma once

#include <fmt/args.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "discreet/policy/value.h"

namespace discreet::service::testing::questions {

struct Piece {
  std::string ours, oracle;
  policy::Type type = policy::Type::kText;
  std::vector<std::string> columns;  // that stand in it, as "t.w"
  // All it can be, as the oracle's literals, where that follows from its form alone: the literals
  // of a CASE, the months of a year. Empty: it follows from its columns, or is private.
  std::vector<std::string> listed;
  bool literal = false;
};

// {0}, {1}, … are the parts, on either side.
inline Piece write(policy::Type type, const std::string& ours, const std::string& oracle,
                   const std::vector<Piece>& parts) {
  Piece out;
  fmt::dynamic_format_arg_store<fmt::format_context> left, right;
  for (const Piece& part : parts) {
    left.push_back(part.ours);
    right.push_back(part.oracle);
    out.columns.insert(out.columns.end(), part.columns.begin(), part.columns.end());
  }
  out.ours = fmt::vformat(ours, left);
  out.oracle = fmt::vformat(oracle, right);
  out.type = type;
  return out;
}

inline Piece write(policy::Type type, const std::string& both, const std::vector<Piece>& parts) {
  return write(type, both, both, parts);
}

// Of a text functions, patterns and casts read the first 1,000 characters, and it names a group by
// them.
inline Piece beginning(Piece piece) {
  if (piece.type == policy::Type::kText) piece.oracle = fmt::format("left({}, 1000)", piece.oracle);
  return piece;
}

// Numbers are computed with as doubles.
inline Piece real(Piece piece) {
  if (piece.type == policy::Type::kInt)
    piece.oracle = fmt::format("CAST({} AS DOUBLE)", piece.oracle);
  piece.type = policy::Type::kDouble;
  piece.listed.clear();
  return piece;
}

}  // namespace discreet::service::testing::questions
