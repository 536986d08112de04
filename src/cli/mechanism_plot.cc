#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/cli/mechanism_show.h"
#include "discreet/cli/out_file.h"
#include "discreet/cli/value_text.h"
#include "discreet/present/plot.h"

namespace discreet::cli {
namespace {

using mechanism::Entry;
using mechanism::Kind;
using mechanism::Mass;
using mechanism::Numbers;
using mechanism::Value;

constexpr std::size_t kMostNamed = 6;  // numbers of an input in the legend
constexpr std::size_t kMostBars = 80;

// The numbers of an input; none where it isn't made of numbers.
Numbers numbers_of(const Value& input) {
  if (const auto* one = std::get_if<Rational>(&input)) return {*one};
  if (const auto* all = std::get_if<Numbers>(&input)) return *all;
  Numbers out;
  if (const auto* counts = std::get_if<mechanism::Counts>(&input))
    for (const auto& [label, count] : *counts) out.emplace_back(Integer(static_cast<long>(count)));
  return out;
}

std::string describe(const mechanism::Counts& counts) {
  std::string out;
  std::size_t named = 0;
  for (const auto& [label, count] : counts) {
    if (++named > kMostNamed) return out + ", …";
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", label, count);
  }
  return out;
}

std::string describe(const Entry& entry, const Value& input) {
  if (const auto* label = std::get_if<mechanism::Label>(&input)) return text_of(*label);
  if (const auto* counts = std::get_if<mechanism::Counts>(&input)) return describe(*counts);
  const Numbers numbers = numbers_of(input);
  std::string out;
  for (std::size_t i = 0; i < std::min(numbers.size(), kMostNamed); ++i)
    out += (i > 0 ? ", " : "") + number_json(numbers[i]);
  return fmt::format("{} {}{}", entry.input.name, out, numbers.size() > kMostNamed ? ", …" : "");
}

// One window for both, so that they can be compared: where the answers to numbers mostly lie.
Result<mechanism::Window> window_for(const Entry& entry, const mechanism::Mechanism& made,
                                     const Value& input, const Value& other) {
  Numbers all = numbers_of(input);
  const Numbers more = numbers_of(other);
  all.insert(all.end(), more.begin(), more.end());
  const bool on_a_line = entry.output == Kind::kNumber || entry.output == Kind::kNumbers ||
                         entry.output == Kind::kCounts;
  if (!on_a_line || all.empty()) return mechanism::Window{};
  const mechanism::Accuracy reach = TRY(made.accuracy(input, Rational(1, 100)));
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  return mechanism::Window{Rational(*least - Rational(reach.bound)),
                           Rational(*most + Rational(reach.bound))};
}

present::Series series_of(const Entry& entry, const mechanism::Pmf& pmf,
                          std::vector<std::string>& categories) {
  const auto is_nothing = [](const Mass& row) {
    return std::holds_alternative<mechanism::Nothing>(row.output);
  };
  const bool withheld = std::any_of(pmf.rows.begin(), pmf.rows.end(), is_nothing);
  // Else one bar after another: "nothing" has no place among numbers.
  const bool on_axis = entry.output == Kind::kNumber && (!withheld || pmf.rows.size() > kMostNamed);
  present::Series series;
  series.style =
      !on_axis || pmf.rows.size() <= kMostBars ? present::Style::kBars : present::Style::kSteps;
  categories.clear();
  for (std::size_t i = 0; i < pmf.rows.size(); ++i) {
    const Mass& row = pmf.rows[i];
    if (on_axis && is_nothing(row)) {
      series.name = fmt::format(" (nothing: {:.3g})", row.probability.middle());
      continue;
    }
    const auto* number = std::get_if<Rational>(&row.output);
    series.x.push_back(on_axis && number != nullptr ? to_double(*number) : static_cast<double>(i));
    series.y.push_back(row.probability.middle());
    categories.push_back((row.cell ? text_of(*row.cell) + " " : "") + text_of(row.output));
  }
  if (on_axis) categories.clear();
  return series;
}

// The window is ours: who asked for a picture can't mend it.
Result<mechanism::Pmf> drawn(const Entry& entry, Result<mechanism::Pmf> pmf) {
  if (pmf || pmf.error().parameter != "from") return pmf;
  const std::string grid(mechanism::kGrid.name);
  return bad_parameter(
      "plot",
      fmt::format("found more outputs than can be drawn; accepted are up to {}",
                  mechanism::kMostRows),
      entry.parameter(grid) == nullptr ? Phrase{} : "take a coarser " + named(grid));
}

}  // namespace

Status show_plot(const Entry& entry, const mechanism::Mechanism& made, const Value& input,
                 const std::string& path, bool json) {
  const std::vector<Value> neighbours = TRY(made.neighbours(input));
  if (neighbours.empty()) return bad_parameter("plot", "this input has no neighbour");
  const Value& other = neighbours.front();
  const mechanism::Window window = TRY(window_for(entry, made, input, other));
  present::Plot plot{.title = fmt::format("{} ({})", entry.name, guarantee_text(made.guarantee())),
                     .x_label = "output",
                     .y_label = "probability"};
  for (const Value* each : {&input, &other}) {
    const mechanism::Pmf pmf = TRY(drawn(entry, made.pmf(*each, window)));
    plot.series.push_back(series_of(entry, pmf, plot.categories));
    plot.series.back().name = describe(entry, *each) + plot.series.back().name;
  }
  TRY(write_whole("plot", path, present::svg(plot)));
  return json ? print(fmt::format("{{\"plot\":{}}}\n", text_json(path))) : Status{};
}

}  // namespace discreet::cli
