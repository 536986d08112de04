#include "discreet/learn/encode.h"

#include <algorithm>
#include <cmath>

namespace discreet::learn {

float scaled(const Column& column, double value) {
  // Halves, so that nothing overflows.
  const double width = column.high / 2 - column.low / 2;
  if (std::isnan(value) || !(width > 0)) return 0;
  const double inside = std::clamp(value, column.low, column.high) / 2 - column.low / 2;
  return static_cast<float>(std::clamp(2 * (inside / width) - 1, -1.0, 1.0));
}

std::size_t width_of(const std::vector<Column>& features) {
  std::size_t out = 0;
  for (const Column& column : features) out += column.width();
  return out;
}

Examples encode(const Encoding& encoding, const std::vector<const std::vector<double>*>& features,
                const std::vector<double>* label) {
  Examples out;
  out.shape = {1, 1, width_of(encoding.features)};
  out.classes = encoding.label.values.size();
  const std::size_t rows = label ? label->size() : features.empty() ? 0 : features[0]->size();
  out.x.reserve(rows * out.shape.size());
  for (std::size_t row = 0; row < rows; ++row) {
    if (label) {
      const double y = (*label)[row];
      if (std::isnan(y)) continue;
      if (out.classes > 0 && !(y >= 0 && y < double(out.classes))) continue;
      out.y.push_back(out.classes > 0 ? static_cast<float>(y) : scaled(encoding.label, y));
    }
    for (std::size_t f = 0; f < features.size(); ++f) {
      const Column& column = encoding.features[f];
      const double value = (*features[f])[row];
      if (column.values.empty()) {
        out.x.push_back(scaled(column, value));
      } else {
        for (std::size_t i = 0; i < column.values.size(); ++i)
          out.x.push_back(value == double(i) ? 1.0F : 0.0F);
      }
    }
    ++out.count;
  }
  return out;
}

}  // namespace discreet::learn
