// Who parses a text: DuckDB's own parser, which belongs to an engine and is handed to this room
// (engine/duckdb/parser.h).
#pragma once

#include <string>

#include "discreet/sql/parse.h"

namespace discreet::sql {

class Parser {
 public:
  virtual ~Parser() = default;
  // DuckDB's tree of a text (json_serialize_sql), as JSON. It says itself where it is wrong.
  virtual Result<std::string> serialize(const std::string& text) const = 0;
};

Result<Parsed> parse(const std::string& text, const Parser& parser);

}  // namespace discreet::sql
