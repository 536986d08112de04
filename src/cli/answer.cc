#include "discreet/cli/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/ledger/account.h"
#include "discreet/present/plot.h"
#include "discreet/present/table.h"

namespace discreet::cli {

using std::string;

namespace {

double margin_of(const sql::Cell& cell) {
  const double value = cell.value.as_number();
  return std::max(cell.interval->second - value, value - cell.interval->first);
}

bool has_margin(const sql::Cell& cell) {
  return cell.interval && !cell.value.null && sql::is_number(cell.value.type) &&
         cell.interval->first != cell.interval->second;
}

// Digits after the point so that a margin shows two digits.
int decimals_for(double margin) {
  if (!(margin > 0) || !std::isfinite(margin)) return 2;
  return std::clamp(1 - static_cast<int>(std::floor(std::log10(margin))), 0, 12);
}

string shown(const sql::Cell& cell) {
  if (cell.value.null) return "NULL";
  if (!has_margin(cell))
    return cell.value.type == sql::Type::kDouble ? fmt::format("{:.6g}", cell.value.real)
                                                 : cell.value.show();
  const double margin = margin_of(cell);
  const string error = std::isfinite(margin) ? "" : "∞";
  if (cell.value.type == sql::Type::kInt)
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
std::vector<bool> with_interval(const sql::Answer& answer) {
  std::vector<bool> out(answer.columns.size());
  for (const auto& row : answer.rows)
    for (std::size_t i = 0; i < row.size(); ++i) out[i] = out[i] || has_margin(row[i]);
  return out;
}

string amount_json(const ledger::Amount& amount, Rounding rounding) {
  return fmt::format("{{\"epsilon\":{},\"delta\":{}}}", json_rational(amount.epsilon, rounding),
                     json_rational(amount.delta, rounding));
}

}  // namespace

string json_rational(const Rational& value, Rounding rounding) {
  for (const Rounding side : {Rounding::kDown, Rounding::kUp}) {
    const double near = to_double(value, side);
    if (const auto back = parse_number(to_text(near), rounding); back && *back == value)
      return to_text(near);
  }
  return sql::json_number(to_double(value, rounding));
}

string answer_table(const sql::Answer& answer) {
  std::vector<present::Column> columns;
  for (std::size_t i = 0; i < answer.columns.size(); ++i)
    columns.push_back({present::printable(answer.columns[i]), sql::is_number(answer.types[i])
                                                                  ? present::Align::kRight
                                                                  : present::Align::kLeft});
  present::Table table(std::move(columns));
  for (const auto& row : answer.rows) {
    std::vector<string> cells;
    for (const sql::Cell& cell : row) cells.push_back(shown(cell));
    table.add(std::move(cells));
  }
  return table.text();
}

string answer_csv(const sql::Answer& answer) {
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

string answer_markdown(const sql::Answer& answer) {
  const auto cell = [](string text) {
    string out;
    for (const char c : present::printable(text)) out += c == '|' ? string("\\|") : string(1, c);
    return out;
  };
  string out = "|", rule = "|";
  for (std::size_t i = 0; i < answer.columns.size(); ++i) {
    out += " " + cell(answer.columns[i]) + " |";
    rule += sql::is_number(answer.types[i]) ? "---:|" : "---|";
  }
  out += "\n" + rule + "\n";
  for (const auto& row : answer.rows) {
    out += "|";
    for (const sql::Cell& one : row) out += " " + cell(shown(one)) + " |";
    out += "\n";
  }
  return out;
}

string answer_jsonlines(const sql::Answer& answer) {
  const auto intervals = with_interval(answer);
  string out;
  for (const auto& row : answer.rows) {
    out += "{";
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += (i ? "," : "") + sql::json_text(answer.columns[i]) + ":" + row[i].value.json();
      if (intervals[i] && row[i].interval)
        out += fmt::format(",{}:[{},{}]", sql::json_text(answer.columns[i] + "_interval"),
                           sql::json_number(row[i].interval->first),
                           sql::json_number(row[i].interval->second));
    }
    out += "}\n";
  }
  return out;
}

string reply_json(const service::Reply& reply) {
  string body = service::answer_json(reply.answer);
  body.pop_back();  // the closing brace
  const ledger::Amount cost{reply.guarantee.epsilon, reply.guarantee.delta, {}};
  string receipt = "null";
  if (reply.receipt)
    receipt = fmt::format("{{\"id\":{},\"hash\":{}}}", sql::json_text(reply.receipt->id),
                          sql::json_text(reply.receipt->hash));
  return fmt::format(
      "{},\"guarantee\":{},\"spent\":{},\"remaining\":{},\"receipt\":{},\"plan\":{}}}\n", body,
      amount_json(cost, Rounding::kUp), amount_json(reply.spent, Rounding::kUp),
      amount_json(reply.remaining, Rounding::kDown), receipt, reply.plan);
}

string spending_line(const service::Reply& reply) {
  if (!reply.receipt) return "public tables only: exact, and nothing was spent\n";
  const auto text = [](const Rational& value, Rounding side) {
    return ledger::short_text(value, side);
  };
  return fmt::format(
      "this answer: ε {}, δ {}   spent: ε {}, δ {}   left: ε {}, δ {}   receipt {}\n",
      text(reply.guarantee.epsilon, Rounding::kUp), text(reply.guarantee.delta, Rounding::kUp),
      text(reply.spent.epsilon, Rounding::kUp), text(reply.spent.delta, Rounding::kUp),
      text(reply.remaining.epsilon, Rounding::kDown), text(reply.remaining.delta, Rounding::kDown),
      reply.receipt->id);
}

Result<string> answer_plot(const sql::Answer& answer) {
  // The first column that isn't a released number names the points; every column with numbers is a
  // series.
  const auto intervals = with_interval(answer);
  std::size_t key = answer.columns.size();
  for (std::size_t i = 0; i < answer.columns.size() && key == answer.columns.size(); ++i)
    if (!intervals[i]) key = i;
  present::Plot plot;
  const bool has_key = key < answer.columns.size();
  const bool line = has_key &&
                    (sql::is_number(answer.types[key]) || sql::is_time(answer.types[key])) &&
                    answer.rows.size() > 2;
  if (has_key) plot.x_label = answer.columns[key];
  for (std::size_t i = 0; i < answer.columns.size(); ++i) {
    if (i == key || !sql::is_number(answer.types[i])) continue;
    present::Series series;
    series.name = answer.columns[i];
    series.style = line && sql::is_number(answer.types[key]) ? present::Style::kLine
                   : line                                    ? present::Style::kPoints
                                                             : present::Style::kBars;
    for (std::size_t row = 0; row < answer.rows.size(); ++row) {
      const sql::Cell& cell = answer.rows[row][i];
      const double value = cell.value.as_number();
      series.x.push_back(line && sql::is_number(answer.types[key])
                             ? answer.rows[row][key].value.as_number()
                             : static_cast<double>(row));
      series.y.push_back(value);
      series.lower.push_back(cell.interval ? cell.interval->first : value);
      series.upper.push_back(cell.interval ? cell.interval->second : value);
    }
    plot.series.push_back(std::move(series));
  }
  if (plot.series.empty()) return fail(Code::kUsage, "--plot: the answer has no number to draw");
  if (!(line && sql::is_number(answer.types[key])))
    for (const auto& row : answer.rows) {
      string name;
      for (std::size_t i = 0; i < row.size(); ++i)
        if (!intervals[i] && (i == key || !sql::is_number(answer.types[i])))
          name += (name.empty() ? "" : " / ") + row[i].value.show();
      plot.categories.push_back(name);
    }
  if (plot.series.size() == 1) plot.y_label = plot.series[0].name;
  return present::svg(plot);
}

}  // namespace discreet::cli
