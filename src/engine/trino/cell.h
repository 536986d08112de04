// Single values as Trino's answers hold them, in the types that our own statements ask for: a
// closed list. Whatever else a server says is no answer to them.
//
//   auto type = *cell_type("decimal(38,0)");
//   Cell cell = *read_cell(type, "-170141183460469231731687303715884105728");
//   bool smallest = cell.wide < 0;
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "discreet/bound/wide.h"

namespace discreet::engine::trino {

enum class CellType {
  kBoolean,
  kWhole,      // tinyint to bigint
  kWide,       // decimal(p,0): up to 38 digits, as a text
  kReal,       // real and double
  kText,       // varchar, char
  kDate,       // days since 1970-01-01
  kTimestamp,  // microseconds since 1970-01-01, no time zone, at most six digits after the second
};

struct Cell {
  bool null = true;
  std::int64_t whole = 0;  // also 0 and 1 of a boolean, days, microseconds
  bound::Wide wide = 0;
  double real = 0;
  std::string text = {};
};

// By Trino's name for it, as an answer's columns say it: "varchar(25)", "timestamp(3)".
std::optional<CellType> cell_type(std::string_view name);

// A value from each form that JSON has for one; nothing where that isn't a form of the type, or not
// all of it is understood. JSON's null is a value of any type: Cell().
std::optional<Cell> read_cell(CellType type, bool value);
std::optional<Cell> read_cell(CellType type, std::int64_t value);
std::optional<Cell> read_cell(CellType type, double value);
std::optional<Cell> read_cell(CellType type, std::string_view text);
// A literal is a text, not a truth value.
inline std::optional<Cell> read_cell(CellType type, const char* text) {
  return read_cell(type, std::string_view(text));
}

}  // namespace discreet::engine::trino
