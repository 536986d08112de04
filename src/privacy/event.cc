#include "discreet/privacy/event.h"

#include <fmt/format.h>

#include <map>

#include "discreet/base/try.h"

namespace discreet::privacy {
namespace {

Status positive(const char* event, const char* name, const Rational& value) {
  if (sgn(value) > 0) return {};
  return fail(Code::kUsage, fmt::format("{}: {} is {}, accepted is a number above 0", event, name,
                                        to_decimal(value)));
}

Status not_negative(const char* event, const char* name, const Rational& value) {
  if (sgn(value) >= 0) return {};
  return fail(Code::kUsage,
              fmt::format("{}: {} is {}, accepted is 0 or more", event, name, to_decimal(value)));
}

Status noise(const char* event, const char* name, const Rational& scale,
             const Rational& sensitivity, bool whole) {
  TRY(positive(event, name, scale));
  TRY(not_negative(event, "sensitivity", sensitivity));
  if (whole && sensitivity.get_den() != 1) {
    return fail(Code::kUsage,
                fmt::format("{}: sensitivity is {}, accepted is a whole number of grid steps",
                            event, to_decimal(sensitivity)),
                "discrete noise lives on the integers; express the query in grid steps");
  }
  return {};
}

Status all(const std::vector<Event>& events, const char* name) {
  if (events.empty())
    return fail(Code::kUsage, fmt::format("{}: found no event, accepted is one or more", name));
  for (const Event& event : events) TRY(check(event));
  return {};
}

void open(const Event& event, const Integer& times, std::vector<Part>& out) {
  std::visit(Overloaded{
                 [&](const Repeated& e) { open(*e.event, times * e.count, out); },
                 [&](const Composed& e) {
                   for (const Event& part : e.events) open(part, times, out);
                 },
                 [&](const auto&) {
                   out.push_back({event, times});
                 },
             },
             event.what);
}

std::string with_sensitivity(const char* name, const char* scale_name, const Rational& scale,
                             const Rational& sensitivity) {
  std::string out = fmt::format("{}({}={}", name, scale_name, to_decimal(scale));
  if (sensitivity != 1) out += ", sensitivity=" + to_decimal(sensitivity);
  return out + ")";
}

std::string joined(const std::vector<Event>& events) {
  std::string out;
  for (const Event& event : events) out += (out.empty() ? "" : ", ") + describe(event);
  return out;
}

}  // namespace

std::string name_of(const Event& event) {
  static constexpr const char* kNames[] = {"gaussian",
                                           "laplace",
                                           "discrete-gaussian",
                                           "discrete-laplace",
                                           "randomized-response",
                                           "exponential",
                                           "dp",
                                           "zcdp",
                                           "rdp",
                                           "poisson",
                                           "repeated",
                                           "compose",
                                           "parallel"};
  static_assert(std::size(kNames) == std::variant_size_v<decltype(Event::what)>);
  return kNames[event.what.index()];
}

std::string describe(const Event& event) {
  return std::visit(
      Overloaded{
          [](const Gaussian& e) {
            return with_sensitivity("gaussian", "sigma", e.sigma, e.sensitivity);
          },
          [](const Laplace& e) {
            return with_sensitivity("laplace", "scale", e.scale, e.sensitivity);
          },
          [](const DiscreteGaussian& e) {
            return with_sensitivity("discrete-gaussian", "sigma", e.sigma, e.sensitivity);
          },
          [](const DiscreteLaplace& e) {
            return with_sensitivity("discrete-laplace", "scale", e.scale, e.sensitivity);
          },
          [](const RandomizedResponse& e) {
            return fmt::format("randomized-response(k={}, epsilon={})", e.k.get_str(),
                               to_decimal(e.epsilon));
          },
          [](const Exponential& e) {
            return fmt::format("exponential(epsilon={})", to_decimal(e.epsilon));
          },
          [](const Approximate& e) {
            return fmt::format("dp(epsilon={}, delta={})", to_decimal(e.epsilon),
                               to_decimal(e.delta));
          },
          [](const Concentrated& e) { return fmt::format("zcdp(rho={})", to_decimal(e.rho)); },
          [](const RenyiBound& e) {
            return fmt::format("rdp(alpha={}, epsilon={})", to_decimal(e.alpha),
                               to_decimal(e.epsilon));
          },
          [](const Poisson& e) {
            return fmt::format("poisson({}, {})", to_decimal(e.rate), describe(*e.event));
          },
          [](const Repeated& e) {
            return fmt::format("{}*{}", describe(*e.event), e.count.get_str());
          },
          [](const Composed& e) { return fmt::format("compose({})", joined(e.events)); },
          [](const Parallel& e) { return fmt::format("parallel({})", joined(e.events)); },
      },
      event.what);
}

std::vector<Part> parts_of(const Event& event) {
  std::vector<Part> opened;
  open(event, 1, opened);
  std::vector<Part> out;
  std::map<std::string, std::size_t> seen;
  for (Part& part : opened) {
    if (sgn(part.count) == 0) continue;
    const auto [at, fresh] = seen.try_emplace(describe(part.event), out.size());
    if (fresh) {
      out.push_back(std::move(part));
    } else {
      out[at->second].count += part.count;
    }
  }
  return out;
}

Status check(const Event& event) {
  return std::visit(
      Overloaded{
          [](const Gaussian& e) {
            return noise("gaussian", "sigma", e.sigma, e.sensitivity, false);
          },
          [](const Laplace& e) { return noise("laplace", "scale", e.scale, e.sensitivity, false); },
          [](const DiscreteGaussian& e) {
            return noise("discrete-gaussian", "sigma", e.sigma, e.sensitivity, true);
          },
          [](const DiscreteLaplace& e) {
            return noise("discrete-laplace", "scale", e.scale, e.sensitivity, true);
          },
          [](const RandomizedResponse& e) -> Status {
            if (e.k < 2)
              return fail(Code::kUsage,
                          fmt::format("randomized-response: k is {}, accepted is 2 or more",
                                      e.k.get_str()));
            return not_negative("randomized-response", "epsilon", e.epsilon);
          },
          [](const Exponential& e) { return not_negative("exponential", "epsilon", e.epsilon); },
          [](const Approximate& e) -> Status {
            if (sgn(e.delta) < 0 || e.delta > 1) {
              return fail(Code::kUsage,
                          fmt::format("dp: delta is {}, accepted is a number from 0 to 1",
                                      to_decimal(e.delta)));
            }
            return not_negative("dp", "epsilon", e.epsilon);
          },
          [](const Concentrated& e) { return not_negative("zcdp", "rho", e.rho); },
          [](const RenyiBound& e) -> Status {
            if (e.alpha <= 1) {
              return fail(Code::kUsage,
                          fmt::format("rdp: alpha is {}, accepted is a number above 1",
                                      to_decimal(e.alpha)));
            }
            return not_negative("rdp", "epsilon", e.epsilon);
          },
          [](const Poisson& e) -> Status {
            if (sgn(e.rate) < 0 || e.rate > 1) {
              return fail(Code::kUsage,
                          fmt::format("poisson: q is {}, accepted is a probability from 0 to 1",
                                      to_decimal(e.rate)));
            }
            return check(*e.event);
          },
          [](const Repeated& e) -> Status {
            if (sgn(e.count) < 0)
              return fail(Code::kUsage,
                          fmt::format("count is {}, accepted is 0 or more", e.count.get_str()));
            return check(*e.event);
          },
          [](const Composed& e) { return all(e.events, "compose"); },
          [](const Parallel& e) { return all(e.events, "parallel"); },
      },
      event.what);
}

}  // namespace discreet::privacy
