// The user's text, parsed by DuckDB's own parser (json_serialize_sql), after the one clause that
// parser doesn't know, BigQuery's DIFFERENTIAL_PRIVACY, was lifted out and blanked (so that
// positions hold).
//
//   const std::string text =
//       "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=0.5) COUNT(*) FROM visits";
//   Parsed parsed = *parse(text);
//   Rational epsilon = *parsed.options.epsilon;  // 1/2
//   std::string table = parsed.query.from.table;  // visits
#pragma once

#include <optional>
#include <string>

#include "discreet/base/error.h"
#include "discreet/base/number.h"
#include "discreet/sql/syntax.h"

namespace discreet::sql {

// What flags and the query's OPTIONS(…) can say.
struct Options {
  std::optional<Rational> epsilon, delta;
  std::optional<std::int64_t> max_groups, max_rows, max_total, min_units;
  bool measure_bounds = false;  // also where some are declared
  bool assume_bounds = false;   // nothing is measured: one group and one row where none is declared
  std::optional<std::string> selection;    // group_selection_strategy, in upper case
  std::optional<std::string> unit_column;  // privacy_unit_column
  // Taken where a δ is needed and none is given; 0: the budget has none. Nobody writes it.
  std::optional<Rational> default_delta;
};

struct Parsed {
  std::string text;  // as the user wrote it
  Query query;
  Options options;
};

Result<Parsed> parse(const std::string& text);
// DuckDB's own tree of a text without the clause, as JSON.
Result<std::string> serialize(const std::string& text);

// Flags and options together; where both say something, they must agree (else kUsage).
Result<Options> merge(const Options& flags, const Options& query);

}  // namespace discreet::sql
