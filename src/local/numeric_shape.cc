#include "discreet/local/numeric_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/local/ibu.h"
#include "discreet/local/likelihood.h"
#include "discreet/local/numeric_shape_bars.h"

namespace discreet::local {
namespace {

// Each frequency in as many equal parts.
std::vector<double> spread(std::span<const double> frequencies, std::size_t parts) {
  std::vector<double> out;
  out.reserve(frequencies.size() * parts);
  for (const double each : frequencies)
    out.insert(out.end(), parts, each / static_cast<double>(parts));
  return out;
}

// Of numbers that are uniform in their bin: θ spread over the parts, and so g_v is the mean of the
// parts' gradients.
class ByBins final : public Likelihood {
 public:
  ByBins(const Likelihood& by_parts, std::size_t parts) : by_parts_(by_parts), parts_(parts) {}
  std::size_t values() const override { return by_parts_.values() / parts_; }
  double users() const override { return by_parts_.users(); }
  double gradient(std::span<const double> theta, std::span<double> g) const override {
    std::vector<double> fine(by_parts_.values());
    const double out = by_parts_.gradient(spread(theta, parts_), fine);
    std::fill(g.begin(), g.end(), 0.0);
    for (std::size_t part = 0; part < fine.size(); ++part)
      g[part / parts_] += fine[part] / static_cast<double>(parts_);
    return out;
  }

 private:
  const Likelihood& by_parts_;
  std::size_t parts_;
};

}  // namespace

EstimateOptions shape_options() {
  EstimateOptions out;
  out.method = Method::kIbu;
  out.smooth = true;
  return out;
}

Result<Shape> estimate_shape(const ShapeProtocol& protocol, const State& state,
                             EstimateOptions options) {
  if (options.method == Method::kMle) {
    options.smooth = false;
    options.tolerance = std::min(options.tolerance, 1e-12);
  } else if (options.method != Method::kIbu) {
    return bad_parameter("method",
                         fmt::format("found {}; accepted is ibu or mle for {}, whose "
                                     "reports name no value",
                                     name_of(options.method), protocol.constants().name),
                         advise("method", "ibu"));
  }
  if (state.users == 0)
    return fail(Code::kUsage, "reports: found none; accepted is one or more to estimate from");
  const std::size_t bins = protocol.constants().domain, parts = protocol.parts();
  if (!options.start.empty() && options.start.size() != bins)
    return bad_parameter(
        "start", fmt::format("found {} frequencies; accepted are {}", options.start.size(), bins));
  const auto by_parts = TRY(protocol.likelihood(state));
  const ByBins by_bins(*by_parts, parts);
  if (options.smooth) options.start = spread(options.start, parts);
  Shape out{
      TRY(iterate(options.smooth ? *by_parts : static_cast<const Likelihood&>(by_bins), options)),
      {}};
  const std::vector<double> theta = std::move(out.bins.distribution);
  ShapeBars bars{std::vector<double>(bins, INFINITY), INFINITY};
  if (theta.size() <= kMostBars) bars = shape_bars(protocol, state, theta, options.smooth);
  out.bins.users = state.users;
  out.bins.bars = Bars::kFixedPoint;
  out.bins.stderr_ = std::move(bars.bins);
  out.mean.stderr_ = bars.mean;
  out.bins.distribution.assign(bins, 0);
  for (std::size_t v = 0; v < theta.size(); ++v) {
    out.bins.distribution[v * bins / theta.size()] += theta[v];
    out.mean.value += theta[v] * (static_cast<double>(v) + 0.5) / static_cast<double>(theta.size());
  }
  return out;
}

}  // namespace discreet::local
