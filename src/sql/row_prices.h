// What an engine takes for one row of each kind of operation, at worst: steps of about a nanosecond
// (sql/row_cost.h adds them up). Each price is at least 1.5 times the dearest row that was found,
// with texts of kLongestName letters that are worst for it; bench/dear_row_bench.cc measures them.
//
//   const RowPrices& prices = row_prices(policy::Catalog());  // of files
//   double steps = prices.called + 1'000 * prices.lower;
#pragma once

#include "discreet/policy/catalog.h"

namespace discreet::sql {

struct RowPrices {
  // An operation, beside what its characters cost.
  double calculated;  // arithmetic of numbers
  double remainder;   // x % y
  double called;      // a function of texts
  double compiled;    // a regular expression, before its first row
  double guarded;     // … of numbers or moments
  double printed;     // a number or moment as text
  double parsed;      // a text as a number or moment
  double two_texts;   // a whole text beside another one, or in a set of them
  // Each character of its text.
  double digit;       // of a text as a number or moment
  double lower;       // LOWER, ILIKE
  double upper;       // UPPER
  double read;        // TRIM, LENGTH, STARTS_WITH
  double reversed;    // REVERSE, ENDS_WITH
  double cut;         // LEFT, RIGHT, SUBSTR
  double found;       // CONTAINS, STRPOS
  double rewritten;   // REPLACE, SPLIT_PART
  double padded;      // LPAD, RPAD
  double again;       // … for each character of the text that is looked for
  double like;        // LIKE
  double like_byte;   // … for each byte of the pattern's longest piece
  double like_blank;  // … for each _ of it
};

// Of the engine that has the tables.
const RowPrices& row_prices(const policy::Catalog& catalog);

}  // namespace discreet::sql
