// An answer as a picture.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>

#include "discreet/present/plot.h"
#include "discreet/render/answer.h"

namespace discreet::render {

using std::string;

namespace {

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

// Counts and sums are too low by what was left out; what stays within bounds isn't.
bool is_total(const plan::Answer& answer, std::size_t column) {
  return column < answer.clamps.size() && !answer.clamps[column] &&
         answer.types[column] == policy::Type::kInt;
}

bool pinned(const plan::Answer& answer, std::size_t column, double value) {
  if (column >= answer.clamps.size() || !answer.clamps[column]) return false;
  return value <= answer.clamps[column]->first || value >= answer.clamps[column]->second;
}

}  // namespace

Result<string> plot(const plan::Answer& answer, const std::vector<string>& notes) {
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
  const double lost = answer.left_out ? std::min(0.99, answer.left_out->rows.share) : 0;
  bool any_pinned = false;
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
        // No bar where nothing is known: one of length 0 would say that it is exact.
        const bool known = cell->interval && cell->interval->first < cell->interval->second;
        series.lower.push_back(known ? cell->interval->first : std::nan(""));
        series.upper.push_back(known ? cell->interval->second : std::nan(""));
        series.pinned.push_back(pinned(answer, column, value));
        any_pinned = any_pinned || series.pinned.back();
        if (!roles.x && lost > 0 && is_total(answer, column))
          series.beyond.push_back(value / (1 - lost));
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
    plot.notes = notes;
    if (any_pinned)
      plot.notes.emplace_back("a triangle: at the end of its bounds, the truth may lie beyond");
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

}  // namespace discreet::render
