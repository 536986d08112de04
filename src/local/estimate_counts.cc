#include "discreet/local/estimate_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace discreet::local {

Result<std::uint64_t> reports_in(std::span<const std::uint64_t> counts, std::size_t outputs) {
  if (counts.size() != outputs)
    return bad_parameter("counts", fmt::format("found {} numbers; accepted is one for each of {} "
                                               "outputs of the channel",
                                               counts.size(), outputs));
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

Status check_telling(std::size_t inputs, const channel::Ratio& ratio) {
  if (inputs < 2)
    return bad_parameter("channel", "found one input; accepted are two at least to estimate");
  if (ratio.lower <= 1)
    return bad_parameter("epsilon", "found 0, which tells nothing; accepted is a positive number");
  return {};
}

std::vector<double> frequencies(std::span<const std::uint64_t> counts, double users) {
  std::vector<double> out(counts.begin(), counts.end());
  for (double& each : out) each /= users;
  return out;
}

double error_of(double squares, double frequency, double users) {
  return std::sqrt(std::max(squares - std::clamp(frequency, 0.0, 1.0), 0.0) / users);
}

}  // namespace discreet::local
