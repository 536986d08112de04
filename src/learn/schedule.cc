#include "discreet/learn/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include "discreet/base/try.h"

namespace discreet::learn {
namespace {

constexpr const char* kAccepted =
    "accepted is a number above 0, 0.5->0.1 from the first step to the last (or :cosine, "
    ":exponential after it), or 0.5,100:0.2 for another one from step 100 on";

tl::unexpected<Error> refuse(const std::string& parameter, const std::string& found) {
  return bad_parameter(parameter, fmt::format("found '{}'; {}", found, kAccepted));
}

Result<Rational> number(const std::string& parameter, const std::string& text) {
  auto value = parse_number(text, Rounding::kUp);
  if (!value || *value < Rational(1, 1'000'000'000'000) || *value > 1'000'000'000'000)
    return refuse(parameter, text);
  return *value;
}

}  // namespace

Result<Schedule> Schedule::parse(const std::string& parameter, const std::string& text) {
  Schedule out;
  out.text_ = text;
  if (const std::size_t arrow = text.find("->"); arrow != std::string::npos) {
    std::string last = text.substr(arrow + 2);
    out.shape_ = Shape::kLine;
    if (const std::size_t colon = last.find(':'); colon != std::string::npos) {
      const std::string shape = last.substr(colon + 1);
      last.resize(colon);
      if (shape == "cosine")
        out.shape_ = Shape::kCosine;
      else if (shape == "exponential")
        out.shape_ = Shape::kExponential;
      else if (shape != "linear")
        return refuse(parameter, text);
    }
    out.pieces_ = {{0, TRY(number(parameter, text.substr(0, arrow)))},
                   {0, TRY(number(parameter, last))}};
    return out;
  }
  std::size_t at = 0;
  while (true) {
    const std::size_t end = text.find(',', at);
    std::string piece = text.substr(at, end == std::string::npos ? end : end - at);
    std::uint64_t begin = 0;
    if (const std::size_t colon = piece.find(':'); colon != std::string::npos) {
      const auto [stop, error] = std::from_chars(piece.data(), piece.data() + colon, begin);
      if (error != std::errc() || stop != piece.data() + colon) return refuse(parameter, text);
      piece = piece.substr(colon + 1);
    }
    const bool first = out.pieces_.empty();
    if (first ? begin != 0 : begin <= out.pieces_.back().begin) return refuse(parameter, text);
    if (out.pieces_.size() >= 1000) return refuse(parameter, "more than 1000 pieces");
    out.pieces_.push_back({begin, TRY(number(parameter, piece))});
    if (end == std::string::npos) return out;
    at = end + 1;
  }
}

Schedule Schedule::constant(const Rational& value) {
  Schedule out;
  out.text_ = to_decimal(value);
  out.pieces_ = {{0, value}};
  return out;
}

double Schedule::at(std::uint64_t step, std::uint64_t steps) const {
  if (shape_ == Shape::kPieces) {
    double value = to_double(pieces_[0].value);
    for (const Piece& piece : pieces_)
      if (piece.begin <= step) value = to_double(piece.value);
    return value;
  }
  const double first = to_double(pieces_[0].value), last = to_double(pieces_[1].value);
  const double share =
      steps <= 1 ? 0 : std::min(1.0, static_cast<double>(step) / static_cast<double>(steps));
  if (shape_ == Shape::kLine) return first + (last - first) * share;
  if (shape_ == Shape::kCosine)
    return last + (first - last) * (1 + std::cos(std::numbers::pi * share)) / 2;
  return first * std::pow(last / first, share);
}

std::pair<double, double> Schedule::ends() const {
  // Shapes go from the one to the other and no further.
  const auto [least, most] = std::ranges::minmax_element(pieces_, {}, &Piece::value);
  return {to_double(least->value), to_double(most->value)};
}

std::vector<Schedule::Piece> Schedule::pieces(std::uint64_t steps, std::size_t most) const {
  if (shape_ == Shape::kPieces) return pieces_;
  std::vector<Piece> out;
  const std::uint64_t count = std::min<std::uint64_t>(most, std::max<std::uint64_t>(steps, 1));
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t begin = steps * i / count, end = steps * (i + 1) / count;
    // Shapes are monotone, so the greater end is the greatest.
    const double greatest = std::max(at(begin, steps), at(end > begin ? end - 1 : begin, steps));
    // Four digits, up: events that people can read.
    const double unit = std::pow(10.0, std::floor(std::log10(greatest)) - 4);
    const auto digits = static_cast<std::int64_t>(std::ceil(greatest / unit * (1 + 1e-12)));
    const auto written =
        parse_number(fmt::format("{}e{}", digits, std::lround(std::log10(unit))), Rounding::kUp);
    const Rational value = written ? *written : Rational(greatest);
    if (!out.empty() && out.back().value == value) continue;
    out.push_back({begin, value});
  }
  return out;
}

}  // namespace discreet::learn
