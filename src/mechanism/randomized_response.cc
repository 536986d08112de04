#include "discreet/mechanism/randomized_response.h"

#include <fmt/format.h>

#include "discreet/base/try.h"
#include "discreet/mechanism/checks.h"
#include "discreet/random/bernoulli.h"
#include "discreet/random/uniform.h"

namespace discreet::mechanism {

Result<RandomizedResponse> RandomizedResponse::create(
    const RandomizedResponseParameters& parameters) {
  TRY(check_epsilon(parameters.epsilon));
  if (parameters.values.size() < 2) {
    return bad_parameter(
        "values", fmt::format("found {}; accepted are two or more", parameters.values.size()));
  }
  return RandomizedResponse(parameters);
}

Ball RandomizedResponse::lie(long bits) const {
  const Ball others(static_cast<long>(p_.values.size() - 1));
  return div(others, add(exp(Ball(p_.epsilon, bits), bits), others, bits), bits);
}

Ball RandomizedResponse::probability(std::size_t value, std::size_t output, long bits) const {
  if (value == output) return sub(Ball(1), lie(bits), bits);
  return div(lie(bits), Ball(static_cast<long>(p_.values.size() - 1)), bits);
}

Result<Released<std::size_t>> RandomizedResponse::release(const Exact<std::size_t>& exact,
                                                          random::Source& source) const {
  const std::size_t count = p_.values.size();
  const std::size_t value = open(exact);
  if (value >= count) {
    // Said without the value, which is private.
    return bad_parameter(
        "value", fmt::format("not one of the {} values that the mechanism was made for", count));
  }
  // Both are always drawn, so that a lie takes as long as the truth.
  auto lies = random::bernoulli(source, [this](long bits) { return lie(bits); });
  if (!lies) return forward_error(lies);
  auto other = TRY(random::uniform_below(source, count - 1));
  const std::size_t told = other + (other >= value ? 1 : 0);
  return Released<std::size_t>(*lies ? told : value, guarantee());
}

}  // namespace discreet::mechanism
