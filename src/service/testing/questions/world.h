// A random data set: odd rows in files of a random format, a random policy over them, and the same
// rows in plain DuckDB as a query sees them.
//
//   t  private, of the unit u, with a column of every kind   s  private, fewer rows
//   l  linked to t by id                                     p  public
//
// What is promised is kept: x, i and d lie within their declared ranges (so that bounds cut nothing
// and the bounds found for expressions can be checked), and no unit has more rows than
// rows_per_unit says.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "discreet/policy/value.h"
#include "discreet/service/testing/plain_duckdb.h"
#include "discreet/service/testing/questions/draw.h"

namespace discreet::service::testing::questions {

class World {
 public:
  // Writes `place`/policy.toml and its files, and `place`/neighbour with the same policy and
  // without the rows of one unit.
  World(std::uint64_t seed, const std::string& place);

  std::string policy() const { return place_ + "/policy.toml"; }
  std::string neighbour() const { return place_ + "/neighbour/policy.toml"; }

  // The views t, s, l and p, and nothing else.
  PlainDuckdb& oracle() { return oracle_; }
  // Of t's columns.
  const std::map<std::string, policy::Type>& columns() const { return columns_; }
  // The declared values of columns that have them ("t.w"), as the oracle's literals.
  const std::map<std::string, std::vector<std::string>>& declared() const { return declared_; }
  // The policy says how many groups and rows of a unit count; else the question has to.
  bool bounds_declared() const { return bounds_declared_; }
  // What it is made of, in a line.
  const std::string& about() const { return about_; }

 private:
  void fill(Draw& draw);
  void view();
  void write(const std::string& place, const std::string& where);

  std::string place_, format_, about_, policy_text_;
  bool text_unit_ = false, bounds_declared_ = false;
  std::string unit_type_;
  std::vector<std::string> units_;
  PlainDuckdb oracle_;
  std::map<std::string, policy::Type> columns_;
  std::map<std::string, std::vector<std::string>> declared_;
};

}  // namespace discreet::service::testing::questions
