#include "discreet/present/table.h"

#include <algorithm>
#include <iterator>

#include "discreet/base/utf8.h"

namespace discreet::present {
namespace {

constexpr std::string_view kGap = "  ";

void pad(std::string& line, const std::string& cell, std::size_t width, Align align) {
  const std::string space(width - std::min(width, display_width(cell)), ' ');
  line += align == Align::kLeft ? cell + space : space + cell;
}

void end_line(std::string& out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + '\n';
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_) column.title = printable(column.title);
}

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = display_width(columns_[i].title);
    for (const auto& row : rows_) width = std::max(width, display_width(row[i]));
    widths.push_back(width);
  }
  std::string out, title, rule;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (i > 0) title += kGap, rule += kGap;
    pad(title, columns_[i].title, widths[i], columns_[i].align);
    for (std::size_t k = 0; k < widths[i]; ++k) rule += "─";
  }
  end_line(out, std::move(title));
  end_line(out, std::move(rule));
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) line += kGap;
      pad(line, row[i], widths[i], columns_[i].align);
    }
    end_line(out, std::move(line));
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) width += columns_of(next_code_point(text));
  return width;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::string_view before = text;
    const char32_t c = next_code_point(text);
    if (c == '\t' || c == '\n' || c == '\r') {
      out += c == '\t' ? "\\t" : c == '\n' ? "\\n" : "\\r";
    } else if (c == kReplacement || is_control(c)) {
      out += "\uFFFD";
    } else {
      out += before.substr(0, before.size() - text.size());
    }
  }
  return out;
}

}  // namespace discreet::present
