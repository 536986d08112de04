#include "discreet/present/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>

#include "discreet/base/utf8.h"
#include "discreet/present/axis.h"
#include "discreet/present/svg_text.h"
#include "discreet/present/table.h"

namespace discreet::present {
namespace {

constexpr double kWidth = 720, kHeight = 440;
constexpr double kCharacter = 6.6;  // the mean width of a character of the 12-pixel font
constexpr int kXTicks = 8, kYTicks = 6;
constexpr double kTilt = 35;              // degrees, of names that have no room
constexpr std::size_t kLongestName = 24;  // columns
constexpr double kWidestBar = 110;

// Okabe and Ito's colours, which people with any kind of colour vision tell apart; dashes tell the
// lines apart in print.
struct Ink {
  const char *colour, *dash;
};
constexpr Ink kInks[] = {{"#0072B2", ""},        {"#D55E00", "7 3"},     {"#009E73", "2 3"},
                         {"#CC79A7", "9 3 2 3"}, {"#E69F00", "4 2 1 2"}, {"#56B4E9", "12 3"},
                         {"#7F7F7F", "1 2"}};
const Ink& ink_of(std::size_t series) { return kInks[series % std::size(kInks)]; }

double width_of(std::string_view text) {
  return kCharacter * static_cast<double>(display_width(text));
}

// A long name in at most `columns` columns, without its middle: names often differ at their ends.
std::string shortened(const std::string& text, std::size_t columns) {
  std::string whole = printable(text);
  if (display_width(whole) <= columns) return whole;
  std::vector<std::string> characters;
  for (std::string_view left = whole; !left.empty();) {
    const std::size_t before = left.size();
    const std::string_view from = left;
    (void)next_code_point(left);
    characters.emplace_back(from.substr(0, before - left.size()));
  }
  std::string front, back;
  const std::size_t room = columns > 1 ? columns - 1 : 0;
  for (std::size_t first = 0, last = characters.size(); first < last;) {
    const bool at_front = display_width(front) <= display_width(back);
    const std::string& next = at_front ? characters[first] : characters[last - 1];
    if (display_width(front) + display_width(back) + display_width(next) > room) break;
    at_front ? (front += next, ++first) : (back.insert(0, next), --last);
  }
  return front + "…" + back;
}

struct Point {
  double x, y;
  std::optional<double> lower, upper, beyond;
  bool pinned = false;
};

// What there is to draw of a series: each run of points that can be shown.
using Runs = std::vector<std::vector<Point>>;

class Drawing {
 public:
  explicit Drawing(const Plot& plot) : plot_(plot), x_(plot.log_x, 0, 1), y_(plot.log_y, 0, 1) {
    measure();
  }

  std::string svg() {
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
        "width=\"{0:.0f}\" height=\"{1:.0f}\" "
        "role=\"img\">\n<title>{2}</title>\n<desc>{3}</desc>\n",
        kWidth, kHeight, escape(plot_.title), escape(description()));
    out_ += kSheet;
    out_ += fmt::format("<rect class=\"page\" width=\"{:.0f}\" height=\"{:.0f}\" rx=\"6\"/>\n",
                        kWidth, kHeight);
    out_ += text_at(kWidth / 2, 24, "middle", shortened(plot_.title, 74),
                    " style=\"font-size:15px;font-weight:600\"");
    for (std::size_t i = 0; i < plot_.notes.size(); ++i)
      out_ += text_at(kWidth / 2, 41 + 15 * static_cast<double>(i), "middle",
                      shortened(plot_.notes[i], 108), " style=\"font-size:11px\"");
    if (hatched_)
      out_ +=
          "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
          "patternTransform=\"rotate(45)\"><path class=\"error\" d=\"M0 0V6\" "
          "stroke-opacity=\"0.6\"/></pattern></defs>\n";
    legend();
    axes();
    for (std::size_t i = 0; i < plot_.series.size(); ++i) series(i);
    return out_ + "</svg>\n";
  }

 private:
  bool shown(double x, double y) const { return x_.shows(x) && y_.shows(y); }

  Runs runs_of(const Series& series) const {
    Runs runs(1);
    const std::size_t n = std::min(series.x.size(), series.y.size());
    const bool ranged = series.lower.size() >= n && series.upper.size() >= n;
    for (std::size_t i = 0; i < n; ++i) {
      if (!shown(series.x[i], series.y[i])) {
        if (!runs.back().empty()) runs.emplace_back();
        continue;
      }
      Point point{series.x[i], series.y[i], {},
                  {},          {},          i < series.pinned.size() && series.pinned[i]};
      if (i < series.beyond.size() && y_.shows(series.beyond[i])) point.beyond = series.beyond[i];
      if (ranged && (y_.shows(series.upper[i]) || std::isinf(series.upper[i])) &&
          !std::isnan(series.lower[i])) {
        point.upper = series.upper[i];
        // On a logarithmic axis a range that starts at 0 starts at the bottom.
        point.lower =
            y_.shows(series.lower[i]) || std::isinf(series.lower[i]) ? series.lower[i] : y_.low();
      }
      runs.back().push_back(point);
    }
    return runs;
  }

  // Decides what the axes span and where the frame stands, so that every label has room.
  void measure() {
    bool bars = false;
    std::map<double, bool> places;
    for (const Series& series : plot_.series) {
      for (const auto& run : runs_of(series)) {
        for (const Point& point : run) {
          empty_ = false;
          x_.include(point.x), y_.include(point.y);
          if (point.upper) y_.include(*point.upper), y_.include(*point.lower);
          if (point.beyond) y_.include(*point.beyond), hatched_ = true;
          if (series.style == Style::kBars) places[point.x] = true;
        }
      }
      if (series.style == Style::kBars) bars = true, ++bar_series_;
    }
    if (bars && !plot_.log_y) y_.include(0);
    if (!plot_.categories.empty() && !plot_.log_x) {
      x_.include(0), x_.include(static_cast<double>(plot_.categories.size() - 1));
      for (std::size_t i = 0; i < plot_.categories.size(); ++i)
        places[static_cast<double>(i)] = true;
    }
    double gap = 1;
    if (places.size() > 1) {
      gap = 1e300;
      for (auto at = places.begin(), next = std::next(at); next != places.end(); ++at, ++next)
        gap = std::min(gap, next->first - at->first);
    }
    if ((bars || !plot_.categories.empty()) && !plot_.log_x) {
      const double low = x_.low(), high = x_.high();
      x_.include(low - gap / 2), x_.include(high + gap / 2);
    } else if (!plot_.dates) {
      x_.settle(kXTicks);
    }
    y_.settle(kYTicks);
    if (bars && plot_.log_y) y_.include(y_.low() / 2);

    double widest = 0;
    for (const Tick& tick : y_.ticks(kYTicks)) widest = std::max(widest, width_of(tick.label));
    left_ = 34 + widest + (plot_.y_label.empty() ? 0 : 18);
    right_ = kWidth - 22;
    top_ = 40 + notes_height() + 20 * static_cast<double>(legend_rows());
    double longest = 0;
    for (const std::string& name : plot_.categories)
      longest = std::max(longest, width_of(shortened(name, kLongestName)));
    tilted_ = longest > 0.95 * (right_ - left_) / static_cast<double>(plot_.categories.size());
    bottom_ = kHeight - 30 - (plot_.x_label.empty() ? 0 : 20) -
              (tilted_ ? longest * std::sin(kTilt * std::acos(-1) / 180) - 4 : 0);

    const Axis x = x_, y = y_;
    x_ = Axis(plot_.log_x, left_, right_), y_ = Axis(plot_.log_y, bottom_, top_);
    x_.include(x.low()), x_.include(x.high()), y_.include(y.low()), y_.include(y.high());
    bar_width_ = 0.82 * std::abs(x_.pixel(x_.low() + gap) - x_.pixel(x_.low())) /
                 static_cast<double>(std::max<std::size_t>(bar_series_, 1));
    if (plot_.log_x) bar_width_ = 6;
    bar_width_ = std::clamp(bar_width_, 0.5, kWidestBar);
  }

  double notes_height() const { return 15 * static_cast<double>(plot_.notes.size()); }

  std::size_t legend_rows() const {
    double at = 0;
    std::size_t rows = 0;
    for (const Series& series : plot_.series) {
      if (series.name.empty()) continue;
      const double width = 42 + width_of(shortened(series.name, 40));
      if (rows == 0 || at + width > kWidth - 80) ++rows, at = 0;
      at += width;
    }
    return rows;
  }

  void legend() {
    double at = 0;
    std::size_t rows = 0;
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      const Series& series = plot_.series[i];
      if (series.name.empty()) continue;
      const std::string name = shortened(series.name, 40);
      const double width = 42 + width_of(name);
      if (rows == 0 || at + width > kWidth - 80) ++rows, at = 0;
      const double x = 46 + at, y = 28 + notes_height() + 20 * static_cast<double>(rows);
      if (series.style == Style::kBars) {
        out_ +=
            fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"20\" height=\"9\" fill=\"{}\"/>\n",
                        x, y - 9, ink_of(i).colour);
      } else if (series.style == Style::kPoints) {
        out_ += marker(i, x + 10, y - 4);
      } else {
        out_ += fmt::format("<path d=\"M{:.1f} {:.1f}h22\" {}/>\n", x, y - 4, stroke(i));
      }
      out_ += text_at(x + 28, y, "start", name);
      at += width;
    }
  }

  void axes() {
    for (const Tick& tick : empty_ ? std::vector<Tick>{} : y_.ticks(kYTicks)) {
      const double y = y_.pixel(tick.value);
      out_ += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", left_, y, right_);
      out_ += text_at(left_ - 7, y + 4, "end", tick.label);
    }
    if (empty_) {
      out_ += text_at((left_ + right_) / 2, (top_ + bottom_) / 2, "middle", "nothing to show");
    } else if (plot_.categories.empty() || plot_.log_x) {
      for (const Tick& tick :
           plot_.dates ? date_ticks(x_.low(), x_.high(), kXTicks) : x_.ticks(kXTicks)) {
        const double x = x_.pixel(tick.value);
        out_ += fmt::format("<path class=\"frame\" d=\"M{:.1f} {:.1f}v5\"/>\n", x, bottom_);
        out_ += text_at(x, bottom_ + 18, "middle", tick.label);
      }
    } else {
      // At most one name every 16 pixels: the rest would be unreadable.
      const auto fit = static_cast<std::size_t>((right_ - left_) / 16);
      const std::size_t step = (plot_.categories.size() + fit - 1) / fit;
      for (std::size_t i = 0; i < plot_.categories.size(); i += step) {
        const double x = x_.pixel(static_cast<double>(i));
        if (tilted_) {
          // no further than the picture's left edge
          const auto room = static_cast<std::size_t>(
              std::max(0.0, x - 4) / std::cos(kTilt * std::acos(-1) / 180) / kCharacter);
          out_ += text_at(
              x, bottom_ + 14, "end",
              shortened(plot_.categories[i],
                        std::min(kLongestName, std::max<std::size_t>(room, 5))),
              fmt::format(" transform=\"rotate({:.0f} {:.1f} {:.1f})\"", -kTilt, x, bottom_ + 14));
        } else {
          out_ += text_at(x, bottom_ + 18, "middle", plot_.categories[i]);
        }
      }
    }
    out_ += fmt::format("<path class=\"frame\" d=\"M{0:.1f} {1:.1f}V{2:.1f}H{3:.1f}\"/>\n", left_,
                        top_, bottom_, right_);
    if (!plot_.x_label.empty())
      out_ += text_at((left_ + right_) / 2, kHeight - 10, "middle", shortened(plot_.x_label, 90));
    if (!plot_.y_label.empty()) {
      const double y = (top_ + bottom_) / 2;
      out_ += text_at(18, y, "middle", shortened(plot_.y_label, 50),
                      fmt::format(" transform=\"rotate(-90 18 {:.1f})\"", y));
    }
  }

  static std::string stroke(std::size_t i) {
    return fmt::format(
        "fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{}", ink_of(i).colour,
        *ink_of(i).dash == '\0' ? "" : fmt::format(" stroke-dasharray=\"{}\"", ink_of(i).dash));
  }

  // Round, square, triangle or diamond.
  static std::string marker(std::size_t i, double x, double y) {
    const char* colour = ink_of(i).colour;
    switch (i % 4) {
      case 0:
        return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>\n", x, y,
                           colour);
      case 1:
        return fmt::format("<path d=\"M{:.1f} {:.1f}h6v6h-6z\" fill=\"{}\"/>\n", x - 3, y - 3,
                           colour);
      case 2:
        return fmt::format("<path d=\"M{:.1f} {:.1f}l4 7h-8z\" fill=\"{}\"/>\n", x, y - 4, colour);
      default:
        return fmt::format("<path d=\"M{:.1f} {:.1f}l4 4l-4 4l-4 -4z\" fill=\"{}\"/>\n", x, y - 4,
                           colour);
    }
  }

  void series(std::size_t i) {
    const Series& series = plot_.series[i];
    std::size_t bar_index = 0;
    for (std::size_t k = 0; k < i; ++k) bar_index += plot_.series[k].style == Style::kBars;
    out_ += fmt::format("<g><title>{}</title>\n",
                        escape(series.name.empty() ? plot_.title : series.name));
    for (const auto& run : runs_of(series)) {
      if (run.empty()) continue;
      switch (series.style) {
        case Style::kLine:
        case Style::kSteps:
          line(i, run, series.style == Style::kSteps);
          break;
        case Style::kPoints:
          for (const Point& point : run) {
            whisker(x_.pixel(point.x), point,
                    fmt::format("fill=\"none\" stroke=\"{}\"", ink_of(i).colour));
            out_ += marker(i, x_.pixel(point.x), y_.pixel(point.y));
            pin(x_.pixel(point.x), point);
          }
          break;
        case Style::kBars:
          for (const Point& point : run) bar(i, bar_index, point);
          break;
      }
    }
    out_ += "</g>\n";
  }

  void line(std::size_t i, const std::vector<Point>& run, bool steps) {
    const auto path = [&](auto&& y_of, bool forward) {
      std::string d;
      for (std::size_t k = 0; k < run.size(); ++k) {
        const Point& point = forward ? run[k] : run[run.size() - 1 - k];
        const double x = x_.pixel(point.x), y = y_.pixel(y_of(point));
        if (d.empty()) {
          d = fmt::format("{:.2f} {:.2f}", x, y);
        } else if (!steps) {
          d += fmt::format("L{:.2f} {:.2f}", x, y);
        } else {  // a step's level holds from its own x to the next
          d += forward ? fmt::format("H{:.2f}V{:.2f}", x, y) : fmt::format("V{:.2f}H{:.2f}", y, x);
        }
      }
      return d;
    };
    const bool band = std::all_of(run.begin(), run.end(),
                                  [](const Point& point) { return point.upper.has_value(); });
    if (band) {
      out_ += fmt::format("<path d=\"M{}L{}Z\" fill=\"{}\" fill-opacity=\"0.2\"/>\n",
                          path([](const Point& point) { return *point.upper; }, true),
                          path([](const Point& point) { return *point.lower; }, false),
                          ink_of(i).colour);
    }
    for (const Point& point : run) pin(x_.pixel(point.x), point);
    if (run.size() == 1) {
      out_ += marker(i, x_.pixel(run[0].x), y_.pixel(run[0].y));
    } else {
      out_ += fmt::format("<path d=\"M{}\" {}/>\n",
                          path([](const Point& point) { return point.y; }, true), stroke(i));
    }
  }

  void pin(double x, const Point& point) {
    if (!point.pinned) return;
    out_ += fmt::format("<path class=\"ink\" d=\"M{:.1f} {:.1f}l4 -7h-8z\"/>\n", x,
                        y_.pixel(point.y) - 3);
  }

  // An end that is known has a cap; one that isn't runs dashed into the frame.
  void whisker(double x, const Point& point, const std::string& ink) {
    if (!point.upper) return;
    const double low = y_.pixel(*point.lower), high = y_.pixel(*point.upper);
    const bool known_low = !std::isinf(*point.lower), known_high = !std::isinf(*point.upper);
    out_ += fmt::format("<path d=\"M{:.1f} {:.1f}", x - 3, low);
    out_ += known_low ? "h6m-3 0" : "m3 0";
    out_ += fmt::format("V{:.1f}{}\" {}{}/>\n", high, known_high ? "m-3 0h6" : "", ink,
                        known_low && known_high ? "" : " stroke-dasharray=\"3 3\"");
  }

  void bar(std::size_t i, std::size_t index, const Point& point) {
    const double group = bar_width_ * static_cast<double>(bar_series_);
    const double x = x_.pixel(point.x) - group / 2 + bar_width_ * static_cast<double>(index);
    const double base = y_.pixel(plot_.log_y ? y_.low() : 0), y = y_.pixel(point.y);
    out_ += fmt::format(
        "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n", x,
        std::min(base, y), bar_width_, std::abs(base - y), ink_of(i).colour);
    if (point.beyond) {
      const double end = y_.pixel(*point.beyond);
      out_ += fmt::format(
          "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
          "fill=\"url(#hatch)\" stroke=\"{}\" stroke-dasharray=\"3 2\"/>\n",
          x, std::min(end, y), bar_width_, std::abs(end - y), ink_of(i).colour);
    }
    // Not in the bar's own colour, which would hide the lower half.
    whisker(x + bar_width_ / 2, point, "class=\"error\"");
    pin(x + bar_width_ / 2, point);
  }

  std::string description() const {
    std::string out = plot_.y_label + (plot_.x_label.empty() ? "" : " by " + plot_.x_label);
    std::string names;
    for (const Series& series : plot_.series)
      if (!series.name.empty()) names += (names.empty() ? "" : ", ") + series.name;
    return names.empty() ? out : out + ": " + names;
  }

  const Plot& plot_;
  Axis x_, y_;
  double left_ = 0, right_ = 0, top_ = 0, bottom_ = 0, bar_width_ = 0;
  std::size_t bar_series_ = 0;
  bool tilted_ = false, empty_ = true, hatched_ = false;
  std::string out_;
};

}  // namespace

std::string svg(const Plot& plot) { return Drawing(plot).svg(); }

std::string svg(const std::vector<Plot>& plots) {
  if (plots.size() == 1) return svg(plots[0]);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "width=\"{0:.0f}\" height=\"{1:.0f}\">\n",
      kWidth, kHeight * static_cast<double>(plots.size()));
  for (std::size_t i = 0; i < plots.size(); ++i)
    out += fmt::format("<g transform=\"translate(0 {:.0f})\">\n{}</g>\n",
                       kHeight * static_cast<double>(i), svg(plots[i]));
  return out + "</svg>\n";
}

}  // namespace discreet::present
