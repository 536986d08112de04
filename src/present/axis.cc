#include "discreet/present/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "discreet/base/number.h"

namespace discreet::present {
namespace {

constexpr double kLargestShown = 1e300;  // past this a span itself may overflow

// The least of 1, 2, 5 times a power of ten that is at least `rough`.
double round_step(double rough) {
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

// A multiple of a round step, without the dust of floating-point multiplication:
// 0.30000000000000004 reads 0.3.
std::string label_of(double value, double step) {
  const int digits = std::max(
      0, static_cast<int>(std::ceil(std::log10(std::max(std::abs(value), step) / step))) + 1);
  std::string text = fmt::format("{:.{}g}", value, std::clamp(digits, 1, 15));
  return to_text(std::stod(text));
}

}  // namespace

Axis::Axis(bool logarithmic, double pixel_low, double pixel_high)
    : logarithmic_(logarithmic),
      pixel_low_(pixel_low),
      pixel_high_(pixel_high),
      low_(logarithmic ? 1 : 0),
      high_(logarithmic ? 10 : 1) {}

bool Axis::shows(double value) const {
  return std::abs(value) <= kLargestShown && (!logarithmic_ || value > 0);
}

void Axis::include(double value) {
  if (!shows(value)) return;
  low_ = empty_ ? value : std::min(low_, value);
  high_ = empty_ ? value : std::max(high_, value);
  empty_ = false;
}

double Axis::place(double value) const { return logarithmic_ ? std::log10(value) : value; }

void Axis::settle(int wanted_ticks) {
  if (logarithmic_) {
    low_ = std::max(low_, 1e-307);
    if (high_ / low_ < 10) low_ = std::pow(10, std::floor(std::log10(low_)));
    if (high_ / low_ < 10) high_ = std::min(low_ * 10, kLargestShown);
    return;
  }
  if (high_ - low_ <= 1e-12 * std::max(std::abs(low_), std::abs(high_)) || high_ == low_) {
    const double room = low_ == 0 ? 1 : std::abs(low_) / 2;
    low_ -= room, high_ += room;
  }
  const double step = round_step((high_ - low_) / wanted_ticks);
  low_ = std::floor(low_ / step + 1e-9) * step;
  high_ = std::ceil(high_ / step - 1e-9) * step;
}

double Axis::pixel(double value) const {
  const double low = place(low_), high = place(high_);
  const double share =
      high > low ? (place(std::clamp(value, low_, high_)) - low) / (high - low) : 0.5;
  return pixel_low_ + share * (pixel_high_ - pixel_low_);
}

std::vector<Tick> Axis::ticks(int wanted) const {
  std::vector<Tick> out;
  if (logarithmic_) {
    const int first = static_cast<int>(std::ceil(std::log10(low_) - 1e-9));
    const int last = static_cast<int>(std::floor(std::log10(high_) + 1e-9));
    const int step = std::max(1, (last - first + wanted) / wanted);
    // over little more than a decade powers of ten alone would be one mark or two
    if (last - first <= 1) {
      for (int power = first - 1; power <= last; ++power)
        for (const int factor : {1, 2, 5}) {
          const double value = std::stod(fmt::format("{}e{}", factor, power));
          if (value >= low_ * (1 - 1e-9) && value <= high_ * (1 + 1e-9))
            out.push_back({value, power >= -3 && power <= 4 ? to_text(value)
                                                            : fmt::format("{}e{}", factor, power)});
        }
      return out;
    }
    for (int power = first; power <= last; power += step) {
      const double value = std::pow(10, power);
      out.push_back({value, power >= -3 && power <= 4
                                ? to_text(std::stod(fmt::format("1e{}", power)))
                                : fmt::format("1e{}", power)});
    }
    return out;
  }
  const double step = round_step((high_ - low_) / wanted);
  const double first = std::ceil(low_ / step - 1e-9);
  for (int i = 0; i <= 2 * wanted + 2; ++i) {
    const double value = (first + i) * step;
    if (value > high_ + 1e-9 * step) break;
    out.push_back({value, first + i == 0 ? "0" : label_of(value, step)});
  }
  return out;
}

std::vector<Tick> date_ticks(double low, double high, int wanted) {
  using namespace std::chrono;
  std::vector<Tick> out;
  if (!(std::abs(low) < 3e6 && std::abs(high) < 3e6)) return out;  // the years ±8000
  const double span = std::max(high - low, 1.0);
  const auto add = [&](year_month_day date, const char* form) {
    const auto at = static_cast<double>(sys_days(date).time_since_epoch().count());
    if (at >= low && at <= high)
      out.push_back({at, fmt::format(fmt::runtime(form), static_cast<int>(date.year()),
                                     static_cast<unsigned>(date.month()),
                                     static_cast<unsigned>(date.day()))});
  };
  const year_month_day first(sys_days(days(static_cast<int>(std::floor(low)))));
  if (const double months_a_tick = span / 30.44 / wanted; months_a_tick > 6) {
    const int step = std::max(1, static_cast<int>(round_step(months_a_tick / 12)));
    const int from = static_cast<int>(first.year()) / step * step;
    for (int i = -1; i <= 3 * wanted; ++i) add(year(from + i * step) / January / 1, "{}");
  } else if (months_a_tick > 0.5) {
    const int step = months_a_tick <= 1 ? 1 : months_a_tick <= 2 ? 2 : months_a_tick <= 3 ? 3 : 6;
    const auto from = first.year() / January;
    for (int i = 0; i <= 12 + 3 * wanted * step; i += step)
      add((from + months(i)) / 1, "{0}-{1:02}");
  } else {
    const int step = std::max(1, static_cast<int>(std::ceil(span / wanted)));
    for (int i = 0; i <= 2 * wanted; ++i)
      add(year_month_day(sys_days(first) + days(i * step)), "{0}-{1:02}-{2:02}");
  }
  return out;
}

}  // namespace discreet::present
