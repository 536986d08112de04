// Mechanisms side by side on public data: numbers over one axis, for a picture, a table or JSON.
// Nothing here opens an Exact; what is drawn is computed from distributions.
#pragma once

#include <string>
#include <vector>

namespace discreet::mechanism::compare {

struct Line {
  std::string name;
  std::vector<double> y;  // one for each x
};

struct Comparison {
  std::string title, x_label, y_label;
  std::vector<std::string> notes = {};  // which data, and what is promised
  bool log_x = false, log_y = false;
  std::vector<double> x = {};
  std::vector<Line> lines = {};
};

}  // namespace discreet::mechanism::compare
