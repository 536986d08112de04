#include "discreet/mechanism/compare/mode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/mechanism/gap/threshold.h"
#include "discreet/mechanism/noise.h"

namespace discreet::mechanism::compare {
namespace {

constexpr long kBits = 96;
constexpr std::int64_t kMostPoints = 60;

Integer integer(std::int64_t value) { return Integer(static_cast<long>(value)); }
// e^(−εg)
Ball decay(const Rational& epsilon, std::int64_t agree, long bits) {
  return exp(-Ball(epsilon * integer(agree), bits), bits);
}

// From how many on the exponential mechanism is right 999 times in 1000: e^(εg) = 999·(d−1).
std::int64_t agreeing(const Rational& epsilon, std::int64_t domain) {
  const double weight = std::log(999 * static_cast<double>(domain));
  return static_cast<std::int64_t>(std::ceil(weight / to_double(epsilon)));
}

// 10, 1000, 10^12.
std::string written(std::int64_t number) {
  int zeros = 0;
  std::int64_t left = number;
  for (; left % 10 == 0; left /= 10) ++zeros;
  return left == 1 && zeros > 3 ? fmt::format("10^{}", zeros) : std::to_string(number);
}

}  // namespace

Ball exponential_mode(const Rational& epsilon, std::int64_t agree, std::int64_t domain, long bits) {
  const Ball others = mul(Ball(static_cast<long>(domain - 1)), decay(epsilon, agree, bits), bits);
  return div(Ball(1), add(Ball(1), others, bits), bits);
}

Ball permute_and_flip_mode(const Rational& epsilon, std::int64_t agree, std::int64_t domain,
                           long bits) {
  const Ball p = decay(epsilon, agree, bits);
  // any_of keeps its digits where p is tiny
  return div(any_of(p, static_cast<std::uint64_t>(domain), bits),
             mul(Ball(static_cast<long>(domain)), p, bits), bits);
}

Result<Ball> noisy_max_mode(const Rational& epsilon, std::int64_t agree, std::int64_t domain,
                            long bits) {
  const NoisePointer noise = TRY(discrete_laplace(1 / epsilon));
  const Integer reach = noise->quantile(Rational(1, 1'000'000'000'000));
  Ball out(0);
  for (Integer z = -reach; z <= reach; ++z) {
    const Ball below = sub(Ball(1), noise->at_least(z + integer(agree) + 1, bits), bits);
    out = add(
        out,
        mul(noise->mass(z, bits), pow(below, static_cast<unsigned long>(domain - 1), bits), bits),
        bits);
  }
  return add(out, Ball::between(0, Rational(1, 1'000'000'000'000), bits), bits);
}

Result<Comparison> compare_mode(const ModeCase& given) {
  for (const std::int64_t domain : given.domains)
    if (domain < 2)
      return bad_parameter("domains", fmt::format("found {}; accepted is 2 or more", domain));
  const auto stable = TRY(gap::GapTest::create({given.epsilon, given.delta}));
  Comparison out{.title = "The most common value",
                 .x_label = "units that agree, more than have any other value",
                 .y_label = "probability of the right answer"};
  out.notes.push_back(
      fmt::format("ε = {}, add-remove; stable mode: δ = {}, else it says nothing. Nobody has "
                  "another value. Exact",
                  to_decimal(given.epsilon), to_text(to_double(given.delta))));
  std::int64_t most = stable.distance_for(Rational(999, 1000));
  for (const std::int64_t domain : given.domains)
    most = std::max(most, agreeing(given.epsilon, domain));
  const std::int64_t step = std::max<std::int64_t>(1, most / kMostPoints);
  for (std::int64_t agree = 1; agree <= most; agree += step)
    out.x.push_back(static_cast<double>(agree));
  const auto draw = [&](std::string name, const auto& chance) -> Status {
    Line line{std::move(name), {}};
    for (const double agree : out.x) {
      const Result<Ball> at = chance(static_cast<std::int64_t>(agree));
      if (!at) return tl::unexpected<Error>(at.error());
      line.y.push_back(at->middle());
    }
    out.lines.push_back(std::move(line));
    return {};
  };
  TRY(draw("stable mode, any number of values",
           [&](std::int64_t agree) -> Result<Ball> { return stable.probability(agree, kBits); }));
  for (const std::int64_t domain : given.domains) {
    TRY(draw(fmt::format("exponential, {} values", written(domain)),
             [&](std::int64_t agree) -> Result<Ball> {
               return exponential_mode(given.epsilon, agree, domain, kBits);
             }));
    TRY(draw(fmt::format("permute-and-flip, {} values", written(domain)),
             [&](std::int64_t agree) -> Result<Ball> {
               return permute_and_flip_mode(given.epsilon, agree, domain, kBits);
             }));
    TRY(draw(fmt::format("noisy max, {} values", written(domain)), [&](std::int64_t agree) {
      return noisy_max_mode(given.epsilon, agree, domain, kBits);
    }));
  }
  return out;
}

}  // namespace discreet::mechanism::compare
