#include "discreet/cli/channel_output.h"

#include <fmt/format.h>

#include <cmath>

#include "discreet/cli/command.h"
#include "discreet/cli/out_file.h"
#include "discreet/present/heat_map.h"
#include "discreet/present/plot.h"
#include "discreet/present/table.h"

namespace discreet::cli {
namespace {

constexpr std::size_t kLongestExact = 32;

}  // namespace

Json json_number(double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

Json json_matrix(const channel::Channel& channel) {
  Json rows = Json::array();
  for (std::size_t y = 0; y < channel.rows(); ++y) {
    Json row = Json::array();
    for (const Rational& p : channel.row(y)) row.push_back(to_double(p));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string csv_of(const channel::Channel& channel) {
  std::string out;
  for (std::size_t y = 0; y < channel.rows(); ++y) {
    for (std::size_t z = 0; z < channel.columns(); ++z) {
      if (z > 0) out += ',';
      out += to_decimal(channel.at(y, z));
    }
    out += '\n';
  }
  return out;
}

std::string table_of(const channel::Channel& channel) {
  constexpr std::size_t kMostColumns = 16, kMostRows = 40;
  if (channel.columns() > kMostColumns || channel.rows() > kMostRows) return "";
  std::vector<present::Column> columns{{"input", present::Align::kRight}};
  for (std::size_t z = 0; z < channel.columns(); ++z)
    columns.push_back({fmt::format("{}", z), present::Align::kRight});
  present::Table table(std::move(columns));
  for (std::size_t y = 0; y < channel.rows(); ++y) {
    std::vector<std::string> cells{fmt::format("{}", y)};
    for (const Rational& p : channel.row(y)) cells.push_back(fmt::format("{:.6g}", to_double(p)));
    table.add(std::move(cells));
  }
  return table.text();
}

std::string short_exact(const Rational& value) {
  std::string text = to_decimal(value);
  return text.size() <= kLongestExact ? text : "";
}

std::string short_exact(const channel::Loss& loss) {
  if (loss.infinite || loss.power == 0 || loss.ratio == 1) return loss.infinite ? "" : "0";
  const std::string ratio = short_exact(loss.ratio);
  if (ratio.empty()) return "";
  return loss.power == 1 ? fmt::format("ln({})", ratio)
                         : fmt::format("{}*ln({})", loss.power, ratio);
}

Status finish(bool json, const Json& object, const std::string& text) {
  return print(json ? object.dump() + "\n" : text);
}

Status plot_matrix(const std::string& path, const channel::Channel& channel,
                   const std::string& title, const std::string& outputs) {
  if (path.empty()) return {};
  present::HeatMap map{.title = title, .x_label = outputs, .y_label = "input"};
  for (std::size_t y = 0; y < channel.rows(); ++y) {
    map.rows.emplace_back();
    for (const Rational& p : channel.row(y)) map.rows.back().push_back(to_double(p));
  }
  return write_whole("plot", path, present::svg(map));
}

Status plot_tradeoff(const std::string& path, const std::vector<channel::Point>& curve) {
  if (path.empty()) return {};
  present::Plot plot{.title = "What telling two neighbours apart costs",
                     .x_label = "false alarm",
                     .y_label = "missed detection"};
  present::Series line{.name = "the best test"};
  for (const channel::Point& point : curve) {
    line.x.push_back(to_double(point.false_alarm));
    line.y.push_back(to_double(point.miss));
  }
  plot.series = {line, {.name = "perfect privacy", .x = {0, 1}, .y = {1, 0}}};
  return write_whole("plot", path, present::svg(plot));
}

}  // namespace discreet::cli
