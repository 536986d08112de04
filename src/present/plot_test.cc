#include "discreet/present/plot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "discreet/present/axis.h"
#include "discreet/present/heat_map.h"

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

TEST(Axis, DatesAreRound) {
  const auto labels = [](double low, double high) {
    std::string out;
    for (const Tick& tick : date_ticks(low, high, 8)) out += tick.label + " ";
    return out;
  };
  // 19723 is 2024-01-01
  EXPECT_EQ(labels(19723, 19723 + 6),
            "2024-01-01 2024-01-02 2024-01-03 2024-01-04 2024-01-05 2024-01-06 2024-01-07 ");
  EXPECT_EQ(labels(19723, 19723 + 150), "2024-01 2024-02 2024-03 2024-04 2024-05 ");
  EXPECT_EQ(labels(19724, 19723 + 366), "2024-03 2024-05 2024-07 2024-09 2024-11 2025-01 ");
  EXPECT_EQ(labels(0, 19723), "1970 1980 1990 2000 2010 2020 ");
  EXPECT_EQ(labels(19723, 19723), "2024-01-01 ");
  EXPECT_EQ(labels(-1e300, 1e300), "");
}

// The error of a bar is seen on the bar too, and an end that isn't known isn't drawn as one.
TEST(Plot, ErrorBarsAreSeen) {
  const double inf = std::numeric_limits<double>::infinity();
  const auto errors = [](double lower, double upper, Style style) {
    const std::string picture =
        svg({.series = {{.x = {0}, .y = {5}, .lower = {lower}, .upper = {upper}, .style = style}},
             .categories = {"a"}});
    expect_well_formed(picture);
    std::string out;
    for (const std::string& tag : tags(picture))
      if (tag.find("class=\"error\"") != std::string::npos) out += tag;
    return out;
  };
  const std::string known = errors(4, 6, Style::kBars);
  EXPECT_EQ(count(known, "h6"), 2u);
  EXPECT_EQ(count(known, "dash"), 0u);
  const std::string half = errors(4, inf, Style::kBars);
  EXPECT_EQ(count(half, "h6"), 1u);
  EXPECT_EQ(count(half, "dash"), 1u);
  EXPECT_EQ(count(errors(-inf, inf, Style::kBars), "h6"), 0u);
  EXPECT_EQ(errors(4, inf, Style::kLine), "");
  EXPECT_EQ(
      count(svg({.series = {{.x = {0, 1}, .y = {1, 2}, .lower = {0, -inf}, .upper = {2, inf}}}}),
            "fill-opacity"),
      1u);
}

TEST(Plot, OneBarIsABarAndNothingSaysSo) {
  for (const std::string& tag :
       tags(svg({.series = {{.x = {0}, .y = {5}, .style = Style::kBars}}, .categories = {""}}))) {
    if (tag.starts_with("rect") && tag.find("fill=\"#") != std::string::npos) {
      EXPECT_LE(attribute(tag, "width"), 200);
    }
  }
  const std::string nothing = svg({.series = {{.style = Style::kBars}}});
  expect_well_formed(nothing);
  EXPECT_NE(nothing.find(">nothing to show<"), std::string::npos);
}

TEST(Plot, LongNamesKeepBothEnds) {
  Plot plot;
  for (int i = 0; i < 9; ++i)
    plot.categories.push_back("Department of internal medicine " + std::to_string(i));
  plot.categories.push_back("日本語日本語日本語日本語日本語日本語京");
  plot.series.push_back({.x = {0, 9}, .y = {1, 2}, .style = Style::kBars});
  const std::string picture = svg(plot);
  expect_well_formed(picture);
  EXPECT_NE(picture.find("… medicine 7<"), std::string::npos) << picture;
  EXPECT_NE(picture.find("京<"), std::string::npos);
}

TEST(Plot, SeveralStandBelowEachOther) {
  const Plot one{.title = "one", .series = {{.x = {0, 1}, .y = {1, 2}}}};
  EXPECT_EQ(svg(std::vector<Plot>{one}), svg(one));
  const std::string both = svg({one, one});
  expect_well_formed(both);
  EXPECT_EQ(count(both, "<title>one</title>"), 4u);  // each picture and its line
  EXPECT_NE(both.find("height=\"880\""), std::string::npos);
}

TEST(HeatMap, EveryEntryIsACell) {
  HeatMap map{.title = "<coin>", .x_label = "output", .y_label = "input"};
  map.rows = {{0.75, 0.25}, {0.25, std::nan("")}};
  const std::string picture = svg(map);
  expect_well_formed(picture);
  EXPECT_EQ(count(picture, ">0.25</text>"), 2u);
  EXPECT_EQ(count(picture, ">0.75</text>"), 1u);  // and what isn't finite has none
  EXPECT_EQ(count(picture, "<coin>"), 0u);
  EXPECT_EQ(picture, svg(map));
}

TEST(HeatMap, LargeAndOddOnesStillMakeAPicture) {
  HeatMap large;
  large.rows.assign(1000, std::vector<double>(300, 0.1));
  const std::string picture = svg(large);
  expect_well_formed(picture);
  EXPECT_LT(picture.size(), 3'000'000u);
  const double inf = std::numeric_limits<double>::infinity();
  for (const std::vector<std::vector<double>>& rows : {std::vector<std::vector<double>>{},
                                                       {{}},
                                                       {{0}},
                                                       {{1, 2}, {3}},
                                                       {{inf, -inf}},
                                                       {{-1, -2}},
                                                       {{1e308, 1e-320}}})
    expect_well_formed(svg(HeatMap{.rows = rows}));
}

}  // namespace
}  // namespace discreet::present
