// The algebra as DuckDB's SQL, which no row can make fail: functions of our own (total.h) stand
// where DuckDB's could.
//
//   using namespace sql;
//   const Expr two = literal(Value::integer(2));
//   std::string text = print(call(Op::kNegate, Type::kDouble, {two}), {});
#pragma once

#include <string>
#include <vector>

#include "discreet/sql/algebra.h"

namespace discreet::engine::duckdb {

// How tables are read; everything else is the same for all.
class Scans {
 public:
  virtual ~Scans() = default;
  // A SELECT of the scan's columns c0, c1, … (and u) with their types, read totally: a bad field is
  // NULL.
  virtual std::string scan(const sql::Relation& relation) const = 0;
};

std::string print(const sql::Expr& expr, const std::vector<std::string>& columns);
// A SELECT whose columns are c0, c1, …, and u, the unit, where it has one.
std::string print(const sql::Relation& relation, const Scans& scans);
std::string print(const policy::Value& value);  // a literal
// A function's SQL (print_call.cc), its arguments printed.
std::string print_call(const sql::Expr& call, const std::vector<std::string>& args);

std::string quote_text(std::string_view text);    // 'it''s'
std::string quote_name(std::string_view name);    // "a ""name"""
std::string_view engine_type(policy::Type type);  // BIGINT, VARCHAR, …

}  // namespace discreet::engine::duckdb
