// Values as people write them, one a line, for `discreet local perturb`: numbers of values, labels,
// or decimal numbers between two bounds.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "discreet/cli/local_verbs.h"

namespace discreet::cli {

// --lower and --upper of protocols about numbers; -1 and 1 where a mean is asked for, 0 and 1 where
// a shape is.
struct Scale {
  double lower = 0, upper = 1;
  bool given = false;  // not the default
  double at(double place) const { return lower + place * (upper - lower); }
};
Result<Scale> read_scale(local::Task task, const std::string& lower, const std::string& upper);
void add_scale_options(CLI::App& verb, std::string& lower, std::string& upper);

class ValueReader {
 public:
  // `protocol` stays where it is.
  ValueReader(const NamedProtocol& protocol, Scale scale);
  // False where the line is no value. `clamped` counts numbers beyond the bounds.
  bool read(std::string_view line, local::Value& out, std::uint64_t& clamped) const;
  // What to say of a line that isn't, "standard input, line 3: …"; with a hint.
  Error refuse(const std::string& place, std::uint64_t line, std::string_view found) const;

 private:
  bool read_decimal(std::string_view line, local::Value& out, std::uint64_t& clamped) const;

  const NamedProtocol& protocol_;
  local::Task task_;
  std::size_t domain_;
  Scale scale_;
  std::unordered_map<std::string_view, local::Value> labels_;
};

}  // namespace discreet::cli
