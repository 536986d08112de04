#include "discreet/cli/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>

#include "discreet/ledger/account.h"
#include "discreet/present/plot.h"
#include "discreet/present/table.h"

namespace discreet::cli {

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

string amount_json(const ledger::Amount& amount, Rounding rounding) {
  return fmt::format("{{\"epsilon\":{},\"delta\":{}}}", json_rational(amount.epsilon, rounding),
                     json_rational(amount.delta, rounding));
}

// Where a key stands on the axis; times in days since 1970.
double place_of(const policy::Value& value) {
  if (value.type == policy::Type::kTimestamp) return static_cast<double>(value.whole) / 86400e6;
  if (value.type == policy::Type::kDate) return static_cast<double>(value.whole);
  return value.as_number();
}

// What the columns are in a picture.
struct Roles {
  std::vector<std::size_t> keys, values;
  std::optional<std::size_t> x;  // the key that lines run over
};

Roles roles_of(const plan::Answer& answer) {
  const std::size_t n = answer.columns.size();
  std::vector<bool> released(n);
  for (const auto& row : answer.rows)
    for (std::size_t i = 0; i < n; ++i) released[i] = released[i] || row[i].interval.has_value();
  Roles out;
  const bool any = std::find(released.begin(), released.end(), true) != released.end();
  for (std::size_t i = 0; i < n; ++i) {
    // Without intervals (public tables, no rows) numbers are values unless nothing is left to name
    // them by.
    const bool number = policy::is_number(answer.types[i]);
    const bool value = any ? released[i] && number : number && !(i == 0 && n > 1);
    if (value) out.values.push_back(i);
    if (!value && !released[i]) out.keys.push_back(i);
  }
  for (const bool time : {true, false})
    for (const std::size_t i : out.keys)
      if (!out.x && (time ? policy::is_time(answer.types[i]) : policy::is_number(answer.types[i])))
        out.x = i;
  if (out.x) {
    std::set<double> places;
    for (const auto& row : answer.rows)
      if (!row[*out.x].value.null) places.insert(place_of(row[*out.x].value));
    if (places.size() < 3) out.x.reset();
  }
  return out;
}

}  // namespace

string json_rational(const Rational& value, Rounding rounding) {
  for (const Rounding side : {Rounding::kDown, Rounding::kUp}) {
    const double near = to_double(value, side);
    if (const auto back = parse_number(to_text(near), rounding); back && *back == value)
      return to_text(near);
  }
  return policy::json_number(to_double(value, rounding));
}

string answer_table(const plan::Answer& answer) {
  std::vector<present::Column> columns;
  for (std::size_t i = 0; i < answer.columns.size(); ++i)
    columns.push_back({present::printable(answer.columns[i]), policy::is_number(answer.types[i])
                                                                  ? present::Align::kRight
                                                                  : present::Align::kLeft});
  present::Table table(std::move(columns));
  for (const auto& row : answer.rows) {
    std::vector<string> cells;
    for (const plan::Cell& cell : row) cells.push_back(shown(cell));
    table.add(std::move(cells));
  }
  return table.text();
}

string answer_csv(const plan::Answer& answer) {
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

string answer_markdown(const plan::Answer& answer) {
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

string answer_jsonlines(const plan::Answer& answer) {
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

string reply_json(const service::Reply& reply) {
  string body = service::answer_json(reply.answer);
  body.pop_back();  // the closing brace
  const ledger::Amount cost{reply.guarantee.epsilon, reply.guarantee.delta, {}};
  string receipt = "null";
  if (reply.receipt)
    receipt = fmt::format("{{\"id\":{},\"hash\":{}}}", policy::json_text(reply.receipt->id),
                          policy::json_text(reply.receipt->hash));
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

Result<string> answer_plot(const plan::Answer& answer) {
  const Roles roles = roles_of(answer);
  if (roles.values.empty()) return bad_parameter("plot", "the answer has no number to draw");
  // Lines over the first time or number among the keys, one for each combination of the others;
  // else bars, one group for each row.
  const auto others_of = [&](const std::vector<plan::Cell>& row) {
    string name;
    for (const std::size_t i : roles.keys)
      if (i != roles.x) name += (name.empty() ? "" : " / ") + row[i].value.show();
    return name;
  };
  std::vector<string> others;
  if (roles.x)
    for (const auto& row : answer.rows)
      if (const string name = others_of(row);
          std::find(others.begin(), others.end(), name) == others.end())
        others.push_back(name);
  if (others.empty()) others.emplace_back();
  std::vector<present::Plot> plots;
  std::vector<double> scales;
  for (const std::size_t column : roles.values) {
    present::Plot plot;
    double scale = 0;
    for (const string& other : others) {
      present::Series series;
      series.style = roles.x ? present::Style::kLine : present::Style::kBars;
      const string& title = answer.columns[column];
      series.name = other.empty()             ? title
                    : roles.values.size() > 1 ? fmt::format("{}, {}", title, other)
                                              : other;
      std::vector<std::pair<double, const plan::Cell*>> points;
      for (std::size_t row = 0; row < answer.rows.size(); ++row) {
        const auto& cells = answer.rows[row];
        if (roles.x && (others_of(cells) != other || cells[*roles.x].value.null)) continue;
        points.emplace_back(roles.x ? place_of(cells[*roles.x].value) : static_cast<double>(row),
                            &cells[column]);
      }
      std::stable_sort(points.begin(), points.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      for (const auto& [x, cell] : points) {
        const double value = cell->value.null ? std::nan("") : cell->value.as_number();
        series.x.push_back(x);
        series.y.push_back(value);
        series.lower.push_back(cell->interval ? cell->interval->first : value);
        series.upper.push_back(cell->interval ? cell->interval->second : value);
        if (std::isfinite(value)) scale = std::max(scale, std::abs(value));
      }
      plot.series.push_back(std::move(series));
    }
    plot.y_label = answer.columns[column];
    plots.push_back(std::move(plot));
    scales.push_back(scale);
  }
  // Numbers of one scale share a picture; beside a count of thousands a mean of 50 would vanish.
  const auto [least, most] = std::minmax_element(scales.begin(), scales.end());
  if (plots.size() > 1 && *most <= 10 * *least) {
    for (std::size_t i = 1; i < plots.size(); ++i)
      std::move(plots[i].series.begin(), plots[i].series.end(),
                std::back_inserter(plots[0].series));
    plots.resize(1);
    plots[0].y_label.clear();
  }
  for (present::Plot& plot : plots) {
    string names;
    for (const std::size_t i : roles.keys)
      if (!roles.x || i == *roles.x) names += (names.empty() ? "" : " / ") + answer.columns[i];
    plot.x_label = names;
    plot.title = plot.y_label;
    if (plot.y_label.empty())
      for (const std::size_t i : roles.values)
        plot.title += (plot.title.empty() ? "" : ", ") + answer.columns[i];
    if (!names.empty()) plot.title += " by " + names;
    if (plot.series.size() == 1) plot.series[0].name.clear();  // the axis says it
    if (roles.x) {
      plot.dates = policy::is_time(answer.types[*roles.x]);
    } else {
      for (const auto& row : answer.rows) plot.categories.push_back(others_of(row));
    }
  }
  return present::svg(plots);
}

}  // namespace discreet::cli
