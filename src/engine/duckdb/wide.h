// Whole numbers of more than 63 bits, and decimals, with all of their digits: as texts, as 64-bit
// whole numbers, and as the nearest doubles. (DuckDB's casts to texts and to other whole numbers
// raise errors at the ends of its types and beyond, where files can go; those to doubles round
// twice.)
//
//   Wide cents{true, 5, 2};
//   std::string text = cents.text();  // "-0.05"
//   auto whole = cents.whole();       // 0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "discreet/bound/wide.h"

struct _duckdb_connection;

namespace discreet::engine::duckdb {

struct Wide {
  bool negative;
  bound::UnsignedWide digits;
  int scale;  // digits after the point, at most 38

  std::string text() const;
  // The nearest whole number, halves away from 0, where it has 64 bits.
  std::optional<std::int64_t> whole() const;
  double real() const;
};

// discreet_wide_whole(x), discreet_wide_text(x) and discreet_wide_real(x) of UBIGINT, HUGEINT,
// UHUGEINT and DECIMAL.
bool add_wide_functions(_duckdb_connection* connection);

}  // namespace discreet::engine::duckdb
