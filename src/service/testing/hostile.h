// Questions and rows made of bytes, each to make the other fail: every function, operator and
// pattern with constants as long, as deep and as far out as they get, and a person whose rows are
// the worst that they could be.
//
//   const Hostile made = hostile(bytes);
//   made.question;                       // SELECT COUNT(*) FROM t WHERE …
//   made.rows;                           // of t: two ordinary people and person 999
//   csv(made.rows), csv(without_999(made.rows));
//
// What a question is told must not depend on whether person 999 is there: an answer, or the same
// error. Any bytes make a question, of which few are refused; few bytes make a short one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace discreet::service::testing {

// A cell of t as text, in the order of kHostileColumns; NULL is kNoCell.
using HostileRow = std::vector<std::string>;
inline const std::string kNoCell = "(no cell)";

struct Hostile {
  std::string question;
  std::vector<HostileRow> rows;
};

Hostile hostile(std::string_view bytes);
std::vector<HostileRow> without_999(const std::vector<HostileRow>& rows);

// t as a file with its header, and as PostgreSQL's rows.
std::string csv(const std::vector<HostileRow>& rows);
std::string postgres_columns();
std::string postgres_values(const std::vector<HostileRow>& rows);

// What a policy says of t, after its source.
std::string hostile_rules();

}  // namespace discreet::service::testing
