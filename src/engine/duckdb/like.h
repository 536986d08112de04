// LIKE without recursion and without backtracking. DuckDB's own recurses once a %, so that a long
// text ends the process, and backtracks over _, so that a short one never ends.
//
//   const LikePattern pattern("a%b_d%");
//   bool found = pattern.matches("a b xbcd y");  // true
//
// % is any text, _ is one character, everything else is itself; there is no escape. The pieces
// between two % are looked for in order, each at the first place where it stands: a later place
// leaves less to those that follow, so nothing is ever taken back. A piece of plain characters is
// found in time linear in the text, one with _ inside in text × piece; both are bounded by the
// question (sql/patterns.h, sql/row_cost.h).
//
// Texts are UTF-8; in bytes that aren't, a character is a byte with all continuation bytes behind
// it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

struct _duckdb_connection;  // what a duckdb_connection points to; its header is DuckDB's own

namespace discreet::engine::duckdb {

class LikePattern {
 public:
  explicit LikePattern(std::string_view pattern);
  bool matches(std::string_view text) const;

 private:
  // Characters to pass over, and the plain text that stands behind them.
  struct Part {
    std::size_t skipped = 0;
    std::string plain;
  };
  // What stands between two %; the last part may be without plain text.
  struct Piece {
    std::vector<Part> parts;
    std::size_t least = 0;   // bytes that it needs
    std::size_t length = 0;  // characters
    bool is_plain = false;   // one part, nothing skipped
  };
  static Piece piece_of(std::string_view text);
  static bool stands_at(const Piece& piece, std::string_view text, std::size_t& end);
  static bool find(const Piece& piece, std::string_view text, std::size_t& end);

  // The patterns that most people write, without any _: abc, abc%, %abc, %abc%.
  enum class Kind { kWhole, kBegins, kEnds, kContains, kAny };
  bool matches_any(std::string_view text) const;

  std::vector<Piece> pieces_;
  std::size_t least_ = 0;
  Kind kind_ = Kind::kAny;
  std::string plain_;  // but for kAny
};

// The first sql::kLongestName characters of a text: what functions and patterns read.
std::string_view as_read(std::string_view text);

// discreet_like(text, pattern), which reads the text's beginning, and discreet_text(text), which
// is it, and doesn't copy a vector in which no text is longer.
bool add_text_functions(_duckdb_connection* connection);

}  // namespace discreet::engine::duckdb
