#include "discreet/local/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "discreet/base/suggest.h"
#include "discreet/local/estimate_evidence.h"
#include "discreet/local/pure.h"

namespace discreet::local {
namespace {

constexpr std::array<std::pair<Method, std::string_view>, 5> kMethods{
    {{Method::kInversion, "inversion"},
     {Method::kClip, "clip"},
     {Method::kSimplex, "simplex"},
     {Method::kIbu, "ibu"},
     {Method::kMle, "mle"}}};

}  // namespace

Result<Method> read_method(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& [method, known] : kMethods) {
    if (known == name) return method;
    names.emplace_back(known);
  }
  return bad_parameter(
      "method", fmt::format("found '{}'; accepted is inversion, clip, simplex, ibu or mle", name),
      nearest(name, names).empty() ? "" : did_you_mean(name, names));
}

std::string_view name_of(Method method) {
  return std::find_if(kMethods.begin(), kMethods.end(),
                      [method](const auto& each) { return each.first == method; })
      ->second;
}

std::string_view name_of(Stopped stopped) {
  switch (stopped) {
    case Stopped::kDirect:
      return "direct";
    case Stopped::kTolerance:
      return "tolerance";
    case Stopped::kChange:
      return "change";
    case Stopped::kRounds:
      return "rounds";
    case Stopped::kAsked:
      return "asked";
  }
  return {};
}

std::string_view name_of(Bars bars) {
  switch (bars) {
    case Bars::kInversion:
      return "inversion";
    case Bars::kInformation:
      return "information";
    case Bars::kFixedPoint:
      return "fixed point";
  }
  return {};
}

Result<Estimate> estimate_frequencies(const FrequencyProtocol& protocol, const State& state,
                                      const EstimateOptions& options) {
  const Constants& c = protocol.constants();
  const auto users = static_cast<double>(state.users);
  Evidence evidence{.users = state.users};
  evidence.invert = [&]() -> Result<std::vector<double>> {
    return pure_inversion(protocol.supports(state.counters), users, c.p, c.q);
  };
  evidence.errors = [&](std::span<const double> f) {
    // without counters, hadamard's too is that of a report whose block is the value's
    constexpr double kNobody = 0, kAll = 1;
    const double slope =
        protocol.variances({}, {&kAll, 1})[0] - protocol.variances({}, {&kNobody, 1})[0];
    std::vector<double> variances = protocol.variances(state.counters, f);
    for (double& each : variances) each = steadied(each, slope, users);
    return standard_errors(std::move(variances), users);
  };
  evidence.reach = [&](double chance) {
    return protocol.reach(state.counters, state.users, chance);
  };
  evidence.likelihood = [&] { return protocol.likelihood(state); };
  return estimate_from(evidence, options);
}

}  // namespace discreet::local
