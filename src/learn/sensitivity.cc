#include "discreet/learn/sensitivity.h"

#include <cmath>

namespace discreet::learn {

bool is_clip(double clip) {
  return clip >= kLeastClip * (1 - 1e-9) && clip <= kMostClip * (1 + 1e-9);
}

double grid_step(double clip) { return std::ldexp(1.0, std::ilogb(clip) - 23); }

double grid_sensitivity(double clip, std::size_t tile_rows, std::size_t coordinates, double step) {
  const auto k = static_cast<double>(tile_rows);
  const double nu = (k + 4) * 0x1p-24;
  const double floats = 4 * nu / (1 - nu) * k * clip + 0x1p-80;
  const double grid = 2 * step * std::sqrt(static_cast<double>(coordinates));
  return (clip + floats + grid) / step * (1 + 0x1p-40);
}

float clip_factor(double squared_norm, double clip) {
  if (!(squared_norm <= 0x1p200)) return 0;  // NaN too
  const double norm = std::sqrt(squared_norm) * (1 + 0x1p-20);
  if (norm <= clip) return 1;
  const double factor = clip / norm * (1 - 0x1p-20);
  return factor < 0x1p-100 ? 0 : static_cast<float>(factor);
}

}  // namespace discreet::learn
