// Finds SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(…) in a query, knowing strings, quoted names and
// comments.
#pragma once

#include <cstddef>
#include <string>

#include "discreet/sql/parse.h"

namespace discreet::sql {

// Reads the clause into `options` and overwrites it with spaces. What else BigQuery spells
// otherwise
// (`name`, r'…', SAFE_CAST) is written over by what DuckDB knows; every position stays.
Status lift_clause(std::string& text, Options& options);

// How many words and symbols there are once the parser has copied the x of every CASE x WHEN … to
// each WHEN. Nested ones multiply; so it is asked before the parser is.
double parsed_size(const std::string& text);

// The place after the first semicolon that isn't in a string, a name or a comment; npos if there is
// none.
std::size_t statement_end(const std::string& text);
// Is there anything but spaces, comments and semicolons?
bool has_words(const std::string& text);

}  // namespace discreet::sql
