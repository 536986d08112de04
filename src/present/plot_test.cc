#include "discreet/present/plot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "discreet/present/axis.h"

namespace discreet::present {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t out = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++out;
  return out;
}

// The tags, each without its angle brackets: "rect x=… /", "/svg".
std::vector<std::string> tags(const std::string& picture) {
  std::vector<std::string> out;
  for (std::size_t at = picture.find('<'); at != std::string::npos; at = picture.find('<', at)) {
    const std::size_t end = picture.find('>', at);
    out.push_back(picture.substr(at + 1, end - at - 1));
    at = end;
  }
  return out;
}

// The number in tag's attribute; −1 if there is none.
double attribute(const std::string& tag, const std::string& name) {
  const std::string start = " " + name + "=\"";
  const std::size_t at = tag.find(start);
  return at == std::string::npos ? -1 : std::stod(tag.substr(at + start.size()));
}

// Every tag is closed in the right order and nothing but numbers stands where a number should.
void expect_well_formed(const std::string& picture) {
  std::vector<std::string> open;
  for (const std::string& tag : tags(picture)) {
    const std::string name = tag.substr(0, tag.find(' '));
    if (name.starts_with("/")) {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ("/" + open.back(), name);
      open.pop_back();
    } else if (!tag.ends_with("/")) {
      open.push_back(name);
    }
  }
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(count(picture, "nan"), 0u);
  EXPECT_EQ(count(picture, "inf"), 0u);
}

TEST(Axis, PutsEndsAndRoundTicks) {
  Axis axis(false, 100, 200);
  axis.include(0.3), axis.include(9.7);
  axis.settle(5);
  EXPECT_EQ(axis.low(), 0);
  EXPECT_EQ(axis.high(), 10);
  EXPECT_EQ(axis.pixel(0), 100);
  EXPECT_EQ(axis.pixel(10), 200);
  std::string labels;
  for (const Tick& tick : axis.ticks(5)) labels += tick.label + " ";
  EXPECT_EQ(labels, "0 2 4 6 8 10 ");
}

TEST(Axis, LabelsCarryNoDust) {
  Axis axis(false, 0, 1);
  axis.include(0), axis.include(1);
  std::string labels;
  for (const Tick& tick : axis.ticks(10)) labels += tick.label + " ";
  EXPECT_EQ(labels, "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1 ");
  Axis narrow(false, 0, 1);
  narrow.include(1000000.1), narrow.include(1000000.5);
  for (const Tick& tick : narrow.ticks(4)) EXPECT_LE(tick.label.size(), 9u) << tick.label;
}

TEST(Axis, LogarithmicTicksArePowersOfTen) {
  Axis axis(true, 0, 100);
  axis.include(1e-6), axis.include(1), axis.include(0), axis.include(-5);
  axis.settle(6);
  EXPECT_EQ(axis.low(), 1e-6);
  EXPECT_NEAR(axis.pixel(1e-3), 50, 1e-9);
  EXPECT_EQ(axis.ticks(10).front().label, "1e-6");
  EXPECT_EQ(axis.ticks(10).back().label, "1");
}

TEST(Plot, DrawsEverySeries) {
  Plot plot{.title = "Privacy curve", .x_label = "ε", .y_label = "δ", .log_y = true};
  plot.series.push_back({.name = "Gaussian", .x = {0, 1, 2}, .y = {0.4, 0.1, 0.01}});
  plot.series.push_back(
      {.name = "steps", .x = {0, 1, 2}, .y = {0.4, 0.1, 0.01}, .style = Style::kSteps});
  plot.series.push_back({.name = "measured",
                         .x = {0, 1},
                         .y = {0.4, 0.1},
                         .lower = {0.3, 0},
                         .upper = {0.5, 0.2},
                         .style = Style::kPoints});
  const std::string picture = svg(plot);
  expect_well_formed(picture);
  EXPECT_NE(picture.find("<title>Privacy curve</title>"), std::string::npos);
  EXPECT_NE(picture.find(">Gaussian</text>"), std::string::npos);
  EXPECT_NE(picture.find(">ε</text>"), std::string::npos);
  EXPECT_EQ(picture, svg(plot));  // the same plot is the same text
}

TEST(Plot, BarsStandOnZeroAndInTheirGroup) {
  Plot plot{.title = "Two neighbours", .categories = {"dark", "brown"}};
  plot.series.push_back({.name = "x", .x = {0, 1}, .y = {0.75, 0.25}, .style = Style::kBars});
  plot.series.push_back({.name = "x'", .x = {0, 1}, .y = {0.5, 0.5}, .style = Style::kBars});
  const std::string picture = svg(plot);
  expect_well_formed(picture);
  std::vector<double> feet, heights;
  for (const std::string& tag : tags(picture)) {
    // a legend's swatch is 9 high, the page has no colour of its own
    if (!tag.starts_with("rect") || tag.find("fill=\"#") == std::string::npos ||
        tag.find("height=\"9\"") != std::string::npos)
      continue;
    feet.push_back(attribute(tag, "y") + attribute(tag, "height"));
    heights.push_back(attribute(tag, "height"));
  }
  ASSERT_EQ(feet.size(), 4u);
  for (const double foot : feet) EXPECT_NEAR(foot, feet[0], 0.02);
  EXPECT_NEAR(heights[0] / heights[1], 3, 0.01);
  EXPECT_NE(picture.find(">brown</text>"), std::string::npos);
}

TEST(Plot, OddInputStillMakesAPicture) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  for (const bool logarithmic : {false, true}) {
    for (const Style style : {Style::kLine, Style::kSteps, Style::kPoints, Style::kBars}) {
      for (const std::vector<double>& y : {std::vector<double>{},
                                           {1},
                                           {nan, inf, -inf},
                                           {0, 0, 0},
                                           {1e308, -1e308, 5},
                                           {1e-320, 1, nan, 2},
                                           {1e-300, 1e300},
                                           {5, 5 + 1e-15},
                                           {-3, -2, -1}}) {
        std::vector<double> x;
        for (std::size_t i = 0; i < y.size(); ++i) x.push_back(static_cast<double>(i));
        expect_well_formed(
            svg({.series = {{.name = "a", .x = x, .y = y, .style = style}}, .log_y = logarithmic}));
        expect_well_formed(
            svg({.series = {{.x = y, .y = x, .style = style}}, .log_x = logarithmic}));
        expect_well_formed(
            svg({.series = {{.x = x, .y = y, .lower = y, .upper = y, .style = style}},
                 .log_y = logarithmic}));
        expect_well_formed(
            svg({.series = {{.x = x, .y = y, .style = style}}, .categories = {"only one"}}));
      }
    }
  }
}

TEST(Plot, TextCannotBreakOut) {
  Plot plot{.title = "</title><script>alert(1)</script>",
            .x_label = "a & b",
            .y_label = "\"q\"\x1b[31m\xff"};
  plot.series.push_back({.name = "<b>", .x = {1, 2}, .y = {1, 2}});
  plot.categories = {"<i>", std::string(500, 'x'), "日本語日本語日本語日本語日本語"};
  const std::string picture = svg(plot);
  expect_well_formed(picture);
  EXPECT_EQ(count(picture, "<script"), 0u);
  EXPECT_EQ(count(picture, "\x1b"), 0u);
  EXPECT_EQ(count(picture, "\xff"), 0u);
}

// A broken twin: points that can't be shown must break the line, not be joined over.
TEST(Plot, GapsStayGaps) {
  const double nan = std::nan("");
  const auto paths = [](std::vector<double> y) {
    return count(svg({.series = {{.x = {0, 1, 2, 3, 4}, .y = std::move(y)}}}), "<path d=\"M");
  };
  EXPECT_EQ(paths({1, 2, 3, 4, 5}), 1u);
  EXPECT_EQ(paths({1, 2, nan, 4, 5}), 2u);
}

}  // namespace
}  // namespace discreet::present
