// A matrix as a picture: one coloured cell an entry, SVG text.
//
//   HeatMap map{.title = "The coin", .x_label = "output", .y_label = "input"};
//   map.rows = {{0.75, 0.25}, {0.25, 0.75}};
//   std::string picture = svg(map);
#pragma once

#include <string>
#include <vector>

namespace discreet::present {

struct HeatMap {
  std::string title = {}, x_label = {}, y_label = {};
  std::vector<std::vector<double>> rows = {};  // from the top; all as long as the first
};

// Colours run from pale (0) to dark (the largest entry), evenly to the eye and in print; a scale
// stands beside them. Up to twelve columns have their numbers written in. Beyond 128 rows or
// columns neighbouring cells are drawn as one, with their mean. Cells that aren't finite stay
// empty.
std::string svg(const HeatMap& map);

}  // namespace discreet::present
