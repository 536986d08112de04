// Aligned text tables for the terminal.
//
//   Table table({{"mechanism"}, {"ε", Align::kRight}});
//   table.add({"laplace", "0.5"});
//   table.add({"geometric", "12"});
//   std::string text = table.text();
//   // mechanism     ε
//   // ─────────  ────
//   // laplace     0.5
//   // geometric    12
//
// Widths are counted in columns of the screen, not in bytes: "ε" takes one, "日" two, a combining
// accent none. A cell may come from a file, so whatever could move the cursor or change colours
// (control characters) is shown as "�".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace discreet::present {

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns);
  // One row; missing cells are empty, cells past the last column are dropped.
  void add(std::vector<std::string> cells);
  std::size_t rows() const { return rows_.size(); }
  // Title, rule and rows, each line ended and without trailing spaces.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// How many columns of the screen this UTF-8 text takes.
std::size_t display_width(std::string_view text);
// The text as valid UTF-8 without control characters: a tab or line break is written \t, \n, \r,
// each other byte or character that isn't fit for a screen becomes "�".
std::string printable(std::string_view text);

}  // namespace discreet::present
