// The patterns that a query may write, limited so that no text makes one dear on any engine: what
// a pattern costs for each character of a text, at worst, in steps of about a nanosecond, and what
// is wrong with one that isn't taken.
//
//   std::optional<std::string> wrong = like_problem("%a%b_");  // nothing
//   double steps = like_steps("%ab%", row_prices(policy::Catalog()));  // a character of the text
//   std::optional<std::size_t> pieces = regex_pieces("([a-z]{2,5}-)?x");  // 7
//
// LIKE. DuckDB's is our own (engine/duckdb/like.h): linear, or text × piece for a piece with _
// inside. PostgreSQL recurses once a % and compares, from every place of the text, what stands up
// to the next %; an inner search that comes to the end of the text ends all of them, so it is text
// × longest piece and never more. Trino builds an automaton before the first row: its states
// remember, for each _ behind a letter that comes after a %, one bit, and for each % a copy of what
// comes before; both are limited.
//
// Regular expressions. RE2 walks an automaton that it builds as it goes, and where that grows too
// large it follows all pieces of the expression at once, at some 60 ns a byte and piece. PostgreSQL
// does the same for less.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "discreet/sql/row_prices.h"

namespace discreet::sql {

inline constexpr std::size_t kLongestPattern = 1'000;  // bytes: of LIKE, regular expressions, dates
inline constexpr std::size_t kMostPercents = 20;       // % in LIKE; %% is one
inline constexpr std::size_t kMostBlanks = 10;         // _ behind a letter, after the first %
inline constexpr std::size_t kMostPieces = 200;        // of a regular expression

// Why a pattern is not taken, in words; nothing where it is.
std::optional<std::string> like_problem(std::string_view pattern);
std::optional<std::string> regex_problem(std::string_view pattern);

// Words only, with | between them.
bool is_words(std::string_view pattern);

double like_steps(std::string_view pattern, const RowPrices& prices);
double regex_steps(std::string_view pattern);

// Characters and classes, each as often as it is repeated; a class that holds characters beyond
// ASCII counts as several. Nothing where there are more than kMostPieces.
std::optional<std::size_t> regex_pieces(std::string_view pattern);

// Characters of a UTF-8 text.
std::size_t characters(std::string_view text);

}  // namespace discreet::sql
