// Pictures, as SVG text.
//
//   Plot plot{.title = "Privacy curve", .x_label = "ε", .y_label = "δ", .log_y = true};
//   plot.series.push_back({.name = "Gaussian", .x = {0, 1, 2}, .y = {0.38, 0.13, 0.02}});
//   std::string picture = svg(plot);
#pragma once

#include <string>
#include <vector>

namespace discreet::present {

enum class Style { kLine, kSteps, kPoints, kBars };

// Members have defaults so that a designated initialiser may leave any of them out.
struct Series {
  std::string name = {};  // in the legend; none if empty
  std::vector<double> x = {}, y = {};
  // Error bars, or a band for lines; empty, or as long as y. An infinite end reaches the frame.
  // NaN: nothing is known there.
  std::vector<double> lower = {}, upper = {};
  // What is thought to be missing: a hatched part of each bar, from its end to here. Empty: none.
  std::vector<double> beyond = {};
  std::vector<bool> pinned = {};  // at the end of what it may be: marked with a triangle
  Style style = Style::kLine;
};

struct Plot {
  std::string title = {}, x_label = {}, y_label = {};
  std::vector<Series> series = {};
  std::vector<std::string> categories = {};  // names for x = 0, 1, 2, …
  bool log_x = false, log_y = false;
  bool dates = false;                   // x counts days since 1970
  std::vector<std::string> notes = {};  // small, below the title
};

// The picture, 720 × 440, readable on white and dark pages, colours that the colour-blind can tell
// apart, titles for screen readers. Points that aren't finite, or not positive on a logarithmic
// axis, are left out.
std::string svg(const Plot& plot);
// Several, one below the other, for numbers of different scales.
std::string svg(const std::vector<Plot>& plots);

}  // namespace discreet::present
