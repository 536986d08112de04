#include "discreet/cli/local_values.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "discreet/base/quote.h"
#include "discreet/base/suggest.h"
#include "discreet/base/try.h"
#include "discreet/local/checks.h"

namespace discreet::cli {
namespace {

// A number that no double holds is 0, or beyond any bounds: it is reported as such. A client that
// refused it and stayed silent would tell which it was.
double beyond_doubles(std::string_view line) {
  return std::strtod(std::string(line).c_str(), nullptr);  // 0 or so, or HUGE_VAL with its sign
}

}  // namespace

void add_scale_options(CLI::App& verb, std::string& lower, std::string& upper) {
  verb.add_option("--lower", lower,
                  "of numbers: the least there may be; -1 for means and 0 for square-wave where "
                  "none is given");
  verb.add_option("--upper", upper, "of numbers: the greatest there may be; 1 where none is given");
}

Result<Scale> read_scale(local::Task task, const std::string& lower, const std::string& upper) {
  if (task == local::Task::kFrequencies) {
    if (!lower.empty() || !upper.empty())
      return bad_parameter(lower.empty() ? "upper" : "lower",
                           "found with a protocol about values; accepted is it with one about "
                           "numbers, such as duchi or square-wave");
    return Scale{};
  }
  const auto read = [](const char* name, const std::string& text, Rational otherwise) {
    const Rational most("1" + std::string(100, '0'));
    return text.empty() ? Result<Rational>(std::move(otherwise))
                        : read_number(name, text, Rounding::kDown,
                                      {-most, most, false, "a number such as -1, 0 or 250.5"});
  };
  const Rational low = TRY(read("lower", lower, task == local::Task::kMean ? -1 : 0));
  const Rational high = TRY(read("upper", upper, 1));
  const Scale out{to_double(low), to_double(high), !lower.empty() || !upper.empty()};
  if (!(out.lower < out.upper))
    return bad_parameter("lower", fmt::format("found {} with an upper bound of {}; accepted is a "
                                              "number below it",
                                              to_text(out.lower), to_text(out.upper)));
  return out;
}

ValueReader::ValueReader(const NamedProtocol& protocol, Scale scale)
    : protocol_(protocol),
      task_(protocol.protocol->constants().task),
      domain_(protocol.protocol->constants().domain),
      scale_(scale) {
  for (std::size_t i = 0; i < protocol.labels.size(); ++i)
    labels_.emplace(protocol.labels[i], static_cast<local::Value>(i));
}

bool ValueReader::read(std::string_view line, local::Value& out, std::uint64_t& clamped) const {
  if (task_ != local::Task::kFrequencies) return read_decimal(line, out, clamped);
  if (labels_.empty()) return local::read_index(line, domain_, out) == local::Fault::kNone;
  const auto found = labels_.find(line);
  if (found == labels_.end()) return false;
  out = found->second;
  return true;
}

// The place on the grid that is nearest to (x − lower)/(upper − lower). Whatever it rounds to, the
// report's guarantee is the same.
bool ValueReader::read_decimal(std::string_view line, local::Value& out,
                               std::uint64_t& clamped) const {
  double x = 0;
  if (line.starts_with('+')) line.remove_prefix(1);
  if (line.starts_with('+') || line.starts_with("--")) return false;
  const auto read = std::from_chars(line.data(), line.data() + line.size(), x);
  if (read.ptr != line.data() + line.size() || !std::isfinite(x)) return false;
  if (read.ec == std::errc::result_out_of_range)
    x = beyond_doubles(line);
  else if (read.ec != std::errc())
    return false;
  clamped += x < scale_.lower || x > scale_.upper ? 1 : 0;
  const double place =
      (std::clamp(x, scale_.lower, scale_.upper) - scale_.lower) / (scale_.upper - scale_.lower);
  out = static_cast<local::Value>(std::lround(std::clamp(place, 0.0, 1.0) * local::kScale));
  return true;
}

Error ValueReader::refuse(const std::string& place, std::uint64_t line,
                          std::string_view found) const {
  std::string accepted, hint;
  if (task_ != local::Task::kFrequencies) {
    accepted = fmt::format("a number from {} to {}", to_text(scale_.lower), to_text(scale_.upper));
  } else if (labels_.empty()) {
    accepted = fmt::format("a whole number from 0 to {}", domain_ - 1);
  } else {
    accepted = fmt::format("one of the {} values of --values", labels_.size());
    // of a million labels nobody can be shown all, and the nearest takes its time
    constexpr std::size_t kMostLabels = 100'000;
    if (labels_.size() <= kMostLabels && found.size() <= 100)
      hint = did_you_mean(found, protocol_.labels);
  }
  const std::string what = found.empty() ? "an empty line" : quote(found);
  return {Code::kUsage,
          fmt::format("{}, line {}: found {}; accepted is {}", place, line, what, accepted),
          hint,
          {},
          {}};
}

}  // namespace discreet::cli
