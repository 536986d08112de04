#include "discreet/sql/row_prices.h"

#include <algorithm>
#include <variant>

namespace discreet::sql {
namespace {

constexpr RowPrices kDuckdb = {
    .calculated = 300,
    .remainder = 3'000,  // 1e308 % 3e-320
    .called = 300,
    .compiled = 0,  // once, before the rows
    .guarded = 600,
    .printed = 600,
    .parsed = 15'000,  // 2.47…e-324, next to half of the smallest double
    .two_texts = 10'000,
    .digit = 45,
    .lower = 60,
    .upper = 60,
    .read = 20,
    .reversed = 80,
    .cut = 15,
    .found = 20,
    .rewritten = 80,
    .padded = 30,
    .again = 0.2,
    .like = 15,
    .like_byte = 0.5,
    .like_blank = 12,
};

// PostgreSQL's. A subselect guards each operation of numbers. Trino is asked for the same.
constexpr RowPrices kServer = {
    .calculated = 1'500,
    .remainder = 1'500,
    .called = 300,
    .compiled = 400,
    .guarded = 3'000,
    .printed = 1'000,
    .parsed = 1'000,
    .two_texts = 100'000,  // 1.3 ms for two of 1 MB, which are fetched anew each time
    .digit = 350,
    .lower = 150,
    .upper = 950,  // letters whose capitals are several: ﬃ
    .read = 20,
    .reversed = 60,
    .cut = 40,
    .found = 10,
    .rewritten = 40,
    .padded = 20,
    .again = 3.5,
    .like = 10,
    .like_byte = 8,
    .like_blank = 12,
};

}  // namespace

const RowPrices& row_prices(const policy::Catalog& catalog) {
  const bool on_server =
      std::any_of(catalog.tables.begin(), catalog.tables.end(), [](const policy::Table& table) {
        return std::holds_alternative<policy::ServerTable>(table.rule.from);
      });
  return on_server ? kServer : kDuckdb;
}

}  // namespace discreet::sql
