// Spending over time, as a picture.

#include <fmt/format.h>

#include <map>

#include "discreet/ledger/record.h"
#include "discreet/present/plot.h"
#include "discreet/render/balance.h"

namespace discreet::render {
namespace {

// What the time axis counts: minutes, hours or days, whichever suits the span.
struct Unit {
  const char* name;
  double seconds;
};
Unit unit_for(double span) {
  if (span < 3 * 3600) return {"minutes", 60};
  if (span < 3 * 86'400) return {"hours", 3600};
  return {"days", 86'400};
}

}  // namespace

std::string plot(const std::vector<ledger::Entry>& history, const ledger::Balances& balances) {
  present::Plot plot;
  plot.title = fmt::format("Privacy budget spent: {}", balances.terms.policy);
  const std::int64_t start = history.empty() ? 0 : ledger::from_utc(history.front().when);
  const Unit unit = unit_for(
      history.empty() ? 0 : static_cast<double>(ledger::from_utc(history.back().when) - start));
  plot.x_label =
      history.empty() ? "days" : fmt::format("{} since {}", unit.name, history.front().when);
  plot.y_label = "ε spent";
  std::map<std::string, Rational> totals;
  std::map<std::string, present::Series> lines;
  present::Series limit{.name = "budget", .style = present::Style::kSteps};
  double last = 0;
  for (const ledger::Entry& entry : history) {
    const double x = last =
        static_cast<double>(ledger::from_utc(entry.when) - start) / unit.seconds;
    if (entry.kind == "init" || entry.kind == "set") {
      limit.x.push_back(x);
      limit.y.push_back(to_double(entry.cost.epsilon, Rounding::kUp));
    }
    if ((entry.kind != "release" && entry.kind != "reuse") || entry.state == "abandoned") continue;
    for (const std::string& name : entry.charged) {
      present::Series& line = lines[name];
      if (line.x.empty()) {
        line.name = name.empty() ? "data set" : name;
        line.style = present::Style::kSteps;
        line.x.push_back(0);
        line.y.push_back(0);
      }
      totals[name] += entry.cost.epsilon;
      line.x.push_back(x);
      line.y.push_back(to_double(totals[name], Rounding::kUp));
    }
  }
  for (auto& [name, line] : lines) {
    line.x.push_back(last);
    line.y.push_back(line.y.back());
    plot.series.push_back(std::move(line));
  }
  if (!limit.x.empty()) {
    limit.x.push_back(last);
    limit.y.push_back(limit.y.back());
    plot.series.push_back(std::move(limit));
  }
  return present::svg(plot);
}

}  // namespace discreet::render
