#include "discreet/present/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "discreet/present/axis.h"
#include "discreet/present/svg_text.h"

namespace discreet::present {
namespace {

constexpr double kWidth = 720, kHeight = 440;
constexpr double kTop = 44, kBottom = 384, kLeft = 84, kScale = 600;  // the scale's left edge
constexpr std::size_t kMostCells = 128, kMostNumbers = 12;

// Pale to dark blue, falling in lightness all the way.
constexpr std::array<std::array<double, 3>, 4> kColours{
    {{247, 251, 255}, {158, 202, 225}, {49, 130, 189}, {8, 48, 107}}};

std::string colour(double share) {
  const double at = std::clamp(share, 0.0, 1.0) * (kColours.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(at), kColours.size() - 2);
  const double part = at - static_cast<double>(below);
  std::array<int, 3> mixed{};
  for (std::size_t i = 0; i < 3; ++i)
    mixed[i] = static_cast<int>(
        std::lround(kColours[below][i] * (1 - part) + kColours[below + 1][i] * part));
  return fmt::format("#{:02x}{:02x}{:02x}", mixed[0], mixed[1], mixed[2]);
}

// The mean of the finite entries in [top, bottom) × [left, right).
double mean(const std::vector<std::vector<double>>& rows, std::size_t top, std::size_t bottom,
            std::size_t left, std::size_t right) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t y = top; y < bottom; ++y)
    for (std::size_t x = left; x < std::min(right, rows[y].size()); ++x)
      if (std::isfinite(rows[y][x])) sum += rows[y][x], ++count;
  return count == 0 ? std::nan("") : sum / static_cast<double>(count);
}

class Drawing {
 public:
  explicit Drawing(const HeatMap& map) : map_(map) {
    height_ = map.rows.size();
    width_ = map.rows.empty() ? 0 : map.rows.front().size();
    down_ = std::min(height_, kMostCells), across_ = std::min(width_, kMostCells);
    for (std::size_t i = 0; i < down_; ++i) {
      cells_.emplace_back();
      for (std::size_t k = 0; k < across_; ++k) {
        cells_.back().push_back(mean(map.rows, i * height_ / down_, (i + 1) * height_ / down_,
                                     k * width_ / across_, (k + 1) * width_ / across_));
        if (std::isfinite(cells_.back().back())) most_ = std::max(most_, cells_.back().back());
      }
    }
  }

  std::string svg() {
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
        "width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\">\n<title>{2}</title>\n"
        "<desc>{3} rows and {4} columns, the largest entry {5:.6g}</desc>\n",
        kWidth, kHeight, escape(map_.title), height_, width_, most_);
    out_ += kSheet;
    out_ += fmt::format("<rect class=\"page\" width=\"{:.0f}\" height=\"{:.0f}\" rx=\"6\"/>\n",
                        kWidth, kHeight);
    out_ +=
        text_at(kWidth / 2, 24, "middle", map_.title, " style=\"font-size:15px;font-weight:600\"");
    if (down_ == 0 || across_ == 0) {
      out_ += text_at(kWidth / 2, kHeight / 2, "middle", "nothing to show");
      return out_ + "</svg>\n";
    }
    // Cells as square as the frame allows.
    const double side = std::min((kScale - 40 - kLeft) / static_cast<double>(across_),
                                 (kBottom - kTop) / static_cast<double>(down_));
    const double cell_width =
        std::min(side * 2, (kScale - 40 - kLeft) / static_cast<double>(across_));
    cells(cell_width, side);
    labels(cell_width, side);
    scale();
    return out_ + "</svg>\n";
  }

 private:
  void cells(double width, double height) {
    const bool numbers =
        across_ == width_ && down_ == height_ && across_ <= kMostNumbers && down_ <= kMostNumbers;
    for (std::size_t i = 0; i < down_; ++i) {
      for (std::size_t k = 0; k < across_; ++k) {
        const double value = cells_[i][k], x = kLeft + width * static_cast<double>(k),
                     y = kTop + height * static_cast<double>(i);
        if (!std::isfinite(value)) continue;
        const double share = most_ > 0 ? value / most_ : 0;
        out_ += fmt::format(
            "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n", x,
            y, width + 0.3, height + 0.3, colour(share));
        if (numbers) {
          out_ += fmt::format(
              "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" fill=\"{}\">{:.3g}</text>\n",
              x + width / 2, y + height / 2 + 4, share > 0.55 ? "#fff" : "#222", value);
        }
      }
    }
    out_ += fmt::format(
        "<rect class=\"frame\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
        kLeft, kTop, width * static_cast<double>(across_), height * static_cast<double>(down_));
  }

  void labels(double width, double height) {
    const auto every = [](std::size_t count, std::size_t most) {
      std::size_t step = 1;
      for (std::size_t k = 0; count / step > most; ++k) step = step * (k % 3 == 1 ? 5 : 4) / 2;
      return step;
    };
    const double right = kLeft + width * static_cast<double>(across_),
                 bottom = kTop + height * static_cast<double>(down_);
    const auto centre = [](double start, double end, std::size_t i, std::size_t count) {
      return start + (end - start) * (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    };
    for (std::size_t k = 0, step = every(width_, 15); k < width_; k += step)
      out_ += text_at(centre(kLeft, right, k, width_), bottom + 16, "middle", std::to_string(k));
    for (std::size_t i = 0, step = every(height_, 18); i < height_; i += step)
      out_ += text_at(kLeft - 8, centre(kTop, bottom, i, height_) + 4, "end", std::to_string(i));
    out_ += text_at((kLeft + right) / 2, bottom + 36, "middle", map_.x_label);
    const double y = (kTop + bottom) / 2;
    out_ += text_at(30, y, "middle", map_.y_label,
                    fmt::format(" transform=\"rotate(-90 30 {:.1f})\"", y));
  }

  void scale() {
    constexpr int kSteps = 64;
    const double height = (kBottom - kTop) / kSteps;
    for (int i = 0; i < kSteps; ++i)
      out_ += fmt::format(
          "<rect x=\"{:.0f}\" y=\"{:.2f}\" width=\"18\" height=\"{:.2f}\" fill=\"{}\"/>\n", kScale,
          kBottom - height * (i + 1), height + 0.3, colour((i + 0.5) / kSteps));
    out_ += fmt::format(
        "<rect class=\"frame\" x=\"{:.0f}\" y=\"{:.1f}\" width=\"18\" height=\"{:.1f}\"/>\n",
        kScale, kTop, kBottom - kTop);
    Axis axis(false, kBottom, kTop);
    axis.include(0), axis.include(most_ > 0 ? most_ : 1);
    for (const Tick& tick : axis.ticks(6))
      if (tick.value <= axis.high())
        out_ += text_at(kScale + 24, axis.pixel(tick.value) + 4, "start", tick.label);
  }

  const HeatMap& map_;
  std::size_t width_ = 0, height_ = 0, across_ = 0, down_ = 0;
  double most_ = 0;
  std::vector<std::vector<double>> cells_;
  std::string out_;
};

}  // namespace

std::string svg(const HeatMap& map) { return Drawing(map).svg(); }

}  // namespace discreet::present
