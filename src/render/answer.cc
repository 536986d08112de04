#include "discreet/render/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/present/table.h"

namespace discreet::render {

using std::string;

namespace {

double margin_of(const plan::Cell& cell) {
  const double value = cell.value.as_number();
  return std::max(cell.interval->second - value, value - cell.interval->first);
}

bool has_margin(const plan::Cell& cell) {
  return cell.interval && !cell.value.null && policy::is_number(cell.value.type) &&
         cell.interval->first != cell.interval->second;
}

// Digits after the point so that a margin shows two digits.
int decimals_for(double margin) {
  if (!(margin > 0) || !std::isfinite(margin)) return 2;
  return std::clamp(1 - static_cast<int>(std::floor(std::log10(margin))), 0, 12);
}

string shown(const plan::Cell& cell) {
  if (cell.value.null) return "NULL";
  if (!has_margin(cell))
    return cell.value.type == policy::Type::kDouble ? fmt::format("{:.6g}", cell.value.real)
                                                    : cell.value.show();
  const double margin = margin_of(cell);
  const string error = std::isfinite(margin) ? "" : "∞";
  if (cell.value.type == policy::Type::kInt)
    return fmt::format("{} ± {}", cell.value.whole,
                       error.empty() ? fmt::format("{:.0f}", std::ceil(margin)) : error);
  const int decimals = decimals_for(margin);
  return fmt::format("{:.{}f} ± {}", cell.value.real, decimals,
                     error.empty() ? fmt::format("{:.{}f}", margin, decimals) : error);
}

string csv_field(const string& text) {
  if (text.find_first_of(",\"\r\n") == string::npos) return text;
  string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

string bound_text(double value) {
  return std::isinf(value) ? (value > 0 ? "inf" : "-inf") : to_text(value);
}

// Which columns have an interval anywhere: they get two more in CSV.
std::vector<bool> with_interval(const plan::Answer& answer) {
  std::vector<bool> out(answer.columns.size());
  for (const auto& row : answer.rows)
    for (std::size_t i = 0; i < row.size(); ++i) out[i] = out[i] || has_margin(row[i]);
  return out;
}

}  // namespace

string table(const plan::Answer& answer) {
  std::vector<present::Column> columns;
  for (std::size_t i = 0; i < answer.columns.size(); ++i)
    columns.push_back({present::printable(answer.columns[i]), policy::is_number(answer.types[i])
                                                                  ? present::Align::kRight
                                                                  : present::Align::kLeft});
  present::Table out(std::move(columns));
  for (const auto& row : answer.rows) {
    std::vector<string> cells;
    for (const plan::Cell& cell : row) cells.push_back(shown(cell));
    out.add(std::move(cells));
  }
  return out.text();
}

string csv(const plan::Answer& answer) {
  const auto intervals = with_interval(answer);
  string out;
  for (std::size_t i = 0; i < answer.columns.size(); ++i) {
    out += (i ? "," : "") + csv_field(answer.columns[i]);
    if (intervals[i])
      out += fmt::format(",{},{}", csv_field(answer.columns[i] + "_lower"),
                         csv_field(answer.columns[i] + "_upper"));
  }
  out += "\n";
  for (const auto& row : answer.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += (i ? "," : "") + (row[i].value.null ? "" : csv_field(row[i].value.show()));
      if (intervals[i])
        out += row[i].interval ? fmt::format(",{},{}", bound_text(row[i].interval->first),
                                             bound_text(row[i].interval->second))
                               : ",,";
    }
    out += "\n";
  }
  return out;
}

string markdown(const plan::Answer& answer) {
  const auto cell = [](string text) {
    string out;
    for (const char c : present::printable(text)) out += c == '|' ? string("\\|") : string(1, c);
    return out;
  };
  string out = "|", rule = "|";
  for (std::size_t i = 0; i < answer.columns.size(); ++i) {
    out += " " + cell(answer.columns[i]) + " |";
    rule += policy::is_number(answer.types[i]) ? "---:|" : "---|";
  }
  out += "\n" + rule + "\n";
  for (const auto& row : answer.rows) {
    out += "|";
    for (const plan::Cell& one : row) out += " " + cell(shown(one)) + " |";
    out += "\n";
  }
  return out;
}

string json_lines(const plan::Answer& answer) {
  const auto intervals = with_interval(answer);
  string out;
  for (const auto& row : answer.rows) {
    out += "{";
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += (i ? "," : "") + policy::json_text(answer.columns[i]) + ":" + row[i].value.json();
      if (intervals[i] && row[i].interval)
        out += fmt::format(",{}:[{},{}]", policy::json_text(answer.columns[i] + "_interval"),
                           policy::json_number(row[i].interval->first),
                           policy::json_number(row[i].interval->second));
    }
    out += "}\n";
  }
  return out;
}

}  // namespace discreet::render
